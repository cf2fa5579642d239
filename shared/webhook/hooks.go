package webhook

import (
	"context"
	"strings"

	"eshop/shared/addon"
	"eshop/shared/ports/store"
)

// Hooks is who may hear of a shop's changes: its accesses, and the receivers of each.
type Hooks struct {
	Accesses  []addon.Access
	Receivers map[string][]Receiver // by access
}

// ReadHooks reads a shop's accesses and receivers in one strongly consistent query.
func ReadHooks(ctx context.Context, table store.Table, shop string) (Hooks, error) {
	h := Hooks{Receivers: map[string][]Receiver{}}
	items, err := store.QueryAll(ctx, table, store.Query{PK: addon.Hooks(shop)},
		addon.MaxAccesses*(1+maxReceivers))
	for i := range items {
		if err == nil {
			err = h.add(&items[i])
		}
	}
	return h, err
}

// add adds the access or the receiver that the item is.
func (h *Hooks) add(i *store.Item) error {
	if strings.HasPrefix(i.SK, "A#") {
		a, err := addon.DecodeAccess(i)
		h.Accesses = append(h.Accesses, a)
		return err
	}
	r, err := ReceiverOf(i)
	h.Receivers[r.Access] = append(h.Receivers[r.Access], r)
	return err
}
