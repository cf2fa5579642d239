package events

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachEventIsToldInTheFieldOfItsOwnKind walks all events: a partner reads the data by the one field that the
// contract (section 5, "Body") gives the event's kind of record.
func TestEachEventIsToldInTheFieldOfItsOwnKind(t *testing.T) {
	own := map[Kind]string{Customers: "customerIds", Products: "products", Orders: "orderIds"}
	require.ElementsMatch(t, slices.Collect(maps.Keys(own)), slices.Collect(maps.Keys(subjects)))
	told := map[Name]bool{}
	for _, kind := range []Kind{Customers, Products, Categories, Orders, Coupons, URLs, States} {
		for _, did := range []Did{Created, Changed, Deleted} {
			r := Record{Kind: kind, ID: "x", Did: did}
			calls := Change{Records: []Record{r}}.Calls(r.Event(), nil)
			if r.Event() == "" {
				require.Empty(t, calls, "%s %s", kind, did)
				continue
			}
			told[r.Event()] = true
			require.Len(t, calls, 1)
			require.Equal(t, []string{own[kind]}, fieldsOf(t, calls[0].Data), "%s %s", kind, did)
		}
	}
	for _, name := range append(slices.Clone(Names), Ping) {
		if told[name] {
			require.Equal(t, name, samples[name].record.Event(), "the sample of %s is one of another event", name)
			continue
		}
		require.NotEmpty(t, samples[name].data, "%s is about no record and has no data of its own", name)
		require.Empty(t, Change{Records: []Record{{Kind: Customers, ID: "x", Did: Created}}}.Calls(name, nil))
	}
}

func fieldsOf(t *testing.T, data []byte) []string {
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &fields))
	return slices.Sorted(maps.Keys(fields))
}

func TestAKindWhoseEventsCouldBeToldAsAnothersDoesNotStart(t *testing.T) {
	for want, row := range map[string]subject{
		"no field":                       {created: PackageActivate, append: appendID},
		"no field for":                   {created: PackageActivate, field: "couponIds"},
		"field customerIds is that of":   {created: PackageActivate, field: "customerIds", append: appendID},
		"event customerCreate is one of": {created: CustomerCreate, field: "couponIds", append: appendID},
		"nobody can subscribe":           {created: "couponCreate", field: "couponIds", append: appendID},
	} {
		t.Run(want, func(t *testing.T) {
			all := maps.Clone(subjects)
			all[Coupons] = row
			require.ErrorContains(t, sound(all), want)
			require.Panics(t, func() { mustBeSound(all) })
		})
	}
	require.NoError(t, sound(subjects))
}
