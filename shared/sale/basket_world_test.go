package sale_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// The shops of these tests, and an access that registers quotes.
const (
	shop, otherShop = "01SHAP0000000000000000000A", "01SHAP0000000000000000000B"
	access          = "01ACCE0000000000000000000A"
	nothing         = "01KAJ1V4S7TGXSAKB4YV5Q2D3E" // an id of nothing
)

// world is a shop's goods, and the baskets of its shoppers.
type world struct {
	testing.TB
	*hosttest.Table
	sale.Baskets
	random   io.Reader
	mu       sync.Mutex
	now      time.Time
	inactive bool // the package of the access
	calls    int  // of the last command
	writes   int  // of the last command
	quotes   int
}

func open(t testing.TB) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	w := &world{TB: t, Table: &hosttest.Table{Table: db.Table("main")}, random: hosttest.Random(),
		now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	w.Baskets = sale.Baskets{Ordering: sale.Ordering{Currency: "CZK"}, Packages: w, BaseURL: "https://api.test"}
	for _, s := range []string{shop, otherShop} {
		u := w.in(s)
		ops, _ := sale.NewOrderStates(u, s, "cs_CZ")
		_, err := u.Write(t.Context(), nil, events.Nothing, ops...)
		require.NoError(t, err)
	}
	return w
}

// PackageActive is what the platform would say of the access.
func (w *world) PackageActive(_ context.Context, of, who string) (bool, error) {
	require.Equal(w, []string{shop, access}, []string{of, who})
	return !w.inactive, nil
}

func (w *world) in(shop string) *change.Unit {
	return &change.Unit{Shop: shop, Request: "r", Table: w.Table, Now: w.clock, Random: w.random}
}

func (w *world) unit() *change.Unit { return w.in(shop) }

func (w *world) clock() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }

func (w *world) pass(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.now = w.now.Add(d) }

// metered is a context that counts what a command asks of the table.
func (w *world) metered() (context.Context, func()) {
	ctx, m := store.WithMeter(w.Context())
	before := w.Writes()
	return ctx, func() { w.calls, w.writes = m.Calls(), w.Writes()-before }
}

// by is the shopper of a basket, whom nobody knows.
func by(basket string) sale.Shopper { return sale.Shopper{Basket: basket} }

var jana = by("jana")

// product makes a product of this code, price and stock, with variants.
func (w *world) product(code string, price field.Money, stock int64, variants ...catalog.VariantFields) *catalog.Whole {
	w.Helper()
	made, err := catalog.Catalog{}.CreateProduct(w.Context(), w.unit(), catalog.ProductNew{
		ProductDetails: catalog.ProductDetails{Code: field.Code(code), Name: field.Name("Product " + code),
			Active:  true,
			VATRate: "21.00", Stock: catalog.Stock{Quantity: stock}, PriceLevels: []catalog.Price{
				{Level: "default", Price: price}, {Level: "wholesale", Price: price / 2}}}, Variants: variants})
	require.NoError(w, err)
	return made
}

// variant is one in the making; price 0: the product's.
func variant(code, name string, price field.Money, stock int64) catalog.VariantFields {
	v := catalog.VariantFields{VariantDetails: catalog.VariantDetails{Code: field.Code(code), Name: field.Name(name),
		Active: true,
		Stock:  catalog.Stock{Quantity: stock}}}
	if price != 0 {
		v.PriceLevels = []catalog.Price{{Level: "default", Price: price}}
	}
	return v
}

// edit changes a product.
func (w *world) edit(product string, edit func(*catalog.ProductFields)) {
	w.Helper()
	_, err := catalog.Catalog{}.ChangeProduct(w.Context(), w.unit(), product, catalog.Patch[catalog.ProductFields]{
		Merge: func(f catalog.ProductFields) (catalog.ProductFields, error) { edit(&f); return f, nil },
		Sent:  func(string) (any, bool) { return nil, false }})
	require.NoError(w, err)
}

// price changes the price of a product.
func (w *world) price(product string, to field.Money) {
	w.Helper()
	w.edit(product, func(f *catalog.ProductFields) {
		f.PriceLevels = []catalog.Price{{Level: "default", Price: to}}
	})
}

// editVariant changes a variant.
func (w *world) editVariant(product, variant string, edit func(*catalog.VariantFields)) {
	w.Helper()
	_, err := catalog.Catalog{}.ChangeVariant(w.Context(), w.unit(), product, variant,
		catalog.Patch[catalog.VariantFields]{
			Merge: func(f catalog.VariantFields) (catalog.VariantFields, error) { edit(&f); return f, nil },
			Sent:  func(string) (any, bool) { return nil, false }})
	require.NoError(w, err)
}

func (w *world) coupon(code string, kind sale.CouponType, value field.Money,
	more ...func(*sale.CouponFields),
) sale.Coupon {
	w.Helper()
	f := sale.CouponFields{Code: field.Code(code), Type: kind, Value: value, Active: true}
	for _, m := range more {
		m(&f)
	}
	made, err := sale.Coupons.Create(w.Context(), w.unit(), f)
	require.NoError(w, err)
	return made
}

func (w *world) editCoupon(id string, edit func(*sale.CouponFields)) {
	w.Helper()
	_, err := sale.Coupons.Change(w.Context(), w.unit(), id, func(f sale.CouponFields) (sale.CouponFields, error) {
		edit(&f)
		return f, nil
	})
	require.NoError(w, err)
}

// quote registers a quote that is good for an hour, and returns its token; more changes what is registered.
func (w *world) quote(product, variant string, price field.Money, more ...func(*sale.Quote)) string {
	w.Helper()
	w.quotes++
	token := fmt.Sprint("token-", w.quotes)
	sum := sha256.Sum256([]byte(token))
	q := sale.Quote{QuoteFields: sale.QuoteFields{ProductID: product, VariantID: variant, UnitPrice: price},
		Status:    sale.QuoteStatusIssued,
		ExpiresAt: field.At(w.clock().Add(time.Hour)), Access: access, Hash: hex.EncodeToString(sum[:])}
	q.ID = w.unit().NewID()
	q.SetVersion(w.unit().NextVersion(""))
	for _, m := range more {
		m(&q)
	}
	_, err := w.Table.Write(w.Context(), events.Nothing, store.Put(sale.Quotes.Item(shop, q), store.Absent()),
		record.AcquireClaim(sale.QuoteClaimKey(shop, token), q.ID, w.clock(), nil))
	require.NoError(w, err)
	return token
}

// quoted is the quote of a token as it is now.
func (w *world) quoted(token string) sale.Quote {
	w.Helper()
	items, err := w.Get(w.Context(), sale.QuoteClaimKey(shop, token))
	require.NoError(w, err)
	items, err = w.Get(w.Context(), sale.QuoteKey(shop, record.Owner(items[0])))
	require.NoError(w, err)
	q, err := sale.Quotes.Decode(items[0])
	require.NoError(w, err)
	return q
}

// of is what is added: so many of a product.
func of(product string, quantity int64) sale.BasketNew {
	return sale.BasketNew{ProductID: product, Quantity: quantity}
}

// ofVariant is what is added: so many of a variant.
func ofVariant(product, variant string, quantity int64) sale.BasketNew {
	return sale.BasketNew{ProductID: product, VariantID: variant, Quantity: quantity}
}

// at is what is added at the price of a quote.
func at(item sale.BasketNew, token string) sale.BasketNew { item.QuoteToken = &token; return item }

// add puts something into a basket.
func (w *world) add(s sale.Shopper, item sale.BasketNew) *sale.Basket {
	w.Helper()
	ctx, done := w.metered()
	b, err := w.Add(ctx, w.unit(), s, item)
	done()
	require.NoError(w, err)
	w.adds(b)
	return b
}

func (w *world) show(s sale.Shopper) *sale.Basket {
	w.Helper()
	ctx, done := w.metered()
	b, err := w.Show(ctx, w.unit(), s)
	done()
	require.NoError(w, err)
	w.adds(b)
	return b
}

// adds holds a basket against its own sums.
func (w *world) adds(b *sale.Basket) {
	w.Helper()
	var sum field.Money
	for _, l := range b.Items {
		require.Equal(w, l.UnitPrice*field.Money(l.Quantity), l.Total)
		sum += l.Total
	}
	var off field.Money
	for _, c := range b.Coupons {
		off += c.Discount
	}
	require.Equal(w, sale.OrderTotals{Items: sum, Discount: off, Total: sum - off}, b.Totals)
	require.GreaterOrEqual(w, b.Totals.Total, field.Money(0))
}

// kept is the basket that any page shows without a look at products.
func (w *world) kept(s sale.Shopper) sale.Basket {
	w.Helper()
	items, err := w.Get(w.Context(), sale.BasketKey(shop, s.Basket))
	require.NoError(w, err)
	b, err := sale.BasketOf(items[0], "CZK", w.clock())
	require.NoError(w, err)
	return b
}

// form is what a shopper fills in.
func form() sale.Checkout {
	return sale.Checkout{Email: "jana@example.cz", FirstName: "Jana", LastName: "Nováková", Phone: "+420 601 123 456",
		BillingAddress: sale.CheckoutAddress{Street: "Dlouhá 12", City: "Brno", Zip: "602 00", Country: "CZ",
			Company: "Novák a syn"}}
}

func (w *world) checkout(s sale.Shopper) (*sale.Order, error) {
	ctx, done := w.metered()
	defer done()
	return w.Checkout(ctx, w.unit(), s, form())
}

func (w *world) order(s sale.Shopper) *sale.Order {
	w.Helper()
	o, err := w.checkout(s)
	require.NoError(w, err)
	return o
}

// refused wants an error to be the problem of a code, with a fault at each of these places: "body.productId inactive".
func refused(t testing.TB, err error, code string, faults ...string) *problem.Problem {
	t.Helper()
	p, is := problem.As(err)
	require.True(t, is, "%v", err)
	require.Equal(t, code, p.Code)
	var at []string
	for _, f := range p.Errors {
		at = append(at, f.Location+" "+f.Code)
	}
	require.Equal(t, faults, at)
	return p
}

// stock is what there is of a product or a variant.
func (w *world) stock(product string, variant ...string) int64 {
	w.Helper()
	heads, err := catalog.Heads(w.Context(), w.Table, shop, []string{product})
	require.NoError(w, err)
	s, _ := heads[0].StockOf(append(variant, "")[0])
	return s.Quantity
}

func (w *world) used(coupon string) int64 {
	w.Helper()
	c, err := sale.Coupons.Read(w.Context(), w.Table, shop, coupon)
	require.NoError(w, err)
	return c.Used
}

// orders are those of the shop.
func (w *world) orders() []sale.Order {
	w.Helper()
	rows, err := store.QueryAll(w.Context(), w.Table, store.Query{Index: store.Index1, PK: sale.OrdersOf(shop)}, 1_000)
	require.NoError(w, err)
	var all []sale.Order
	for _, r := range rows {
		items, err := w.Get(w.Context(), r.Key)
		require.NoError(w, err)
		o, err := sale.Orders.Decode(items[0])
		require.NoError(w, err)
		all = append(all, o)
	}
	return all
}

// did is what was told since it was asked last.
func (w *world) did() []string {
	var out []string
	for _, c := range w.NewChanges() {
		for _, r := range c.Records {
			out = append(out, fmt.Sprint(r.Kind, " ", r.Did))
		}
	}
	return out
}

// together makes n calls at a time, and counts what they come to: "" or the code of a problem.
func together(n int, call func(i int) error) map[string]int {
	codes := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			err := call(i)
			switch p, is := problem.As(err); {
			case is:
				codes[i] = p.Code
			case err != nil:
				codes[i] = err.Error()
			}
		})
	}
	all.Wait()
	counts := map[string]int{}
	for _, c := range codes {
		counts[c]++
	}
	return counts
}

// lines are a basket's as "code quantity unitPrice".
func lines(b *sale.Basket) []string {
	out := []string{}
	for _, l := range b.Items {
		out = append(out, fmt.Sprint(l.Code, " ", l.Quantity, " ", l.UnitPrice))
	}
	return out
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
