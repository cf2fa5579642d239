package catalog

import (
	"cmp"
	"math/big"
	"slices"

	"eshop/shared/base/problem"
	"eshop/shared/record/field"
)

// Price is the price at a level.
type Price struct {
	Level field.Name  `json:"level" example:"default"`
	Price field.Money `json:"price"`
}

// DefaultLevel is the price level that every product has.
const DefaultLevel = "default"

// PriceAt is the price at the level, or else at the default level, which "" means, too; false when there is neither.
func PriceAt(prices []Price, level string) (field.Money, bool) {
	var money field.Money
	found := false
	for _, p := range prices {
		if string(p.Level) == level {
			return p.Price, true
		}
		if p.Level == DefaultLevel {
			money, found = p.Price, true
		}
	}
	return money, found
}

// PriceOf is the price of a product, or of a variant of it, at a level: the variant's own there or at the default
// level, else the product's.
func PriceOf(d ProductDetails, v VariantDetails, level string) field.Money {
	if price, ok := PriceAt(v.PriceLevels, level); ok {
		return price
	}
	price, _ := PriceAt(d.PriceLevels, level)
	return price
}

func checkPrices(f *problem.Faults, where string, prices []Price) {
	twice(f, where, "level", prices, func(p Price) string { return string(p.Level) })
}

func hasDefault(prices []Price) bool {
	return slices.ContainsFunc(prices, func(p Price) bool { return p.Level == DefaultLevel })
}

// Rounding is to which amounts prices are rounded: the multiples of Step, each with End added.
type Rounding struct{ Step, End field.Money }

// Percent is hundredths of a percent.
type Percent int64

// Changed is the price changed by so many percent, rounded to the nearest amount, the higher one of two. What costs
// something never costs nothing then, and what is free stays so.
func (r Rounding) Changed(price field.Money, by Percent) field.Money {
	if price <= 0 {
		return price
	}
	// The step that it is on is found in ten-thousandths of hundredths, which are more than an int64 holds.
	const whole = 10_000
	n := new(big.Int).Mul(big.NewInt(int64(price)), big.NewInt(whole+int64(by)))
	n.Sub(n, big.NewInt(whole*int64(r.End)))
	step := big.NewInt(whole * int64(r.Step))
	n.Add(n, new(big.Int).Rsh(step, 1))
	steps := n.Div(n, step).Int64() // rounds down, below zero, too
	return max(field.Money(steps)*r.Step+r.End, cmp.Or(r.End, r.Step))
}
