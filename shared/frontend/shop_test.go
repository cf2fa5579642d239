package frontend_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"eshop/shared/frontend"
	"eshop/shared/frontend/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// shop is a storefront of one shopper, as small as its contract allows.
type shop struct {
	URL string

	mu      sync.Mutex
	lines   []frontend.Line
	coupons []frontend.Coupon
	told    frontend.Told
	user    frontend.User
	order   *frontend.Order
	head    string          // what partners put into each page's head
	refuses bool            // changes of the basket over JSON
	unread  bool            // pages could not read the basket and who is signed in
	cached  bool            // pages may come from the browser's cache
	loses   int             // so many answers to changes over JSON, which are done
	done    map[string]bool // what was asked for, by Idempotency-Key
}

// open serves a shop until the test ends.
func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{done: map[string]bool{}}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// set changes the shop as requests of other tabs, forms or partners would.
func (s *shop) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range frontend.Assets {
		if r.URL.Path == a.Path {
			w.Header().Set("Content-Type", a.Type)
			w.Header().Set("Cache-Control", a.CacheControl)
			_, _ = w.Write(a.Body)
			return
		}
	}
	switch {
	case r.Method == "GET":
		s.page(w, r)
	case r.URL.Path == "/consent":
		http.SetCookie(w, frontend.ConsentCookie(r.FormValue("value") == "granted", false))
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case r.Header.Get("Accept") != "application/json": // the form
		s.add(r.FormValue("productId"), r.FormValue("quantity"))
		http.Redirect(w, r, "/basket", http.StatusSeeOther)
	case s.refuses:
		w.WriteHeader(http.StatusUnprocessableEntity)
	default:
		var in struct {
			ProductID string
			Quantity  json.Number
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		if key := r.Header.Get("Idempotency-Key"); !s.done[key] {
			s.add(in.ProductID, in.Quantity.String())
			s.done[key] = key != ""
		}
		if s.loses > 0 {
			s.loses--
			panic(http.ErrAbortHandler)
		}
		_ = json.NewEncoder(w).Encode(s.basket())
	}
}

func (s *shop) add(product, quantity string) {
	n, _ := strconv.ParseInt(quantity, 10, 64)
	s.lines = append(s.lines, line(product, n))
}

// line is one of a product at 10.00.
func line(product string, quantity int64) frontend.Line {
	return frontend.Line{ID: "line-" + product, ProductID: product, Code: "C-" + product, Name: "Name of " + product,
		Quantity: quantity, UnitPrice: "10.00"}
}

func (s *shop) basket() frontend.Basket {
	total := int64(0)
	for _, l := range s.lines {
		total += l.Quantity * 10
	}
	b := frontend.Basket{Items: s.lines, Coupons: s.coupons, Currency: "CZK"}
	b.Totals.Total = fmt.Sprintf("%d.00", total-int64(len(s.coupons)))
	return b
}

func (s *shop) page(w http.ResponseWriter, r *http.Request) {
	types := map[string]frontend.PageType{"/": frontend.Home, "/basket": frontend.BasketPage,
		"/order/1": frontend.OrderConfirmed}
	state := frontend.PageState{Shop: frontend.Shop{ID: "01SHOP", Locale: "cs_CZ", Currency: "CZK"},
		Page: frontend.Page{Type: frontend.Other, Path: r.URL.Path}, User: s.user, Basket: s.basket(), Told: s.told}
	if is, known := types[r.URL.Path]; known {
		state.Page.Type = is
	}
	if state.Page.Type == frontend.OrderConfirmed {
		state.Told.Order = s.order
	}
	if s.unread {
		state.User, state.Basket, state.Told, state.Unread = frontend.User{}, frontend.Basket{Currency: "CZK"},
			frontend.Told{}, true
		state.Basket.Totals.Total = "0.00"
	}
	banner := ""
	if frontend.ConsentAnswered(r) {
		banner = " hidden"
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "private, no-cache")
	if s.cached {
		w.Header().Set("Cache-Control", "private, max-age=60")
	}
	fmt.Fprintf(w, `<!doctype html><html lang="cs"><head><meta charset="utf-8">%s<link rel="icon" href="data:,">
<script src="%s" defer></script>%s</head><body><h1>%s</h1><a id="away" href="/away">Away</a> <i id="user">%s</i> <b data-cart-count>%d</b>
<form data-enhance="basket" data-done="In the basket" action="/basket/items" method="post">
<input type="hidden" name="productId" value="P1"><input id="quantity" name="quantity" value="1">
<button id="add">Add</button></form>
<p data-live role="status"></p><div data-basket>%d lines</div>
<form data-consent-banner action="/consent" method="post"%s>
<button name="value" value="granted" data-consent="granted">Yes</button>
<button name="value" value="denied" data-consent="denied">No</button></form><a href="/" data-consent-again>Cookies</a>
</body></html>`, state.Head(time.Now()), frontend.Storefront.Path, s.head, r.URL.Path, state.User.CustomerID,
		len(s.lines), len(s.lines), banner)
}
