package model

import "github.com/anishathalye/porcupine"

// StockAsk is a request that moves a product's stock, or reads it: set it To so many, or add By, which is negative for
// an order.
type StockAsk struct {
	Sets bool
	To   int
	By   int
	Read bool
}

// StockAnswer is its answer. Of a read or a refusal it says what there is.
type StockAnswer struct {
	Status int
	There  int
}

// stockModel: what is taken was there, and what is refused was not (contract, "Orders").
var stockModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{0} },
	Step: func(state, in, out any) []any {
		there, ask, is := state.(int), in.(StockAsk), out.(StockAnswer)
		next := there + ask.By
		if ask.Sets {
			next = ask.To
		}
		switch {
		case is.Status == Unknown && next >= 0 && next != there:
			return []any{there, next}
		case is.Status == Unknown:
			return []any{there}
		case ask.Read && is.Status == 200:
			return anys(only(is.There == there, there))
		case is.Status == 409:
			return anys(only(next < 0 && (is.There < 0 || is.There == there), there))
		case is.Status >= 300: // refused for another reason
			return []any{there}
		}
		return anys(only(next >= 0, next))
	},
}

// CouponAsk is an order that uses a coupon once, or a read of how often it was used.
type CouponAsk struct {
	Limit int
	Read  bool
}

// CouponAnswer is its answer; Used of a read.
type CouponAnswer struct{ Status, Used int }

// couponModel: a coupon is used as often as its limit says, and no more (contract, "Discount coupons").
var couponModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{0} },
	Step: func(state, in, out any) []any {
		used, ask, is := state.(int), in.(CouponAsk), out.(CouponAnswer)
		switch {
		case ask.Read && is.Status == 200:
			return anys(only(is.Used == used, used))
		case is.Status == Unknown && !ask.Read && used < ask.Limit:
			return []any{used, used + 1}
		case is.Status == 201:
			return anys(only(used < ask.Limit, used+1))
		case is.Status == 422: // used up
			return anys(only(used >= ask.Limit, used))
		}
		return []any{used} // refused for another reason
	},
}

// QuoteAsk is an attempt to put a quoted line into a basket by its token. Its answer is a status: 201 used it, 409
// quote_used says that somebody had.
type QuoteAsk struct{}

// quoteModel: of all who try a token exactly one succeeds (contract, "Basket price quotes").
var quoteModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{false} },
	Step: func(state, _, status any) []any {
		used := state.(bool)
		switch status.(int) {
		case Unknown:
			return []any{used, true}
		case 201:
			return anys(only(!used, true))
		case 409:
			return anys(only(used, used))
		}
		return []any{used}
	},
}
