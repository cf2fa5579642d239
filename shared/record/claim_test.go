package record_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record"
)

var (
	now      = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	errTaken = errors.New("taken")
)

func held(id string) store.Key { return store.Key{PK: "R#" + id, SK: "A"} }
func value(v string) record.Claim {
	return record.Claim{Key: store.Key{PK: "=" + v, SK: "A"}, Taken: errTaken}
}

// world is a table and how often it was written to and read.
type table struct {
	*testing.T
	store.Table
	writes, reads int
	between       func() // once, between a refused write and the next
}

func openTable(t *testing.T) *table {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &table{T: t, Table: db.Table("main")}
}

func (w *table) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	w.reads++
	return w.Table.Get(ctx, keys...)
}

func (w *table) write(ops ...store.Op) (store.Item, error) {
	w.writes++
	item, err := w.Table.Write(w.Context(), events.Nothing, ops...)
	if b := w.between; err != nil && b != nil {
		w.between = nil
		b()
	}
	return item, err
}

// make writes a record with claims of values at a moment.
func (w *table) make(id string, at time.Time, values ...string) error {
	c := record.Claims{Owner: id, Of: held, Now: at}
	for _, v := range values {
		c.Acquire = append(c.Acquire, value(v))
	}
	_, err := c.Write(w.Context(), w, w.write, store.Put(store.Item{Key: held(id), Version: "1"}, store.Absent()))
	return err
}

func (w *table) put(items ...store.Item) {
	for _, i := range items {
		_, err := w.Table.Write(w.Context(), events.Nothing, store.Put(i))
		require.NoError(w, err)
	}
}

func (w *table) drop(keys ...store.Key) {
	for _, k := range keys {
		_, err := w.Table.Write(w.Context(), events.Nothing, store.Delete(k))
		require.NoError(w, err)
	}
}

// owner of a value, "" for one that nobody claims.
func (w *table) owner(v string) string {
	items, err := w.Table.Get(w.Context(), value(v).Key)
	require.NoError(w, err)
	return record.Owner(items[0])
}

func TestAFreeValueCostsOneWrite(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x", "y"))
	require.Equal(t, []int{1, 0}, []int{w.writes, w.reads})
	require.Equal(t, []string{"a", "a"}, []string{w.owner("x"), w.owner("y")})
}

func TestATakenValueRefusesTheWholeWrite(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x", "z"))
	require.ErrorIs(t, w.make("b", now, "y", "x", "z"), errTaken)
	require.Empty(t, w.owner("y"))
	items, err := w.Table.Get(t.Context(), held("b"))
	require.NoError(t, err)
	require.Nil(t, items[0])
}

func TestTheValueOfATombstoneIsTakenOver(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x", "y"))
	w.put(record.Tombstone(held("a"), "2", now))
	require.NoError(t, w.make("b", now, "x", "y"))
	require.Equal(t, []string{"b", "b"}, []string{w.owner("x"), w.owner("y")})
}

func TestAClaimWithoutAnOwnerIsFreeAfterAWhile(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x"))
	w.drop(held("a"))
	require.ErrorIs(t, w.make("b", now.Add(record.Abandoned), "x"), errTaken)
	require.NoError(t, w.make("b", now.Add(record.Abandoned+time.Millisecond), "x"))
	require.Equal(t, "b", w.owner("x"))
}

func TestOfTwoWhoTakeOverOneIsFirst(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x"))
	w.put(record.Tombstone(held("a"), "2", now))
	w.between = func() { require.NoError(t, w.make("c", now, "x")) }
	require.ErrorIs(t, w.make("b", now, "x"), errTaken)
	require.Equal(t, "c", w.owner("x"))
}

func TestAClaimThatGoesAwayMeanwhileIsFree(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x"))
	w.put(record.Tombstone(held("a"), "2", now))
	w.between = func() {
		w.drop(value("x").Key)
		w.between = func() { w.drop(value("x").Key) }
	}
	require.NoError(t, w.make("b", now, "x"))
	require.Equal(t, "b", w.owner("x"))
}

func TestOtherConditionsAreTheCallersBusiness(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x"))
	err := w.make("a", now, "x")
	_, refused := store.Failed(err, held("a"))
	require.True(t, refused)
	require.Equal(t, []int{2, 0}, []int{w.writes, w.reads})
}

func TestAChangeTakesAndLeaves(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x", "y"))
	c := record.Claims{Owner: "a", Of: held, Now: now}
	c.Acquire, c.Release = record.ClaimsBetween([]record.Claim{value("x"), value("y")},
		[]record.Claim{value("y"), value("z")})
	require.Equal(t, []record.Claim{value("z")}, c.Acquire)
	require.Equal(t, []store.Key{value("x").Key}, c.Release)
	_, err := c.Write(t.Context(), w, w.write,
		store.Put(store.Item{Key: held("a"), Version: "2"}, store.VersionIs("1")))
	require.NoError(t, err)
	require.Equal(t, []string{"", "a", "a"}, []string{w.owner("x"), w.owner("y"), w.owner("z")})
}

func TestAClaimThatIsNotOursIsLeftAlone(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("b", now, "x"))
	c := record.Claims{Owner: "a", Of: held, Now: now, Release: []store.Key{value("x").Key, value("nobody's").Key}}
	_, err := c.Write(t.Context(), w, w.write, store.Put(store.Item{Key: held("a"), Version: "1"}))
	require.NoError(t, err)
	require.Equal(t, "b", w.owner("x"))
}

func TestAValueFindsItsRecord(t *testing.T) {
	w := openTable(t)
	find := func(v string) *store.Item {
		kind := record.Kind[Supplier, SupplierFields]{Key: func(_, id string) store.Key { return held(id) }}
		item, err := kind.Find(t.Context(), w, "", value(v).Key)
		require.NoError(t, err)
		return item
	}
	require.NoError(t, w.make("a", now, "x"))
	require.Equal(t, held("a"), find("x").Key)
	require.Nil(t, find("y"))
	w.put(record.Tombstone(held("a"), "2", now))
	require.Nil(t, find("x"))
	w.drop(held("a"))
	require.Nil(t, find("x"))
}

func TestAClaimThatItsOwnerTookAnewIsNotTakenOver(t *testing.T) {
	w := openTable(t)
	require.NoError(t, w.make("a", now, "x"))
	items, err := w.Table.Get(t.Context(), value("x").Key)
	require.NoError(t, err)
	_, err = w.write(record.AcquireClaim(value("x").Key, "a", now.Add(time.Hour), items[0]))
	require.NoError(t, err)
	_, err = w.write(record.AcquireClaim(value("x").Key, "b", now.Add(time.Hour), items[0]))
	require.True(t, store.IsCondition(err))
	require.Equal(t, "a", w.owner("x"))
}
