package urls

import (
	"context"

	"eshop/shared/api"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// listing is the query of the collection: the URLs of one item, of one kind, or active ones, else all of the shop.
type listing struct {
	api.List
	address.URLFilter
}

// list lists URLs by (changed, id). The rows are shared/catalog's; here each becomes what answers show.
func (d door) list(c *api.Call, in *listing) (*api.Collection[CustomURL], error) {
	rows, load, err := address.URLList(c, d.main, c.Shop, in.URLFilter)
	if err != nil {
		return nil, err
	}
	return api.Page(c, in.List, rows, func(ctx context.Context, rows []store.Item) ([]record.Shown[CustomURL], error) {
		all, err := load(ctx, rows)
		out := make([]record.Shown[CustomURL], len(all))
		for i, s := range all {
			out[i] = record.Shown[CustomURL]{Record: show(s.Record), At: s.At, Missing: s.Missing}
		}
		return out, err
	})
}
