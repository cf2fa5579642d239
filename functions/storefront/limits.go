package storefront

import (
	"eshop/shared/api"
	"eshop/shared/people/signin"
)

// countBasket counts a new basket of the visitor's address, or an answer that is kept under a new Idempotency-Key: each
// is a row. It is the problem too_many_tries when there were too many in the last minute. A page makes neither, and is
// never counted: the count is a row, too, and an open GET writes none.
func (d door) countBasket(c *api.Call) error {
	s := visitOf(c).shop
	return d.tries.Count(c, c.Unit(), signin.Visits("baskets", s.ID, c.Address(), s.Visitors().Baskets()))
}

// countSearch counts a search of who is not signed in, whatever it finds: the problem rate_limited when their address
// has made as many in this minute as it may make baskets. A search may read megabytes of the index. The count is no
// row.
func (d door) countSearch(c *api.Call) error {
	s := visitOf(c).shop
	most := s.Visitors().Baskets()
	if most == 0 {
		return nil
	}
	return c.PerMinute("searches of "+s.ID+"@"+signin.Network(c.Address()), most)
}

// countCheckout counts a checkout of the visitor's address and basket, whatever comes of it: the problem too_many_tries
// when there were too many in the last minute.
func (d door) countCheckout(c *api.Call) error {
	v := visitOf(c)
	l := v.shop.Visitors()
	return d.tries.Count(c, c.Unit(), signin.Visits("checkouts", v.shop.ID, c.Address(), l.Checkouts()),
		signin.Repeats("checkouts", v.shop.ID, v.basket, l.CheckoutsOfBasket()))
}

// changesPerMinute is how often customers may change themselves in any minute. Each change is told to add-ons and
// rewrites the words that the customer is found by. No shop sets another number: visitorLimits are for addresses that
// many people may share, and this is one person's.
const changesPerMinute = 20

// countChange counts a change of who is signed in by themselves, whatever comes of it: the problem too_many_tries when
// there were too many in the last minute, of the customer or, however many customers somebody registers, of the
// address (as many as new baskets).
func (d door) countChange(c *api.Call) error {
	v := visitOf(c)
	return d.tries.Count(c, c.Unit(),
		signin.Visits("changes", v.shop.ID, c.Address(), v.shop.Visitors().Baskets()),
		signin.Repeats("changes", v.shop.ID, v.session.Person, changesPerMinute))
}
