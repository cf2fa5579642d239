package storefront

import (
	"context"
	"strings"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/customer"
	"eshop/shared/frontend"
	"eshop/shared/guard"
	frames "eshop/shared/page"
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
	codes    []addon.CustomCode // the shop's, all

	path       string          // of the request
	askConsent bool            // whether the banner is shown
	confirms   *frontend.Order // the order that the page confirms to who made it; nil: none
}

type visitKey struct{}

// visitOf is the visit that a handler's context belongs to; nil of a host that no shop has.
func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// enter finds the shop of the request's host, refuses what another site has sent, and gives the visitor a basket.
func (d door) enter(ctx context.Context, c *api.Call) (context.Context, error) {
	ctx, v, err := d.arrive(ctx, c)
	if err != nil {
		return ctx, err
	}
	r := c.HTTP()
	if err := frames.SameSite(r); err != nil {
		return ctx, err
	}
	seal := frames.Sealer{Key: d.Key, For: "basket of " + v.shop.ID}
	token := frames.Value(r, basketCookie)
	id, given := seal.Open(token)
	if !given {
		if token, err = seal.New(d.Random); err != nil {
			return ctx, err
		}
		id, _ = seal.Open(token)
	}
	v.basket, v.cookie = id, frames.Value(r, sessionCookie)
	c.Owner = "basket#" + v.shop.ID + "#" + id
	c.Cookie(frames.Cookie(basketCookie, token, cookieLife, v.secure))
	return ctx, nil
}

// arrive finds the shop of the request's host; a problem not_found when no shop has it.
func (d door) arrive(ctx context.Context, c *api.Call) (context.Context, *visit, error) {
	s, err := d.Hosts.Of(ctx, c.HTTP().Host)
	if err != nil {
		return ctx, nil, err
	}
	if s == nil {
		return ctx, nil, problem.NotFound()
	}
	v := &visit{shop: s, website: shop.Website(d.Website).URL(*s)}
	r := c.HTTP()
	v.path, v.askConsent = r.URL.Path, !frontend.ConsentOf(r).Answered() || r.URL.Query().Get("consent") == "again"
	v.secure = !strings.HasPrefix(v.website, "http://")
	c.Caller = &change.Caller{Shop: s.ID, Website: v.website, Locale: s.Locale, Currency: s.Currency, Active: true}
	return context.WithValue(ctx, visitKey{}, v), v, nil
}

// shopper is who the visitor's basket belongs to.
func (d door) shopper(ctx context.Context) (sale.Shopper, error) {
	v := visitOf(ctx)
	if err := d.know(ctx, v); err != nil {
		return sale.Shopper{}, err
	}
	s := sale.Shopper{Basket: v.basket}
	if v.customer != nil {
		s.Customer, s.Level = v.customer.ID, string(v.customer.PriceLevel)
	}
	return s, nil
}

// level is the price level at which the visitor is sold to.
func (v *visit) level() string {
	if v.customer == nil || v.customer.PriceLevel == "" {
		return catalog.DefaultLevel
	}
	return string(v.customer.PriceLevel)
}

// know reads who is signed in, unless that is known: without the cookie of a session nothing is asked.
func (d door) know(ctx context.Context, v *visit) error {
	if v.read || v.cookie == "" {
		v.read = true
		return nil
	}
	items, err := d.Main.Get(ctx, customer.SessionKey(v.shop.ID, v.cookie))
	if err != nil {
		return err
	}
	return d.recognise(ctx, v, items[0])
}

// recognise reads whose session the item is.
func (d door) recognise(ctx context.Context, v *visit, item *store.Item) error {
	v.read = true
	session, there := customer.SessionOf(item, d.Now())
	if !there {
		return nil
	}
	items, err := d.Main.Get(ctx, session.Keys()...)
	if err != nil {
		return err
	}
	if v.customer, err = customer.Signed(session, items); err != nil || v.customer == nil {
		return err
	}
	v.session = session
	d.extend(ctx, v)
	return nil
}

// extend lets the session, which is used now, last as long as a new one. Where that cannot be written it ends as it did.
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

// gather reads what every page shows (the basket as it was shown last, who is signed in, the menu, the custom codes),
// with further items of the page's own in the same call, and then what more does, beside the visitor's session. nil:
// there is no more.
func (d door) gather(ctx context.Context, v *visit, more func(ctx context.Context, items []*store.Item) error, keys ...store.Key) error {
	all := append([]store.Key{}, keys...)
	if v.kept == nil {
		all = append(all, sale.BasketKey(v.shop.ID, v.basket))
	}
	knows := v.read || v.cookie == ""
	if !knows {
		all = append(all, customer.SessionKey(v.shop.ID, v.cookie))
	}
	var items []*store.Item
	err := guard.Beside(ctx, d.Near,
		func() (err error) { items, err = store.GetAll(ctx, d.Main, all); return },
		func() (err error) { v.menu, err = d.Shelf.Menu(ctx, v.shop.ID); return },
		func() (err error) { v.codes, err = d.Codes.Get(ctx, v.shop.ID, d.readCodes(v.shop.ID)); return })
	if err != nil {
		return err
	}
	if v.kept == nil {
		kept, err := sale.BasketOf(items[len(keys)], v.shop.Currency, d.Now())
		if err != nil {
			return err
		}
		v.kept = &kept
	}
	return guard.Beside(ctx, d.Near,
		func() error {
			if knows {
				return nil
			}
			return d.recognise(ctx, v, items[len(items)-1])
		},
		func() error {
			if more == nil {
				return nil
			}
			return more(ctx, items[:len(keys)])
		})
}

// readCodes reads the shop's custom codes.
func (d door) readCodes(shop string) func(context.Context) ([]addon.CustomCode, error) {
	return func(ctx context.Context) ([]addon.CustomCode, error) { return addon.CodesOf(ctx, d.Main, shop) }
}

// begin gives the visitor a session, and takes it away when it is "".
func (d door) begin(ctx context.Context, session string) {
	v := visitOf(ctx)
	life := cookieLife
	if session == "" {
		life = 0
	}
	v.cookie = session
	api.From(ctx).Cookie(frames.Cookie(sessionCookie, session, life, v.secure))
}
