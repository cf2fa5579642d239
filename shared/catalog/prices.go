package catalog

import (
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
