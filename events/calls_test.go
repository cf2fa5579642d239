package events

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew")

var moment = time.Date(2026, 11, 21, 2, 5, 12, 583e6, time.UTC)

func TestRecordsBecomeTheEventsOfTheContract(t *testing.T) {
	for record, want := range map[[2]string]Name{
		{"customers", "created"}: CustomerCreate, {"customers", "changed"}: CustomerChange,
		{"customers", "deleted"}: CustomerDelete,
		{"products", "created"}:  ProductCreate, {"products", "changed"}: ProductChange,
		{"products", "deleted"}: ProductDelete,
		{"orders", "created"}:   OrderChange, {"orders", "changed"}: OrderChange,
		{"categories", "changed"}: "", {"urls", "created"}: "", {"coupons", "deleted"}: "", {"states", "changed"}: "",
	} {
		require.Equal(t, want, Record{Kind: RecordKind(record[0]), Did: Did(record[1])}.Event(), record)
	}
}

func TestMergingTellsWhatAReaderOfTheResultWouldSay(t *testing.T) {
	rec := func(did Did, variants []string, groups ...Group) Record {
		return Record{Kind: Products, ID: "p", Did: did, Variants: variants, Groups: groups}
	}
	for name, c := range map[string]struct{ in, want []Record }{
		"created wins over changed": {
			[]Record{rec(Created, []string{"a"}), rec(Changed, []string{"b"}, Stock)},
			[]Record{rec(Created, []string{"a", "b"})}},
		"changes unite": {
			[]Record{rec(Changed, []string{"b"}, Stock), rec(Changed, []string{"a", "b"}, Basic)},
			[]Record{rec(Changed, []string{"b", "a"}, Basic, Stock)}},
		"deleted is last": {
			[]Record{rec(Changed, []string{"b"}, Stock), rec(Deleted, []string{"a", "b"})},
			[]Record{rec(Deleted, []string{"a", "b"})}},
		"made and deleted is nothing": {
			[]Record{rec(Created, []string{"a"}), rec(Changed, nil, Stock), rec(Deleted, []string{"a"})}, []Record{}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Merge(c.in)) })
	}
}

func TestMergingAgainChangesNothingAndKeepsTheOrderOfFirstChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(anyRecord(), 0, 30).Draw(t, "records")
		once := Merge(records)
		require.Equal(t, once, Merge(once))
		place := func(r Record) int {
			return slices.IndexFunc(records, func(x Record) bool { return x.Kind == r.Kind && x.ID == r.ID })
		}
		for i := 1; i < len(once); i++ {
			require.Less(t, place(once[i-1]), place(once[i]))
		}
		for _, r := range once {
			require.True(t, slices.IsSorted(r.Groups))
			require.True(t, r.Did == Changed || r.Groups == nil, "groups are of changes only")
		}
	})
}

func anyRecord() *rapid.Generator[Record] {
	return rapid.Custom(func(t *rapid.T) Record {
		groups := rapid.SliceOfNDistinct(rapid.SampledFrom([]Group{Basic, Prices, Stock}), 1, 3, rapid.ID).
			Draw(t, "groups")
		slices.Sort(groups)
		return Record{
			Kind: rapid.SampledFrom([]RecordKind{Customers, Products, Categories, Orders}).Draw(t, "kind"),
			ID:   rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"}).Draw(t, "id"),
			Did:  rapid.SampledFrom([]Did{Created, Changed, Deleted}).Draw(t, "did"),
			Variants: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"v", "w", "x", "y"}), 0, 3, rapid.ID).
				Draw(t, "variants"),
			Groups: groups,
		}
	})
}

func TestNoIDIsLostOrDoubledOverTheCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var change Change
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 500)), 0, 60).
			Draw(t, "variants of each")
		var want []string
		for i, n := range sizes {
			r := Record{Kind: Products, ID: fmt.Sprint("p", i), Did: Changed, Groups: []Group{Stock}}
			want = append(want, r.ID)
			for j := range n {
				r.Variants = append(r.Variants, fmt.Sprint("p", i, "v", j))
			}
			want = append(want, r.Variants...)
			change.Records = append(change.Records, r)
		}
		var got []string
		calls := change.Calls(ProductChange, nil)
		for i, c := range calls {
			require.Equal(t, i, c.Chunk)
			ids, products := idsOf(t, c)
			require.True(t, len(ids) <= MaxIDs || products == 1, "%d ids of %d products", len(ids), products)
			got = append(got, ids...)
		}
		require.Equal(t, want, got, "every id once, in the order of first change")
		for i := 1; i < len(calls); i++ {
			before, _ := idsOf(t, calls[i-1])
			first := productsOf(t, calls[i])[0]
			require.Greater(t, len(before)+1+len(first.VariantIDs), MaxIDs, "cut only where the next did not fit")
		}
	})
}

type product struct {
	ID         string   `json:"id"`
	VariantIDs []string `json:"variantIds"`
}

func productsOf(t require.TestingT, c Call) []product {
	var data struct{ Products []product }
	require.NoError(t, json.Unmarshal(c.Data, &data))
	return data.Products
}

func idsOf(t require.TestingT, c Call) (ids []string, products int) {
	all := productsOf(t, c)
	for _, p := range all {
		require.NotNil(t, p.VariantIDs)
		ids = append(append(ids, p.ID), p.VariantIDs...)
	}
	return ids, len(all)
}

func TestGroupsFilterRecordByRecordBeforeTheCut(t *testing.T) {
	var change Change
	for i := range 600 {
		g := []Group{Stock}
		if i%100 == 7 {
			g = []Group{Basic, Prices}
		}
		change.Records = append(change.Records, Record{Kind: Customers, ID: fmt.Sprint(i), Did: Changed, Groups: g})
	}
	all := change.Calls(CustomerChange, nil)
	require.Len(t, all, 2)
	require.Equal(t, "basic,prices,stock", all[0].Changed)
	require.Equal(t, "basic,prices,stock", all[1].Changed)

	some := change.Calls(CustomerChange, []Group{Prices, Units})
	require.Len(t, some, 1)
	require.Equal(t, "basic,prices", some[0].Changed)
	require.JSONEq(t, `{"customerIds":["7","107","207","307","407","507"]}`, string(some[0].Data))

	require.Empty(t, change.Calls(CustomerChange, []Group{Units}))
	require.Empty(t, change.Calls(CustomerCreate, nil))
}

func TestGroupsFilterOnlyChanges(t *testing.T) {
	c := Change{Records: []Record{{Kind: Products, ID: "p", Did: Created}, {Kind: Orders, ID: "o", Did: Created}}}
	require.Equal(t, []Name{ProductCreate, OrderChange}, c.Events())
	created := c.Calls(ProductCreate, []Group{Stock})
	require.Len(t, created, 1)
	require.Empty(t, created[0].Changed)
	require.Empty(t, c.Calls(OrderChange, []Group{State}))
	require.Equal(t, "created", c.Calls(OrderChange, []Group{New})[0].Changed)
}

func TestARecordChangedTwiceIsToldOnce(t *testing.T) {
	c := Change{Records: []Record{
		{Kind: Customers, ID: "b", Did: Changed, Groups: []Group{Contact}},
		{Kind: Customers, ID: "a", Did: Changed, Groups: []Group{Contact}},
		{Kind: Customers, ID: "b", Did: Changed, Groups: []Group{Billing}},
	}}
	calls := c.Calls(CustomerChange, nil)
	require.Len(t, calls, 1)
	require.JSONEq(t, `{"customerIds":["b","a"]}`, string(calls[0].Data))
	require.Equal(t, "billing,contact", calls[0].Changed)
}

func TestAnIDIsTheSameForTheSameCallAndAnotherForAnyOther(t *testing.T) {
	c := Change{Request: "r1", At: moment.UnixMilli()}
	id := c.WebhookID(ProductChange, "receiver", 0)
	parsed, err := ulid.ParseStrict(id)
	require.NoError(t, err)
	require.Equal(t, moment.UnixMilli(), int64(parsed.Time()))
	require.Equal(t, "01M7XXKEG7ZVFRE0EM6N6D5N1T", id, "never another one: receivers remember it")
	require.Equal(t, id, Change{Request: "r1", At: c.At, Shop: "s", Records: make([]Record, 3)}.WebhookID(ProductChange,
		"receiver", 0))
	others := []string{id, c.WebhookID(ProductChange, "receiver", 1), c.WebhookID(ProductChange, "other", 0),
		c.WebhookID(ProductCreate, "receiver", 0),
		Change{Request: "r2", At: c.At}.WebhookID(ProductChange, "receiver", 0)}
	slices.Sort(others)
	require.Len(t, slices.Compact(others), 5)
}

func TestACallIsOfTheNewestChangedOfItsRecords(t *testing.T) {
	at := func(after time.Duration) string {
		return ulid.MustNew(ulid.Timestamp(moment.Add(after)), bytes.NewReader(make([]byte, 10))).String()
	}
	c := Change{Request: "r", At: moment.Add(time.Minute).UnixMilli(), Records: []Record{
		{Kind: Customers, ID: "a", Did: Changed, Groups: []Group{Contact}, Version: at(0)},
		{Kind: Customers, ID: "b", Did: Changed, Groups: []Group{Billing}, Version: at(9 * time.Second)},
		{Kind: Customers, ID: "c", Did: Changed, Groups: []Group{Contact}, Version: at(3 * time.Second)},
		{Kind: Orders, ID: "o", Did: Created, Version: at(time.Hour)},
		{Kind: Customers, ID: "old", Did: Deleted, Version: "no id"},
	}}
	for i := range MaxIDs {
		c.Records = append(c.Records, Record{Kind: Products, ID: fmt.Sprint("p", i), Did: Created, Version: at(5)})
	}
	last := Record{Kind: Products, ID: "last", Did: Created, Version: at(2 * time.Hour)}
	c.Records = append(c.Records, last)
	for _, is := range []struct {
		event  Name
		wanted []Group
		chunk  int
		at     time.Duration
	}{
		{CustomerChange, nil, 0, 9 * time.Second},
		{CustomerChange, []Group{Contact}, 0, 3 * time.Second}, // b is not listed
		{CustomerDelete, nil, 0, time.Minute},                  // no record says when: the change's
		{OrderChange, nil, 0, time.Hour},
		{ProductCreate, nil, 0, 0},
		{ProductCreate, nil, 1, 2 * time.Hour},
	} {
		told := c.As(c.Calls(is.event, is.wanted)[is.chunk])
		require.Equal(t, moment.Add(is.at), told.Time(), is)
		parsed, err := ulid.ParseStrict(told.WebhookID(is.event, "receiver", is.chunk))
		require.NoError(t, err)
		require.Equal(t, moment.Add(is.at).UnixMilli(), int64(parsed.Time()), is)
	}
	notice := Notice{Event: ShopOwnerChange}.Call(0)
	require.Equal(t, c.At, c.As(notice).At, "an event without a record is of the change's time")
}

// TestGoldenSamplesAreWhatIsSent keeps samples/<version>/<event>.json: the bytes of one body per event, which partners
// read as documentation. They are a promise of the version, beside its recorded answers. "make golden" writes those of
// new events and changes none that is there; for a field that comes to an event, delete its file first.
func TestGoldenSamplesAreWhatIsSent(t *testing.T) {
	const version = "2026-11-01"
	for _, n := range Sent {
		t.Run(string(n), func(t *testing.T) {
			c := Change{Request: "01KYFXV0000000000000000009", Shop: "01KYFXV0000000000000000000",
				At: moment.UnixMilli()}
			body := c.AppendHead(nil, c.WebhookID(n, "receiver", 0), n, version, ByAdmin)
			golden(t, filepath.Join("samples", version, string(n)+".json"),
				append(append(body, Sample(n).Data...), '}'))
		})
	}
	files, err := os.ReadDir(filepath.Join("samples", version))
	require.NoError(t, err)
	for _, f := range files {
		if name, is := strings.CutSuffix(f.Name(), ".json"); is {
			require.Contains(t, Sent, Name(name), "an event of version %s is told no more", version)
		}
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	require.True(t, json.Valid(got), "%s", got)
	if _, err := os.Stat(file); *update && os.IsNotExist(err) {
		require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(bytes.TrimSuffix(want, []byte("\n"))), string(got))
}
