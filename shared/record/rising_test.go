package record

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/store"
)

// TestOnlyWhatWasMerelyOvertakenIsWrittenAgain: a write that failed for any other reason is decided anew.
func TestOnlyWhatWasMerelyOvertakenIsWrittenAgain(t *testing.T) {
	const before, after = "01M7XXKEG7ZVFRE0EM6N6D5N1T", "01M7XXKEG8ZVFRE0EM6N6D5N1T"
	key, other := store.Key{PK: "P", SK: "A"}, store.Key{PK: "Q", SK: "A"}
	taking := store.Update(key, store.Set{Version: before, Index1: &store.Key{PK: "L", SK: before[:10] + "#A"}},
		VersionRises(before), store.AtLeast("stock", 1))
	item := func(version string, stock int64) *store.Item {
		return &store.Item{Key: key, Version: version, Num: map[string]int64{"stock": stock}}
	}
	for name, c := range map[string]struct {
		again bool
		store.Failure
	}{
		"a later version is there":       {true, store.Failure{Key: key, Item: item(after, 1)}},
		"the same moment is there":       {true, store.Failure{Key: key, Item: item(before, 1)}},
		"there is too little, too":       {false, store.Failure{Key: key, Item: item(after, 0)}},
		"nothing is there":               {false, store.Failure{Key: key}},
		"it is no operation of this one": {false, store.Failure{Key: other, Item: item(after, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			late := overtaken(&store.ConditionError{Failures: []store.Failure{c.Failure}}, []store.Op{taking})
			require.Equal(t, c.again, len(late) == 1)
		})
	}
}
