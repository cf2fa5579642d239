package shop

import (
	"context"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Key is the shop's item.
func Key(id string) store.Key { return store.Key{PK: "S#" + id, SK: "A"} }

// DomainKey is the claim of a domain.
func DomainKey(domain string) store.Key { return store.Key{PK: "DOM#" + domain, SK: "A"} }

// Shops are the shops of the platform as records. They are of no shop themselves, how one is deleted is package
// leaving's, and nobody is told of them but of their owners and of a new one's order states. drop forgets what this
// process remembers of a shop's accesses, with which they know their shop. names are those that no shop chooses.
func Shops(names Names, drop func(shop string)) *record.Kind[Shop, Fields] {
	return kind.With(record.Along[Shop]{Extend: names.along}).With(record.Along[Shop]{Extend: names.Places.along,
		AfterTry: func(_ context.Context, _ *change.Unit, s *record.Step[Shop], _ error) { drop(s.After.ID) }})
}

// MaxTests is how many test shops a developer has at most (contract, "Bounds").
const MaxTests = 5

// ShopsOf is Shops for a developer: their own test shops are all that is there, and a new one is theirs.
func ShopsOf(all *record.Kind[Shop, Fields], developer string) *record.Kind[Shop, Fields] {
	return all.OwnedBy(record.Owned[Shop]{List: testsOf(developer), Owner: developer,
		In: func(s *Shop) *string { return &s.Developer }},
		record.Quota[Shop](quotaKey(developer), quotaName, MaxTests,
			problem.Conflict("too_many_shops", "A developer has "+strconv.Itoa(MaxTests)+" test shops at most.")))
}

// testsOf is the partition of index 2 with a developer's test shops, by (changed, id).
func testsOf(developer string) string { return "DEV#" + developer + "#SHOPS" }

// quotaName is the number that counts a developer's test shops, in the item of quotaKey.
const quotaName = "shops"

func quotaKey(developer string) store.Key { return store.Key{PK: "DEV#" + developer, SK: "SHOPS"} }

var kind = &record.Kind[Shop, Fields]{
	Key:    func(_, id string) store.Key { return Key(id) },
	List:   func(string) string { return "SHOPS" },
	Split:  func(s *Shop) (*record.Head, *Fields) { return &s.Head, &s.Fields },
	Claims: claims,
	Hold:   Shop.hold,
	Check:  Fields.check,
	Save: func(_ string, s Shop, item *store.Item) {
		if s.Developer != "" {
			item.Index2 = record.IndexKey(testsOf(s.Developer), s.Version, s.ID)
		} else {
			item.Index2 = store.Key{PK: liveNames, SK: upwards(string(s.Domain))}
		}
	},
	Filters: []record.Filter[Shop]{{Name: "domain", Most: 253, Doc: "The shop with this domain, compared without case",
		Claim: func(_, domain string) store.Key { return DomainKey(strings.ToLower(domain)) },
		Has:   func(s Shop, domain string) bool { return string(s.Domain) == strings.ToLower(domain) }}},
}

func claims(_ string, f Fields) []record.Claim {
	return []record.Claim{{Key: DomainKey(string(f.Domain)),
		Taken: problem.Conflict("domain_taken", "Another shop has this domain.")}}
}

// hold is for how long a domain that the shop had stays its own: 30 days of a live shop's, to which old bookmarks and
// mails lead (contract, "Names").
func (s Shop) hold() time.Duration {
	if s.Developer != "" {
		return 0
	}
	return 30 * 24 * time.Hour
}

// Item is the shop as it is stored.
func (s Shop) Item() store.Item { return kind.Item("", s) }

// Decode reads a shop's item.
func Decode(item *store.Item) (Shop, error) { return kind.Decode(item) }

// Purge deletes what is kept of a shop that ends, and the shop itself with its domain. A developer whose test shop it
// was has room for another; a live shop's domain is nobody's for a while from now.
func Purge(ctx context.Context, t store.Table, id string, now time.Time) error {
	at := Key(id)
	items, err := t.Get(ctx, at)
	if err != nil || items[0] == nil {
		return err
	}
	shop, err := Decode(items[0])
	if err != nil {
		return err
	}
	var beside []store.Key
	for page, err := range store.Pages(ctx, t, store.Query{PK: at.PK, Keys: true}) {
		if err != nil {
			return err
		}
		for i := range page.Items {
			if key := page.Items[i].Key; key != at {
				beside = append(beside, key)
			}
		}
	}
	if err := record.PurgeKeys(ctx, t, beside); err != nil {
		return err
	}
	claim := DomainKey(string(shop.Domain))
	ops := []store.Op{store.Delete(at, store.VersionIs(shop.Version)),
		record.HoldClaim(claim, id, now.Add(shop.hold()))}
	if shop.Developer != "" {
		ops[1] = record.ReleaseClaim(claim, id)
		ops = append(ops, store.Update(quotaKey(shop.Developer), store.Set{Add: map[string]int64{quotaName: -1}}))
	}
	_, err = t.Write(ctx, events.Nothing, ops...)
	return err
}

// Read is the shop of this id; a problem not_found when there is none.
func Read(ctx context.Context, t store.Table, id string) (Shop, error) {
	return kind.Read(ctx, t, "", id)
}
