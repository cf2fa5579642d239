package sale

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/store"
)

// Due says whether a basket that is looked at now is to be kept for longer: its row is kept for basketLife from its last
// use, which a shopper who looks at pages all day writes once.
func (b *Basket) Due(now time.Time) bool {
	return b.version != "" && b.expires < now.Add(basketFresh).Unix()
}

// Extend keeps the shopper's basket for as long as a new one. One that is gone stays so.
func (b Baskets) Extend(ctx context.Context, u *change.Unit, s Shopper) error {
	ends := u.Now().Add(basketLife).Unix()
	_, err := u.Table.Write(ctx, events.Nothing, store.Update(BasketKey(u.Shop, s.Basket), store.Set{Expires: &ends}, store.Present()))
	if store.IsCondition(err) {
		return nil
	}
	return err
}
