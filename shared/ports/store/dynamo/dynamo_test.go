package dynamo

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

func change(bytes int) events.Change {
	c := events.Change{Request: "r", Shop: "s", Records: []events.Record{{Kind: events.Products, Did: events.Changed}}}
	c.Records[0].ID = strings.Repeat("x", bytes-len(c.Encode()))
	return c
}

func updates(n int) []store.Op {
	ops := make([]store.Op, n)
	for i := range ops {
		ops[i] = store.Update(store.Key{PK: "k", SK: fmt.Sprint(i)}, store.Set{Version: "v"})
	}
	return ops
}

func TestWhereAChangeRides(t *testing.T) {
	check := store.Check(store.Key{PK: "c", SK: "1"}, store.Present())
	gone := store.Delete(store.Key{PK: "d", SK: "1"})
	heavy := store.Put(store.Item{Key: store.Key{PK: "h", SK: "1"}, Doc: make([]byte, store.MaxCarrier)})
	for _, c := range []struct {
		name   string
		change events.Change
		ops    []store.Op
		at     int // of the action that carries it
		of     int // actions
	}{
		{"nothing rides nowhere", events.Nothing, updates(2), -1, 2},
		{"on the first that is written", change(100), updates(2), 0, 2},
		{"on the first that can carry it", change(100), append([]store.Op{check, gone, heavy}, updates(2)...), 3, 5},
		{"on none when none can", change(100), []store.Op{check, gone}, 2, 3},
		{"up to 16 KB", change(store.MaxRiding), updates(1), 0, 1},
		{"not beyond", change(store.MaxRiding + 1), updates(1), 1, 2},
		{"beyond when there is no place beside", change(store.MaxRiding + 1), updates(100), 0, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			actions, err := ride(c.change, c.ops)
			require.NoError(t, err)
			require.Len(t, actions, c.of)
			for i, a := range actions {
				require.Equal(t, i == c.at, a.change != "", i)
			}
		})
	}
	t.Run("in several items when one cannot hold it", func(t *testing.T) {
		urls := events.Change{Request: "r", Shop: "s",
			Records: []events.Record{{Kind: events.Products, ID: "p", Did: events.Deleted}}}
		for i := range 10_000 {
			urls.Records = append(urls.Records, events.Record{Kind: events.URLs, ID: fmt.Sprintf("%026d", i),
				Did: events.Deleted, Version: fmt.Sprintf("%026d", i)})
		}
		actions, err := ride(urls, updates(97))
		require.NoError(t, err)
		require.Len(t, actions, 100)
		for n, a := range actions[97:] {
			require.Equal(t, store.Key{PK: "CH#r", SK: fmt.Sprint(n)}, a.Key)
			require.LessOrEqual(t, len(a.change), store.MaxCarrier)
		}
		_, err = ride(urls, updates(98))
		require.Error(t, err)
	})
	t.Run("a hundred deletes have no place for one", func(t *testing.T) {
		ops := updates(100)
		for i := range ops {
			ops[i] = store.Delete(ops[i].Key)
		}
		_, err := ride(change(100), ops)
		require.Error(t, err)
	})
}

func TestWhatAnErrorSaysOfItsCall(t *testing.T) {
	said := func(code string) error { return &smithy.GenericAPIError{Code: code} }
	for _, c := range []struct {
		err  error
		want fault
	}{
		{said("com.amazonaws.dynamodb.v20120810#ThrottlingException"), undone},
		{&types.TransactionConflictException{}, undone},
		{&types.TransactionInProgressException{}, undone},
		{&types.ProvisionedThroughputExceededException{}, undone},
		{fmt.Errorf("sending: %w", &net.OpError{Op: "dial", Err: errors.New("refused")}), undone},
		{&net.OpError{Op: "read", Err: errors.New("reset")}, unknown},
		{errors.New("no answer"), unknown},
		{said("ValidationException"), refused},
		{&types.ResourceNotFoundException{}, refused},
	} {
		require.Equal(t, c.want, faultOf(c.err), "%v", c.err)
	}
}

func TestWhatMayBeDoneTwice(t *testing.T) {
	key, added := store.Key{PK: "k", SK: "1"}, map[string]int64{"n": 1}
	for _, c := range []struct {
		name string
		op   store.Op
		want bool
	}{
		{"a put", store.Put(store.Item{Key: key}, store.Absent()), true},
		{"a delete", store.Delete(key), true},
		{"an update that sets", store.Update(key, store.Set{Version: "v2"}), true},
		{"not one that adds", store.Update(key, store.Set{Add: added}), false},
		{"not even below a limit", store.Update(key, store.Set{Add: added}, store.AtMost("n", 3)), false},
		{"but from one version to the next",
			store.Update(key, store.Set{Add: added, Version: "v2"}, store.VersionIs("v1")), true},
		{"not when the version stays", store.Update(key, store.Set{Add: added, Version: "v1"},
			store.VersionIs("v1")), false},
	} {
		require.Equal(t, c.want, action{Op: c.op}.repeatable(), c.name)
	}
}

func TestAnUpdateTakesAwayTheChangeThatRodeBefore(t *testing.T) {
	set := store.Set{Drop: []string{}, Parts: new(int), Text: map[string]string{"a": ""}, Add: map[string]int64{"n": 1}}
	e := action{Op: store.Update(store.Key{}, set)}.expression()
	require.Equal(t, "ADD #0 :0\nREMOVE #1, #2\nSET #3 = :1\n", *e.Update())
	require.Equal(t, map[string]string{"#0": "n.n", "#1": AttrChange, "#2": AttrParts, "#3": "t.a"}, e.Names())
	require.Equal(t, attributes{":0": numberValue(1), ":1": stringValue("")}, e.Values())
	e = action{Op: store.Update(store.Key{}, store.Set{}), change: "{}"}.expression()
	require.Equal(t, "SET #0 = :0\n", *e.Update())
	require.Equal(t, AttrChange, e.Names()["#0"])
}

func TestAnUpdateThatOnlyRemovesMakesItsItem(t *testing.T) {
	e := action{Op: store.Update(store.Key{}, store.Set{Drop: []string{"a"}})}.expression()
	require.Equal(t, "REMOVE #0, #1, #2\nSET #3 = :0\n", *e.Update())
	require.Equal(t, attrMade, e.Names()["#3"])
}

func TestAnActionWithoutConditionsSendsNoEmptyMaps(t *testing.T) {
	for _, op := range []store.Op{store.Put(store.Item{}), store.Delete(store.Key{})} {
		e := action{Op: op}.expression()
		require.Nil(t, e.Condition())
		require.Nil(t, e.Names())
		require.Nil(t, e.Values())
	}
	e := action{Op: store.Delete(store.Key{}, store.Absent())}.expression()
	require.Equal(t, map[string]string{"#0": attrPK}, e.Names())
	require.Nil(t, e.Values())
}

func TestConditionsHoldTogether(t *testing.T) {
	conds := []store.Condition{store.Gone(1), store.TextIs("a.b", ""), store.VersionIs("v")}
	e := action{Op: store.Delete(store.Key{}, conds...)}.expression()
	require.Equal(t, "((attribute_not_exists (#0)) OR (#1 <= :0)) AND "+
		"((#2 = :1) OR (attribute_not_exists (#2))) AND (#3 = :2)", *e.Condition())
	require.Equal(t, map[string]string{"#0": attrPK, "#1": AttrExpires, "#2": "t.a.b", "#3": attrVersion}, e.Names())
}
