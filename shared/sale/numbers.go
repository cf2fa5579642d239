package sale

import (
	"context"
	"fmt"
	"strconv"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// draw draws the shop's next order number: each is given once, and they rise. It runs before the order's transaction,
// so that orders made at once do not meet there; an order that is refused afterwards leaves a gap.
func draw(ctx context.Context, u *change.Unit) (string, error) {
	item, err := u.Write(ctx, nil, events.Nothing,
		store.Update(sequenceKey(u.Shop), store.Set{Add: map[string]int64{lastDrawn: 1}}))
	if err != nil {
		return "", err
	}
	return number(u.Now().UTC().Year(), item.Num[lastDrawn]), nil
}

// number is the year and the shop's nth order, in six digits or more. n never starts again, so numbers rise, unless a
// clock is set back over a New Year.
func number(year int, n int64) string { return strconv.Itoa(year) + fmt.Sprintf("%06d", n) }
