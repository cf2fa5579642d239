package sale

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// OrderKey is the order's item.
func OrderKey(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#O#" + id, SK: "A"} }

// OrdersOf is the partition of Index1 with the orders of a shop, by (changed, id).
func OrdersOf(shop string) string { return "S#" + shop + "#O" }

// OrdersOfCustomer is the partition of Index2 with the orders of a customer, by (changed, id).
func OrdersOfCustomer(shop, customer string) string { return OrdersOf(shop) + "#C#" + customer }

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
	i := store.Item{Key: OrderKey(shop, o.ID), Version: o.Version, Doc: marshal(o),
		Index1: place(OrdersOf(shop), o.Version, o.ID)}
	if o.CustomerID != "" {
		i.Index2 = place(OrdersOfCustomer(shop, o.CustomerID), o.Version, o.ID)
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
	return problem.InvalidAt("", problem.TooBig, "the order would be larger than 300 KiB: shorten the notes")
}

// marshal is JSON without the escapes for HTML, which would make items larger than what was sent.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("sale: " + err.Error()) // these hold nothing that JSON cannot
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// OrderOf reads an order's item.
func OrderOf(item *store.Item) (Order, error) {
	var o Order
	err := item.Into(&o)
	o.Version, o.Returned = item.Version, item.Text[returned] != ""
	return o, err
}

// ReadOrder is the shop's order of this id, a problem not_found when there is none.
func ReadOrder(ctx context.Context, table store.Table, shop, order string) (Order, error) {
	if !id.Valid(order) {
		return Order{}, problem.NotFound()
	}
	items, err := table.Get(ctx, OrderKey(shop, order))
	if err != nil {
		return Order{}, err
	}
	if items[0] == nil {
		return Order{}, problem.NotFound()
	}
	return OrderOf(items[0])
}

// FindOrder is the item of the shop's order of a number; nil when there is none.
func FindOrder(ctx context.Context, t store.Table, shop, number string) (*store.Item, error) {
	return unique.Find(ctx, t, NumberKey(shop, number), func(id string) store.Key { return OrderKey(shop, id) })
}

// ShowOrder is the order of an item for a page.
func ShowOrder(item *store.Item) (Order, time.Time, bool, error) {
	o, err := OrderOf(item)
	return o, o.Changed.Go(), true, err
}
