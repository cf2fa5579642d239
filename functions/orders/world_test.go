package orders

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/coupons"
	"eshop/functions/customers"
	"eshop/functions/products"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// The shops of these tests, and the tokens of their accesses.
const (
	shop, otherShop = "01SHAP0000000000000000000A", "01SHAP0000000000000000000B"
	all             = shop
	reader          = shop + " orders:read"
	writer          = shop + " orders:write"
	nobody          = shop + " nothing"
	stranger        = otherShop
	nothing         = "01KAJ1V4S7TGXSAKB4YV5Q2D3E" // an id of nothing
)

// world is the APIs of orders and of what they are made of.
type world struct{ *hosttest.World }

type object = hosttest.Object

func newWorld(t testing.TB) *world { return worldOn(t, nil) }

// worldOn is one whose records are in this table; nil: in a file.
func worldOn(t testing.TB, main store.Table) *world {
	w := &world{hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function, coupons.Function,
		customers.Function, products.Function},
		Start: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Authenticate: authenticate, Main: main})}
	w.opened(shop, "cs_CZ")
	w.opened(otherShop, "sk_SK")
	return w
}

// opened gives a shop its order states, as the operator's POST does.
func (w *world) opened(shop string, locale field.Locale) {
	u := &change.Unit{Shop: shop, Table: w.Main, Now: w.Clock.Now, Random: rand.Reader}
	ops, _ := sale.NewOrderStates(u, shop, locale)
	_, err := u.Write(context.Background(), nil, events.Nothing, ops...)
	if !store.IsCondition(err) { // it has them already, in a table that was there
		require.NoError(w.T, err)
	}
}

// authenticate knows where the shops are, and that the other one is in another country.
func authenticate(ctx context.Context, token string) (*change.Caller, error) {
	c, err := hosttest.AuthenticateByText(ctx, token)
	if err != nil {
		return nil, err
	}
	c.Website = "https://shop.test"
	if c.Shop == otherShop {
		c.Locale, c.Currency = "sk_SK", "EUR"
	}
	return c, nil
}

// do is as the shop's access with all permissions.
func (w *world) do(method, path string, body any, headers ...string) hosttest.Answer {
	w.T.Helper()
	return w.Next(all, method, path, body, headers...)
}

// product makes a product of this code, price and stock; what more says overrides.
func (w *world) product(code, price string, stock int, more ...object) hosttest.Answer {
	w.T.Helper()
	body := object{"code": code, "name": "Product " + code, "vatRate": "21.00", "stock": object{"quantity": stock},
		"priceLevels": levels(price)}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	return w.do("POST", "/api-engine/products", body).Is(201)
}

func levels(price string) []object { return []object{{"level": "default", "price": price}} }

// variant is one of a product's in the making.
func variant(code, price string, stock int) object {
	v := object{"code": code, "name": "Variant " + code, "stock": object{"quantity": stock}}
	if price != "" {
		v["priceLevels"] = levels(price)
	}
	return v
}

// coupon makes a coupon; what more says overrides.
func (w *world) coupon(code, kind, value string, more ...object) hosttest.Answer {
	w.T.Helper()
	body := object{"code": code, "type": kind, "value": value}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	return w.do("POST", "/api-engine/discount-coupons", body).Is(201)
}

// line orders so many of a product.
func line(product string, quantity int) object {
	return object{"productId": product, "quantity": quantity}
}

// of is the body of an order of these lines.
func of(lines ...object) object { return object{"email": "jana@example.cz", "items": lines} }

// with adds fields to a body.
func with(body object, name string, v any) object { body[name] = v; return body }

func (w *world) order(body object) hosttest.Answer {
	w.T.Helper()
	return w.do("POST", path, body).Is(201)
}

// state is the id of the state of a key.
func (w *world) state(key string) string {
	w.T.Helper()
	page := w.As(all, "GET", statesPath, nil)
	if len(page.Each("key")) == 0 {
		w.seed()
		page = w.As(all, "GET", statesPath, nil)
	}
	i := slices.Index(page.Each("key"), key)
	require.GreaterOrEqual(w.T, i, 0)
	return page.Each("id")[i]
}

// seed makes an order state and deletes it, so that the shop has a deleted one.
func (w *world) seed() {
	w.T.Helper()
	made := w.As(all, "POST", statesPath, object{"name": "Own"}).Is(201)
	w.As(all, "DELETE", statesPath+"/"+made.ID(), nil).Is(204)
}

// stock is what there is of a product; variants by their code.
func (w *world) stock(product string, code ...string) int {
	w.T.Helper()
	p := w.As(all, "GET", "/api-engine/products/"+product, nil).Is(200)
	if len(code) == 0 {
		return int(p.At("stock.quantity").(float64))
	}
	for _, v := range p.At("variants").([]any) {
		if v.(object)["code"] == code[0] {
			return int(v.(object)["stock"].(object)["quantity"].(float64))
		}
	}
	w.T.Fatal("no variant ", code[0])
	return 0
}

func (w *world) used(coupon string) int {
	w.T.Helper()
	return int(w.As(all, "GET", "/api-engine/discount-coupons/"+coupon, nil).Is(200).At("used").(float64))
}

// told are the records told by the last call, as "orders created [groups] variants".
func (w *world) told() []string {
	var out []string
	for _, c := range w.Main.Changes() {
		for _, r := range c.Records {
			s := fmt.Sprint(r.Kind, " ", r.Did)
			if len(r.Groups) > 0 {
				s += fmt.Sprint(" ", r.Groups)
			}
			if len(r.Variants) > 0 {
				s += fmt.Sprint(" ", len(r.Variants), " variants")
			}
			out = append(out, s)
		}
	}
	return out
}

func pathOf(id string, more ...string) string {
	return path + "/" + id + strings.Join(more, "")
}
