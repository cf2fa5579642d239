package events

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachEventIsToldInTheFieldOfItsOwnKind walks the table: a partner reads the data by the one field that the
// event's kind of record has (contract, "Body"), and no other kind has that field.
func TestEachEventIsToldInTheFieldOfItsOwnKind(t *testing.T) {
	told, fields := map[Name]bool{}, map[string]RecordKind{}
	for _, s := range Subjects {
		for _, did := range []Did{Created, Changed, Deleted} {
			r := Record{Kind: s.Kind, ID: "x", Did: did, Groups: s.Groups}
			calls := Change{Records: []Record{r}}.Calls(r.Event(), nil)
			if r.Event() == "" {
				require.Empty(t, calls, "%s %s", s.Kind, did)
				continue
			}
			told[r.Event()] = true
			require.Len(t, calls, 1)
			require.Equal(t, []string{s.IDs}, fieldsOf(t, calls[0].Data), "%s %s", s.Kind, did)
			if other, taken := fields[s.IDs]; taken {
				require.Equal(t, other, s.Kind, "the field %s", s.IDs)
			}
			fields[s.IDs] = s.Kind
			require.Equal(t, r.Event().Grouped(), calls[0].Changed != "", r.Event())
		}
	}
	require.Subset(t, fields, map[string]RecordKind{"customerIds": Customers, "products": Products, "orderIds": Orders},
		"the fields of the contract")
	for _, name := range Sent {
		about := name.Row().About
		require.Equal(t, told[name] || name.Mandatory(), about.Kind != "", name)
		if about.Kind != "" {
			require.Equal(t, []string{about.IDs}, fieldsOf(t, Sample(name).Data), name)
			continue
		}
		require.NotEmpty(t, fieldsOf(t, Sample(name).Data), "%s is about no record and has no data of its own", name)
		require.Empty(t, Change{Records: []Record{{Kind: Customers, ID: "x", Did: Created}}}.Calls(name, nil))
	}
}

func fieldsOf(t *testing.T, data []byte) []string {
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &fields))
	return slices.Sorted(maps.Keys(fields))
}

// TestTheTableKeepsWhatThePartnersWereTold holds it against what partners were told (contract, "Change feed" and
// "Body"). What is added is free.
func TestTheTableKeepsWhatThePartnersWereTold(t *testing.T) {
	needs := map[Name]string{}
	for _, n := range Sent {
		needs[n] = string(n.Needs())
		require.NotEmpty(t, n.Row().Doc, n)
	}
	require.Len(t, needs, len(Names)+len(Operational)+2)
	require.Equal(t, []Name{"receiverFailing", "receiverDisabled", "receiverRecovered"}, Operational)
	require.Subset(t, needs, map[Name]string{"customerCreate": "customers:read", "customerChange": "customers:read",
		"customerDelete": "customers:read", "productCreate": "products:read", "productChange": "products:read",
		"productDelete": "products:read", "orderChange": "orders:read", "shopOwnerChange": "", "packageActivate": "",
		"packageDeactivate": "", "packageOpenInstructions": "", "customerErase": "customers:read", "ping": ""})
	needed := map[RecordKind]string{}
	var groups []Group
	for _, s := range Subjects {
		needed[s.Kind], groups = string(s.Needs), append(groups, s.Groups...)
	}
	require.Subset(t, needed, map[RecordKind]string{"customers": "customers:read", "products": "products:read",
		"categories": "products:read", "orders": "orders:read", "coupons": "coupons:read", "urls": "urls:read",
		"states": "orders:read"})
	for _, g := range Groups {
		require.Contains(t, groups, g, "a group of no kind")
	}
}

func TestAKindWhoseEventsCouldBeToldAsAnothersDoesNotStart(t *testing.T) {
	made := func(name Name) Event { return Event{Name: name, On: []Did{Created}, Doc: "They were made."} }
	x := func(field string, all ...Event) Subject {
		return Subject{Kind: "x", Needs: "x", IDs: field, Events: all}
	}
	for want, s := range map[string]Subject{
		"kind orders is already that of orders":   {Kind: Orders, Needs: "x"},
		"field customerIds is already that of":    x("customerIds", made("xCreate")),
		"event customerCreate is already that of": x("xIds", made(CustomerCreate)),
		"event ping is already that of no kind":   x("xIds", made(Ping)),
		"event of x created is already that of x": x("xIds", made("xCreate"), made("xChange")),
		"xCreate lacks": x("", made("xCreate")),
		"xChange lacks": x("xIds", Event{Name: "xChange", Doc: "They changed."}),
		"xDelete lacks": x("xIds", Event{Name: "xDelete", On: []Did{Deleted}}),
		"the example of xChange is not": {Kind: "x", Needs: "x", IDs: "xIds", Groups: []Group{Basic},
			Events: []Event{{Name: "xChange", On: []Did{Changed}, Doc: "They changed."}}},
		"the example of yChange is not": {Kind: "x", Needs: "x", IDs: "xIds", Groups: []Group{Basic},
			Events: []Event{{Name: "yChange", On: []Did{Changed}, Doc: "They changed.", Example: []Group{Stock}}}},
		"nobody needs a permission":      {Kind: "x"},
		"nobody can ask for their group": {Kind: "x", Needs: "x", Groups: []Group{"x"}},
	} {
		t.Run(want, func(t *testing.T) {
			all := append(slices.Clone(Subjects), s)
			require.ErrorContains(t, sound(all), want)
			require.Panics(t, func() { mustBeSound(all) })
		})
	}
	require.NoError(t, sound(Subjects))
}
