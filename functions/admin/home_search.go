package admin

import (
	"context"
	"net/url"

	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/base/words"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/sale"
	"eshop/shared/search"
)

// searchPath is the page of what is found by the box in the head of every page.
const searchPath = root + "/search"

// search registers the search for orders, products and customers at once.
func (d door) search() {
	look(d, searchPath, d.find)
}

// searchFor is what is searched for. Whatever somebody types is taken: of more than five words the first five.
type searchFor struct {
	Q string `query:"q" maxLength:"100"`
}

// foundPage is what was found, of each kind.
type foundPage struct {
	Q     string
	Some  bool // something was found
	Kinds []foundKind
}

// foundKind is the records of a kind that were found, and the list with all of them.
type foundKind struct {
	Kind, Heading string
	Rows          []foundRow
	More          bool   // there are more
	All           string // the address of the list with all of them
}

// foundRow is a record that was found.
type foundRow struct {
	ID, Path, Text, Small string
	State                 *shownState // of an order
}

// shownOfKind is how many records of a kind are shown.
const shownOfKind = 8

// find finds the newest of each kind.
func (d door) find(c *api.Call, v *visit, in *searchFor) (screen, error) {
	data := foundPage{Q: words.Shortened(in.Q)}
	title := v.say("search.title")
	if data.Q == "" {
		return screen{name: "found", title: title, data: data}, nil
	}
	index, asked := d.Search(), words.Ask(data.Q)
	var orders, products, customers foundKind
	var found []sale.Order
	var states []sale.OrderState
	_, load := catalog.ProductList(d.Main, v.shop.ID, v.website)
	err := guard.Beside(c, d.Near,
		func() (err error) {
			found, orders.More, err = newest(c, index.Listing(search.Orders, v.shop.ID, asked),
				record.Load(d.Main, sale.Orders.Show))
			return
		},
		func() (err error) { states, err = sale.AllStates(c, d.Main, v.shop.ID); return },
		func() error {
			found, more, err := newest(c, index.Listing(search.Products, v.shop.ID, asked), load)
			for _, one := range found {
				products.add(productsPath, one.ID, string(one.Name), string(one.Code))
			}
			products.More = more
			return err
		},
		func() error {
			found, more, err := newest(c, index.Listing(search.Customers, v.shop.ID, asked),
				record.Load(d.Main, customer.Customers.Show))
			for _, one := range found {
				customers.add(customersPath, one.ID, fullName(one), string(one.Email))
			}
			customers.More = more
			return err
		})
	for _, o := range found {
		orders.add(ordersPath, o.ID, o.Number, nameOf(o)+", "+v.lang.Money(o.Totals.Total, o.Currency))
		tag := tagOf(states, o.StateID)
		orders.Rows[len(orders.Rows)-1].State = &tag
	}
	for _, k := range []struct {
		name, path string
		found      foundKind
	}{{"orders", ordersPath, orders}, {"products", productsPath, products}, {"customers", customersPath, customers}} {
		k.found.Kind, k.found.Heading = k.name, v.say(k.name)
		k.found.All = k.path + "?" + url.Values{"q": {data.Q}}.Encode()
		data.Kinds = append(data.Kinds, k.found)
		data.Some = data.Some || len(k.found.Rows) > 0
	}
	return screen{name: "found", title: title + ": " + data.Q, data: data}, err
}

// add adds a record that was found.
func (k *foundKind) add(path, id, text, small string) {
	k.Rows = append(k.Rows, foundRow{ID: id, Path: path + "/" + id, Text: text, Small: small})
}

// newest are the newest of the records that are found, and whether there are more.
func newest[T any](
	ctx context.Context, found record.Listing, load func(context.Context, []store.Item) ([]record.Shown[T], error),
) (some []T, more bool, err error) {
	some, next, err := record.Page(ctx, found, record.Asked{Descending: true, Limit: shownOfKind}, load)
	return some, next != "", err
}
