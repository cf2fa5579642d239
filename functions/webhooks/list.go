package webhooks

import (
	"context"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/store"
)

func (d door) list(ctx context.Context, in *api.List) (*api.Collection[ReceiverRecord], error) {
	rows := api.Rows{Table: d.Main, Index: store.Index1, Partitions: []string{receiversOf(api.From(ctx).Access)}}
	return api.Page(ctx, *in, rows, d.load)
}

// load shows the receivers of some index rows, each as a GET does.
func (d door) load(ctx context.Context, rows []store.Item) ([]api.Shown[ReceiverRecord], error) {
	c := api.From(ctx)
	keys := addon.GrantKeys(c.Shop, c.Access, c.Package)
	for _, row := range rows {
		keys = append(keys, row.Key, HealthKey(idIn(row.Key)))
	}
	items, err := store.GetAll(ctx, d.Main, keys)
	if err != nil {
		return nil, err
	}
	permitted, err := addon.MayOf(items)
	if err != nil {
		return nil, err
	}
	shown := make([]api.Shown[ReceiverRecord], len(rows))
	for i := range rows {
		item, health := items[2+2*i], items[3+2*i]
		if item == nil {
			shown[i].Gone = true
			continue
		}
		r, err := Of(item)
		if err != nil {
			return nil, err
		}
		record := found{r, HealthOf(health), permitted}.record()
		shown[i] = api.Shown[ReceiverRecord]{Record: record, At: record.Changed.Go(), Size: len(item.Doc)}
	}
	return shown, nil
}
