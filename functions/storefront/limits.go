package storefront

import (
	"context"
	"sync"

	"eshop/shared/api"
	"eshop/shared/signin"
)

// What bounds a stranger in the operations of a shop. Each says why the operation cannot fill the store with rows: a
// test asks it of every operation that anybody may call.
const (
	byBaskets   = "visitorLimits.basketsPerMinute of an address: a new basket makes a row, a new Idempotency-Key one"
	byBasket    = "a basket that is there: none is made; a new Idempotency-Key counts as a new basket"
	byCheckouts = "visitorLimits.checkoutsPerMinute of an address and checkoutsPerBasket"
	byTries     = "ten tries at passwords a minute of an address"
)

// countBasket counts a new basket of the visitor's address, or an answer that is kept under a new Idempotency-Key: each
// is a row. It is the problem too_many_tries when there were too many in the last minute. A page makes neither, and so
// is never counted.
func (d door) countBasket(c *api.Call) error {
	s := visitOf(c).shop
	return d.tries.Count(c, c.Unit(), signin.Visits("baskets", s.ID, c.Address(), s.Visitors().Baskets()))
}

// countCheckout counts a checkout of the visitor's address and basket, whatever comes of it: the problem too_many_tries
// when there were too many in the last minute.
func (d door) countCheckout(c *api.Call) error {
	v := visitOf(c)
	l := v.shop.Visitors()
	return d.tries.Count(c, c.Unit(), signin.Visits("checkouts", v.shop.ID, c.Address(), l.Checkouts()),
		signin.Repeats("checkouts", v.shop.ID, v.basket, l.CheckoutsOfBasket()))
}

// once calls f once, and gives its first answer ever after: a command that begins anew is not counted again.
func once(f func() error) func(context.Context) error {
	first := sync.OnceValue(f)
	return func(context.Context) error { return first() }
}
