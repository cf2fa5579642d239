package catalog

import (
	"slices"
	"strconv"
	"strings"

	"eshop/shared/base/each"
	"eshop/shared/base/problem"
)

// SetPrices are prices to set at levels, as imports and forms name them; the other levels stay as they are. They may
// stand under priceLevels in a row.
type SetPrices []SetPrice

// SetPrice is the price at one level, as it was sent; nil: the level is to have none.
type SetPrice struct {
	Level string
	Price any
}

// Over are the prices that there are with these set: each stands where its level's stood, those of new levels behind.
func (s SetPrices) Over(was []Price) SetPrices {
	var all SetPrices
	for _, p := range was {
		all = append(all, SetPrice{string(p.Level), p.Price.String()})
	}
	for _, set := range s {
		i := slices.IndexFunc(all, func(p SetPrice) bool { return p.Level == set.Level })
		if i < 0 {
			all = append(all, set)
		} else {
			all[i] = set
		}
	}
	return slices.DeleteFunc(all, func(p SetPrice) bool { return p.Price == nil })
}

// Body are the prices as a body has them.
func (s SetPrices) Body() []any {
	return each.Of(s, func(p SetPrice) any { return map[string]any{"level": p.Level, "price": p.Price} })
}

// Name locates faults of Body by their levels: body.priceLevels.wholesale where a body has body.priceLevels[1].price.
func (s SetPrices) Name(faults []problem.Fault) {
	for i := range faults {
		for n, p := range s {
			if strings.HasPrefix(faults[i].Location, "body.priceLevels["+strconv.Itoa(n)+"]") {
				faults[i].Location = "body.priceLevels." + p.Level
			}
		}
	}
}
