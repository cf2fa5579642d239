package record

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
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

// TestWhatWasOvertakenIsWrittenAboveIt: the record gets a version above the one that it met, also in what the change
// tells of it, and the other records of the change keep theirs.
func TestWhatWasOvertakenIsWrittenAboveIt(t *testing.T) {
	const order, before, met = "01M7XXKEG6ZVFRE0EM6N6D5N1T", "01M7XXKEG7ZVFRE0EM6N6D5N1T", "01M7XXKEG8ZVFRE0EM6N6D5N1T"
	stock := store.Key{PK: "P", SK: "A"}
	ops := []store.Op{store.Put(store.Item{Key: store.Key{PK: "O", SK: "A"}, Version: order}),
		store.Update(stock, store.Set{Version: before, Index1: &store.Key{PK: "L", SK: before[:10] + "#A"}},
			VersionRises(before))}
	c := events.Change{Records: []events.Record{{ID: "order", Version: order}, {ID: "product", Version: before}}}
	table := &overtaking{by: &store.ConditionError{Failures: []store.Failure{
		{Key: stock, Item: &store.Item{Key: stock, Version: met}}}}}
	require.NoError(t, WriteRising(t.Context(), &change.Unit{Table: table}, nil, c, ops))
	require.Equal(t, 2, table.writes)
	written := table.ops[1].Set.Version
	require.Greater(t, written[:10], met[:10])
	require.Equal(t, []events.Record{{ID: "order", Version: order}, {ID: "product", Version: written}},
		table.change.Records)
	require.Equal(t, order, table.ops[0].Item.Version)
	require.Equal(t, before, ops[1].Set.Version, "the caller's own are as they were")
	require.Equal(t, before, c.Records[1].Version)
}

// overtaking is a table that refuses the first write.
type overtaking struct {
	store.Table
	by     error
	writes int
	change events.Change
	ops    []store.Op
}

func (o *overtaking) Write(_ context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	o.writes++
	if o.writes == 1 {
		return store.Item{}, o.by
	}
	o.change, o.ops = c, ops
	return store.Item{}, nil
}
