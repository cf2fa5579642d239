package shop

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"

	"eshop/shared/base/egress"
	"eshop/shared/base/remember"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// maxHosts is how many hosts' shops are remembered.
const maxHosts = 10_000

// Hosts finds the shop of a request by its host. It is safe for concurrent use.
type Hosts struct {
	table store.Table
	names Names
	known *remember.Memory[string, *Shop]
}

// NewHosts finds shops by their domains and by the names that the host gives them. A shop that was found is remembered
// by the rule.
func NewHosts(table store.Table, names Names, rule remember.Rule) *Hosts {
	return &Hosts{table: table, names: names, known: remember.New[string, *Shop](rule, maxHosts)}
}

// ByStorefront is the shop whose storefront has the request's host, in any case, with or without a port; nil if there
// is none. A name with a dot at its end, or a text that is no name, is no shop's.
func (h *Hosts) ByStorefront(ctx context.Context, host string) (*Shop, error) {
	return h.named(ctx, hostName(host))
}

// named is the shop of a name as hostName writes it; nil when there is none. No shop has the name of an admin, and none
// has one of the platform's own.
func (h *Hosts) named(ctx context.Context, name string) (*Shop, error) {
	if _, admin := h.names.Places.besideAdmin(name); name == "" || admin || h.names.owns(name) {
		return nil, nil
	}
	s, err := h.known.Get(ctx, name, func(ctx context.Context) (*Shop, error) { return h.find(ctx, name) })
	if errors.Is(err, errUnknown) {
		return nil, nil
	}
	return s, err
}

// ByAdmin is the shop whose admin has the request's host; nil when there is none. A shop whose admin is told at another
// name has none here: an admin has one origin.
func (h *Hosts) ByAdmin(ctx context.Context, host string) (*Shop, error) {
	name := hostName(host)
	storefront, is := h.names.Places.besideAdmin(name)
	if !is {
		return nil, nil
	}
	s, err := h.named(ctx, storefront)
	if s == nil || h.names.Places.Admin(*s) != h.names.Places.at(name) {
		return nil, err
	}
	return s, err
}

// errUnknown is a name that no open shop has. It is an error because it is not remembered: a new shop is there at once.
var errUnknown = errors.New("shop: no shop has this host")

// find reads the shop of a name: the one that the host gives it to, else the one that has claimed it as its domain.
func (h *Hosts) find(ctx context.Context, name string) (*Shop, error) {
	if id, given := h.names.Places.shopAt(name); given {
		return h.read(ctx, id)
	}
	claims, err := h.table.Get(ctx, DomainKey(name))
	if err != nil {
		return nil, err
	}
	if claims[0] == nil {
		return nil, errUnknown
	}
	s, err := h.read(ctx, record.Owner(claims[0]))
	if err != nil {
		return nil, err
	}
	if string(s.Domain) != name { // a claim may be left by a shop that was never made, or has moved
		return nil, errUnknown
	}
	return s, nil
}

// read is the shop of an id, unless it is closed.
func (h *Hosts) read(ctx context.Context, id string) (*Shop, error) {
	items, err := h.table.Get(ctx, Key(id), FaceKey(id))
	if err != nil {
		return nil, err
	}
	if record.Missing(items[0]) {
		return nil, errUnknown
	}
	shop, err := Decode(items[0])
	if err != nil {
		return nil, err
	}
	if shop.Closed() {
		return nil, errUnknown
	}
	face, err := FaceOf(items[1], shop.Locale)
	shop.Look = face.look()
	return &shop, err
}

// hostName is the name in a request's host, in lower case and without its port; "" when it is none.
func hostName(host string) string {
	name := host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		var err error
		var port string
		if name, port, err = net.SplitHostPort(host); err != nil || strings.Trim(port, "0123456789") != "" {
			return ""
		}
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if a, err := netip.ParseAddr(name); (err != nil || a.Zone() != "") && !egress.IsName(name) {
		return ""
	}
	return name
}
