// Package audit keeps who did what: each change that the operator, or an admin of a shop, has made. An entry is kept
// for 400 days. The frame of doors writes it when an action is done; what changed is in the record, not here.
package audit

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/id"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// Life is how long an entry is kept.
const Life = 400 * 24 * time.Hour

// Entry is one action. An admin is named by the id alone, so that a name goes with its person.
type Entry struct {
	ID        string     `json:"id" doc:"The request's own id, as logs have it"`
	Created   field.Time `json:"created"`
	Token     string     `json:"tokenId,omitempty" doc:"Of the operator: the token, or first"`
	TokenName string     `json:"tokenName,omitempty" doc:"Its name then"`
	Admin     string     `json:"adminId,omitempty" doc:"Of an admin of the shop"`
	Shop      string     `json:"shopId,omitempty"`
	Method    string     `json:"method"`
	Path      string     `json:"path"`
	Made      string     `json:"made,omitempty" doc:"The path of what it made"`
	Address   string     `json:"address" doc:"Where the request came from"`
}

// OfOperator is the partition of the table with what the operator did.
const OfOperator = "AUDIT"

// Partition is where a shop's entries are. Its admins' lie in this partition of the table, the operator's in
// OfOperator; both are listed in this partition of Index1.
func Partition(shop string) string { return "S#" + shop + "#AUDIT" }

// Add keeps an entry. It was made when its ID was.
func Add(ctx context.Context, t store.Table, entry Entry) error {
	entry.Created = record.ChangedAt(entry.ID)
	doc, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	at := id.Stamp(entry.Created.Go()) + "#" + entry.ID
	item := store.Item{Key: store.Key{PK: OfOperator, SK: at}, Doc: doc, Expires: entry.Created.Go().Add(Life).Unix()}
	if entry.Admin != "" {
		item.PK = Partition(entry.Shop)
	}
	if entry.Shop != "" {
		item.Index1 = store.Key{PK: Partition(entry.Shop), SK: at}
	}
	_, err = t.Write(ctx, events.Nothing, store.Put(item))
	return err
}

// Listing says where entries are: those of a shop, or with shop "" those of the operator.
func Listing(t store.Table, shop string) record.Listing {
	if shop == "" {
		return record.InPartitions(t, store.Primary, OfOperator)
	}
	return record.InPartitions(t, store.Index1, Partition(shop))
}

// Show reads an entry for a list (record.Load).
func Show(item *store.Item) (e Entry, at time.Time, ok bool, err error) {
	err = json.Unmarshal(item.Doc, &e)
	return e, e.Created.Go(), err == nil, err
}

// Shops is the path below which the operator does what is about one shop.
const Shops = "/operator/shops/"

// ShopOf is the id of the shop that a path of the operator's is about; "" when it is about none.
func ShopOf(path string) string {
	rest, is := strings.CutPrefix(path, Shops)
	shop, _, _ := strings.Cut(rest, "/")
	if !is || !id.Valid(shop) {
		return ""
	}
	return shop
}
