package sale

import (
	"context"

	"eshop/shared/change"
	"eshop/shared/field"
)

// Baskets are the commands on baskets. Nothing of a basket is told to add-ons.
type Baskets struct {
	Ordering
	Packages Packages // of the accesses that register price quotes
}

// Packages says of an access whether its package is active on the shop.
type Packages interface {
	PackageActive(ctx context.Context, shop, access string) (bool, error)
}

// Show is the basket at the prices of now, which count as shown from then on.
func (b Baskets) Show(ctx context.Context, u *change.Unit, s Shopper) (*Basket, error) {
	panic("to be written")
}

// Add puts a product or a variant into the basket, at the price of a quote when its token is named.
func (b Baskets) Add(ctx context.Context, u *change.Unit, s Shopper, item BasketNew) (*Basket, error) {
	panic("to be written")
}

// SetQuantity changes how many pieces a line is of; not_found when there is no such line.
func (b Baskets) SetQuantity(ctx context.Context, u *change.Unit, s Shopper, line string, quantity int64) (*Basket, error) {
	panic("to be written")
}

// Remove takes a line out of the basket; not_found when there is no such line.
func (b Baskets) Remove(ctx context.Context, u *change.Unit, s Shopper, line string) (*Basket, error) {
	panic("to be written")
}

// SetCoupon puts the coupon of a code into the basket, in the place of the one there.
func (b Baskets) SetCoupon(ctx context.Context, u *change.Unit, s Shopper, code field.Code) (*Basket, error) {
	panic("to be written")
}

// RemoveCoupon takes the coupon out of the basket; of a basket without one it changes nothing.
func (b Baskets) RemoveCoupon(ctx context.Context, u *change.Unit, s Shopper) (*Basket, error) {
	panic("to be written")
}
