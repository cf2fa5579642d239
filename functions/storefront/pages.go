package storefront

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/customer"
	"eshop/shared/frontend"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/sale"
	"eshop/shared/store"
)

// registerPages registers what is a page and nothing else.
func (d door) registerPages(a *api.API) {
	only := func(route string, with answers) {
		secret := strings.Contains(route, "{secret}")
		a.Page(d.op(api.Op{Route: route, Secret: secret}, with), func(context.Context) (any, error) { return nil, nil })
	}
	only("GET /{$}", answers{page: door.homePage, back: true})
	only("GET /{slug}", answers{page: door.slugPage, back: true})
	only("GET /order/{secret}", answers{page: door.orderPage})
	only("GET /account/register", answers{page: door.registerPage})
	only("GET /account/sign-in", answers{page: door.signInPage})
	only("GET /account/set-password", answers{page: door.setPasswordPage})
	api.Add(a, d.op(api.Op{Route: "POST /consent", ID: "answerConsent", Tag: "Storefront", Status: 204, Summary: "Answer the consent banner",
		Doc: "Keeps the answer in the cookie `consent`. Scripts use `setConsent` of the frontend contract instead."},
		answers{done: back}), d.consent)
}

// homePage shows the newest products.
func (d door) homePage(ctx context.Context, v *visit, _ api.Outcome) (shown, error) {
	var newest *catalog.List
	err := d.gather(ctx, v, func(ctx context.Context, _ []*store.Item) (err error) {
		newest, err = d.Shelf.Newest(ctx, v.shop.ID)
		return err
	})
	if err != nil {
		return shown{}, err
	}
	return shown{page: d.view(v, frontend.Page{Type: frontend.Home}).home(newest)}, nil
}

// slugPage shows the product or category of a slug, or leads from an old address to its new one.
func (d door) slugPage(ctx context.Context, v *visit, o api.Outcome) (shown, error) {
	c := api.From(ctx)
	slug, after := c.Part("slug"), c.HTTP().URL.Query().Get("after")
	var s shown
	err := d.gather(ctx, v, func(ctx context.Context, items []*store.Item) (err error) {
		of, owner := catalog.SlugOwner(items[0])
		switch {
		case owner == "":
			return problem.NotFound()
		case of == catalog.OfCategory:
			s, err = d.categoryPage(ctx, v, owner, slug, after)
		default:
			s, err = d.productPage(ctx, v, owner, slug, api.Outcome{})
		}
		return err
	}, catalog.SlugKey(v.shop.ID, slug))
	if err != nil {
		return shown{}, err
	}
	return s, nil
}

// moved leads from an old address to the slug of now, with the query that others have put behind it.
func moved(ctx context.Context, slug string) shown {
	at := url.URL{Path: "/" + slug, RawQuery: api.From(ctx).HTTP().URL.RawQuery}
	return to(http.StatusMovedPermanently, at.String())
}

func (d door) categoryPage(ctx context.Context, v *visit, id, slug, after string) (shown, error) {
	at, err := d.Shelf.At(ctx, v.shop.ID, id, slug)
	if err != nil {
		return shown{}, err
	}
	if at == nil {
		return shown{}, problem.NotFound()
	}
	if at.Slug != slug {
		return moved(ctx, at.Slug), nil
	}
	list, err := d.Shelf.InCategory(ctx, v.shop.ID, id, after)
	return shown{made: func() content {
		return d.view(v, frontend.Page{Type: frontend.Category, CategoryID: id}).category(at, list, after)
	}}, err
}

// productPage shows a product; slug "" is whatever its address is. o is why its form is shown again.
func (d door) productPage(ctx context.Context, v *visit, product, slug string, o api.Outcome) (shown, error) {
	if !id.Valid(product) { // a form may name anything
		return shown{}, problem.NotFound()
	}
	items, err := d.Main.Get(ctx, catalog.PageKeys(v.shop.ID, product)...)
	if err != nil {
		return shown{}, err
	}
	w, err := catalog.PageOf(ctx, d.Main, v.shop.ID, product, items)
	switch {
	case err != nil:
		return shown{}, err
	case w == nil || !w.Details().Active:
		return shown{}, problem.NotFound()
	case slug != "" && w.Address.Active != slug:
		return moved(ctx, w.Address.Active), nil
	}
	fault := ""
	if o.Refused != nil {
		fault = languageOf(v.shop.Locale).notice(o.Refused)
	}
	return shown{made: func() content {
		details := w.Details()
		price, _, _ := w.Offer().PriceAt(v.level())
		view := d.view(v, frontend.Page{Type: frontend.ProductDetail, ProductID: product, Path: "/" + w.Address.Active,
			Product: &frontend.Product{ID: product, Code: string(details.Code), Name: string(details.Name), Price: price.String()}})
		p := view.product(w, o.Form.Get("variantId"), o.Form.Get("quantity"), fault)
		p.Odd = o.Refused != nil && slices.ContainsFunc(o.Refused.Errors, func(f problem.Fault) bool { return f.Location == "body.quantity" })
		return p
	}}, nil
}

// The forms on the basket, and the page that shows it.
var (
	addForm      = answers{page: door.addedPage, done: func(*visit, api.Outcome) string { return "/basket" }}
	basketForm   = answers{page: door.basketPage, done: addForm.done}
	basketAnswer = answers{page: door.basketPage}
)

// addedPage is the page of the product that could not be put into the basket; of one that has no page, what is wrong.
func (d door) addedPage(ctx context.Context, v *visit, o api.Outcome) (shown, error) {
	var s shown
	err := d.gather(ctx, v, func(ctx context.Context, _ []*store.Item) (err error) {
		s, err = d.productPage(ctx, v, o.Form.Get("productId"), "", o)
		return err
	})
	if p := (*problem.Problem)(nil); errors.As(err, &p) && p.Status == http.StatusNotFound {
		return d.refused(ctx, v, o.Refused)
	}
	return s, err
}

// basketPage is the basket as a command has left it, or as it is when one was refused.
func (d door) basketPage(ctx context.Context, v *visit, o api.Outcome) (shown, error) {
	lines, err := d.basketLines(ctx, v)
	if err != nil {
		return shown{}, err
	}
	code, fault, notice := "", "", ""
	if p := o.Refused; p != nil {
		notice = languageOf(v.shop.Locale).notice(p)
		if o.Form.Has("code") {
			code, fault, notice = o.Form.Get("code"), notice, ""
		}
	}
	p := d.view(v, frontend.Page{Type: frontend.BasketPage, Path: "/basket"}).basket(lines, code, fault, notice)
	if i := slices.IndexFunc(p.Lines, func(l Line) bool { return l.ID == api.From(ctx).Part("id") }); i >= 0 && o.Form.Has("quantity") {
		p.Lines[i].Quantity, p.Lines[i].Fault, p.Notice = o.Form.Get("quantity"), notice, ""
	}
	return shown{page: p}, nil
}

// basketLines are the basket at the prices of now, with the addresses of its products, for a page that was not gathered.
func (d door) basketLines(ctx context.Context, v *visit) (Lines, error) {
	if !v.fresh {
		if _, err := d.showBasket(ctx); err != nil {
			return Lines{}, err
		}
	}
	if err := d.gather(ctx, v, nil); err != nil {
		return Lines{}, err
	}
	b := v.kept
	l := Lines{Discount: b.Totals.Discount, Of: b.Totals.Items, Total: b.Totals.Total}
	for _, i := range b.Items {
		item := Item{ID: i.ID, ProductID: i.ProductID, VariantID: i.VariantID, Code: string(i.Code), Name: i.Name, Quantity: i.Quantity,
			Price: i.UnitPrice, Sum: i.Total, Note: string(i.Note), Images: v.pictures(i.Images)}
		if i.Slug != "" {
			item.Path = "/" + i.Slug
		}
		l.Items = append(l.Items, item)
	}
	for _, c := range b.Coupons {
		l.Coupons = append(l.Coupons, string(c.Code))
	}
	return l, nil
}

// The form of a checkout, and the page that shows it.
var (
	checkoutForm   = answers{page: door.checkoutPage, done: func(v *visit, o api.Outcome) string { return pathOf(v, o.Body.(*Ordered).Confirmation) }}
	checkoutAnswer = answers{page: door.checkoutPage}
)

// pathOf is the path of an address of the shop.
func pathOf(v *visit, address string) string { return strings.TrimPrefix(address, v.website) }

// checkoutPage is the form of an order. There is none of an empty basket.
func (d door) checkoutPage(ctx context.Context, v *visit, o api.Outcome) (shown, error) {
	lines, err := d.basketLines(ctx, v)
	if err != nil {
		return shown{}, err
	}
	view := d.view(v, frontend.Page{Type: frontend.Checkout, Path: "/checkout"})
	switch {
	case len(lines.Items) > 0:
	case o.Refused == nil:
		return to(http.StatusSeeOther, "/basket"), nil
	default:
		return shown{page: view.basket(lines, "", "", languageOf(v.shop.Locale).notice(o.Refused))}, nil
	}
	if o.Refused != nil {
		lines.blame(view.lang(), o.Refused)
	}
	s := sentForm(view.lang(), o, func(s Sent) Sent { return fillOwn(s, v.customer) })
	return shown{page: view.checkout(lines, s)}, nil
}

// fillOwn fills a form with what a customer has said of themself.
func fillOwn(s Sent, c *customer.Customer) Sent {
	if c == nil {
		return s
	}
	set := func(name, value string) {
		if value != "" {
			s.Values[name] = []string{value}
		}
	}
	set("email", string(c.Email))
	set("firstName", string(c.FirstName))
	set("lastName", string(c.LastName))
	set("phone", string(c.Phone))
	for _, before := range []string{"", "billingAddress."} { // of the account, and of an order
		set(before+"company", string(c.Company))
		set(before+"companyId", string(c.CompanyID))
		set(before+"vatId", string(c.VATID))
	}
	for name, a := range map[string]*customer.Address{"billingAddress.": c.BillingAddress, "deliveryAddress.": c.DeliveryAddress} {
		if a != nil {
			set(name+"street", string(a.Street))
			set(name+"city", string(a.City))
			set(name+"zip", string(a.Zip))
			set(name+"country", a.Country)
		}
	}
	return s
}

// addressesFor is how long an order's page shows where it goes (contract, section 6).
const addressesFor = 24 * time.Hour

// orderPage confirms an order to whoever knows its address.
func (d door) orderPage(ctx context.Context, v *visit, _ api.Outcome) (shown, error) {
	var o *sale.Order
	var states []sale.OrderState
	shop, read := v.shop.ID, func(ctx context.Context) ([]sale.OrderState, error) { return sale.AllStates(ctx, d.Main, v.shop.ID) }
	err := d.gather(ctx, v, func(ctx context.Context, items []*store.Item) error {
		return guard.Beside(ctx, d.Near,
			func() (err error) { o, err = sale.OrderOf(ctx, d.Main, shop, items[0]); return },
			func() (err error) { states, err = d.States.Get(ctx, shop, read); return })
	}, sale.OrderSecretKey(shop, api.From(ctx).Part("secret")))
	if err != nil {
		return shown{}, err
	}
	if o.Basket == v.basket {
		v.confirms = toldOrder(v, o)
	}
	shows := Order{Number: o.Number, Ordered: o.Created, Lines: orderLines(v, o)}
	if s, found := sale.FindState(states, o.StateID); found {
		shows.State = string(s.Name)
	}
	if d.Now().Before(o.Created.Go().Add(addressesFor)) {
		lang := languageOf(v.shop.Locale)
		shows.Email, shows.Billing, shows.Shipping = string(o.Email), addressLines(lang, o.BillingAddress), addressLines(lang, o.DeliveryAddress)
		shows.Delivery, shows.Payment = given(o.Shipping.Delivery), given(o.Shipping.Payment)
	}
	view := d.view(v, frontend.Page{Type: frontend.OrderConfirmed})
	return shown{page: view.order(shows)}, nil
}

func given(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// pictures are where a page finds a quote's images: at its own host, which serves them as any does.
func (v *visit) pictures(images []sale.OrderImage) (addresses []string) {
	for _, i := range images {
		addresses = append(addresses, sale.ImageURL(v.website, path.Base(i.URL)))
	}
	return addresses
}

// orderLines are an order as a page is made of it.
func orderLines(v *visit, o *sale.Order) Lines {
	l := Lines{Discount: o.Totals.Discount, Of: o.Totals.Items, Total: o.Totals.Total}
	for _, i := range o.Items {
		name := string(i.Name)
		if i.VariantName != "" {
			name += " – " + string(i.VariantName)
		}
		l.Items = append(l.Items, Item{ID: i.ID, ProductID: i.ProductID, VariantID: i.VariantID, Code: string(i.Code), Name: name,
			Quantity: i.Quantity, Price: i.UnitPrice, Sum: i.Total, Note: string(i.Note), Images: v.pictures(i.Images)})
	}
	return l
}

func addressLines(l language, a *sale.OrderAddress) (lines []string) {
	if a == nil {
		return nil
	}
	for _, line := range []string{strings.TrimSpace(string(a.FirstName) + " " + string(a.LastName)), string(a.Company), string(a.Street),
		strings.TrimSpace(string(a.Zip) + " " + string(a.City)), cmp.Or(l.say(a.Country), a.Country)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// toldOrder is what orderSubmitted tells of an order.
func toldOrder(v *visit, o *sale.Order) *frontend.Order {
	t := &frontend.Order{ID: o.ID, Number: o.Number, Currency: o.Currency, Total: o.Totals.Total.String(), Discount: o.Totals.Discount.String()}
	for _, c := range o.DiscountCoupons {
		t.Coupons = append(t.Coupons, frontend.Coupon{Code: string(c.Code), Discount: c.Discount.String()})
	}
	for _, l := range orderLines(v, o).Items {
		t.Items = append(t.Items, frontend.Line{ProductID: l.ProductID, VariantID: l.VariantID, Code: l.Code, Name: l.Name, Quantity: l.Quantity,
			UnitPrice: l.Price.String()})
	}
	return t
}

// The forms about the account, and the page that shows it.
var (
	registerForm    = answers{page: door.registerPage, done: onward("/account")}
	signInForm      = answers{page: door.signInPage, done: onward("/account")}
	accountForm     = answers{page: door.accountPage, done: func(*visit, api.Outcome) string { return "/account?saved" }}
	signOutForm     = answers{done: func(*visit, api.Outcome) string { return "/" }}
	setPasswordForm = answers{page: door.setPasswordPage, done: func(*visit, api.Outcome) string { return "/account/sign-in" }}
	accountAnswer   = answers{page: door.accountPage}
)

// onward leads to where the form says, or else to the address.
func onward(address string) func(*visit, api.Outcome) string {
	return func(_ *visit, o api.Outcome) string { return cmp.Or(own(o.Form.Get("_to")), address) }
}

// accountForms shows one of the forms about the account.
func (d door) accountForms(
	ctx context.Context, v *visit, o api.Outcome, show func(Setting, Sent) *AccountPage, kept func(Sent) Sent,
) (shown, error) {
	if err := d.gather(ctx, v, nil); err != nil {
		return shown{}, err
	}
	view := d.view(v, frontend.Page{Type: frontend.Account})
	s := sentForm(view.lang(), o, kept)
	if s.To == "" {
		s.To = own(api.From(ctx).HTTP().URL.Query().Get("to"))
	}
	return shown{page: show(view, s)}, nil
}

func (d door) registerPage(ctx context.Context, v *visit, o api.Outcome) (shown, error) {
	return d.accountForms(ctx, v, o, Setting.register, func(s Sent) Sent { return s })
}

func (d door) signInPage(ctx context.Context, v *visit, o api.Outcome) (shown, error) {
	return d.accountForms(ctx, v, o, Setting.signIn, func(s Sent) Sent { return s })
}

// setPasswordPage is the page of a link. That of a link that is no good any more says so, and is not found.
func (d door) setPasswordPage(ctx context.Context, v *visit, o api.Outcome) (shown, error) {
	token := cmp.Or(o.Form.Get("token"), api.From(ctx).HTTP().URL.Query().Get("token"))
	err := d.accounts().GoodLink(ctx, api.From(ctx).Unit(), token)
	over := problem.Is(err, "not_found")
	if err != nil && !over {
		return shown{}, err
	}
	s, err := d.accountForms(ctx, v, o, func(v Setting, s Sent) *AccountPage {
		if s.Token = token; over {
			s = Sent{Notice: v.lang().say("link_invalid")}
		}
		return v.setPassword(s)
	}, func(s Sent) Sent { return s })
	if over {
		s.status = http.StatusNotFound
	}
	return s, err
}

// accountPage is what a customer changes of themself; who is not signed in does that first.
func (d door) accountPage(ctx context.Context, v *visit, o api.Outcome) (shown, error) {
	if err := d.gather(ctx, v, nil); err != nil {
		return shown{}, err
	}
	if v.customer == nil {
		return to(http.StatusSeeOther, "/account/sign-in?to=/account"), nil
	}
	return d.accountForms(ctx, v, o, Setting.account, func(s Sent) Sent {
		s = fillOwn(s, v.customer)
		s.Saved = api.From(ctx).HTTP().URL.Query().Has("saved")
		return s
	})
}

// consentForm is what the banner posts.
type consentForm struct {
	Value string `json:"value" enum:"granted,denied"`
}

func (d door) consent(ctx context.Context, in *api.Create[consentForm]) (*api.None, error) {
	consent, _ := frontend.ConsentTo(in.Body.Value)
	api.From(ctx).Cookie(consent.Cookie(visitOf(ctx).secure))
	return &api.None{}, nil
}

// back leads to where the banner was answered.
func back(_ *visit, o api.Outcome) string { return cmp.Or(own(o.Form.Get("_to")), "/") }

// registerForCrawlers registers what crawlers read of a shop.
func (d door) registerForCrawlers(a *api.API) {
	public := func(route, contentType string, write func(ctx context.Context, v *visit, c *api.Call) (string, error)) {
		people := &api.People{
			Enter: func(ctx context.Context, c *api.Call) (context.Context, error) {
				ctx, _, err := d.arrive(ctx, c)
				return ctx, err
			},
			Show: func(ctx context.Context, c *api.Call, w http.ResponseWriter, o api.Outcome) error {
				if o.Refused != nil {
					return o.Refused
				}
				h := w.Header()
				h.Set("Content-Type", contentType)
				h.Set("Cache-Control", "public, max-age=3600")
				_, err := w.Write([]byte(o.Body.(string)))
				return err
			},
		}
		a.Page(api.Op{Route: route, Open: true, People: people}, func(ctx context.Context) (any, error) {
			return write(ctx, visitOf(ctx), api.From(ctx))
		})
	}
	public("GET /robots.txt", "text/plain; charset=utf-8", func(_ context.Context, v *visit, _ *api.Call) (string, error) {
		return robots(v.website), nil
	})
	public("GET /sitemap.xml", "application/xml; charset=utf-8", d.sitemap)
}

// sitemap is the index of the shop's sitemap, or one of its parts.
func (d door) sitemap(ctx context.Context, v *visit, c *api.Call) (string, error) {
	q := c.HTTP().URL.Query()
	if !q.Has("part") {
		parts, err := d.Shelf.SitemapParts(ctx, v.shop.ID)
		return sitemapIndex(v.website, parts), err
	}
	urls, ok, err := d.Shelf.Sitemap(ctx, v.shop.ID, q.Get("part"))
	if err == nil && !ok {
		err = problem.NotFound()
	}
	return sitemap(v.website, urls), err
}
