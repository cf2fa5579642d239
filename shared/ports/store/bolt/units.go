package bolt

import "eshop/shared/ports/store"

// Capacity units as DynamoDB would charge them for the same call; an item's size is its row's, near enough to
// DynamoDB's.

// maxItem is the bytes of the biggest item that DynamoDB takes.
const maxItem = 400 << 10

// cost is the write units of a write with these edits. The change has so many bytes. It rides on the first item put or
// updated that can carry it; if none can, it is an item of its own.
func cost(edits []edit, change int) float64 {
	actions, sum, indexes := len(edits), 0.0, 0.0
	for _, e := range edits {
		before, after := len(e.item.row), len(e.row)
		indexes += indexUnits(e.item.current, e.after)
		rides := change <= store.MaxRiding || len(edits) == store.MaxOperations
		if change > 0 && rides && after+change <= store.MaxCarrier && e.puts() {
			after += change
			change = 0
		}
		sum += store.WriteUnits(max(before, after))
	}
	if change > 0 {
		actions++
		sum += store.WriteUnits(change)
	}
	return together(actions, sum) + indexes
}

// costOfRefused is the write units of a refused write: what the items cost that its conditions were held against.
func costOfRefused(edits []edit) (sum float64) {
	for _, e := range edits {
		sum += store.WriteUnits(len(e.item.row))
	}
	return together(len(edits), sum)
}

// together is what the units of so many actions come to in one write: in a transaction each counts twice.
func together(actions int, units float64) float64 {
	if actions > 1 {
		return 2 * units
	}
	return units
}

// indexUnits is one for each entry of an index that is made, changed or deleted, two for one that moves.
func indexUnits(before, after *store.Item) (units float64) {
	var none store.Item
	b, a := before, after
	if b == nil {
		b = &none
	}
	if a == nil {
		a = &none
	}
	for _, indexKeys := range [][2]store.Key{{b.Index1, a.Index1}, {b.Index2, a.Index2}} {
		from, to := indexKeys[0], indexKeys[1]
		wasIn, isIn := from != store.Key{}, to != store.Key{}
		switch {
		case wasIn && isIn && from != to:
			units += 2
		case wasIn != isIn, wasIn && b.Parts != a.Parts:
			units++
		}
	}
	return units
}
