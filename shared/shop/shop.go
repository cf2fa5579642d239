package shop

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// Shop is a hosted e-shop as the operator sees it, and as its item keeps it.
type Shop struct {
	record.Head
	Fields
	// Developer is whose test shop it is; "": it is no test shop, but a merchant's.
	Developer string `json:"developerId,omitempty" doc:"The developer whose test shop it is"`

	// DeletesAt is when the shop is deleted; 0: never. Until then it is closed.
	DeletesAt field.Time `json:"deletesAt,omitempty" doc:"The moment at which the closed shop is deleted"`

	WebsiteURL string `json:"websiteUrl,omitempty" doc:"The storefront's address, without a slash at its end"` // shown, and not kept
	Test       bool   `json:"test,omitempty" doc:"Whether it is a developer's test shop: its tokens are esk_test_, and search engines are told to pass over it"`

	// Look is that of its face, where the shop was found by a host; else it is not known.
	Look Look `json:"-"`
}

// Closed says whether the shop is to be deleted. Nobody finds its storefront and its admin by their hosts, and no
// access of it is let in.
func (s Shop) Closed() bool { return s.DeletesAt != 0 }

// Schedule closes the shop, which is deleted at a moment, or opens it again, for 0. It returns the operation that
// writes the shop as it was changed.
func (s *Shop) Schedule(u *change.Unit, at field.Time) store.Op {
	was := s.Version
	s.DeletesAt = at
	s.SetVersion(u.NextVersion(was))
	return store.Put(s.Item(), store.VersionIs(was))
}

// ErrClosed is what cannot be done in a closed shop.
var ErrClosed = problem.Conflict("shop_closed", "The shop is closed, and will be deleted. Restore it first.")

// Fields are what the operator writes of a shop.
type Fields struct {
	Name     field.Name   `json:"name"`
	Domain   field.Domain `json:"domain" doc:"The host of the shop's storefront, unique, in lower case. No label of it is admin, which is where the admins of shops are"`
	Locale   field.Locale `json:"locale"`
	Currency string       `json:"currency" enum:"CZK,EUR"`
	Owner    Owner        `json:"owner"`

	// ReadyDomain is the name of the shop's own that leads to the platform by https. Where it is the domain, addresses
	// of the shop begin with it; a domain that is changed later is not ready by itself.
	ReadyDomain field.Domain `json:"readyDomain,omitempty" doc:"The domain of the shop's own that leads here by https: addresses of the shop begin with it while it is its domain"`

	// VisitorLimits bound what one network address may make in the shop without an account.
	VisitorLimits VisitorLimits `json:"visitorLimits,omitzero" required:"false" doc:"What visitors may make in any minute, then 429 too_many_tries"`
}

// VisitorLimits are what strangers may make in any minute. nil: the default; 0: any number.
type VisitorLimits struct {
	BasketsPerMinute   *int64 `json:"basketsPerMinute,omitempty" minimum:"0" maximum:"1000" nullable:"true" doc:"How many baskets a network address may begin, and how often change one under a new Idempotency-Key; absent or null: 120; 0: any number" example:"120"`
	CheckoutsPerMinute *int64 `json:"checkoutsPerMinute,omitempty" minimum:"0" maximum:"1000" nullable:"true" doc:"How many checkouts a network address may make; absent or null: 20; 0: any number" example:"20"`
	CheckoutsPerBasket *int64 `json:"checkoutsPerBasket,omitempty" minimum:"0" maximum:"1000" nullable:"true" doc:"How many checkouts one basket may make; absent or null: 5; 0: any number" example:"5"`
}

// Visitors are the limits of the shop's visitors: of a test shop the defaults, whatever its developer has set.
func (s Shop) Visitors() VisitorLimits {
	if s.Developer != "" {
		return VisitorLimits{}
	}
	return s.VisitorLimits
}

// The limits of a shop whose operator has set none (contract, "Bounds of strangers").
const (
	defaultBaskets            = 120
	defaultCheckouts          = 20
	defaultCheckoutsPerBasket = 5
)

// Baskets are the new baskets that a network address may have in any minute, and the answers that are kept for it under
// an Idempotency-Key of a basket.
func (l VisitorLimits) Baskets() int64 { return or(l.BasketsPerMinute, defaultBaskets) }

// Checkouts are the checkouts that a network address may try in any minute.
func (l VisitorLimits) Checkouts() int64 { return or(l.CheckoutsPerMinute, defaultCheckouts) }

// CheckoutsOfBasket are the checkouts of one basket that may be tried in any minute.
func (l VisitorLimits) CheckoutsOfBasket() int64 {
	return or(l.CheckoutsPerBasket, defaultCheckoutsPerBasket)
}

func or(set *int64, otherwise int64) int64 {
	if set == nil {
		return otherwise
	}
	return *set
}

// check refuses a domain that could be the host of a shop's admin.
func (f Fields) check() error {
	var faults problem.Faults
	if slices.Contains(strings.Split(string(f.Domain), "."), strings.TrimSuffix(adminLabel, ".")) {
		faults.Add("domain", problem.BadFormat, "must have no label admin, which is where the admin of a shop lies")
	}
	return faults.Err()
}

// Owner of a shop.
type Owner struct {
	Email field.Email `json:"email"`
}

// along gives a new shop its order states, and tells all add-ons of a shop about its new owner.
func (p Places) along(_ context.Context, u *change.Unit, s *record.Step[Shop]) error {
	s.Shop = s.After.ID
	if s.Before == nil {
		ops, told := sale.NewOrderStates(u, s.After.ID, s.After.Locale)
		s.Ops, s.Records = append(s.Ops, ops...), append(s.Records, told...)
		return nil
	}
	if s.Before.Owner != s.After.Owner {
		s.Notices = append(s.Notices, p.ownerChange(*s.After, field.At(u.Now())))
	}
	return nil
}

// ownerChange is the webhook about a shop's new owner.
func (p Places) ownerChange(s Shop, at field.Time) events.Notice {
	data, err := json.Marshal(struct {
		Email   field.Email `json:"ownerEmail"`
		Website string      `json:"websiteUrl"`
		At      field.Time  `json:"originatedAt"`
	}{s.Owner.Email, p.Website(s), at})
	if err != nil {
		panic("shop: " + err.Error()) // it holds nothing that JSON cannot
	}
	return events.Notice{Event: events.ShopOwnerChange, Data: data}
}
