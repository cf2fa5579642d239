package storefront

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/catalog/shelf"
	"eshop/shared/frontend"
	"eshop/shared/page"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// The cookies, and how long they last from their last use (contract, "Cookies and other sites").
const (
	basketCookie  = "basket"
	sessionCookie = "session"
	cookieLife    = 30 * 24 * time.Hour
)

// visit is one request of a shopper: to which shop, with which basket, and who is signed in. Host and cookies open it,
// and no read. Who the shopper is and what is in the basket is read when a command or a page asks for it, and once.
type visit struct {
	shop        *shop.Shop
	website     string // the shop's address without a slash at its end
	secure      bool   // of cookies: the website is https
	basket      string // the basket's id
	sessionText string // of the cookie; "" without one

	known       bool               // whether session and customer are read
	session     signin.Session     // of the customer
	customer    *customer.Customer // who is signed in; nil: nobody
	shownBasket *sale.Basket       // as it was shown last; nil: not read yet
	priced      bool               // shownBasket is at the prices of now: a command has answered it to this request
	menu        *shelf.Menu
	found       *foundProducts            // by the search of this request
	codes       map[addon.Position]string // the shop's

	path       string          // of the request
	askConsent bool            // whether the banner is shown
	confirms   *frontend.Order // the order that the page confirms to who made it; nil: none
}

// visitOf is the visit of a call; nil when the host is no shop's.
func visitOf(c *api.Call) *visit {
	v, _ := c.Visitor.(*visit)
	return v
}

// enter lets a visitor in: it opens the visit, refuses what a page of another site has sent, and gives the visitor a
// basket.
//
// The basket's cookie holds the basket's id under the platform's seal. A value without a valid seal is replaced, so
// nobody can choose an id. A new basket is no row yet: its first change makes one.
func (d door) enter(c *api.Call) error {
	v, err := d.openVisit(c)
	if err != nil {
		return err
	}
	r := c.HTTP()
	if err := page.SameSite(r, v.secure); err != nil {
		return err
	}
	seal := page.Sealer{Key: d.Key, For: "basket of " + v.shop.ID}
	token := page.Value(r, basketCookie)
	id, given := seal.Open(token)
	if !given {
		if token, err = seal.New(d.Random); err != nil {
			return err
		}
		id, _ = seal.Open(token)
	}
	v.basket, v.sessionText = id, page.Value(r, sessionCookie)
	c.By = events.Shopper
	c.Owner = "basket#" + v.shop.ID + "#" + id
	c.Cookie(page.Cookie(basketCookie, token, cookieLife, v.secure))
	return nil
}

// openVisit begins a visit to the shop of the request's host; the problem not_found when no shop has the host.
func (d door) openVisit(c *api.Call) (*visit, error) {
	site, err := d.Site(c)
	if err != nil {
		return nil, err
	}
	r := c.HTTP()
	v := &visit{shop: site.Shop, website: site.Website, secure: site.Secure, path: r.URL.Path,
		askConsent: !frontend.ConsentAnswered(r) || r.URL.Query().Get("consent") == "again"}
	c.Visitor = v
	return v, nil
}

// level is the price level at which the visitor is sold to; "" is the default one.
func (v *visit) level() string {
	if v.customer == nil {
		return ""
	}
	return string(v.customer.PriceLevel)
}

// readVisitor reads what every page shows: the shop's menu and custom codes, the basket as it was shown last, and who
// is signed in. What the request knows already is not read again.
func (d door) readVisitor(c *api.Call, v *visit) (err error) {
	if v.menu, err = d.Shelf.Menu(c, v.shop.ID); err != nil {
		return err
	}
	if v.codes, err = d.Codes.Get(c, v.shop.ID, d.readCodes(v.shop.ID)); err != nil {
		return err
	}
	if v.shownBasket != nil {
		err = d.readCustomer(c, v)
	} else {
		err = d.readCookies(c, v)
	}
	d.extendBasket(c, v)
	return err
}

// readCookies reads what the two cookies name, in one call: the basket, and who is signed in.
func (d door) readCookies(c *api.Call, v *visit) error {
	items, err := d.Main.Get(c, append([]store.Key{sale.BasketKey(v.shop.ID, v.basket)}, d.customerKeys(v)...)...)
	if err != nil {
		return err
	}
	basket, err := sale.BasketOf(items[0], v.shop.Currency, d.Now())
	if err != nil {
		return err
	}
	v.shownBasket = &basket
	return d.recognise(c, v, items[1:])
}

// readCustomer reads who is signed in. Without a session's cookie it reads nothing.
func (d door) readCustomer(c *api.Call, v *visit) error {
	items, err := store.GetAll(c, d.Main, d.customerKeys(v))
	if err != nil {
		return err
	}
	return d.recognise(c, v, items)
}

// customerKeys are the keys of the items by which recognise finds out who is signed in; none when that is known, or
// when nobody can be.
func (d door) customerKeys(v *visit) []store.Key {
	if v.known {
		return nil
	}
	return d.accounts().Keys(v.shop.ID, v.sessionText)
}

// recognise finds out who is signed in, unless that is known, and prolongs the session if that is due.
func (d door) recognise(c *api.Call, v *visit, items []*store.Item) (err error) {
	if v.known {
		return nil
	}
	v.customer, v.session, err = d.accounts().SignedIn(items, d.Now())
	if v.known = err == nil; v.customer != nil {
		d.extendSession(c, v)
	}
	return err
}

// readShopper reads who is signed in, and is the visitor as commands on baskets know them.
func (d door) readShopper(c *api.Call) (sale.Shopper, error) {
	v := visitOf(c)
	if err := d.readCustomer(c, v); err != nil {
		return sale.Shopper{}, err
	}
	s := sale.Shopper{Basket: v.basket, Level: v.level()}
	if v.customer != nil {
		s.Customer = v.customer.ID
	}
	return s, nil
}

// readCodes reads the shop's custom codes.
func (d door) readCodes(shop string) func(context.Context) (map[addon.Position]string, error) {
	return func(ctx context.Context) (map[addon.Position]string, error) {
		codes, err := addon.CodesOf(ctx, d.Main, shop)
		return addon.HTMLByPosition(codes), err
	}
}

// extendBasket prolongs the basket that a page shows, to 30 days from now. If the write fails, the basket keeps its old
// end, and the page is shown all the same.
func (d door) extendBasket(ctx context.Context, v *visit) {
	if v.shownBasket == nil {
		return
	}
	op, due := v.shownBasket.Extend(v.shop.ID, v.basket, d.Now())
	if !due {
		return
	}
	if _, err := d.Main.Write(ctx, events.Nothing, op); err != nil && !store.IsCondition(err) {
		d.Log.WarnContext(ctx, "a basket was not extended", "error", err)
	}
}

// extendSession prolongs the session that is used now. If the write fails, the session keeps its old end, and the page
// is shown all the same.
func (d door) extendSession(c *api.Call, v *visit) {
	if !d.accounts().Due(v.session, d.Now()) {
		return
	}
	extended, err := d.accounts().Extend(c, c.Unit(), v.session)
	if err != nil {
		d.Log.WarnContext(c, "a session was not extended", "error", err)
		return
	}
	v.session = extended
	d.setSessionCookie(c, v.sessionText)
}

// setSessionCookie gives the visitor the cookie of a session; "" takes it away.
func (d door) setSessionCookie(c *api.Call, session string) {
	v := visitOf(c)
	life := cookieLife
	if session == "" {
		life = 0
	}
	v.sessionText = session
	c.Cookie(page.Cookie(sessionCookie, session, life, v.secure))
}
