package importer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/job/imports"
	"eshop/shared/ports/store"
)

// mixed is a file of rows that make, change, repeat and fail, so that every kind of row lies about every cut.
func mixed(rows int) string {
	var b strings.Builder
	b.WriteString("email,firstName,lastName,note\n")
	for i := range rows {
		switch {
		case i%10 == 7:
			fmt.Fprintf(&b, "c%d@example.cz,Jana,Nováková,again %d\n", i-5, i) // an earlier row's
		case i%10 == 8:
			fmt.Fprintf(&b, "c%d@example.cz,,,\n", i) // lacks what is required
		case i%10 == 9:
			fmt.Fprintf(&b, "c%d@example.cz,Jana,Nováková,\n", i-5) // changes nothing
		default:
			fmt.Fprintf(&b, "c%d@example.cz,Jana,Nováková,%d\n", i, i)
		}
	}
	return b.String()
}

func (w *world) requireMixed(r report, rows int) {
	w.T.Helper()
	tenth := rows / 10
	require.Equal(w.T, fmt.Sprintf("done: %d read, %d changed, %d unchanged, %d failed", rows, 8*tenth, tenth, tenth),
		r.counts(), "seven new ones and one changed of each ten")
	require.Len(w.T, r.errors, tenth)
	for i, e := range r.errors {
		require.Equal(w.T, 10*i+9, e.Row)
	}
	for i := 2; i < rows; i += 10 {
		require.Equal(w.T, fmt.Sprintf("again %d", i+5), w.customer(fmt.Sprintf("c%d@example.cz", i))["note"],
			"the later row counts")
	}
}

// calls are what one listener is sent of the changes: events with their ids, each webhook id once.
func (w *world) calls() map[events.Name][]int {
	w.T.Helper()
	sizes := map[events.Name][]int{}
	seen := map[string]bool{}
	told := map[events.Name]map[string]bool{}
	for _, c := range w.Main.Changes() {
		require.Equal(w.T, events.Package(pkg), c.By, "an import runs as the access that made it")
		for _, name := range c.Events() {
			for _, call := range c.Calls(name, nil) {
				key := fmt.Sprint(c.Request, name, call.Chunk)
				require.False(w.T, seen[key], "a webhook id is made once: %s", key)
				seen[key] = true
			}
			n := 0
			for _, r := range c.Records {
				if r.Event() == name {
					n++
					if told[name] == nil {
						told[name] = map[string]bool{}
					}
					told[name][r.ID] = true
				}
			}
			sizes[name] = append(sizes[name], n)
		}
	}
	return sizes
}

func TestAnImporterThatDiesAnywhereIsGoneOnBehind(t *testing.T) {
	const rows = 120
	for _, mode := range []string{"before a write", "after a write", "before a write of the one process",
		"after a write of the one process"} {
		for n := 1; ; n++ {
			died := false
			t.Run(fmt.Sprintf("%s %d", mode, n), func(t *testing.T) {
				w := newWorld(t)
				w.P.Traits = hosttest.Traits(strings.HasSuffix(mode, "process"))
				id := w.begin(imports.Customers, imports.CSV, mixed(rows))
				dead := func(k int, _ []store.Op) error {
					if k > n || k == n && strings.HasPrefix(mode, "before") {
						died = true
						return errDied
					}
					return nil
				}
				w.between(dead, func(k int) error {
					if k == n {
						died = true
						return errDied
					}
					return nil
				})
				for _, key := range w.keys() {
					_ = w.run(context.Background(), key) // it died, or not
				}
				w.between(nil, nil)
				w.restart()
				w.Clock.Pass(2 * time.Minute)
				w.sweep()
				w.work()
				require.NoError(t, w.run(context.Background(), imports.File(shop, id)), "S3's event is handed again")
				w.requireMixed(w.report(id), rows)
				calls := w.calls()
				require.Equal(t, []int{7 * rows / 10}, calls[events.CustomerCreate])
				require.Empty(t, calls[events.CustomerChange], "made and changed before it was told is made")
				w.Clock.Pass(imports.FileLife)
				w.sweep()
				_, err := w.files.Stat(context.Background(), imports.File(shop, id))
				require.Error(t, err, "the file is taken away")
			})
			if !died || t.Failed() {
				require.Greater(t, n, 5, "there was something to die in")
				break
			}
		}
	}
}

func TestCallsAreCutAt500IdsAndNowhereElse(t *testing.T) {
	const rows = 1800
	for _, dying := range []int{0, 9, 20, 31, 42} {
		t.Run(fmt.Sprintf("killed before write %d", dying), func(t *testing.T) {
			w := newWorld(t)
			w.P.Traits = hosttest.Traits(dying%2 == 0)
			id := w.begin(imports.Customers, imports.CSV, mixed(rows))
			if dying > 0 {
				w.between(func(k int, _ []store.Op) error {
					if k >= dying {
						return errDied
					}
					return nil
				}, nil)
				require.Error(t, w.run(context.Background(), imports.File(shop, id)))
				w.between(nil, nil)
				w.Clock.Pass(2 * time.Minute)
				w.sweep()
			}
			w.work()
			w.requireMixed(w.report(id), rows)
			calls := w.calls()
			require.Equal(t, []int{500, 500, 260}, calls[events.CustomerCreate])
			for i, n := range calls[events.CustomerChange] {
				require.True(t, n == 500 || i == len(calls[events.CustomerChange])-1, "%v", calls)
			}
			requests := map[string]bool{}
			for _, c := range w.Main.Changes() {
				requests[c.Request] = true
			}
			require.LessOrEqual(t, len(requests), 1, "an import is one request")
		})
	}
}

// nearItsEnd is a context of which less is left than an importer rests before its end, and which never ends.
type nearItsEnd struct{ context.Context }

func (nearItsEnd) Deadline() (time.Time, bool) { return time.Now().Add(10 * time.Second), true }

func TestAnImporterHandsOnBeforeItsTimeIsOver(t *testing.T) {
	w := newWorld(t)
	id := w.begin(imports.Customers, imports.CSV, mixed(900))
	w.keys()
	short := nearItsEnd{context.Background()}
	runs := 0
	for key := imports.File(shop, id); key != ""; runs++ {
		require.NoError(t, w.run(short, key))
		keys := w.keys()
		key = ""
		if len(keys) > 0 {
			require.Equal(t, []string{imports.WakeKey(shop, id)}, keys)
			key = keys[0]
		}
	}
	require.Greater(t, runs, 2, "each did a block")
	w.requireMixed(w.report(id), 900)
}

// refusesRows has each write of a customer fail so from now on.
func (w *world) refusesRows(err error) {
	w.between(func(_ int, ops []store.Op) error {
		if slices.ContainsFunc(ops, func(o store.Op) bool { return strings.Contains(o.Key.PK, "#C#") }) {
			return err
		}
		return nil
	}, nil)
}

func TestAnImportThatNeverMovesOnFails(t *testing.T) {
	w := newWorld(t)
	id := w.begin(imports.Customers, imports.CSV, mixed(40))
	w.refusesRows(errors.New("out of order"))
	for range 11 {
		_ = w.run(context.Background(), imports.File(shop, id))
	}
	r := w.report(id)
	require.Equal(t, "failed: 0 read, 0 changed, 0 unchanged, 0 failed", r.counts())
	require.Equal(t, 0, r.errors[0].Row)
	require.Equal(t, "internal", r.errors[0].Code)
}

func TestRowsThatOthersChangeMeanwhileAreMergedAnew(t *testing.T) {
	w := newWorld(t)
	w.imported(imports.Products, imports.JSONL,
		`{"code":"P","name":"Čaj","priceLevels":[{"level":"default","price":"1.00"}]}`)
	p := w.product("P")["id"].(string)
	id := w.begin(imports.Products, imports.JSONL,
		`{"code":"P","ean":"859"}`+"\n"+`{"code":"Q","name":"Čaj","priceLevels":[{"level":"default","price":"1.00"}]}`+"\n")
	w.between(func(k int, _ []store.Op) error {
		if k == 2 { // read, and not written yet
			require.Equal(t, 200, w.do("PATCH", "/api-engine/products/"+p, fields{"manufacturer": "Oxalis"}).Status)
			require.Equal(t, 201, w.do("POST", "/api-engine/products", fields{"code": "Q", "name": "Čaj",
				"priceLevels": []fields{{"level": "default", "price": "2.00"}}}).Status)
		}
		return nil
	}, nil)
	w.work()
	require.Equal(t, "done: 2 read, 2 changed, 0 unchanged, 0 failed", w.report(id).counts())
	require.Equal(t, "859", w.product("P")["ean"])
	require.Equal(t, "Oxalis", w.product("P")["manufacturer"])
	require.Equal(t, "1.00", w.product("Q")["priceLevels"].([]any)[0].(fields)["price"],
		"the row changes what another request made")
}
