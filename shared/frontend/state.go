// Package frontend is the contract between a storefront's pages and the scripts of partners:
// window.dataLayer[0].eshop and its five events (contract, "Frontend contract").
//
// A page carries its PageState and, straight behind it, the script eshop.js, both before any other script:
// PageState.Head is the two of them. The script makes window.dataLayer[0].eshop, tells the events, and keeps in the
// browser what it has told. The script storefront.js, which a page loads with defer, makes forms of the basket and the
// consent banner work without a new page. Assets are the files with their addresses. Start with state.go, then
// eshop.js.
package frontend

import (
	"encoding/json"
	"html/template"
	"time"
)

// PageState is what a page tells its script: a JSON element in its head.
type PageState struct {
	Shop   Shop   `json:"shop"`
	Page   Page   `json:"page"`
	User   User   `json:"user"`
	Basket Basket `json:"basket"` // the script makes `cart` of it
	Told   Told   `json:"told"`
	// Unread says that user and basket could not be read and are shown as nobody's: another site sent the request, or
	// the store is away. The script shows what it was told last, and tells of no change.
	Unread bool `json:"unread,omitempty"`
}

// Shop is the storefront's.
type Shop struct {
	ID       string `json:"id"`
	Locale   string `json:"locale"`
	Currency string `json:"currency"`
}

// PageType is what a page shows. A form shown again has its page's type.
type PageType string

// The types of pages. All below /account is Account, an error page Other.
const (
	Home           PageType = "home"
	Category       PageType = "category"
	ProductDetail  PageType = "product"
	BasketPage     PageType = "basket"
	Checkout       PageType = "checkout"
	OrderConfirmed PageType = "orderConfirmed"
	Account        PageType = "account"
	Other          PageType = "other"
)

// Page is the page that is shown. Path is without the query.
type Page struct {
	Type       PageType `json:"type"`
	ProductID  string   `json:"productId,omitempty"`
	CategoryID string   `json:"categoryId,omitempty"`
	Path       string   `json:"path"`
	Product    *Product `json:"product,omitempty"`
}

// Product is what a product's page shows. Price is a decimal, of a product with variants the lowest of its active ones.
type Product struct {
	ID    string `json:"id"`
	Code  string `json:"code"`
	Name  string `json:"name"`
	Price string `json:"price"`
}

// User is the shopper. CustomerID is there when they are signed in.
type User struct {
	LoggedIn   bool   `json:"loggedIn"`
	CustomerID string `json:"customerId,omitempty"`
}

// Basket is the part of GET /basket's JSON that the contract tells, under the same names: the script reads both.
type Basket struct {
	Items    []Line   `json:"items"`
	Coupons  []Coupon `json:"coupons"`
	Totals   Totals   `json:"totals"`
	Currency string   `json:"currency"`
}

// Line is a line of a basket or of an order. ID and Quoted are the basket's alone: they tell two lines of one product
// apart, and partners do not see them.
type Line struct {
	ID        string `json:"id,omitempty"`
	ProductID string `json:"productId"`
	VariantID string `json:"variantId,omitempty"`
	Code      string `json:"code"`
	Name      string `json:"name"`
	Quantity  int64  `json:"quantity"`
	UnitPrice string `json:"unitPrice"`
	Quoted    bool   `json:"quoted,omitempty"`
}

// Coupon is a coupon of the basket or the order, and what it takes off.
type Coupon struct {
	Code     string `json:"code"`
	Discount string `json:"discount"`
}

// Totals are those of the basket.
type Totals struct {
	Total string `json:"total"`
}

// Told is what the script needs to tell each thing once; partners do not see it.
type Told struct {
	// SignIn names the sign-in or registration that the session comes from, and is empty when the shopper is not
	// signed in. It is no secret of the session (a hash of it will do), and a session that a change of password puts
	// in the place of another keeps it: nobody signed in then.
	SignIn string `json:"signIn,omitempty"`
	// Ordered is the id of the last order that this browser's basket became, on every page: what an order takes out of
	// a basket is not told as a change of the basket.
	Ordered string `json:"ordered,omitempty"`
	// Order is the order that the page confirms, if this browser's basket became it; from a link elsewhere there is
	// none.
	Order *Order `json:"order,omitempty"`
	// At is when the page was made, in milliseconds by the server's clock: Head fills it in. A page that is no newer
	// than one that the browser has shown comes out of its cache, and the script asks for its state anew.
	At int64 `json:"at"`
}

// Order is what orderSubmitted tells.
type Order struct {
	ID       string   `json:"id"`
	Number   string   `json:"number"`
	Currency string   `json:"currency"`
	Total    string   `json:"total"`
	Discount string   `json:"discount"`
	Coupons  []Coupon `json:"coupons"`
	Items    []Line   `json:"items"`
}

// Head is what a page made at this time has first in its head, before any other script: its state and the script that
// reads it. The page is its shopper's alone.
func (s PageState) Head(made time.Time) template.HTML {
	s.Told.At = made.UnixMilli()
	return template.HTML(`<script type="application/json" id="eshop-state">` + string(s.json()) + `</script>` +
		`<script src="` + Script.Path + `"></script>`)
}

// json is the state as JSON that may stand in HTML: encoding/json writes <, > and & as escapes. Lists are never null.
func (s PageState) json() []byte {
	s.Basket.Items, s.Basket.Coupons = list(s.Basket.Items), list(s.Basket.Coupons)
	if s.Told.Order != nil {
		order := *s.Told.Order
		order.Items, order.Coupons = list(order.Items), list(order.Coupons)
		s.Told.Order = &order
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic("frontend: " + err.Error()) // a state is texts and numbers only
	}
	return b
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
