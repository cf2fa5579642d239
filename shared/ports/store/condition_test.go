package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConditionsHoldAsTheirNamesSay(t *testing.T) {
	item := &Item{Key: here, Version: "2", Text: map[string]string{"state": "new"}, Num: map[string]int64{"stock": 3},
		Expires: 100}
	bare := &Item{Key: here}
	for _, c := range []struct {
		name                   string
		condition              Condition
		onItem, onBare, onNone bool
	}{
		{"absent", Absent(), false, false, true},
		{"present", Present(), true, true, false},
		{"gone, a second early", Gone(99), false, false, true},
		{"gone, at its second", Gone(100), true, false, true},
		{"version is", VersionIs("2"), true, false, false},
		{"version is another", VersionIs("1"), false, false, false},
		{"version is none", VersionIs(""), false, true, false},
		{"version before", VersionBefore("20"), true, false, false},
		{"version not before itself", VersionBefore("2"), false, false, false},
		{"version behind", VersionBefore("1"), false, false, false},
		{"text is", TextIs("state", "new"), true, false, false},
		{"text is empty", TextIs("state", ""), false, true, true},
		{"number is", NumIs("stock", 3), true, false, false},
		{"number is zero", NumIs("stock", 0), false, false, false},
		{"number at least, met", AtLeast("stock", 3), true, false, false},
		{"number at least, missed", AtLeast("stock", 4), false, false, false},
		{"number at least nothing", AtLeast("stock", 0), true, false, false},
		{"number at most, met", AtMost("stock", 3), true, true, true},
		{"number at most, missed", AtMost("stock", 2), false, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.onItem, c.condition.Holds(item), "on the item")
			require.Equal(t, c.onBare, c.condition.Holds(bare), "on a bare item")
			require.Equal(t, c.onNone, c.condition.Holds(nil), "on none")
		})
	}
}

func TestApplyNeverTouchesTheItemBefore(t *testing.T) {
	before := &Item{Key: here, Text: map[string]string{"a": "1"}, Num: map[string]int64{"n": 1}}
	after := Update(here, Set{Text: map[string]string{"a": "2"}, Add: map[string]int64{"n": 1}}).Apply(before)
	require.Equal(t, &Item{Key: here, Text: map[string]string{"a": "1"}, Num: map[string]int64{"n": 1}}, before)
	require.Equal(t, &Item{Key: here, Text: map[string]string{"a": "2"}, Num: map[string]int64{"n": 2}}, after)
}

func TestApplyOfEachKind(t *testing.T) {
	before := &Item{Key: here, Version: "1", Doc: []byte("doc"), Index1: Key{"i", "1"}, Parts: 2, Expires: 9}
	require.Nil(t, Delete(here).Apply(before))
	require.Equal(t, before, Check(here).Apply(before))
	require.Equal(t, &Item{Key: here}, Put(Item{Key: here}).Apply(before), "a put leaves nothing of what was")
	require.Equal(t, before, Update(here, Set{}).Apply(before))
	require.Equal(t, &Item{Key: here}, Update(here, Set{}).Apply(nil), "an update makes what is not there")
	require.Equal(t, &Item{Key: here, Version: "1", Doc: []byte("doc")},
		Update(here, Set{Index1: &Key{}, Parts: number(0), Expires: seconds(0)}).Apply(before))
}

func TestFailedFindsTheFailureAtAKey(t *testing.T) {
	item := &Item{Key: here}
	err := error(&ConditionError{Failures: []Failure{{Key: here, Item: item}}})
	f, ok := Failed(err, here)
	require.True(t, ok)
	require.Equal(t, item, f.Item)
	_, ok = Failed(err, Key{"p", "other"})
	require.False(t, ok)
	_, ok = Failed(ErrUnavailable, here)
	require.False(t, ok)
	require.True(t, IsCondition(err))
	require.False(t, IsCondition(ErrUnavailable))
}
