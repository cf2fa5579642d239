package storefront

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/base/slug"
	"eshop/shared/catalog"
	"eshop/shared/catalog/address"
	"eshop/shared/catalog/shelf"
	"eshop/shared/frontend"
	"eshop/shared/host"
	"eshop/shared/page"
	"eshop/shared/search"
	"eshop/shared/shop"
)

// registerPages registers what is a page and nothing else, and the answer to the consent banner. Pages of goods may be
// kept by the browser for the way back; pages that show a person or an order may not.
func (d door) registerPages(a *api.API) {
	only := func(route string, with answers) {
		a.AddView(d.op(api.Op{Route: route}, with),
			func(*api.Call) (any, error) { return nil, nil })
	}
	only("GET /{$}", answers{page: door.homePage, back: true})
	only("GET /categories", answers{page: door.categoriesPage, back: true})
	only("GET /{slug}", answers{page: door.slugPage, back: true})
	for _, name := range shop.Pages {
		only("GET /"+name, answers{page: textPage(name), back: true})
	}
	only("GET /order/{secret}", answers{page: door.orderPage})
	only("GET /account/register", answers{page: door.registerPage})
	only("GET /account/sign-in", answers{page: door.signInPage})
	only("GET /account/set-password", answers{page: door.setPasswordPage})
	api.Add(a, d.op(api.Op{Route: "POST /consent", ID: "answerConsent", Tag: "Storefront", Status: 204, NeverKept: true,
		Summary: "Answer the consent banner",
		Doc: "Keeps the answer in the cookie `consent`. " +
			"Scripts use `setConsent` of the frontend contract instead."},
		answers{done: onward("/")}), d.consent) // to the page on which the banner was answered
}

// homePage shows the newest products. With `look` that the admin has sealed, and while that is good, it is in a look
// that is not saved yet.
func (d door) homePage(c *api.Call, v *visit, _ api.Outcome) (response, error) {
	if err := d.readVisitor(c, v); err != nil {
		return response{}, err
	}
	newest, err := d.Shelf.Newest(c, v.shop.ID)
	if err != nil {
		return response{}, err
	}
	view, sealed := d.view(v, frontend.Page{Type: frontend.Home}), c.HTTP().URL.Query().Get("look")
	look := page.Previews(d.Key, v.shop.ID).Open(sealed, d.Now()).Look
	if look == nil {
		return response{page: view.home(newest)}, nil
	}
	p := view.looking(look).home(newest)
	p.Preview, p.About.Canonical, p.Query = true, "", "look="+sealed
	return response{header: http.Header{"Cache-Control": {"no-store"}}, page: p}, nil
}

// slugPage shows the product or category that has the slug. A slug that is an item's old one leads to its active one in
// one step (301).
func (d door) slugPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	name := cmp.Or(c.PathValue("slug"), strings.TrimPrefix(v.path, "/"))
	if len(name) > slug.Max {
		return response{}, problem.NotFound()
	}
	if err := d.readVisitor(c, v); err != nil {
		return response{}, err
	}
	items, err := d.Main.Get(c, address.SlugKey(v.shop.ID, name))
	if err != nil {
		return response{}, err
	}
	switch of := address.OwnerOf(items[0]); {
	case of.Item == "":
		return response{}, problem.NotFound()
	case of.Kind == address.Category:
		return d.categoryPage(c, v, of.Item, name)
	default:
		return d.productPage(c, v, of.Item, name, api.Outcome{})
	}
}

// textPage shows a page that the shop has written. Where it has written none, the address is one like any other: a
// product that was there before may have it.
func textPage(name string) func(d door, c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	return func(d door, c *api.Call, v *visit, outcome api.Outcome) (response, error) {
		if !slices.Contains(v.shop.Look.Pages, name) {
			return d.slugPage(c, v, outcome)
		}
		if err := d.readVisitor(c, v); err != nil {
			return response{}, err
		}
		items, err := d.Main.Get(c, shop.FaceKey(v.shop.ID))
		if err != nil {
			return response{}, err
		}
		face, err := shop.FaceOf(items[0], v.shop.Locale)
		if err != nil {
			return response{}, err
		}
		text, err := d.Texts.Lines(c, string(face.Text(name)))
		return response{page: d.view(v, frontend.Page{Type: frontend.Other}).text(name, text)}, err
	}
}

// moved leads from an old address to the present slug, and keeps the query: campaigns put theirs behind links.
func moved(c *api.Call, slug string) response {
	at := url.URL{Path: "/" + slug, RawQuery: c.HTTP().URL.RawQuery}
	return to(http.StatusMovedPermanently, at.String())
}

// categoriesPage shows all categories of the menu.
func (d door) categoriesPage(c *api.Call, v *visit, _ api.Outcome) (response, error) {
	if err := d.readVisitor(c, v); err != nil {
		return response{}, err
	}
	return response{page: d.view(v, frontend.Page{Type: frontend.Other}).categories()}, nil
}

// categoryPage shows one page of the products of a category and of all below it.
func (d door) categoryPage(c *api.Call, v *visit, id, slug string) (response, error) {
	at, err := d.Shelf.At(c, v.shop.ID, id, slug)
	if err != nil {
		return response{}, err
	}
	if at == nil {
		return response{}, problem.NotFound()
	}
	if at.Slug != slug {
		return moved(c, at.Slug), nil
	}
	asked := lenient(c.HTTP().URL.Query())
	asked.q = ""
	found, err := d.inCategory(c, v, at)
	if err != nil {
		return response{}, err
	}
	list, err := d.choose(c, v, found, asked)
	if err != nil {
		return response{}, err
	}
	view := d.view(v, frontend.Page{Type: frontend.Category, CategoryID: id})
	return response{page: view.category(at, list)}, nil
}

// inCategory are the products of a category and of all below it, remembered as menus are.
func (d door) inCategory(c *api.Call, v *visit, at *shelf.MenuEntry) (search.Found, error) {
	index := d.Search()
	index.Settle(c)
	key := host.CategoryKey{Shop: v.shop.ID, Category: at.ID, Menu: v.menu.Version}
	return d.InCategories.Get(c, key, func(ctx context.Context) (search.Found, error) {
		return index.In(ctx, v.shop.ID, at.Below())
	})
}

// productPage shows a product, and others of its first category as the category's list has them. slug is the address
// asked for; "" is any. If a form about the product was refused, outcome says why.
func (d door) productPage(c *api.Call, v *visit, product, slug string, outcome api.Outcome) (response, error) {
	whole, err := catalog.ReadProduct(c, d.Main, v.shop.ID, product)
	switch {
	case err != nil:
		return response{}, err
	case !whole.Details().Active:
		return response{}, problem.NotFound()
	case slug != "" && whole.Address.Active != slug:
		return moved(c, whole.Address.Active), nil
	}
	details, beside := whole.Details(), &shelf.List{}
	if len(details.CategoryIDs) > 0 {
		if beside, err = d.Shelf.InCategory(c, v.shop.ID, details.CategoryIDs[0]); err != nil {
			return response{}, err
		}
	}
	price, _, sold := shelf.OfferOf(whole).PriceAt(v.level())
	if !sold { // none of its variants is
		price, _ = catalog.PriceAt(details.PriceLevels, v.level())
	}
	view := d.view(v, frontend.Page{Type: frontend.ProductDetail, ProductID: product, Path: "/" + whole.Address.Active,
		Product: &frontend.Product{ID: product, Code: string(details.Code), Name: string(details.Name),
			Price: price.String()}})
	var sent page.Sent
	if outcome.Form != nil {
		sent = sentForm(view.lang(), outcome)
	}
	if asked := c.HTTP().URL.Query().Get("variantId"); whole.Has(asked) {
		view.Chosen = asked
	}
	return response{page: view.product(whole, beside, sent)}, nil
}

// consentNew is what the banner's buttons post.
type consentNew struct {
	Value string `json:"value" enum:"granted,denied"`
}

// consent keeps the visitor's answer in a cookie of 180 days. No row is written: what consent means is the loaders'
// business (contract, "Frontend contract").
func (d door) consent(c *api.Call, in *api.Create[consentNew]) (*api.None, error) {
	c.Cookie(frontend.ConsentCookie(in.Body.Value == "granted", visitOf(c).secure))
	return &api.None{}, nil
}
