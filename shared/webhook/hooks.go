package webhook

import (
	"context"
	"strings"

	"eshop/shared/addon"
	"eshop/shared/store"
)

// Hooks is who may hear of a shop's changes: its accesses, and the receivers of each.
type Hooks struct {
	Accesses  []addon.Access
	Receivers map[string][]Receiver // by access
}

// HooksOf reads a shop's accesses and receivers as they are now, strongly consistent, in one query.
func HooksOf(ctx context.Context, table store.Table, shop string) (Hooks, error) {
	h := Hooks{Receivers: map[string][]Receiver{}}
	for after := ""; ; {
		page, err := table.Query(ctx, store.Query{PK: addon.Hooks(shop), After: after})
		if err != nil {
			return h, err
		}
		for i := range page.Items {
			if err := h.add(&page.Items[i]); err != nil {
				return h, err
			}
		}
		if after = page.Next; after == "" {
			return h, nil
		}
	}
}

// add adds what the item is: an access, or a receiver of one.
func (h *Hooks) add(i *store.Item) error {
	if strings.HasPrefix(i.SK, "A#") {
		a, err := addon.Of(i)
		h.Accesses = append(h.Accesses, a)
		return err
	}
	r, err := ReceiverOf(i)
	h.Receivers[r.Access] = append(h.Receivers[r.Access], r)
	return err
}
