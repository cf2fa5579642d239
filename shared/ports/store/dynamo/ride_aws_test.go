//go:build aws

package dynamo_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
)

func changeOfSize(bytes int) events.Change {
	return events.Change{Request: "r1", Shop: "s", At: 1_700_000_000_000, Records: []events.Record{
		{Kind: events.Products, ID: strings.Repeat("x", bytes), Did: events.Changed},
	}}
}

var apart = store.Key{PK: "CH#r1", SK: "0"}

func TestAChangeTooHeavyToRideIsAnItemOfItsOwn(t *testing.T) {
	light := store.Item{Key: a, Version: "v1", Doc: []byte("doc")}
	heavy := store.Item{Key: a, Version: "v1", Doc: bytes.Repeat([]byte("x"), 395<<10)}
	update := store.Update(a, store.Set{Version: "v2"}, store.VersionIs("v1"))
	after := func(i store.Item, version string) store.Item { i.Version = version; return i }
	for _, c := range []struct {
		name  string
		there store.Item
		bytes int
		op    store.Op
		want  store.Item
		apart bool
	}{
		{"16 KB ride", light, 16<<10 - 200, update, after(light, "v2"), false},
		{"more do not", light, 17 << 10, update, after(light, "v2"), true},
		{"nor what makes a put too heavy", light, 10, store.Put(heavy), heavy, true},
		{"nor what makes an item too heavy that an update cannot see", heavy, 15 << 10, update,
			after(heavy, "v2"), true},
		{"a delete carries nothing", light, 10, store.Delete(a), store.Item{}, true},
		{"nor does a check", light, 10, store.Check(a, store.Present()), store.Item{}, true},
		{"not even one that asks nothing", light, 10, store.Check(a), store.Item{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := open(t)
			_, err := o.Table.Write(t.Context(), events.Nothing, store.Put(c.there))
			require.NoError(t, err)
			item, err := o.Table.Write(t.Context(), changeOfSize(c.bytes), c.op)
			require.NoError(t, err)
			require.True(t, item.Version == c.want.Version && bytes.Equal(item.Doc, c.want.Doc),
				"the item as it is afterwards")
			items, err := o.Table.Get(t.Context(), apart)
			require.NoError(t, err)
			require.Equal(t, c.apart, items[0] != nil)
			if c.apart {
				require.Equal(t, int64(1_700_000_000+48*3600), items[0].Expires)
			}
		})
	}
}

// What the budgets of operations count, less the counter of limits.
func TestUnits(t *testing.T) {
	customer := store.Item{Key: a, Version: "v1", Doc: []byte(`{"name":"x"}`), Index1: store.Key{PK: "s#C", SK: "1#1"}}
	claim := store.Item{Key: store.Key{PK: "E#1", SK: "A"}, Text: map[string]string{"owner": "a"}}
	other := store.Item{Key: store.Key{PK: "E#2", SK: "A"}, Text: map[string]string{"owner": "a"}}
	change := func(from, to string) store.Op {
		return store.Update(a, store.Set{Version: to, Index1: &store.Key{PK: "s#C", SK: to}}, store.VersionIs(from))
	}
	table := open(t).Table
	write := func(ops ...store.Op) func(context.Context) error {
		return func(ctx context.Context) error { _, err := table.Write(ctx, events.Nothing, ops...); return err }
	}
	for _, c := range []struct {
		name        string
		do          func(context.Context) error
		read, write float64
	}{
		{"a new customer and its e-mail",
			write(store.Put(customer, store.Absent()), store.Put(claim, store.Absent())), 0, 5},
		{"a change of its basics", write(change("v1", "v2")), 0, 3},
		{"a change of its e-mail", write(change("v2", "v3"), store.Put(other, store.Absent()),
			store.Delete(claim.Key)), 0, 8},
		{"a read", func(ctx context.Context) error { _, err := table.Get(ctx, a); return err }, 1, 0},
		{"two reads", func(ctx context.Context) error { _, err := table.Get(ctx, a, b); return err }, 2, 0},
		{"a page of an index", func(ctx context.Context) error {
			_, err := table.Query(ctx, store.Query{Index: store.Index1, PK: "s#C"})
			return err
		}, 0.5, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, m := store.WithMeter(t.Context())
			require.NoError(t, c.do(ctx))
			read, written := m.Units()
			require.Equal(t, 1, m.Calls())
			require.Equal(t, []float64{c.read, c.write}, []float64{read, written})
		})
	}
}
