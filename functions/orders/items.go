package orders

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"eshop/shared/api"
	"eshop/shared/id"
	"eshop/shared/store"
)

// Key is the order's item.
func Key(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#O#" + id, SK: "A"} }

// OfShop is the partition of Index1 with the orders of a shop, by (changed, id).
func OfShop(shop string) string { return "S#" + shop + "#O" }

// OfCustomer is the partition of Index2 with the orders of a customer, by (changed, id).
func OfCustomer(shop, customer string) string { return OfShop(shop) + "#C#" + customer }

// NumberKey is the claim of an order's number, by which it is found.
func NumberKey(shop, number string) store.Key {
	return store.Key{PK: "S#" + shop + "#=N#" + number, SK: "A"}
}

// sequenceKey is the item that counts the shop's orders, in its number "n".
func sequenceKey(shop string) store.Key { return store.Key{PK: "S#" + shop + "#SEQ", SK: "A"} }

const counted = "n"

// place is where an item lies in an index that goes by (changed, id).
func place(partition, version, id string) store.Key {
	return store.Key{PK: partition, SK: version[:10] + "#" + id}
}

// returned is the text of an order whose stock was put back.
const returned = "returned"

// item is the order as it is stored: its document is the answer that shows it.
func (o Order) item(shop string) store.Item {
	i := store.Item{Key: Key(shop, o.ID), Version: o.Version, Doc: marshal(o), Index1: place(OfShop(shop), o.Version, o.ID)}
	if o.CustomerID != "" {
		i.Index2 = place(OfCustomer(shop, o.CustomerID), o.Version, o.ID)
	}
	if o.Returned {
		i.Text = map[string]string{returned: "1"}
	}
	return i
}

// maxOrder is the most that an order may weigh, in bytes: it is one item, and what it changes rides on it.
const maxOrder = 300 << 10

// tooHeavy is the fault of an order that would be larger than the platform keeps; nil when it is not.
func (i Order) tooHeavy() error {
	if len(marshal(i)) <= maxOrder {
		return nil
	}
	return api.InvalidAt("", api.TooBig, "the order would be larger than 300 KiB: shorten the notes")
}

// marshal is JSON without the escapes for HTML, which would make items larger than what was sent.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("orders: " + err.Error()) // these hold nothing that JSON cannot
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Of reads an order's item.
func Of(item *store.Item) (Order, error) {
	var o Order
	err := item.Into(&o)
	o.Version, o.Returned = item.Version, item.Text[returned] != ""
	return o, err
}

// Read is the shop's order of this id, a problem not_found when there is none.
func Read(ctx context.Context, table store.Table, shop, order string) (Order, error) {
	if !id.Valid(order) {
		return Order{}, api.NotFound()
	}
	items, err := table.Get(ctx, Key(shop, order))
	if err != nil {
		return Order{}, err
	}
	if items[0] == nil {
		return Order{}, api.NotFound()
	}
	return Of(items[0])
}

// show is the order of an item for a page.
func show(item *store.Item) (Order, time.Time, bool, error) {
	o, err := Of(item)
	return o, o.Changed.Go(), true, err
}
