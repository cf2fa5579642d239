package address

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// URLFilter is which URLs a list shows: those that fit each of its values; "" fits all.
type URLFilter struct {
	Item   string `query:"urlItem" maxLength:"64" doc:"URLs of this product or category: product:{id} or category:{id}"`
	Kind   string `query:"kind" enum:"system,custom" doc:"URLs of this kind"`
	Active string `query:"active" enum:"true,false" doc:"URLs that are active (true), or that lead to the active one (false)"`
}

// matches says whether the URL fits.
func (w URLFilter) matches(u URL) bool {
	return (w.Kind == "" || (w.Kind == "system") == u.System) && (w.Active == "" || (w.Active == "true") == u.Active)
}

// OwnerIn is the owner that a filter names: "product:<id>". Another text is a fault of the query.
func OwnerIn(filter string) (Owner, error) {
	kind, item, _ := strings.Cut(filter, ":")
	o := Owner{OwnerKind(kind), item}
	if (o.Kind != Product && o.Kind != Category) || item == "" {
		return Owner{}, problem.Invalid(problem.Fault{Location: "query.urlItem", Code: problem.BadFormat,
			Message: "must be product:<id> or category:<id>"})
	}
	return o, nil
}

// Load reads the URLs of entries of an index.
type Load = func(context.Context, []store.Item) ([]record.Shown[URL], error)

// URLList is the list of the shop's URLs that fit, by (changed, id): those of one owner as they are now, in one call,
// others by the index.
func URLList(ctx context.Context, t store.Table, shop string, w URLFilter) (record.Listing, Load, error) {
	rows := record.InPartitions(t, store.Index1, URLs(shop))
	if w.Item == "" {
		return rows, func(ctx context.Context, rows []store.Item) ([]record.Shown[URL], error) {
			return w.load(ctx, t, rows)
		}, nil
	}
	o, err := OwnerIn(w.Item)
	if err != nil {
		return rows, nil, err
	}
	_, own, err := URLsOf(ctx, t, shop, o)
	read, by := make([]store.Item, len(own)), make(map[store.Key]*store.Item, len(own))
	for i, u := range own {
		read[i] = u.Stored(shop)
		by[read[i].Key] = &read[i]
	}
	slices.SortFunc(read, func(a, b store.Item) int { return strings.Compare(a.Index1.SK, b.Index1.SK) })
	rows.Entries = func(_ context.Context, q store.Query) (store.Page, error) { return record.Among(read, q), nil }
	return rows, func(ctx context.Context, rows []store.Item) ([]record.Shown[URL], error) {
		shown := func(row store.Item) record.Shown[URL] { return record.Show(ctx, by[row.Key], w.show) }
		return each.Of(rows, shown), nil
	}, err
}

// load reads the URLs of entries, each with its owner's item: a URL that a deletion has left behind is none.
func (w URLFilter) load(ctx context.Context, t store.Table, rows []store.Item) ([]record.Shown[URL], error) {
	keys := make([]store.Key, 0, 2*len(rows))
	for _, r := range rows {
		keys = append(keys, r.Key, ownerKey(r.Key))
	}
	items, err := store.GetReadable(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	out := make([]record.Shown[URL], len(rows))
	for i := range rows {
		if out[i].Missing = record.Missing(items[2*i+1]); !out[i].Missing {
			out[i] = record.Show(ctx, items[2*i], w.show)
		}
	}
	return out, nil
}

// show is the URL of an item for a page, unless it does not fit.
func (w URLFilter) show(item *store.Item) (u URL, at time.Time, fits bool, err error) {
	u, err = urlOf(item)
	return u, record.ChangedAt(u.Version).Go(), w.matches(u), err
}
