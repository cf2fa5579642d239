package bolt

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/ports/store"
)

// poisons are rows that encode does not make.
var poisons = map[string][]byte{
	"nothing": {},
	"text":    []byte("\x7fnot a row at all"),
	"an end too early": encode(&store.Item{Version: "01M7XXKEG7ZVFRE0EM6N6D5N1T",
		Text: map[string]string{"a": "b"}})[:12],
	"a length beyond the end":     {hasVersion, 200, 1, 'x'},
	"a length of too many digits": {hasVersion, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1},
	"more fields than bytes":      {hasText, 255, 255, 255, 255, 255, 31},
	"more numbers than bytes":     {hasNum, 255, 255, 255, 255, 255, 31},
}

// poisoned puts the bytes in the place of an item that is there, in an index and has expired.
func poisoned(t *testing.T, d *DB, sk string, row []byte) {
	_, err := d.Table("main").Write(t.Context(), events.Nothing,
		store.Put(store.Item{Key: at(sk), Version: "1", Index1: store.Key{PK: "index", SK: sk}, Expires: 1}))
	require.NoError(t, err)
	require.NoError(t, d.file.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(d.Table("main").items).Put(appendKey(nil, at(sk)), row)
	}))
}

func TestARowThatCannotBeReadIsAnErrorOfWhoMeetsItAndOfNobodyElse(t *testing.T) {
	for name, row := range poisons {
		t.Run(name, func(t *testing.T) {
			d := fresh(t)
			d.purged = 4_000_000_000 // nothing is purged
			main := d.Table("main")
			_, err := main.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at("sound")}))
			require.NoError(t, err)
			poisoned(t, d, "bad", row)

			g := gated(d)
			refused := []*write{queued(t.Context(), d, store.Update(at("bad"), store.Set{}, store.VersionIs("1"))),
				queued(t.Context(), d, store.Put(store.Item{Key: at("beside")}),
					store.Delete(at("bad"), store.Present())),
				queued(t.Context(), d, store.Put(store.Item{Key: at("bad")}, store.Absent())),
				queued(t.Context(), d, store.Update(at("bad"), store.Set{})),
				queued(t.Context(), d, store.Check(at("bad"), store.Absent()))}
			done := []*write{queued(t.Context(), d,
				store.Update(at("sound"), store.Set{Text: map[string]string{"is": "written"}})),
				queued(t.Context(), d, store.Put(store.Item{Key: at("more")}))}
			grouped(t, d, g, slices.Concat(refused[:2], done[:1], refused[2:], done[1:])...)
			for _, w := range refused {
				require.ErrorIs(t, w.err, store.ErrUnreadable)
			}
			for _, w := range done {
				require.NoError(t, w.err)
			}
			_, err = main.Get(t.Context(), at("sound"), at("bad"))
			require.ErrorIs(t, err, store.ErrUnreadable)
			_, err = main.Query(t.Context(), store.Query{PK: "p"})
			require.ErrorIs(t, err, store.ErrUnreadable)

			page, err := main.Query(t.Context(), store.Query{Index: store.Index1, PK: "index"})
			require.NoError(t, err, "an index holds keys only")
			require.Len(t, page.Items, 1)
			page, err = store.QueryReadable(t.Context(), main, store.Query{PK: "p"})
			require.NoError(t, err)
			require.Len(t, page.Items, 2, "all but the one that cannot be read")
			require.Equal(t, "written", page.Items[1].Text["is"])
			keys := []store.Key{at("sound"), at("bad"), at("beside"), at("more")}
			items, err := store.GetReadable(t.Context(), main, keys)
			require.NoError(t, err)
			require.Equal(t, "written", items[0].Text["is"])
			require.Nil(t, items[1])
			require.Nil(t, items[2], "of a write with a bad row nothing is done")
			require.NotNil(t, items[3])

			for _, replaces := range []store.Op{store.Put(store.Item{Key: at("bad"), Version: "2"}),
				store.Delete(at("bad"))} {
				poisoned(t, d, "bad", row)
				_, err = main.Write(t.Context(), events.Nothing, replaces)
				require.NoError(t, err, "on no condition it goes away")
				require.Equal(t, replaces.Kind == store.Deleting, stored(t, d, "bad") == nil)
			}
		})
	}
}

func TestAnExpiredRowThatCannotBeReadGoesAwayAndHoldsUpNoOther(t *testing.T) {
	d := fresh(t)
	d.purged = 4_000_000_000 // nothing expires before it is poisoned
	for n := range maxPurged {
		poisoned(t, d, fmt.Sprintf("bad%02d", n), poisons["text"])
	}
	_, err := d.Table("main").Write(t.Context(), events.Nothing,
		store.Put(store.Item{Key: at("sound"), Expires: 2}),
		store.Put(store.Item{Key: at("stays"), Expires: 4_000_000_000}))
	require.NoError(t, err)
	require.NoError(t, d.file.Update(func(tx *bbolt.Tx) error {
		for _, entry := range []string{"\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x01no end",
			"\x00\x00\x00\x00\x00\x00\x00\x01main\x00\x00\xffx", "\x00\x00\x00\x00\x00\x00\x00\x01none\x00\x00\x01pk",
			string(appendExpiry(nil, 1, "main", at("stays")))} {
			require.NoError(t, tx.Bucket(expires).Put([]byte(entry), []byte{}))
		}
		return nil
	}))
	d.purged = 0
	for n := range 2 { // the second commit takes what was too much for the first
		_, err = d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at(fmt.Sprint(n))}))
		require.NoError(t, err)
	}
	page, err := d.Table("main").Query(t.Context(), store.Query{PK: "p"})
	require.NoError(t, err, "nothing is left that cannot be read")
	require.Len(t, page.Items, 3)
	require.Equal(t, at("stays"), page.Items[2].Key)
	page, err = d.Table("main").Query(t.Context(), store.Query{Index: store.Index1, PK: "index"})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	require.NoError(t, d.file.View(func(tx *bbolt.Tx) error {
		require.Equal(t, 1, tx.Bucket(expires).Stats().KeyN, "that of the item that stays")
		return nil
	}))
	require.Positive(t, d.purged, "nothing is looked for again in the same second")
}

func TestARowThatCannotBeReadLeavesNothingBehindInTheIndexes(t *testing.T) {
	for name, c := range map[string]struct {
		op   store.Op
		want []string
	}{
		"deleted":  {store.Delete(at("bad")), nil},
		"replaced": {store.Put(store.Item{Key: at("bad")}), nil},
		"replaced under its index key": {store.Put(store.Item{Key: at("bad"),
			Index1: store.Key{PK: "index", SK: "bad"}}), []string{"bad"}},
		"replaced under another": {store.Put(store.Item{Key: at("bad"), Index1: store.Key{PK: "index", SK: "a"}}),
			[]string{"a"}},
		"replaced in the other index": {store.Put(store.Item{Key: at("bad"),
			Index2: store.Key{PK: "index", SK: "bad"}}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := fresh(t)
			d.purged = 4_000_000_000 // nothing expires
			poisoned(t, d, "bad", poisons["text"])
			poisoned(t, d, "another", poisons["text"])
			_, err := d.Table("main").Write(t.Context(), events.Nothing, c.op)
			require.NoError(t, err)
			page, err := d.Table("main").Query(t.Context(), store.Query{Index: store.Index1, PK: "index"})
			require.NoError(t, err)
			var entries []string
			for _, i := range page.Items {
				entries = append(entries, i.Index1.SK)
			}
			want := append(c.want, "another")
			slices.Sort(want)
			require.Equal(t, want, entries)
		})
	}
}

func TestAWriteThatPanicsIsItsCallersAlone(t *testing.T) {
	d := fresh(t)
	g := gated(d)
	bad := queued(t.Context(), d, store.Put(store.Item{Key: at("bad")}))
	bad.table = nil
	sound := []*write{queued(t.Context(), d, store.Put(store.Item{Key: at("0")})),
		queued(t.Context(), d, store.Put(store.Item{Key: at("1")}))}
	grouped(t, d, g, sound[0], bad, sound[1])
	require.ErrorIs(t, bad.err, guard.ErrPanic)
	for n, w := range sound {
		require.NoError(t, w.err)
		require.NotNil(t, stored(t, d, fmt.Sprint(n)))
	}
}

// A commit that panics leaves open what is on disk, as one that fails does.
func TestACommitThatPanicsMakesTheFileReadOnlyAndCloses(t *testing.T) {
	d := fresh(t)
	_, err := d.Table("main").Write(t.Context(), events.Nothing, store.Put(store.Item{Key: at("before")}))
	require.NoError(t, err)
	d.commitTx = func(*bbolt.Tx) error { panic("what nobody foresaw") }
	for range 2 {
		_, err = d.Table("main").Write(context.Background(), events.Nothing, store.Put(store.Item{Key: at("after")}))
		require.ErrorIs(t, err, store.ErrUnavailable)
	}
	require.NotNil(t, stored(t, d, "before"))
	require.NoError(t, d.Close())
}
