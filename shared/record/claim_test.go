package unique_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
	"eshop/shared/unique"
)

var (
	now      = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	errTaken = errors.New("taken")
)

func record(id string) store.Key { return store.Key{PK: "R#" + id, SK: "A"} }
func value(v string) unique.Claim {
	return unique.Claim{Key: store.Key{PK: "=" + v, SK: "A"}, Taken: errTaken}
}

// world is a table and how often it was written to and read.
type world struct {
	*testing.T
	store.Table
	writes, reads int
	between       func() // once, between a refused write and the next
}

func open(t *testing.T) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &world{T: t, Table: db.Table("main")}
}

func (w *world) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	w.reads++
	return w.Table.Get(ctx, keys...)
}

func (w *world) write(ops ...store.Op) (store.Item, error) {
	w.writes++
	item, err := w.Table.Write(w.Context(), events.Nothing, ops...)
	if b := w.between; err != nil && b != nil {
		w.between = nil
		b()
	}
	return item, err
}

// make writes a record with claims of values at a moment.
func (w *world) make(id string, at time.Time, values ...string) error {
	c := unique.Claims{Owner: id, Of: record, Now: at}
	for _, v := range values {
		c.Take = append(c.Take, value(v))
	}
	_, err := c.Write(w.Context(), w, w.write, store.Put(store.Item{Key: record(id), Version: "1"}, store.Absent()))
	return err
}

func (w *world) put(items ...store.Item) {
	for _, i := range items {
		_, err := w.Table.Write(w.Context(), events.Nothing, store.Put(i))
		require.NoError(w, err)
	}
}

func (w *world) drop(keys ...store.Key) {
	for _, k := range keys {
		_, err := w.Table.Write(w.Context(), events.Nothing, store.Delete(k))
		require.NoError(w, err)
	}
}

// owner of a value, "" for one that nobody claims.
func (w *world) owner(v string) string {
	items, err := w.Table.Get(w.Context(), value(v).Key)
	require.NoError(w, err)
	return unique.Owner(items[0])
}

func TestAFreeValueCostsOneWrite(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x", "y"))
	require.Equal(t, []int{1, 0}, []int{w.writes, w.reads})
	require.Equal(t, []string{"a", "a"}, []string{w.owner("x"), w.owner("y")})
}

func TestATakenValueRefusesTheWholeWrite(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x", "z"))
	require.ErrorIs(t, w.make("b", now, "y", "x", "z"), errTaken)
	require.Empty(t, w.owner("y"))
	items, err := w.Table.Get(t.Context(), record("b"))
	require.NoError(t, err)
	require.Nil(t, items[0])
}

func TestTheValueOfATombstoneIsTakenOver(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x", "y"))
	w.put(unique.Tombstone(record("a"), "2", now))
	require.NoError(t, w.make("b", now, "x", "y"))
	require.Equal(t, []string{"b", "b"}, []string{w.owner("x"), w.owner("y")})
}

func TestAClaimWithoutAnOwnerIsFreeAfterAWhile(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x"))
	w.drop(record("a"))
	require.ErrorIs(t, w.make("b", now.Add(unique.Crash), "x"), errTaken)
	require.NoError(t, w.make("b", now.Add(unique.Crash+time.Millisecond), "x"))
	require.Equal(t, "b", w.owner("x"))
}

func TestOfTwoWhoTakeOverOneIsFirst(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x"))
	w.put(unique.Tombstone(record("a"), "2", now))
	w.between = func() { require.NoError(t, w.make("c", now, "x")) }
	require.ErrorIs(t, w.make("b", now, "x"), errTaken)
	require.Equal(t, "c", w.owner("x"))
}

func TestAClaimThatGoesAwayMeanwhileIsFree(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x"))
	w.put(unique.Tombstone(record("a"), "2", now))
	w.between = func() {
		w.drop(value("x").Key)
		w.between = func() { w.drop(value("x").Key) }
	}
	require.NoError(t, w.make("b", now, "x"))
	require.Equal(t, "b", w.owner("x"))
}

func TestOtherConditionsAreTheCallersBusiness(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x"))
	err := w.make("a", now, "x")
	_, refused := store.Failed(err, record("a"))
	require.True(t, refused)
	require.Equal(t, []int{2, 0}, []int{w.writes, w.reads})
}

func TestAChangeTakesAndLeaves(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x", "y"))
	c := unique.Claims{Owner: "a", Of: record, Now: now}
	c.Take, c.Leave = unique.Between([]unique.Claim{value("x"), value("y")}, []unique.Claim{value("y"), value("z")})
	require.Equal(t, []unique.Claim{value("z")}, c.Take)
	require.Equal(t, []store.Key{value("x").Key}, c.Leave)
	_, err := c.Write(t.Context(), w, w.write, store.Put(store.Item{Key: record("a"), Version: "2"}, store.VersionIs("1")))
	require.NoError(t, err)
	require.Equal(t, []string{"", "a", "a"}, []string{w.owner("x"), w.owner("y"), w.owner("z")})
}

func TestAClaimThatIsNotOursIsLeftAlone(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("b", now, "x"))
	c := unique.Claims{Owner: "a", Of: record, Now: now, Leave: []store.Key{value("x").Key, value("nobody's").Key}}
	_, err := c.Write(t.Context(), w, w.write, store.Put(store.Item{Key: record("a"), Version: "1"}))
	require.NoError(t, err)
	require.Equal(t, "b", w.owner("x"))
}

func TestAValueFindsItsRecord(t *testing.T) {
	w := open(t)
	find := func(v string) *store.Item {
		item, err := unique.Find(t.Context(), w, value(v).Key, record)
		require.NoError(t, err)
		return item
	}
	require.NoError(t, w.make("a", now, "x"))
	require.Equal(t, record("a"), find("x").Key)
	require.Nil(t, find("y"))
	w.put(unique.Tombstone(record("a"), "2", now))
	require.Nil(t, find("x"))
	w.drop(record("a"))
	require.Nil(t, find("x"))
}

func TestAClaimThatItsOwnerTookAnewIsNotTakenOver(t *testing.T) {
	w := open(t)
	require.NoError(t, w.make("a", now, "x"))
	items, err := w.Table.Get(t.Context(), value("x").Key)
	require.NoError(t, err)
	_, err = w.write(unique.Take(value("x").Key, "a", now.Add(time.Hour), items[0]))
	require.NoError(t, err)
	_, err = w.write(unique.Take(value("x").Key, "b", now.Add(time.Hour), items[0]))
	require.True(t, store.IsCondition(err))
	require.Equal(t, "a", w.owner("x"))
}
