package webhooks

import (
	"context"
	"slices"

	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/store"
)

// list reads all receivers of the access, which are few, and puts them in order: when they changed hangs on its permissions
// too, which move without them, so no index knows it.
func (g group) list(ctx context.Context, in *api.List) (*api.Collection[ReceiverRecord], error) {
	c := api.From(ctx)
	kept, err := g.kept(ctx, c)
	if err != nil {
		return nil, err
	}
	keys := access.GrantKeys(c.Shop, c.Access, c.Package)
	for _, r := range kept {
		keys = append(keys, HealthKey(r.ID))
	}
	items, err := g.Main.Get(ctx, keys...)
	if err != nil {
		return nil, err
	}
	b := beside{}
	if b.Grant, err = access.GrantOf(items); err != nil {
		return nil, err
	}
	var all inOrder
	for i, r := range kept {
		b.Health = HealthOf(items[2+i])
		all = append(all, b.show(r))
	}
	return api.Page(ctx, *in, api.Rows{Table: all, Partitions: []string{c.Access}}, all.load)
}

// kept are the receivers of the caller's access.
func (g group) kept(ctx context.Context, c *api.Call) (all []Receiver, err error) {
	q := store.Query{PK: access.Hooks(c.Shop), From: receiversOf(c.Access), To: receiversOf(c.Access) + "~"}
	for {
		page, err := g.Main.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			r, err := Of(&page.Items[i])
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
		if q.After = page.Next; page.Next == "" {
			return all, nil
		}
	}
}

// inOrder is an index of receivers that were read already, by (changed, id).
type inOrder []ReceiverRecord

// Query is all rows that the query asks for, in one page, which who asks puts in order.
func (o inOrder) Query(_ context.Context, q store.Query) (store.Page, error) {
	var p store.Page
	for _, r := range o {
		at := r.place()
		within := at >= q.From && (q.To == "" || at <= q.To)
		behind := q.After == "" || at != q.After && at > q.After != q.Descending
		if within && behind {
			p.Items = append(p.Items, store.Item{Key: store.Key{SK: at}})
		}
	}
	return p, nil
}

func (o inOrder) load(_ context.Context, rows []store.Item) ([]api.Shown[ReceiverRecord], error) {
	shown := make([]api.Shown[ReceiverRecord], len(rows))
	for i, row := range rows {
		r := o[slices.IndexFunc(o, func(r ReceiverRecord) bool { return r.place() == row.SK })]
		shown[i] = api.Shown[ReceiverRecord]{Record: r, At: r.Changed.Go()}
	}
	return shown, nil
}
