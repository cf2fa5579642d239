package urls

import (
	"context"
	"strings"
	"time"

	"eshop/functions/products"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/store"
	"eshop/shared/unique"
)

// Function is the API of URLs.
var Function = host.Function{
	Name: "urls", Doc: "Custom URLs of products and categories: list, read, make, delete.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

const path, tag = "/api-engine/custom-urls", "Custom URLs"

func register(p *host.Platform, a *api.API) {
	g := group{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listUrls", Tag: tag, Needs: api.ReadURLs, Summary: "List URLs",
		Doc: "System and custom ones by (`changed`, `id`), of one product or category with `urlItem`, else of the shop."}, g.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createUrl", Tag: tag, Needs: api.WriteURLs, Summary: "Make a custom URL",
		Doc: "It becomes the active one of its item; `adjusted` says that the slug is not what was sent. 200 when the item had that slug already: it is active again. A slug taken by another item gets a suffix, up to `-100`; then 409 `slug_taken`. Fires `productChange` of a product."}, g.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readUrl", Tag: tag, Needs: api.ReadURLs, Summary: "Read a URL"}, g.read)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{id}", ID: "deleteUrl", Tag: tag, Needs: api.WriteURLs, Summary: "Delete a custom URL",
		Doc: "If it was active, the newest remaining one made by a POST is again, in the end the system URL. 409 `system_url` of that one. Fires `productChange` of a product."}, g.delete)
}

// group is the operations; the platform is all they have.
type group struct{ *host.Platform }

func (g group) create(ctx context.Context, in *api.Create[Fields]) (*api.Placed[Made], error) {
	want, err := slugOf(string(in.Body.URL), g.reserved)
	if err != nil {
		return nil, err
	}
	contested := false
	for range api.Rounds(ctx) {
		answer, err := g.tryCreate(ctx, in.Body, want, contested)
		if !store.IsCondition(err) {
			return answer, err
		}
		if _, lost := store.Failed(err, products.SlugKey(api.From(ctx).Shop, want)); lost {
			contested = true
		}
	}
	return nil, api.Unavailable(time.Second)
}

func (g group) reserved(s string) bool { return g.Reserved != nil && g.Reserved(s) }

// tryCreate takes the slug as it is unless it is contested. It fails with the store's *store.ConditionError when
// somebody has the slug, or changed the item meanwhile.
func (g group) tryCreate(ctx context.Context, f Fields, want string, contested bool) (*api.Placed[Made], error) {
	c := api.From(ctx)
	head, own, err := products.URLsOf(ctx, g.Main, c.Shop, f.Item.Type, f.Item.ID)
	if err != nil {
		return nil, err
	}
	if head == nil {
		return nil, api.InvalidAt("urlItem.id", api.Unknown, "is not a "+string(f.Item.Type)+" of this shop")
	}
	var over *store.Item
	if contested && named(own, want) == nil {
		if want, over, err = g.pick(ctx, c.Shop, want, own); err != nil {
			return nil, err
		}
	}
	e := &edit{shop: c.Shop, head: head, own: own, version: c.Next(head.Version)}
	if has := named(own, want); has != nil {
		return g.again(ctx, e, *has, f)
	}
	u := products.URL{ID: c.NewID(), Of: f.Item.Type, Item: f.Item.ID, Slug: want, Active: true, Posted: true, Version: e.version}
	u.Created = show(u).Changed
	e.add(u, unique.Take(products.SlugKey(c.Shop, want), u.Owner(), c.Now(), over))
	answer := placed(201, u, f)
	_, err = c.Write(ctx, answer, c.Changed(e.records...), e.ops...)
	return answer, err
}

// again makes a URL that the item has already the active one.
func (g group) again(ctx context.Context, e *edit, u products.URL, f Fields) (*api.Placed[Made], error) {
	if u.Active {
		return placed(200, u, f), nil
	}
	c := api.From(ctx)
	answer := placed(200, e.revive(u), f)
	_, err := c.Write(ctx, answer, c.Changed(e.records...), e.ops...)
	return answer, err
}

func placed(status int, u products.URL, f Fields) *api.Placed[Made] {
	return &api.Placed[Made]{Status: status, ETag: api.ETag(u.Version), Location: path + "/" + u.ID,
		Body: Made{URL: show(u), Adjusted: u.Slug != string(f.URL)}}
}

// pick is the slug that the item gets when others want the one it asked for, and the free claim that it takes over.
func (g group) pick(ctx context.Context, shop, want string, own []products.URL) (s string, over *store.Item, err error) {
	names := candidates(want, g.reserved)
	keys := make([]store.Key, len(names))
	for i, n := range names {
		keys[i] = products.SlugKey(shop, n)
	}
	claims, err := g.Main.Get(ctx, keys...)
	if err != nil {
		return "", nil, err
	}
	free, err := products.Owners(g.Main, shop, g.Now()).Free(ctx, claims...)
	if err != nil {
		return "", nil, err
	}
	i := choose(names, free, own)
	if i < 0 {
		return "", nil, api.Conflict("slug_taken", "The slug and all its variants up to -100 belong to other items.")
	}
	return names[i], claims[i], nil
}

func (g group) read(ctx context.Context, in *api.ByID) (*api.Answer[URL], error) {
	c := api.From(ctx)
	key, err := g.seek(ctx, c.Shop, in.ID)
	if err != nil {
		return nil, err
	}
	items, err := g.Main.Get(ctx, key, products.HeadKey(key))
	if err != nil {
		return nil, err
	}
	if items[0] == nil || products.Deleted(items[1]) {
		return nil, api.NotFound()
	}
	u, err := products.URLOf(items[0])
	if err != nil {
		return nil, err
	}
	return api.Of(show(u), u.Version), nil
}

func (g group) delete(ctx context.Context, in *api.ByID) (*api.None, error) {
	for range api.Rounds(ctx) {
		if err := g.tryDelete(ctx, in.ID); !store.IsCondition(err) {
			return &api.None{}, err
		}
	}
	return nil, api.Unavailable(time.Second)
}

// tryDelete fails with the store's *store.ConditionError when somebody changed the item meanwhile.
func (g group) tryDelete(ctx context.Context, url string) error {
	c := api.From(ctx)
	key, err := g.seek(ctx, c.Shop, url)
	if err != nil {
		return err
	}
	of, item := products.Holding(key)
	head, own, err := products.URLsOf(ctx, g.Main, c.Shop, of, item)
	if err != nil {
		return err
	}
	u := first(own, func(u products.URL) bool { return u.ID == url })
	if u == nil {
		return api.NotFound()
	}
	if err := c.Match(u.Version); err != nil {
		return err
	}
	if u.System {
		return api.Conflict("system_url", "A system URL cannot be deleted: make a custom URL, and it becomes the active one.")
	}
	e := &edit{shop: c.Shop, head: head, own: own, version: c.Next(head.Version)}
	e.remove(*u)
	_, err = c.Write(ctx, &api.None{}, c.Changed(e.records...), e.ops...)
	return err
}

// On AWS the index of ids is normally less than a second behind. An id that was made less than young ago is looked for
// this often, a pause apart: what a POST or a list has shown can be read.
const (
	young = 10 * time.Second
	looks = 20
	pause = 50 * time.Millisecond
)

// seek is where the URL is, a problem not_found when there is none.
func (g group) seek(ctx context.Context, shop, url string) (store.Key, error) {
	for look := 1; ; look++ {
		page, err := g.Main.Query(ctx, store.Query{Index: store.Index2, PK: products.URLPlace(shop, url).PK, Limit: 1})
		if err != nil {
			return store.Key{}, err
		}
		if len(page.Items) > 0 {
			return page.Items[0].Key, nil
		}
		if g.OneProcess || look == looks || g.Now().Sub(id.Time(url)) > young {
			return store.Key{}, api.NotFound()
		}
		if err := wait(ctx, pause); err != nil {
			return store.Key{}, err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// itemIn is the product or category that the filter names: "product:<id>".
func itemIn(filter string) (Item, error) {
	of, item, _ := strings.Cut(filter, ":")
	if (of != string(products.OfProduct) && of != string(products.OfCategory)) || item == "" {
		return Item{}, api.Invalid(api.Fault{Location: "query.urlItem", Code: api.BadFormat, Message: "must be product:<id> or category:<id>", Value: filter})
	}
	return Item{products.Of(of), item}, nil
}
