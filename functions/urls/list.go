package urls

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/record"
	"eshop/shared/store"
)

// listing is the query of the collection.
type listing struct {
	api.List
	Item   string `query:"urlItem" maxLength:"64" doc:"URLs of this product or category: product:<id> or category:<id>"`
	Kind   string `query:"kind" enum:"system,custom" doc:"URLs of this kind"`
	Active string `query:"active" enum:"true,false" doc:"Active ones, or those that lead to the active one"`
}

// matches says whether the URL passes the filters.
func (in *listing) matches(u catalog.URL) bool {
	return (in.Kind == "" || (in.Kind == string(System)) == u.System) && (in.Active == "" || (in.Active == "true") == u.Active)
}

func (d door) list(ctx context.Context, in *listing) (*api.Collection[URL], error) {
	if in.Item != "" {
		return d.listOf(ctx, in)
	}
	rows := record.Listing{Table: d.Main, Index: store.Index1, Partitions: []string{catalog.URLs(api.From(ctx).Shop)}}
	return api.Page(ctx, in.List, rows, func(ctx context.Context, rows []store.Item) ([]record.Shown[URL], error) {
		return d.load(ctx, in, rows)
	})
}

// load reads the URLs of index rows, each with its item's head: a URL that a deletion has left behind is none.
func (d door) load(ctx context.Context, in *listing, rows []store.Item) ([]record.Shown[URL], error) {
	heads := map[store.Key]bool{}
	keys := make([]store.Item, len(rows))
	copy(keys, rows)
	for _, r := range rows {
		if h := catalog.HeadKey(r.Key); !heads[h] {
			heads[h] = true
			keys = append(keys, store.Item{Key: h})
		}
	}
	heading := make(map[store.Key]*store.Item, len(heads))
	shown, err := record.Load(d.Main, func(i *store.Item) (u catalog.URL, at time.Time, ok bool, err error) {
		if heads[i.Key] {
			heading[i.Key] = i
			return u, at, false, nil
		}
		u, err = catalog.URLOf(i)
		return u, at, true, err
	})(ctx, keys)
	if err != nil {
		return nil, err
	}
	out := make([]record.Shown[URL], len(rows))
	for i, r := range rows {
		out[i] = in.show(shown[i].Record, shown[i].Gone || record.Gone(heading[catalog.HeadKey(r.Key)]))
	}
	return out, nil
}

// show is the URL for a page, unless it is gone or the filters leave it out.
func (in *listing) show(u catalog.URL, gone bool) record.Shown[URL] {
	if gone || !in.matches(u) {
		return record.Shown[URL]{Gone: true}
	}
	return record.Shown[URL]{Record: show(u), At: record.ChangedAt(u.Version).Go(), Size: 400}
}

// listOf is a page of the URLs of one item, as they are now.
func (d door) listOf(ctx context.Context, in *listing) (*api.Collection[URL], error) {
	item, err := itemIn(in.Item)
	if err != nil {
		return nil, err
	}
	shop := api.From(ctx).Shop
	_, own, err := catalog.URLsOf(ctx, d.Main, shop, item.Type, item.ID)
	if err != nil {
		return nil, err
	}
	rows, by := make(shelf, len(own)), make(map[store.Key]catalog.URL, len(own))
	for i, u := range own {
		rows[i] = u.Stored(shop)
		by[rows[i].Key] = u
	}
	slices.SortFunc(rows, func(a, b store.Item) int { return strings.Compare(a.Index1.SK, b.Index1.SK) })
	return api.Page(ctx, in.List, record.Listing{Table: rows, Index: store.Index1, Partitions: []string{catalog.URLs(shop)}},
		func(_ context.Context, rows []store.Item) ([]record.Shown[URL], error) {
			out := make([]record.Shown[URL], len(rows))
			for i, r := range rows {
				out[i] = in.show(by[r.Key], false)
			}
			return out, nil
		})
}

// shelf is index rows that were read already, in their order.
type shelf []store.Item

// Query is a page of them.
func (s shelf) Query(_ context.Context, q store.Query) (page store.Page, err error) {
	rows := slices.Clone(s)
	if q.Descending {
		slices.Reverse(rows)
	}
	for _, r := range rows {
		sk := r.Index1.SK
		passed := q.After != "" && (sk == q.After || (sk < q.After) != q.Descending)
		if passed || sk < q.From || q.To != "" && sk > q.To {
			continue
		}
		if len(page.Items) == q.Limit {
			page.Next = page.Items[len(page.Items)-1].Index1.SK
			break
		}
		page.Items = append(page.Items, r)
	}
	return page, nil
}
