package shop

import (
	"net/netip"
	"slices"
)

// Names are the names that the platform has for itself, or gives to shops. The zero value has none.
type Names struct {
	// Own are the platform's own names, in lower case and without a port.
	Own []string
	// OfHost finds the shop of a name that the host gives to shops itself, such as <shop>.localhost. is says whether it
	// is such a name, whatever shop has it; one that it gives to no shop, "", is the platform's own. The name is in
	// lower case and without a port. nil: the host gives none.
	OfHost func(name string) (shop string, is bool)
}

// IsOwn says whether a request's host is the platform's own, which serves the API and its documents and no shop
// (contract, section 10, "The platform's own host"). Every IP address is.
func (n Names) IsOwn(host string) bool { return n.owns(hostName(host)) }

// owns is IsOwn of a name as hostName writes it.
func (n Names) owns(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil || slices.Contains(n.Own, name) {
		return true
	}
	if n.OfHost == nil {
		return false
	}
	shop, is := n.OfHost(name)
	return is && shop == ""
}
