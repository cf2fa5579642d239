package catalog

import (
	"slices"
	"strconv"
	"strings"

	"eshop/shared/problem"
)

// SetPrices are prices to set at levels, as imports and forms name them; the other levels stay as they are. They may
// stand under priceLevels in a row.
type SetPrices []SetPrice

// SetPrice is the price at one level, as it was sent; nil: the level is to have none.
type SetPrice struct {
	Level string
	Price any
}

// Over are the prices that there are with these among them: each in the place of its level's, those of new levels behind.
func (s SetPrices) Over(was []Price) SetPrices {
	var all SetPrices
	for _, p := range was {
		all = append(all, SetPrice{string(p.Level), p.Price.String()})
	}
	for _, set := range s {
		place := slices.IndexFunc(all, func(p SetPrice) bool { return p.Level == set.Level })
		if place < 0 {
			all = append(all, set)
		} else {
			all[place] = set
		}
	}
	return slices.DeleteFunc(all, func(p SetPrice) bool { return p.Price == nil })
}

// Body are the prices as a body has them.
func (s SetPrices) Body() []any {
	list := make([]any, len(s))
	for i, p := range s {
		list[i] = map[string]any{"level": p.Level, "price": p.Price}
	}
	return list
}

// Name names faults of Body by their levels: body.priceLevels.wholesale where a body has body.priceLevels[1].price.
func (s SetPrices) Name(faults []problem.Fault) {
	for i := range faults {
		for n, p := range s {
			if strings.HasPrefix(faults[i].Location, "body.priceLevels["+strconv.Itoa(n)+"]") {
				faults[i].Location = "body.priceLevels." + p.Level
			}
		}
	}
}
