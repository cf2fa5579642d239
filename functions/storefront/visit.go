package storefront

import (
	"context"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/customer"
	"eshop/shared/frontend"
	"eshop/shared/guard"
	"eshop/shared/page"
	"eshop/shared/sale"
	"eshop/shared/shelf"
	"eshop/shared/shop"
	"eshop/shared/signin"
	"eshop/shared/store"
)

// The cookies, and how long they last from their last use (contract, section 6).
const (
	basketCookie  = "basket"
	sessionCookie = "session"
	cookieLife    = 30 * 24 * time.Hour
)

// visit is one request of a shopper: to which shop, with which basket, and who is signed in. Host and cookies open it,
// and no read. Who the shopper is and what is in the basket is read when a command or a page asks for it, and once.
type visit struct {
	shop    *shop.Shop
	website string // the shop's address without a slash at its end
	secure  bool   // of cookies: the website is https
	basket  string // the basket's id
	cookie  string // of the session; "" without one

	known       bool               // whether session and customer are read
	session     signin.Session     // the zero one without a valid session
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
	v.basket, v.cookie = id, page.Value(r, sessionCookie)
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
		askConsent: !frontend.ConsentOf(r).Answered() || r.URL.Query().Get("consent") == "again"}
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

// further finds, by the items of the first read, the keys that a command reads next; nil finds none.
type further func(items map[store.Key]*store.Item) ([]store.Key, error)

// asked is what is read together with the visitor, in the two waves of readVisitor: keys in the first, and in the
// second what behind finds by the items of the first. beside runs at the same time as the second wave.
type asked struct {
	keys   []store.Key
	behind further
	beside func(items []*store.Item) error // items are those of the keys
}

// readVisitor reads the visitor's basket as it was shown last, who is signed in, and what else is asked for. It takes
// two waves: what the cookies and the request name; then what those items name. What an earlier call has read is not
// read again. It returns all items that were read.
func (d door) readVisitor(c *api.Call, v *visit, ask asked) (map[store.Key]*store.Item, error) {
	items, session, err := d.readCookies(c, v, ask.keys)
	if err != nil {
		return nil, err
	}
	// The second wave: what the command reads next, and the person of the session. They come in one call.
	var next, who []store.Key
	if ask.behind != nil {
		if next, err = ask.behind(items); err != nil {
			return nil, err
		}
	}
	if session != nil {
		who = d.accounts().Keys(*session)
		next = append(next, who...)
	}
	var then []func() error
	var read []*store.Item
	if len(next) > 0 {
		then = append(then, func() (err error) {
			if read, err = store.GetAll(c, d.Main, next); err == nil && session != nil {
				err = d.recognise(c, v, *session, read[len(next)-len(who):])
			}
			return err
		})
	}
	if ask.beside != nil {
		of := itemsOf(items, ask.keys)
		then = append(then, func() error { return ask.beside(of) })
	}
	err = guard.Beside(c, d.Near, then...)
	for i, item := range read {
		items[next[i]] = item
	}
	return items, err
}

// readCookies reads what the visitor's cookies name, the basket and the session, and further items in the same call.
// The session is nil if there is no valid one, or if it is known already who is signed in.
func (d door) readCookies(ctx context.Context, v *visit,
	keys []store.Key) (items map[store.Key]*store.Item, session *signin.Session, err error) {
	all := slices.Clone(keys)
	basketKey, sessionKey := sale.BasketKey(v.shop.ID, v.basket), d.accounts().SessionKey(v.shop.ID, v.cookie)
	if v.shownBasket == nil {
		all = append(all, basketKey)
	}
	if !v.known && v.cookie != "" {
		all = append(all, sessionKey)
	}
	read, err := store.GetAll(ctx, d.Main, all)
	if err != nil {
		return nil, nil, err
	}
	items = make(map[store.Key]*store.Item, len(all))
	for i, item := range read {
		items[all[i]] = item
	}
	if v.shownBasket == nil {
		basket, err := sale.BasketOf(items[basketKey], v.shop.Currency, d.Now())
		if err != nil {
			return nil, nil, err
		}
		v.shownBasket = &basket
	}
	if !v.known {
		if s, valid := signin.SessionOf(items[sessionKey], d.Now()); valid {
			session = &s
		}
		v.known = session == nil // of a session once it is recognised
	}
	return items, session, nil
}

// itemsOf are the items of the keys.
func itemsOf(items map[store.Key]*store.Item, keys []store.Key) []*store.Item {
	of := make([]*store.Item, len(keys))
	for i, key := range keys {
		of[i] = items[key]
	}
	return of
}

// recognise finds out whose session it is, from the items that the session names, and prolongs the session if that is
// due.
func (d door) recognise(c *api.Call, v *visit, session signin.Session, items []*store.Item) (err error) {
	v.customer, err = d.accounts().PersonOf(session, items)
	if v.known = err == nil; v.customer == nil {
		return err
	}
	v.session = session
	d.extendSession(c, v)
	return nil
}

// readSigned reads who is signed in, unless that is known. Without a session's cookie it reads nothing.
func (d door) readSigned(c *api.Call, v *visit) error {
	if v.known || v.cookie == "" {
		return nil
	}
	_, err := d.readVisitor(c, v, asked{})
	return err
}

// shopper is the visitor as commands on baskets know them, and a table for the command. The table already holds the
// basket, the items of the keys, and those that behind found.
func (d door) shopper(c *api.Call, behind further, keys ...store.Key) (sale.Shopper, store.Table, error) {
	v := visitOf(c)
	v.shownBasket = nil // the command needs it as it is now
	items, err := d.readVisitor(c, v, asked{keys: keys, behind: behind})
	if err != nil {
		return sale.Shopper{}, nil, err
	}
	s := sale.Shopper{Basket: v.basket, Level: v.level()}
	if v.customer != nil {
		s.Customer = v.customer.ID
	}
	return s, &ahead{Table: d.Main, items: items}, nil
}

// gather reads what every page shows: the menu, the custom codes, and who the visitor is. Further items (keys) are read
// in the visitor's first wave, and more runs beside the second one with these items.
func (d door) gather(c *api.Call, v *visit, more func(items []*store.Item) error, keys ...store.Key) error {
	return guard.Beside(c, d.Near,
		func() (err error) { v.menu, err = d.Shelf.Menu(c, v.shop.ID); return },
		func() (err error) { v.codes, err = d.Codes.Get(c, v.shop.ID, d.readCodes(v.shop.ID)); return },
		func() error {
			_, err := d.readVisitor(c, v, asked{keys: keys, beside: more})
			d.extendBasket(c, v)
			return err
		})
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
	d.setSessionCookie(c, v.cookie)
}

// setSessionCookie gives the visitor the cookie of a session; "" takes it away.
func (d door) setSessionCookie(c *api.Call, session string) {
	v := visitOf(c)
	life := cookieLife
	if session == "" {
		life = 0
	}
	v.cookie = session
	c.Cookie(page.Cookie(sessionCookie, session, life, v.secure))
}
