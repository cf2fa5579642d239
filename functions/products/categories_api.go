package products

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/pending"
	"eshop/shared/store"
	"eshop/shared/unique"
)

const categoriesTag = "Categories"

// categories registers the operations on categories (contract, section 4, "Categories").
func (g group) categories(a *api.API) {
	read, write := api.ReadProducts, api.WriteProducts
	const path = "/api-engine/categories"
	api.Add(a, api.Op{Route: "GET " + path, ID: "listCategories", Tag: categoriesTag, Needs: read,
		Summary: "List categories"}, g.listCategories)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createCategory", Tag: categoriesTag, Needs: write,
		Summary: "Create a category"}, g.createCategory)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readCategory", Tag: categoriesTag, Needs: read,
		Summary: "Read a category"}, g.readCategory)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{id}", ID: "changeCategory", Tag: categoriesTag, Needs: write, Reads: read,
		Summary: "Change a category",
		Doc:     "A circle of parents is 422. Without `products:read` the answer is `id` and `changed` only."},
		g.changeCategory)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{id}", ID: "deleteCategory", Tag: categoriesTag, Needs: write,
		Summary: "Delete a category", Doc: "409 `category_in_use` while it has children or products."}, g.removeCategory)
}

func (g group) listCategories(ctx context.Context, in *api.List) (*api.Collection[Category], error) {
	call := api.From(ctx)
	rows := api.Rows{Table: g.p.Main, Index: store.Index1, Partitions: []string{CategoriesOf(call.Shop)}}
	return api.Page(ctx, *in, rows, func(ctx context.Context, rows []store.Item) ([]api.Shown[Category], error) {
		keys := make([]store.Key, len(rows))
		for i, r := range rows {
			keys[i] = r.Key
		}
		items, err := store.GetAll(ctx, g.p.Main, keys)
		if err != nil {
			return nil, err
		}
		out := make([]api.Shown[Category], len(rows))
		for i, item := range items {
			k, err := CategoryOf(item)
			if err != nil {
				return nil, err
			}
			if out[i].Gone = k == nil; k != nil {
				out[i] = api.Shown[Category]{Record: k.Category(call.Website), At: moment(k.Version), Size: len(item.Doc)}
			}
		}
		return out, nil
	})
}

func (g group) readCategory(ctx context.Context, in *api.ByID) (*api.Answer[Category], error) {
	call := api.From(ctx)
	k, err := ReadCategory(ctx, g.p.Main, call.Shop, in.ID)
	if err != nil {
		return nil, err
	}
	if k == nil {
		return nil, api.NotFound()
	}
	return api.Of(k.Category(call.Website), k.Version), nil
}

func (g group) createCategory(ctx context.Context, in *api.Create[CategoryFields]) (*api.Answer[Category], error) {
	call := api.From(ctx)
	id := call.NewID()
	n := newNames(g.p, call.Shop, nil)
	for range api.Rounds(ctx) {
		n.begin(ownerOf(OfCategory, id))
		version := call.Next("")
		k := &KeptCategory{ID: id, Version: version, Fields: in.Body, Created: changedAt(version)}
		tree, err := g.moved(ctx, call.Shop, "", in.Body.Parent, id)
		if err != nil {
			return nil, err
		}
		address, err := n.address(addressed{of: OfCategory, id: id}, string(in.Body.Name), stampOf(call, version))
		if err != nil {
			return nil, err
		}
		k.Address = address.Address
		ops := slices.Concat([]store.Op{store.Put(k.item(call.Shop), store.Absent())}, address.ops, tree)
		answer := api.Of(k.Category(call.Website), version).At("/api-engine/categories/" + id)
		record := events.Record{Kind: events.Categories, ID: id, Did: events.Created, Version: version}
		told := append([]events.Record{record}, address.records...)
		if _, err = call.Write(ctx, answer, call.Changed(told...), ops...); err == nil {
			return answer, nil
		}
		if err := n.learn(ctx, err); err != nil {
			return nil, err
		}
	}
	return nil, store.ErrUnavailable
}

// moved is what it takes to move a category in the tree, nothing when it stays. It finds a parent that is not there
// and a circle; writes that move categories go one after the other, so that two of them cannot close one, and none
// puts one below another that goes at the same moment.
func (g group) moved(ctx context.Context, shop, from, to, category string) ([]store.Op, error) {
	if from == to {
		return nil, nil
	}
	turn, err := g.turn(ctx, shop)
	if err != nil {
		return nil, err
	}
	ops := []store.Op{turn}
	if from != "" {
		ops = append(ops, store.Delete(childOf(shop, from, category)))
	}
	if to == "" {
		return ops, nil
	}
	if err := g.ancestors(ctx, shop, to, category); err != nil {
		return nil, err
	}
	return append(ops, store.Put(store.Item{Key: childOf(shop, to, category)})), nil
}

// turn is the operation that no other write to the tree of categories may come before.
func (g group) turn(ctx context.Context, shop string) (store.Op, error) {
	key := treeKey(shop)
	items, err := g.p.Main.Get(ctx, key)
	if err != nil {
		return store.Op{}, err
	}
	cond := store.Absent()
	if items[0] != nil {
		cond = store.NumIs("turn", items[0].Num["turn"])
	}
	return store.Update(key, store.Set{Add: map[string]int64{"turn": 1}}, cond), nil
}

// ancestors walks up from a parent: it must be there, and the category itself not above it.
func (g group) ancestors(ctx context.Context, shop, parent, category string) error {
	for up := parent; up != ""; {
		if up == category {
			return api.InvalidAt("parentId", api.Conflicting, "would put the category below itself")
		}
		k, err := ReadCategory(ctx, g.p.Main, shop, up)
		switch {
		case err != nil:
			return err
		case k == nil && up == parent:
			return api.InvalidAt("parentId", api.Unknown, "is not a category of this shop")
		case k == nil:
			return nil
		}
		up = k.Fields.Parent
	}
	return nil
}

func (g group) changeCategory(ctx context.Context, in *api.Change[CategoryFields]) (*api.Answer[Category], error) {
	call := api.From(ctx)
	n := newNames(g.p, call.Shop, nil)
	for range api.Rounds(ctx) {
		before, err := g.currentCategory(ctx, call, in.ID, func() error {
			_, err := api.Apply(ctx, in.Body, CategoryFields{Name: "x"})
			return err
		})
		if err != nil {
			return nil, err
		}
		next := *before
		if next.Fields, err = api.Apply(ctx, in.Body, before.Fields); err != nil {
			return nil, err
		}
		answer, err := g.putCategory(ctx, call, before, &next, n)
		if err == nil {
			return answer, nil
		}
		if err := n.learn(ctx, err); err != nil {
			return nil, err
		}
	}
	return nil, store.ErrUnavailable
}

// currentCategory is the category as it is: faults of form, then 404, then 412.
func (g group) currentCategory(
	ctx context.Context, call *api.Call, id string, form func() error,
) (*KeptCategory, error) {
	k, err := ReadCategory(ctx, g.p.Main, call.Shop, id)
	if err != nil {
		return nil, err
	}
	if k != nil {
		if err = call.Match(k.Version); err == nil {
			return k, nil
		}
	} else {
		err = api.NotFound()
	}
	if bad := form(); bad != nil {
		return nil, bad
	}
	return nil, err
}

// putCategory writes what changed of a category once.
func (g group) putCategory(
	ctx context.Context, call *api.Call, before, next *KeptCategory, n *names,
) (*api.Answer[Category], error) {
	tree, err := g.moved(ctx, call.Shop, before.Fields.Parent, next.Fields.Parent, next.ID)
	if err != nil {
		return nil, err
	}
	next.Version = call.Next(before.Version)
	n.begin(ownerOf(OfCategory, next.ID))
	category := addressed{OfCategory, next.ID, before.Address, before.Version}
	address, err := n.address(category, string(next.Fields.Name), stampOf(call, next.Version))
	if err != nil {
		return nil, err
	}
	next.Address = address.Address
	groups := before.diff(next)
	if len(groups) == 0 {
		return api.Of(before.Category(call.Website), before.Version), nil
	}
	answer := api.Of(next.Category(call.Website), next.Version)
	record := events.Record{Kind: events.Categories, ID: next.ID, Did: events.Changed, Version: next.Version,
		Groups: groups}
	told := append([]events.Record{record}, address.records...)
	head := store.Put(next.item(call.Shop), store.VersionIs(before.Version))
	_, err = call.Write(ctx, answer, call.Changed(told...), slices.Concat([]store.Op{head}, address.ops, tree)...)
	return answer, err
}

func (g group) removeCategory(ctx context.Context, in *api.ByID) (*api.None, error) {
	call := api.From(ctx)
	for range api.Rounds(ctx) {
		head, urls, err := URLsOf(ctx, g.p.Main, call.Shop, OfCategory, in.ID)
		if err != nil {
			return nil, err
		}
		k, err := CategoryOf(head)
		if err != nil {
			return nil, err
		}
		if k == nil {
			return nil, api.NotFound()
		}
		if err := call.Match(k.Version); err != nil {
			return nil, err
		}
		err = g.takeCategory(ctx, call, k, urls)
		if !store.IsCondition(err) {
			return &api.None{}, err
		}
	}
	return nil, store.ErrUnavailable
}

// takeCategory deletes a category that nothing is in, once.
func (g group) takeCategory(ctx context.Context, call *api.Call, k *KeptCategory, urls []URL) error {
	turn, err := g.turn(ctx, call.Shop)
	if err != nil {
		return err
	}
	inside, err := g.p.Main.Query(ctx, store.Query{PK: InCategory(call.Shop, k.ID), Limit: 1})
	if err != nil {
		return err
	}
	if len(inside.Items) > 0 {
		return api.Conflict("category_in_use", "The category still has products or other categories in it.")
	}
	version := call.Next(k.Version)
	ops := []store.Op{tombstone(k.head.Key, k.Version, version, call.Now()), turn}
	if k.Fields.Parent != "" {
		ops = append(ops, store.Delete(childOf(call.Shop, k.Fields.Parent, k.ID)))
	}
	gone, told := removed(call.Shop, urls, version)
	record := events.Record{Kind: events.Categories, ID: k.ID, Did: events.Deleted, Version: version}
	ops = append(ops, pending.Remind(call.Changed(record), call.Now(), unique.Crash))
	most := min(len(gone), store.MaxOperations-len(ops)-riders(len(urls)))
	told = append([]events.Record{record}, told...)
	_, err = call.Write(ctx, &api.None{}, call.Changed(told...), append(ops, gone[:most]...)...)
	if err == nil {
		g.sweep(ctx, call, gone[most:])
		if err := vacate(ctx, g.p, call.Shop, k.ID); err != nil {
			g.p.Log.WarnContext(ctx, "a category that is gone may have products", "requestId", call.RequestID, "error", err)
		}
	}
	return err
}
