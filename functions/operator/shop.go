// Package operator is the API of the platform's operator: shops, packages, their accesses and tokens (contract, section
// 9). Keys and shapes of its records are package addon's, which every request reads.
package operator

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/sale"
	"eshop/shared/store"
)

// Owner of a shop.
type Owner struct {
	Email api.Email `json:"email"`
}

// ShopFields are what the operator writes of a shop.
type ShopFields struct {
	Name     api.Name `json:"name"`
	Domain   Domain   `json:"domain" doc:"The host of its storefront, unique; lower-cased"`
	Locale   string   `json:"locale" enum:"cs_CZ,sk_SK"`
	Currency string   `json:"currency" enum:"CZK,EUR"`
	Owner    Owner    `json:"owner"`
}

// Shop as answers show it.
type Shop struct {
	ID string `json:"id"`
	ShopFields
	WebsiteURL string   `json:"websiteUrl"`
	Created    api.Time `json:"created"`
	Changed    api.Time `json:"changed"`
}

// Domain is a host name in lower case.
type Domain string

// UnmarshalJSON trims and lower-cases.
func (d *Domain) UnmarshalJSON(b []byte) error {
	var line api.Line
	err := line.UnmarshalJSON(b)
	*d = Domain(strings.ToLower(string(line)))
	return err
}

// Schema describes the type: labels of letters, digits and inner hyphens, the last one no number.
func (Domain) Schema(huma.Registry) *huma.Schema {
	most := 253
	s := &huma.Schema{Type: huma.TypeString, MaxLength: &most, PatternDescription: "a host name without a port",
		Pattern: `^\s*([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\s*$`, Examples: []any{"shop.example.cz"}}
	s.PrecomputeMessages()
	return s
}

func (g group) shown(s addon.Shop) Shop {
	return Shop{ID: s.ID, ShopFields: shopFields(s), WebsiteURL: g.Website(s.ID, s.Domain), Created: s.Created, Changed: addon.Changed(s.Version)}
}

func shopFields(s addon.Shop) ShopFields {
	return ShopFields{Name: api.Name(s.Name), Domain: Domain(s.Domain), Locale: s.Locale, Currency: s.Currency, Owner: Owner{api.Email(s.Owner.Email)}}
}

func shopWith(s addon.Shop, f ShopFields) addon.Shop {
	s.Name, s.Domain, s.Locale, s.Currency, s.Owner.Email = string(f.Name), string(f.Domain), f.Locale, f.Currency, string(f.Owner.Email)
	return s
}

func (g group) listShops(ctx context.Context, in *api.List) (*api.Collection[Shop], error) {
	rows := api.Rows{Table: g.Main, Index: store.Index1, Partitions: []string{addon.Shops}}
	return api.Page(ctx, *in, rows, api.Load(g.Main, listing(addon.ShopOf, g.shown, func(s addon.Shop) string { return s.Version })))
}

func (g group) readShop(ctx context.Context, in *OfShop) (*api.Answer[Shop], error) {
	s, err := g.shop(ctx, in.Shop)
	if err != nil {
		return nil, err
	}
	return api.Of(g.shown(s), s.Version), nil
}

// shop is the shop of this id; a 404 when there is none.
func (g group) shop(ctx context.Context, id string) (addon.Shop, error) {
	return one(ctx, g, addon.ShopKey(id), addon.ShopOf)
}

func (g group) createShop(ctx context.Context, in *api.Create[ShopFields]) (*api.Answer[Shop], error) {
	c := api.From(ctx)
	s := shopWith(addon.Shop{ID: c.NewID(), Version: c.Next("")}, in.Body)
	s.Created = addon.Changed(s.Version)
	answer := api.Of(g.shown(s), s.Version).At(shopsPath + "/" + s.ID)
	domain := addon.DomainKey(s.Domain)
	states, records := sale.NewOrderStates(c.Unit(), s.ID, s.Locale)
	change := c.Changed(records...)
	change.Shop = s.ID
	_, err := c.Write(ctx, answer, change, append(states, store.Put(s.Item(), store.Absent()), claim(domain, s.ID))...)
	return answer, taken(err, domain, domainTaken)
}

var domainTaken = api.Problem{Status: 409, Code: "domain_taken", Detail: "Another shop has this domain."}

func (g group) changeShop(ctx context.Context, in *changeShop) (*api.Answer[Shop], error) {
	defer g.Accesses.DropShop(in.Shop)
	return api.Again(ctx, func() (*api.Answer[Shop], error) { return g.tryChangeShop(ctx, in.Shop, in.Body) })
}

func (g group) tryChangeShop(ctx context.Context, id string, patch api.Patch[ShopFields]) (*api.Answer[Shop], error) {
	c := api.From(ctx)
	was, err := g.shop(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := c.Match(was.Version); err != nil {
		return nil, err
	}
	fields, err := api.Apply(ctx, patch, shopFields(was))
	if err != nil {
		return nil, err
	}
	now := shopWith(was, fields)
	if now == was {
		return api.Of(g.shown(was), was.Version), nil
	}
	now.Version = c.Next(was.Version)
	ops := []store.Op{store.Put(now.Item(), store.VersionIs(was.Version))}
	if now.Domain != was.Domain {
		ops = append(ops, claim(addon.DomainKey(now.Domain), id), store.Delete(addon.DomainKey(was.Domain)))
	}
	answer := api.Of(g.shown(now), now.Version)
	_, err = c.Write(ctx, answer, g.ownerChange(c, was, now), ops...)
	return answer, taken(err, addon.DomainKey(now.Domain), domainTaken)
}

// ownerChange tells all add-ons of the shop about its new owner, if it has one.
func (g group) ownerChange(c *api.Call, was, now addon.Shop) events.Change {
	if was.Owner == now.Owner {
		return events.Nothing
	}
	return c.Told(now.ID, events.Notice{Event: events.ShopOwnerChange, Data: data(struct {
		Email   string   `json:"ownerEmail"`
		Website string   `json:"websiteUrl"`
		At      api.Time `json:"originatedAt"`
	}{now.Owner.Email, g.Website(now.ID, now.Domain), api.At(c.Now())})})
}
