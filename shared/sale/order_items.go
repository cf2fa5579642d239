package sale

import (
	"strconv"
	"strings"

	"context"
	"iter"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/base/words"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
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

// sequenceKey is the item that has the last number that was drawn for an order of the shop, in its number lastDrawn.
func sequenceKey(shop string) store.Key { return store.Key{PK: "S#" + shop + "#SEQ", SK: "A"} }

// lastDrawn is the number of the sequence's item that says which order number was drawn last.
const lastDrawn = "n"

// The texts of an order, which answers do not show: returned of one whose stock was put back, ofBasket the id of the
// basket that it was made of, ofSecret the hash of the secret in its page's address, moves the history of one that was
// moved: <id of the state>@<milliseconds since 1970, base 36> of each, with a space between two; movers, in the same
// way, who brought it into the state that it was in from then on, where that is known. Earlier releases wrote no
// movers, and read what has them.
const (
	returned = "returned"
	ofBasket = "basket"
	ofSecret = "secret"
	moves    = "moves"
	movers   = "movers"
)

// encodeMoves is a history as an order's item holds it; decodeMoves reads it.
func encodeMoves(all []OrderMove) string {
	return strings.Join(each.Of(all, func(m OrderMove) string { return stamped(m.State, m.At) }), " ")
}

// encodeMovers is who made the moves of a history, as an order's item holds it; decodeMovers reads it. A shopper who
// made the order is known by its basket.
func encodeMovers(all []OrderMove) string {
	var parts []string
	for _, m := range all {
		if m.By != "" && m.By != events.Shopper {
			parts = append(parts, stamped(string(m.By), m.At))
		}
	}
	return strings.Join(parts, " ")
}

// stamped is a word of a history, with its moment.
func stamped(word string, at field.Time) string { return word + "@" + strconv.FormatInt(int64(at), 36) }

// stampedWords reads words of a history, with their moments. What cannot be read of it is left out: an order must not
// fail for it.
func stampedWords(text string) iter.Seq2[string, field.Time] {
	return func(yield func(string, field.Time) bool) {
		for _, m := range strings.Fields(text) {
			word, at, _ := strings.Cut(m, "@")
			if ms, err := strconv.ParseInt(at, 36, 64); err == nil && !yield(word, field.Time(ms)) {
				return
			}
		}
	}
}

// decodeMoves reads an order's history.
func decodeMoves(text string) (all []OrderMove) {
	for state, at := range stampedWords(text) {
		all = append(all, OrderMove{State: state, At: at})
	}
	return all
}

// decodeMovers gives an order and its moves who made them.
func (o *Order) decodeMovers(text string) {
	by := map[field.Time]events.Actor{}
	for who, at := range stampedWords(text) {
		by[at] = events.Actor(who)
	}
	o.Maker = by[o.Created]
	for i := range o.Moves {
		o.Moves[i].By = by[o.Moves[i].At]
	}
	// Every order's history begins with the state that it was made in.
	if len(o.Moves) > 0 {
		o.Moves[0].By = o.madeBy()
	}
}

// Orders are the orders of shops as records: the document of an order is the answer that shows it. They are made and
// changed by commands of their own, and never deleted.
var Orders = &record.Kind[Order, OrderFields]{
	PublishedAs: events.Orders,
	Key:         OrderKey,
	List:        OrdersOf,
	Split:       func(o *Order) (*record.Head, *OrderFields) { return &o.Head, &o.OrderFields },
	Filters: []record.Filter[Order]{{Name: "number", Most: 64, Doc: "The order with this number", Claim: NumberKey,
		Has: func(o Order, number string) bool { return o.Number == number }}},
	Subsets: []record.Subset[Order]{{Name: "customerId", Most: 64,
		Doc: "The orders of this customer, a deleted one too",
		Partition: func(shop, customer string) string {
			// No partition stands for none: the list is empty, without asking the store.
			if !id.Valid(customer) {
				return ""
			}
			return OrdersOfCustomer(shop, customer)
		},
		Has: func(o Order, customer string) bool { return o.CustomerID == customer }},
		{Name: "stateId", Most: 64, Doc: "The orders in this state",
			Has: func(o Order, state string) bool { return o.StateID == state }}},
	Words: Order.Words,
	Load: func(o *Order, item *store.Item) {
		o.Returned, o.Moves = item.Text[returned] != "", decodeMoves(item.Text[moves])
		o.Basket, o.secretHash = item.Text[ofBasket], item.Text[ofSecret]
		o.decodeMovers(item.Text[movers])
	},
	Save: func(shop string, order Order, item *store.Item) {
		if order.CustomerID != "" {
			item.Index2 = record.IndexKey(OrdersOfCustomer(shop, order.CustomerID), order.Version, order.ID)
		}
		item.Text = map[string]string{}
		if order.Returned {
			item.Text[returned] = "1"
		}
		if order.Basket != "" {
			item.Text[ofBasket] = order.Basket
		}
		if order.secretHash != "" {
			item.Text[ofSecret] = order.secretHash
		}
		if len(order.Moves) > 0 {
			item.Text[moves] = encodeMoves(order.Moves)
		}
		if who := encodeMovers(order.History()); who != "" {
			item.Text[movers] = who
		}
	},
}

// Words are those by which a search finds the order: its number, the e-mail address, the telephone, the number of its
// shipment, and the names of who pays and who gets it.
func (o Order) Words() []string {
	// The telephone only whole: a search in groups of digits finds it, and each group would be a row of the index.
	texts := append([]string{o.Number, string(o.Email)}, words.Number(string(o.Phone))[1:]...)
	if o.Shipping.TrackingNumber != nil {
		texts = append(texts, *o.Shipping.TrackingNumber)
	}
	for _, a := range []*OrderAddress{o.BillingAddress, o.DeliveryAddress} {
		if a != nil {
			texts = append(texts, string(a.FirstName), string(a.LastName), string(a.Company))
		}
	}
	return words.In(texts...)
}

// MadeSince are the ids of the shop's orders that were made since a moment, newest first, by one query; more says that
// there are more than that reads. It goes by `changed`: what was made since was changed since.
func MadeSince(ctx context.Context, t store.Table, shop string, since time.Time) (ids []string, more bool, err error) {
	page, err := t.Query(ctx, store.Query{Index: store.Index1, PK: OrdersOf(shop), From: id.Stamp(since),
		Descending: true})
	if err != nil {
		return nil, false, err
	}
	for _, row := range page.Items {
		_, made, _ := strings.Cut(row.Index1.SK, "#")
		// An order that was only changed since is in the range, too. When it was made, its id says.
		if !id.Time(made).Before(since) {
			ids = append(ids, made)
		}
	}
	newestFirst(ids)
	return ids, page.Next != "", nil
}

// newestFirst sorts ids of orders.
func newestFirst(ids []string) {
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(b, a) })
}

// ordersAtOnce is how many orders OrdersBy returns at most.
const ordersAtOnce = 10

// OrdersBy are ten orders that a customer has made, newest first, from the one behind the id of another on; "" begins
// at the newest. next is the last one's id if there are more. It takes one query and one read. A customer with more
// orders than one query finds (thousands) sees those that changed last.
func OrdersBy(ctx context.Context, t store.Table, shop, customer, after string) (
	orders []Order, next string, err error,
) {
	return ordersBy(ctx, t, buyer{shop, customer}, after, ordersAtOnce)
}

// LastOrders is how many orders NewestBy returns at most.
const LastOrders = 50

// NewestBy are the last orders that a customer has made, newest first, and whether there are more. It takes one query
// and, if there are any, one read.
func NewestBy(ctx context.Context, t store.Table, shop, customer string) (orders []Order, more bool, err error) {
	orders, next, err := ordersBy(ctx, t, buyer{shop, customer}, "", LastOrders)
	return orders, next != "", err
}

// LastOrderBy is the last order that a customer has made; nil without one. It takes one query and one read.
func LastOrderBy(ctx context.Context, t store.Table, shop, customer string) (*Order, error) {
	orders, _, err := ordersBy(ctx, t, buyer{shop, customer}, "", 1)
	if len(orders) == 0 {
		return nil, err
	}
	return &orders[0], err
}

// buyer is a customer of a shop.
type buyer struct{ shop, customer string }

// ordersBy are up to most orders of a customer, as OrdersBy has them.
func ordersBy(ctx context.Context, t store.Table, by buyer, after string, most int) (
	orders []Order, next string, err error,
) {
	page, err := t.Query(ctx, store.Query{Index: store.Index2, PK: OrdersOfCustomer(by.shop, by.customer),
		Descending: true})
	if err != nil {
		return nil, "", err
	}
	var ids []string
	for _, row := range page.Items {
		if _, made, _ := strings.Cut(row.Index2.SK, "#"); after == "" || made < after {
			ids = append(ids, made)
		}
	}
	if newestFirst(ids); len(ids) > most {
		ids, next = ids[:most], ids[most-1]
	}
	keys := each.Of(ids, func(id string) store.Key { return OrderKey(by.shop, id) })
	items, err := store.GetReadable(ctx, t, keys)
	for _, item := range items {
		if record.Missing(item) {
			continue
		}
		o, err := Orders.Decode(item)
		if err != nil {
			record.LogUnreadable(ctx, item.Key, err)
			continue
		}
		orders = append(orders, o)
	}
	return orders, next, err
}

// maxOrder is how many bytes an order's document may have when it is made, or when its note grows: it is one item,
// which also carries its change. What an order gets later, like its number and its tracking, is little, and never
// refused for that.
const maxOrder = 300 << 10

// tooHeavy is the fault of an order that would be larger than the platform stores; nil when it is not.
func (o Order) tooHeavy() error {
	if len(record.Document(o)) <= maxOrder {
		return nil
	}
	return problem.InvalidAt("", problem.TooBig, "would make the order larger than 300 KiB: shorten the notes")
}
