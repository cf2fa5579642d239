package house_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/id"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
)

// moments holds every write of a world to the promise that a record's `changed`, and the `at` of its entries in the
// change feed, rise strictly with its version, by a millisecond at least (contract, "Order in time").
type moments struct {
	*world
	ahead   bool                      // others change a record just before it is written, by a clock that is ahead
	overrun map[store.Key]bool        // which were changed like that in this request
	last    map[string]time.Time      // of each kind and id, as it was published
	rose    map[events.RecordKind]int // how often the versions of a kind rose
	kinds   map[string]bool           // kinds with what happened to one
}

// isRecord says whether an item is that of a record, which lists have by (changed, id).
func isRecord(i *store.Item) bool {
	return i != nil && id.Valid(i.Version) && strings.HasPrefix(i.Index1.SK, i.Version[:10]+"#")
}

// around does a write, and looks at each record before and after. It may be called in any goroutine, so it asserts.
func (m *moments) around(ops []store.Op, write func() error) error {
	keys := make([]store.Key, len(ops))
	for i, o := range ops {
		keys[i] = o.Key
	}
	if m.ahead {
		m.overtake(ops)
	}
	before := m.items(keys)
	if err := write(); err != nil {
		return err
	}
	for i, after := range m.items(keys) {
		was := before[i]
		if !isRecord(was) || after == nil || after.Version == was.Version {
			continue
		}
		assert.Greater(m.T, id.Time(after.Version).UnixMilli(), id.Time(was.Version).UnixMilli(),
			"%s %s changed, and its moment did not rise", was.PK, was.SK)
	}
	m.published()
	return nil
}

// published looks at the records of the changes that are new.
func (m *moments) published() {
	for _, c := range m.Main.NewChanges() {
		for _, r := range c.Records {
			assert.True(m.T, id.Valid(r.Version), "%s %s %s without a version", r.Kind, r.ID, r.Did)
			of, at := string(r.Kind)+r.ID, id.Time(r.Version)
			if last, known := m.last[of]; known {
				assert.Greater(m.T, at.UnixMilli(), last.UnixMilli(), "%s %s was %s", r.Kind, r.ID, r.Did)
				m.rose[r.Kind]++
			}
			m.last[of] = at
			m.kinds[fmt.Sprint(r.Kind, " ", r.Did)] = true
		}
	}
}

// overtake changes, once in a request, each record that is about to be written whoever wrote it meanwhile.
func (m *moments) overtake(ops []store.Op) {
	for _, o := range ops {
		item := m.items([]store.Key{o.Key})[0]
		if o.Kind != store.Updating || o.Set.Version == "" || !isRecord(item) || m.overrun[o.Key] {
			continue
		}
		m.overrun[o.Key] = true
		ahead := id.New(id.Time(item.Version).Add(time.Hour), hosttest.Random())
		index := store.Key{PK: item.Index1.PK, SK: ahead[:10] + item.Index1.SK[10:]}
		_, err := m.Main.Table.Write(m.T.Context(), events.Nothing,
			store.Update(o.Key, store.Set{Version: ahead, Index1: &index}))
		assert.NoError(m.T, err)
	}
}

func (m *moments) items(keys []store.Key) []*store.Item {
	items, err := store.GetAll(m.T.Context(), m.Main.Table, keys)
	assert.NoError(m.T, err)
	return items
}

func TestARecordsMomentsRiseWithItsVersions(t *testing.T) {
	for name, c := range map[string]struct {
		passes time.Duration // before each request
		ahead  bool
	}{
		"of a clock that stands still":                     {},
		"of a clock that moves by microseconds":            {passes: 50 * time.Microsecond},
		"of a clock that goes back":                        {passes: -time.Minute},
		"when another with a clock that is ahead is first": {passes: time.Second, ahead: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			test := "POST /api-engine/webhooks/{id}/test"
			w.made["POST /api-engine/webhook-deliveries"] = w.ask(test, w.sample(test)).Is(202)
			w.Clock.Pass(400 * time.Microsecond)
			m := &moments{world: w, ahead: c.ahead, last: map[string]time.Time{}, rose: map[events.RecordKind]int{},
				kinds: map[string]bool{}}
			m.published()
			w.Main.Around(m.around)
			empty := "POST /api-engine/categories"         // nothing is in it
			for _, operator := range []bool{false, true} { // whose operations may end the partner's access
				for _, method := range []string{"POST", "PATCH", "PATCH", "DELETE"} {
					if !operator && method == "DELETE" {
						w.made[empty] = w.ask(empty, w.sample(empty)).Is(201)
					}
					m.all(operator, method, c.passes)
					w.round++
				}
			}
			for _, s := range events.Subjects {
				kind := s.Kind
				require.NotZero(t, m.rose[kind], kind)
				for _, did := range []events.Did{events.Created, events.Changed, events.Deleted} {
					if !(kind == events.Orders && did == events.Deleted) { // orders are not deleted
						require.True(t, m.kinds[fmt.Sprint(kind, " ", did)], "%s %s", kind, did)
					}
				}
			}
		})
	}
}

// all makes a request of each operation of the operator, or of all others, that has the method.
func (m *moments) all(operator bool, method string, passes time.Duration) {
	inputs := m.API.Inputs()
	if method == "DELETE" { // what belongs to something else goes before it
		slices.Reverse(inputs)
	}
	for _, in := range inputs {
		if !strings.HasPrefix(in.Route, method+" ") || in.Multipart ||
			(strings.Contains(in.Route, " /operator") || strings.Contains(in.Route, " /developer")) != operator {
			continue
		}
		m.Clock.Pass(passes)
		m.overrun = map[store.Key]bool{}
		var body any
		if sample := m.sample(in.Route); sample != nil {
			body = sample
		}
		a := m.ask(in.Route, body)
		require.Less(m.T, a.Status, 500, "%s: %s", in.Route, a.Text)
	}
}
