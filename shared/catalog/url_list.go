package catalog

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// URLFilter is which URLs a list shows: those that fit each of its values; "" fits all.
type URLFilter struct {
	Item   string `query:"urlItem" maxLength:"64" doc:"URLs of this product or category: product:<id> or category:<id>"`
	Kind   string `query:"kind" enum:"system,custom" doc:"URLs of this kind"`
	Active string `query:"active" enum:"true,false" doc:"Active ones, or those that lead to the active one"`
}

// matches says whether the URL fits.
func (w URLFilter) matches(u URL) bool {
	return (w.Kind == "" || (w.Kind == "system") == u.System) && (w.Active == "" || (w.Active == "true") == u.Active)
}

// ItemOf is the product or category that a filter names: "product:<id>". Another text is a fault of the query.
func ItemOf(filter string) (ItemKind, string, error) {
	kind, item, _ := strings.Cut(filter, ":")
	if (kind != string(KindProduct) && kind != string(KindCategory)) || item == "" {
		return "", "", problem.Invalid(problem.Fault{Location: "query.urlItem", Code: problem.BadFormat,
			Message: "must be product:<id> or category:<id>"})
	}
	return ItemKind(kind), item, nil
}

// URLList is the list of the shop's URLs that fit, by (changed, id): those of one item as they are now, in one
// call, others by the index.
func URLList(ctx context.Context, t store.Table, shop string, w URLFilter) (
	record.Listing, func(context.Context, []store.Item) ([]record.Shown[URL], error), error,
) {
	if w.Item != "" {
		return urlsOfItem(ctx, t, shop, w)
	}
	rows := record.Listing{Table: t, Index: store.Index1, Partitions: []string{URLs(shop)}}
	return rows, func(ctx context.Context, rows []store.Item) ([]record.Shown[URL],
		error) {
		return w.load(ctx, t, rows)
	}, nil
}

// load reads the URLs of index rows, each with its item's head: a URL that a deletion has left behind is none.
func (w URLFilter) load(ctx context.Context, t store.Table, rows []store.Item) ([]record.Shown[URL], error) {
	heads := map[store.Key]bool{}
	keys := make([]store.Item, len(rows))
	copy(keys, rows)
	for _, r := range rows {
		if h := HeadKey(r.Key); !heads[h] {
			heads[h] = true
			keys = append(keys, store.Item{Key: h})
		}
	}
	heading := make(map[store.Key]*store.Item, len(heads))
	shown, err := record.Load(t, func(i *store.Item) (u URL, at time.Time, ok bool, err error) {
		if heads[i.Key] {
			heading[i.Key] = i
			return u, at, false, nil
		}
		u, err = URLOf(i)
		return u, at, true, err
	})(ctx, keys)
	if err != nil {
		return nil, err
	}
	out := make([]record.Shown[URL], len(rows))
	for i, r := range rows {
		out[i] = w.show(shown[i].Record, shown[i].Missing || record.Missing(heading[HeadKey(r.Key)]))
	}
	return out, nil
}

// show is the URL for a page, unless it is gone or does not fit.
func (w URLFilter) show(u URL, gone bool) record.Shown[URL] {
	if gone || !w.matches(u) {
		return record.Shown[URL]{Missing: true}
	}
	return record.Shown[URL]{Record: u, At: record.ChangedAt(u.Version).Go()}
}

// urlsOfItem is the list of the URLs of one item.
func urlsOfItem(ctx context.Context, t store.Table, shop string, w URLFilter) (
	record.Listing, func(context.Context, []store.Item) ([]record.Shown[URL], error), error,
) {
	kind, item, err := ItemOf(w.Item)
	if err != nil {
		return record.Listing{}, nil, err
	}
	_, own, err := URLsOf(ctx, t, shop, kind, item)
	if err != nil {
		return record.Listing{}, nil, err
	}
	rows, by := make(readRows, len(own)), make(map[store.Key]URL, len(own))
	for i, u := range own {
		rows[i] = u.Stored(shop)
		by[rows[i].Key] = u
	}
	slices.SortFunc(rows, func(a, b store.Item) int { return strings.Compare(a.Index1.SK, b.Index1.SK) })
	return record.Listing{Table: rows, Index: store.Index1, Partitions: []string{URLs(shop)}},
		func(_ context.Context, rows []store.Item) ([]record.Shown[URL], error) {
			out := make([]record.Shown[URL], len(rows))
			for i, r := range rows {
				out[i] = w.show(by[r.Key], false)
			}
			return out, nil
		}, nil
}

// readRows is index rows that were read already, in their order.
type readRows []store.Item

// Query is a page of them.
func (s readRows) Query(_ context.Context, q store.Query) (page store.Page, err error) {
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
