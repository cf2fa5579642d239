package pending

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
)

var now = time.Date(2026, 11, 21, 2, 5, 12, 583e6, time.UTC)

func may() events.Change {
	return events.Change{Request: "01KDFAKE000000000000000000", Shop: "S", At: now.UnixMilli(),
		Records: []events.Record{{Kind: events.Products, ID: "P1", Did: events.Changed,
			Groups: []events.Group{events.Basic}}}}
}

func TestAnItemIsDueOnlyAfterItsLife(t *testing.T) {
	item := Begin(may(), now, 10*time.Second).Apply(nil)
	require.False(t, Jobs.IsDue(item, now.Add(9*time.Second)))
	require.True(t, Jobs.IsDue(item, now.Add(10*time.Second)))
}

func TestTheSweeperTellsAllThatTheItemHolds(t *testing.T) {
	item := Begin(may(), now, time.Second).Apply(nil)
	change, op, err := EndOverdue(item)
	require.NoError(t, err)
	require.Equal(t, may(), change)
	require.Equal(t, Key(may().Request), op.Key)
	require.True(t, op.Conds[0].Holds(item))
	require.False(t, op.Conds[0].Holds(nil), "finished meanwhile")
}

func TestOfAReminderNothingIsTold(t *testing.T) {
	item := Remind(may(), now, time.Second).Apply(nil)
	require.True(t, Jobs.IsDue(item, now.Add(time.Second)))
	about, is, err := Reminder(item)
	require.NoError(t, err)
	require.True(t, is)
	require.Equal(t, may(), about)
	change, op, err := EndOverdue(item)
	require.NoError(t, err)
	require.True(t, change.Empty())
	require.Equal(t, Key(may().Request), op.Key)

	_, is, err = Reminder(Begin(may(), now, time.Second).Apply(nil))
	require.NoError(t, err)
	require.False(t, is)
	_, _, err = Reminder(&store.Item{Doc: []byte("{"), Num: map[string]int64{reminds: 1}})
	require.Error(t, err)
}

func TestALastTransactionWithoutItsItemIsUnavailable(t *testing.T) {
	gone := &store.ConditionError{Failures: []store.Failure{{Key: Key("R")}}}
	require.True(t, problem.Is(Explain(gone, "R"), "unavailable"))
	require.Equal(t, error(gone), Explain(gone, "other"))
	require.NoError(t, Explain(nil, "R"))
}

func TestAnItemThatHoldsNothingIsNotTaken(t *testing.T) {
	_, _, err := EndOverdue(&store.Item{})
	require.Error(t, err)
	_, _, err = EndOverdue(&store.Item{Doc: []byte("{")})
	require.Error(t, err)
}
