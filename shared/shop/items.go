package shop

import (
	"context"
	"strings"

	"eshop/shared/change"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// Key is the shop's item.
func Key(id string) store.Key { return store.Key{PK: "S#" + id, SK: "A"} }

// DomainKey is the claim of a domain.
func DomainKey(domain string) store.Key { return store.Key{PK: "DOM#" + domain, SK: "A"} }

// Kind is the shops of the platform as records. They are of no shop themselves, none is deleted, and nobody is told of
// them but of their owners and of a new one's order states. drop forgets what this process remembers of a shop's
// accesses, with which they know their shop.
func Kind(website Website, drop func(shop string)) *record.Kind[Shop, Fields] {
	return kind.With(record.Along[Shop]{Extend: website.along,
		AfterTry: func(_ context.Context, _ *change.Unit, s *record.Step[Shop], _ error) { drop(s.After.ID) }})
}

var kind = &record.Kind[Shop, Fields]{
	Key:    func(_, id string) store.Key { return Key(id) },
	List:   func(string) string { return "SHOPS" },
	Split:  func(s *Shop) (*record.Head, *Fields) { return &s.Head, &s.Fields },
	Claims: claims,
	Check:  Fields.check,
	Filters: []record.Filter[Shop]{{Name: "domain", Most: 253, Doc: "The shop with this domain, compared without case",
		Claim: func(_, domain string) store.Key { return DomainKey(strings.ToLower(domain)) },
		Has:   func(s Shop, domain string) bool { return string(s.Domain) == strings.ToLower(domain) }}},
}

func claims(_ string, f Fields) []record.Claim {
	return []record.Claim{{Key: DomainKey(string(f.Domain)),
		Taken: problem.Conflict("domain_taken", "Another shop has this domain.")}}
}

// Item is the shop as it is stored.
func (s Shop) Item() store.Item { return kind.Item("", s) }

// Of reads a shop's item.
func Of(item *store.Item) (Shop, error) { return kind.Decode(item) }

// Read is the shop of this id; a problem not_found when there is none.
func Read(ctx context.Context, t store.Table, id string) (Shop, error) {
	return kind.Read(ctx, t, "", id)
}
