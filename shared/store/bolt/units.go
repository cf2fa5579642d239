package bolt

import "eshop/shared/store"

// Capacity units as DynamoDB would charge them for the same call; an item's size is its row's, near enough to
// DynamoDB's.

// readUnits of one item read strongly consistent, or of the sum of a query's.
func readUnits(bytes int) float64 { return float64(max(1, (bytes+4095)/4096)) }

// writeUnits of one item written outside a transaction.
func writeUnits(bytes int) float64 { return float64(max(1, (bytes+1023)/1024)) }

// On DynamoDB the change rides on the first item put or updated. One of more than maxRiding bytes, or that would bring
// the item over maxCarrier bytes, is an item of its own, if the transaction has room for one more (architecture,
// "Records and changes").
const (
	maxRiding  = 16 << 10
	maxCarrier = 350 << 10
	maxItem    = 400 << 10 // bytes of the biggest item that DynamoDB takes
)

// cost is the write units of a write with these edits, whose change has so many bytes. A refused write costs what the
// items cost that its conditions were held against.
func cost(edits []edit, change int, refused bool) float64 {
	actions, sum, indexes := len(edits), 0.0, 0.0
	if refused {
		change = 0
	}
	for _, e := range edits {
		before, after := len(e.item.bytes), len(e.bytes)
		if refused {
			after = 0
		} else {
			indexes += indexUnits(e.item.is, e.is)
		}
		rides := change <= maxRiding || len(edits) == store.MaxOperations
		if change > 0 && rides && after+change <= maxCarrier && e.puts() {
			after += change
			change = 0
		}
		sum += writeUnits(max(before, after))
	}
	if change > 0 {
		actions++
		sum += writeUnits(change)
	}
	if actions > 1 {
		sum *= 2
	}
	return sum + indexes
}

// indexUnits is one for each entry of an index that is made, changed or taken away, two for one that moves.
func indexUnits(before, after *store.Item) (units float64) {
	var none store.Item
	b, a := before, after
	if b == nil {
		b = &none
	}
	if a == nil {
		a = &none
	}
	for _, at := range [][2]store.Key{{b.Index1, a.Index1}, {b.Index2, a.Index2}} {
		was, is := at[0] != store.Key{}, at[1] != store.Key{}
		switch {
		case was && is && at[0] != at[1]:
			units += 2
		case was != is, was && b.Parts != a.Parts:
			units++
		}
	}
	return units
}
