package sale

import (
	"strings"
	"time"

	"eshop/shared/base/each"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/images"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// Quotes are the basket price quotes of shops as records, made and changed by the commands of Quoting. Nobody is told
// of them. What changes of one lies beside its document, so that each change is one update: the texts "status" and
// "order", and "images", the public keys of its images. The number "ends" is when its time is over.
var Quotes = &record.Kind[Quote, QuoteFields]{
	Key:   QuoteKey,
	List:  func(shop string) string { return "S#" + shop + "#Q" }, // never written: see Save
	Split: func(q *Quote) (*record.Head, *QuoteFields) { return &q.Head, &q.QuoteFields },
	Load: func(q *Quote, item *store.Item) {
		q.Access, q.Package, q.Hash = item.Text["access"], item.Text["package"], item.Text["token"]
		q.Status, q.OrderID = QuoteStatus(item.Text["status"]), item.Text["order"]
		q.ImageKeys = strings.Fields(item.Text["images"])
		q.ImageIDs = each.Of(q.ImageKeys, images.IDOf)
	},
	Save: func(shop string, quote Quote, item *store.Item) {
		item.Text = map[string]string{"access": quote.Access, "package": quote.Package, "token": quote.Hash,
			"status": string(quote.Status)}
		if len(quote.ImageKeys) > 0 {
			item.Text["images"] = strings.Join(quote.ImageKeys, " ")
		}
		item.Num = map[string]int64{"ends": int64(quote.ExpiresAt)}
		item.Expires = quoteRowExpires(quote.ExpiresAt.Go())
		item.Index1 = record.IndexKey(QuotesOf(shop, quote.Access), quote.Version, quote.ID)
		if quote.ExternalID != "" {
			item.Index2 = record.IndexKey(QuotesByExternal(shop, quote.Access, string(quote.ExternalID)), quote.Version,
				quote.ID)
		}
	},
}

// QuoteKey is the quote's item.
func QuoteKey(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#Q#" + id, SK: "A"} }

// QuotesOf is the partition of Index1 with the quotes of an access, by (changed, id). Each issued quote has two rows
// there: see tokenClaim.
func QuotesOf(shop, access string) string { return "S#" + shop + "#Q#" + access }

// QuotesByExternal is the partition of Index2 with the quotes of an access that have this external id, as QuotesOf.
func QuotesByExternal(shop, access, externalID string) string {
	return "S#" + shop + "#QX#" + access + "#" + externalID
}

// QuoteClaimKey is the claim of a token: its owner is the quote's id.
func QuoteClaimKey(shop, token string) store.Key { return tokenClaimKey(shop, secret.Hash(token)) }

func tokenClaimKey(shop, hash string) store.Key {
	return store.Key{PK: "S#" + shop + "#=Q#" + hash, SK: "A"}
}

// externalKey is the claim of an external id among the issued quotes of an access.
func externalKey(shop, access, externalID string) store.Key {
	return store.Key{PK: "S#" + shop + "#=QX#" + access + "#" + externalID, SK: "A"}
}

// claims are the values that no other issued quote of the access may have.
func (q Quote) claims(shop string) []record.Claim {
	if q.ExternalID == "" {
		return nil
	}
	return []record.Claim{{Key: externalKey(shop, q.Access, string(q.ExternalID)), Expires: q.ExpiresAt.Go().Unix() + 1,
		Taken: problem.Conflict("external_id_taken", "Another issued quote of this access has this externalId.")}}
}

// rowID is the id of the quote that a row of these partitions is about: the quote's own row, or that of its token's
// claim.
func rowID(row store.Item) string {
	at := row.Index1
	if at == (store.Key{}) {
		at = row.Index2
	}
	_, id, _ := strings.Cut(at.SK, "#")
	return id
}

// ended says whether the quote of an item is not issued any more, which it never is again.
func ended(item *store.Item, now time.Time) bool {
	return item.Text["status"] != string(QuoteStatusIssued) || item.Num["ends"] <= now.UnixMilli()
}

// quoteRowExpires is when the items of a quote whose time ended at that moment expire, in unix seconds.
func quoteRowExpires(ended time.Time) int64 { return ended.Add(quoteLife).Unix() + 1 }

// usedLife is how long a quote stays that was used, unless it is sold: longer than its basket is in use. It ends, for
// most baskets are never ordered, and their quotes would stay for ever.
const usedLife = 365 * 24 * time.Hour

// tokenClaim is the operation that claims the quote's token. The claim stays as long as the quote does. A quote
// that is sold stays; its claim goes after usedLife.
//
// It is in the indexes because a quote expires without a write, and lists by (changed, id) must show it at that moment
// all the same. So an issued quote has two rows in each list: its own, at its last change, and that of this claim, at
// the end of its time. Load shows the first while the quote has not expired, and the second from then on. Use and
// Revoke take the claim out of the indexes, for then the quote's status never becomes expired.
func (q Quote) tokenClaim(shop string) store.Op {
	claim := record.AcquireClaim(tokenClaimKey(shop, q.Hash), q.ID, q.Created.Go(), nil)
	claim.Item.Expires = quoteRowExpires(q.ExpiresAt.Go())
	end := id.Stamp(q.ExpiresAt.Go()) + "#" + q.ID
	claim.Item.Index1 = store.Key{PK: QuotesOf(shop, q.Access), SK: end}
	if q.ExternalID != "" {
		claim.Item.Index2 = store.Key{PK: QuotesByExternal(shop, q.Access, string(q.ExternalID)), SK: end}
	}
	return claim
}

// Use is what makes the quote used, of the quote as it was read, on condition that it is still so: issued, and its time
// not over. A line of a basket refers to it from then on. version is the quote's next.
func (q Quote) Use(shop, version string, now time.Time) []store.Op {
	return q.moveTo(QuoteStatusUsed, shop, version, now.Add(usedLife).Unix(),
		store.TextIs("status", string(QuoteStatusIssued)), store.AtLeast("ends", now.UnixMilli()+1))
}

// moveTo gives the quote, as it was read, a status in which its time does not end any more: it and its token's claim
// are kept until a moment in unix seconds.
func (q Quote) moveTo(to QuoteStatus, shop, version string, expires int64, conds ...store.Condition) []store.Op {
	nowhere := store.Key{}
	set := q.Ref().update(shop, version)
	set.Text, set.Expires = map[string]string{"status": string(to)}, &expires
	return []store.Op{
		store.Update(QuoteKey(shop, q.ID), set, append([]store.Condition{store.VersionIs(q.Version)}, conds...)...),
		store.Update(tokenClaimKey(shop, q.Hash), store.Set{Index1: &nowhere, Index2: &nowhere, Expires: &expires},
			store.TextIs("owner", q.ID)),
	}
}

// NoteOrder is the operation that notes the order with which a used quote was sold, which stays as long as the order;
// it holds once. version is the quote's next.
func (q QuoteRef) NoteOrder(shop, orderID, version string) store.Op {
	set, never := q.update(shop, version), int64(0)
	set.Text, set.Expires = map[string]string{"order": orderID}, &never
	return store.Update(QuoteKey(shop, q.ID), set,
		store.TextIs("status", string(QuoteStatusUsed)), store.TextIs("order", ""))
}

// update is the part that all updates of the quote have: the version, and the index keys that go with it.
func (q QuoteRef) update(shop, version string) store.Set {
	index1 := record.IndexKey(QuotesOf(shop, q.Access), version, q.ID)
	set := store.Set{Version: version, Index1: &index1}
	if q.ExternalID != "" {
		index2 := record.IndexKey(QuotesByExternal(shop, q.Access, string(q.ExternalID)), version, q.ID)
		set.Index2 = &index2
	}
	return set
}
