package store

import "fmt"

// What DynamoDB takes and charges. Both stores go by it, so that what works on one works on the other, at the same
// cost.
const (
	// MaxKeys is how many items one Get returns.
	MaxKeys = 100
	// MaxOperations is how many different keys one Write can touch.
	MaxOperations = 100
	// MaxPK and MaxSK are how many bytes the two texts of a key, or of an index key, have at most.
	MaxPK, MaxSK = 2048, 1024
	// MaxRiding and MaxCarrier bound a change that rides on an item of its write: its own bytes, and those of the item
	// with it, which leaves room below the 400 KB that DynamoDB takes. One beyond them is an item of its own, if the
	// write has room for one more, or several of up to MaxCarrier bytes each.
	MaxRiding  = 16 << 10
	MaxCarrier = 350 << 10
)

// ReadUnits are the capacity units of one item read strongly consistent, or of the sum of a query's, by its bytes.
// Looking for what is not there costs one, too.
func ReadUnits(bytes int) float64 { return float64(max(1, (bytes+4095)/4096)) }

// WriteUnits are those of one item written outside a transaction; in one it counts twice.
func WriteUnits(bytes int) float64 { return float64(max(1, (bytes+1023)/1024)) }

// CheckKeys is an error when a key is longer than DynamoDB takes, whether it is to be written or looked for.
func CheckKeys(keys ...Key) error {
	for _, k := range keys {
		if len(k.PK) > MaxPK || len(k.SK) > MaxSK {
			return fmt.Errorf("store: a key of %d and %d bytes, more than %d and %d", len(k.PK), len(k.SK),
				MaxPK, MaxSK)
		}
	}
	return nil
}

// CheckKeys is an error when the query asks for longer keys than DynamoDB takes.
func (q Query) CheckKeys() error {
	return CheckKeys(Key{q.PK, q.From}, Key{q.PK, q.To}, Key{q.PK, q.After})
}
