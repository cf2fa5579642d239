package storefront

import (
	"context"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/customer"
	"eshop/shared/frontend"
	"eshop/shared/guard"
	"eshop/shared/page"
	"eshop/shared/problem"
	"eshop/shared/sale"
	"eshop/shared/shop"
	"eshop/shared/store"
)

// The cookies, and how long they last from their last use (contract, section 6).
const (
	basketCookie  = "basket"
	sessionCookie = "session"
	cookieLife    = 30 * 24 * time.Hour
)

// visit is one request of a shopper: to which shop, with which basket, and who is signed in. What it is about the
// shopper is read when it is asked for, or with all else that a page shows.
type visit struct {
	shop    *shop.Shop
	website string // the shop's address without a slash at its end
	secure  bool   // of cookies: the website is https
	basket  string // the basket's id
	cookie  string // of the session; "" without one

	read     bool               // whether session and customer are read
	session  customer.Session   // the zero one without a valid session
	customer *customer.Customer // who is signed in; nil: nobody
	kept     *sale.Basket       // as it was shown last; nil: not read yet
	fresh    bool               // kept is what a command has answered to this request
	menu     *catalog.Menu
	codes    map[addon.Position]string // the shop's

	path       string          // of the request
	askConsent bool            // whether the banner is shown
	confirms   *frontend.Order // the order that the page confirms to who made it; nil: none
}

// visitOf is the visit that a handler's context belongs to; nil where the shop is not known.
func visitOf(ctx context.Context) *visit {
	v, _ := api.From(ctx).Visitor.(*visit)
	return v
}

// enter finds the shop of the request's host, refuses what another site has sent, and gives the visitor a basket.
func (d door) enter(ctx context.Context, c *api.Call) error {
	v, err := d.arrive(ctx, c)
	if err != nil {
		return err
	}
	r := c.HTTP()
	if err := page.SameSite(r); err != nil {
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

// arrive finds the shop of the request's host; a problem not_found when no shop has it.
func (d door) arrive(ctx context.Context, c *api.Call) (*visit, error) {
	s, err := d.Hosts.Of(ctx, c.HTTP().Host)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, problem.NotFound()
	}
	v := &visit{shop: s, website: shop.Website(d.Website).URL(*s)}
	r := c.HTTP()
	v.path, v.askConsent = r.URL.Path, !frontend.ConsentOf(r).Answered() || r.URL.Query().Get("consent") == "again"
	v.secure = !strings.HasPrefix(v.website, "http://")
	c.Caller = &change.Caller{Shop: s.ID, Website: v.website, Locale: s.Locale, Currency: s.Currency, Active: true}
	c.Visitor = v
	return v, nil
}

// further are the items that a command reads behind its first ones, by those.
type further func(items map[store.Key]*store.Item) ([]store.Key, error)

// shopper is who the visitor's basket belongs to, and the store for a command on it, of which the basket, the items of
// the keys and those behind them are read already. nil: nothing is behind them.
func (d door) shopper(ctx context.Context, behind further, keys ...store.Key) (sale.Shopper, store.Table, error) {
	v := visitOf(ctx)
	v.kept = nil // it is read as it is now
	keys = append([]store.Key{sale.BasketKey(v.shop.ID, v.basket)}, keys...)
	items, who, err := d.first(ctx, v, keys...)
	if err != nil {
		return sale.Shopper{}, nil, err
	}
	read := &ahead{Table: d.Main, items: map[store.Key]*store.Item{}}
	read.put(keys, items)
	var next []store.Key
	if behind != nil {
		if next, err = behind(read.items); err != nil {
			return sale.Shopper{}, nil, err
		}
	}
	session, signed := d.sessionOf(v, who)
	n := len(next)
	if signed {
		next = append(next, session.Keys()...)
	}
	if items, err = store.GetAll(ctx, d.Main, next); err != nil {
		return sale.Shopper{}, nil, err
	}
	read.put(next[:n], items[:n])
	if signed {
		err = d.recognise(ctx, v, session, items[n:])
	}
	s := sale.Shopper{Basket: v.basket, Level: v.level()}
	if v.customer != nil {
		s.Customer = v.customer.ID
	}
	return s, read, err
}

// level is the price level at which the visitor is sold to; "" is the default one.
func (v *visit) level() string {
	if v.customer == nil {
		return ""
	}
	return string(v.customer.PriceLevel)
}

// know reads who is signed in, unless that is known: without the cookie of a session nothing is asked.
func (d door) know(ctx context.Context, v *visit) error {
	if v.read || v.cookie == "" {
		return nil
	}
	return d.meet(ctx, v, nil)
}

// sessionOf is the visitor's session by its item; false when there is none, or who it is of is known.
func (d door) sessionOf(v *visit, item *store.Item) (customer.Session, bool) {
	if v.read {
		return customer.Session{}, false
	}
	v.read = true
	return customer.SessionOf(item, d.Now())
}

// recognise knows whose session it is by the items of its keys.
func (d door) recognise(ctx context.Context, v *visit, session customer.Session, items []*store.Item) (err error) {
	if v.customer, err = customer.Signed(session, items); err != nil || v.customer == nil {
		return err
	}
	v.session = session
	d.extend(ctx, v)
	return nil
}

// extend lets the session, which is used now, last as long as a new one. Where that cannot be written it ends as it
// did.
func (d door) extend(ctx context.Context, v *visit) {
	if !v.session.Due(d.Now()) {
		return
	}
	extended, err := d.accounts().Extend(ctx, api.From(ctx).Unit(), v.session)
	if err != nil {
		d.Log.WarnContext(ctx, "a session was not extended", "error", err)
		return
	}
	v.session = extended
	d.begin(ctx, v.cookie)
}

// gather reads what every page shows: the menu and the custom codes, and what meet reads.
func (d door) gather(ctx context.Context, v *visit, more func(ctx context.Context, items []*store.Item) error,
	keys ...store.Key) error {
	return guard.Beside(ctx, d.Near,
		func() (err error) { v.menu, err = d.Shelf.Menu(ctx, v.shop.ID); return },
		func() (err error) { v.codes, err = d.Codes.Get(ctx, v.shop.ID, d.readCodes(v.shop.ID)); return },
		func() error {
			err := d.meet(ctx, v, more, keys...)
			d.keep(ctx, v)
			return err
		})
}

// keep lets the basket, which a page shows, last as long as a new one. Where that cannot be written it ends as it did.
func (d door) keep(ctx context.Context, v *visit) {
	if v.kept == nil {
		return
	}
	op, due := v.kept.Extend(v.shop.ID, v.basket, d.Now())
	if !due {
		return
	}
	if _, err := d.Main.Write(ctx, events.Nothing, op); err != nil && !store.IsCondition(err) {
		d.Log.WarnContext(ctx, "a basket was not extended", "error", err)
	}
}

// meet reads the visitor's basket as it was shown last and who is signed in, with further items in the same call, and
// then what more does beside who it is. nil: there is no more. What is known is not read.
func (d door) meet(ctx context.Context, v *visit, more func(ctx context.Context, items []*store.Item) error,
	keys ...store.Key) error {
	items, who, err := d.first(ctx, v, keys...)
	if err != nil {
		return err
	}
	var then []func() error
	if session, signed := d.sessionOf(v, who); signed {
		then = append(then, func() error {
			of, err := d.Main.Get(ctx, session.Keys()...)
			if err != nil {
				return err
			}
			return d.recognise(ctx, v, session, of)
		})
	}
	if more != nil {
		then = append(then, func() error { return more(ctx, items) })
	}
	return guard.Beside(ctx, d.Near, then...)
}

// first reads items, the visitor's basket as it was shown last unless it is known, and likewise the session's item,
// which it returns: nil without one.
func (d door) first(ctx context.Context, v *visit,
	keys ...store.Key) (items []*store.Item, session *store.Item, err error) {
	all := append([]store.Key{}, keys...)
	if v.kept == nil {
		all = append(all, sale.BasketKey(v.shop.ID, v.basket))
	}
	asks := !v.read && v.cookie != ""
	if asks {
		all = append(all, customer.SessionKey(v.shop.ID, v.cookie))
	}
	if items, err = store.GetAll(ctx, d.Main, all); err != nil {
		return nil, nil, err
	}
	if v.kept == nil {
		kept, err := sale.BasketOf(items[len(keys)], v.shop.Currency, d.Now())
		if err != nil {
			return nil, nil, err
		}
		v.kept = &kept
	}
	if asks {
		session = items[len(items)-1]
	}
	return items[:len(keys)], session, nil
}

// readCodes reads the shop's custom codes.
func (d door) readCodes(shop string) func(context.Context) (map[addon.Position]string, error) {
	return func(ctx context.Context) (map[addon.Position]string, error) {
		codes, err := addon.CodesOf(ctx, d.Main, shop)
		return addon.Placed(codes), err
	}
}

// begin gives the visitor a session, and takes it away when it is "".
func (d door) begin(ctx context.Context, session string) {
	v := visitOf(ctx)
	life := cookieLife
	if session == "" {
		life = 0
	}
	v.cookie = session
	api.From(ctx).Cookie(page.Cookie(sessionCookie, session, life, v.secure))
}
