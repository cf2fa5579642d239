package codes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// outcome is what packageDeactivate tells.
type outcome struct {
	Package string   `json:"packageId"`
	Website string   `json:"websiteUrl"`
	Locale  string   `json:"locale"`
	At      string   `json:"occurredAt"`
	Removed []string `json:"removedCustomCodeIds"`
	Kept    []string `json:"keptCustomCodeIds"`
}

// outcome is what the one deactivation told that there was.
func (w *world) outcome() (o outcome) {
	w.T.Helper()
	told := w.notices()
	require.Len(w.T, told, 1)
	require.Equal(w.T, events.PackageDeactivate, told[0].Event)
	require.Equal(w.T, []string{w.addon.access, w.addon.pkg}, []string{told[0].Access, told[0].Package})
	require.NoError(w.T, json.Unmarshal(told[0].Data, &o))
	require.NotNil(w.T, o.Removed)
	require.NotNil(w.T, o.Kept)
	return o
}

// foreseen is what a deactivation would do.
func (w *world) foreseen() (removed, kept []string) {
	w.T.Helper()
	c, err := addon.ReadCleanup(w.T.Context(), w.P.Main, w.shop, w.addon.pkg)
	require.NoError(w.T, err)
	for _, x := range c.Removed {
		removed = append(removed, x.ID)
	}
	for _, x := range c.Kept {
		kept = append(kept, x.ID)
	}
	return removed, kept
}

func TestADeactivationRemovesTheCodesThatHaveAnActiveOrder(t *testing.T) {
	w := newWorld(t)
	a, b, c, d := w.code("a"), w.code("b"), w.code("c"), w.code("d")
	w.do("PATCH", codesPath+"/"+d, object{"active": false}).Is(200)
	orderC, orderA, cancelled := w.order(c).ID(), w.order(a).ID(), w.order(b).ID()
	w.do("DELETE", ordersPath+"/"+cancelled, nil).Is(204)
	stranger := w.As(w.install(w.shop, w.newPackage()).token, "POST", codesPath, widget("x")).Is(201).ID()
	removed, kept := w.foreseen()
	require.Equal(t, [][]string{{a, c}, {b, d}}, [][]string{removed, kept})
	w.Main.NewChanges()

	w.Clock.Pass(time.Second)
	first := w.deactivate("Idempotency-Key", "k")
	at := first.Get("changed")
	require.Equal(t, outcome{w.addon.pkg, "https://s1.example.cz", "sk_SK", at, []string{a, c},
		[]string{b, d}}, w.outcome())
	require.Equal(t, []string{b, d, stranger}, w.stored(), "a code without an order stays")
	again := w.deactivate("Idempotency-Key", "k")
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(t, first.Body, again.Body)
	require.Equal(t, first.ETag(), w.deactivate().ETag())
	require.Empty(t, w.notices(), "told once")

	w.activate()
	for _, order := range []string{orderA, orderC} {
		o := w.do("GET", ordersPath+"/"+order, nil).Is(200)
		require.Equal(t, []any{"executed", at, at}, []any{o.Body["status"], o.Body["executedAt"], o.Body["changed"]})
		w.do("DELETE", ordersPath+"/"+order, nil).Is(409, "cleanup_executed")
		w.do("DELETE", ordersPath+"/"+order, nil, "If-Match", `"other"`).Is(412)
	}
	require.Equal(t, "cancelled", w.status(cancelled))
	w.do("GET", codesPath+"/"+a, nil).Is(404)
	require.Equal(t, []string{b, d}, w.do("GET", codesPath, nil).Each("id"))
	w.order(b)
	w.deactivate()
	require.Equal(t, []string{d, stranger}, w.stored(), "and the next time once more")
}

func TestAnOrderThatHasEndedIsForgottenAfterThirtyDays(t *testing.T) {
	w := newWorld(t)
	executed := w.order(w.code("a")).ID()
	w.deactivate()
	w.activate()
	cancelled, active := w.order(w.code("b")).ID(), w.order(w.code("c")).ID()
	w.do("DELETE", ordersPath+"/"+cancelled, nil).Is(204)
	for _, days := range []int{29, 2} {
		w.Clock.Pass(time.Duration(days) * 24 * time.Hour)
		w.code(fmt.Sprint(days)) // what has expired goes away with a write
		left := w.do("GET", ordersPath, nil).Each("id")
		if days == 29 {
			require.Equal(t, []string{executed, active, cancelled}, left)
		} else {
			require.Equal(t, []string{active}, left)
		}
	}
}

func TestFortyCodesOfFullLengthGoInOneTransaction(t *testing.T) {
	w := newWorld(t)
	full := widget("full")
	full["code"], full["active"] = strings.Repeat("\"", 64<<10), false // active, they would be more than a shop has
	for range 40 {
		w.order(w.do("POST", codesPath, full).Is(201).ID())
	}
	require.Len(t, w.stored(), 40)
	w.Main.NewChanges()
	var size int
	w.Main.Around(func(ops []store.Op, write func() error) error {
		require.LessOrEqual(t, len(ops), store.MaxOperations)
		for _, op := range ops {
			items, err := w.Main.Get(t.Context(), op.Key)
			require.NoError(t, err)
			for _, i := range append(items, &op.Item) { // what goes counts as what comes
				if i != nil {
					size += len(i.Doc) + len(i.Text["code"])
				}
			}
		}
		return write()
	})
	writes := w.Main.Writes()
	w.deactivate("Idempotency-Key", "k")
	require.Equal(t, 1+1, w.Main.Writes()-writes, "and the entry of the audit trail")
	require.Less(t, size, 3<<20, "what one transaction of the store takes")
	require.Len(t, w.outcome().Removed, 40)
	require.Empty(t, w.stored())
	w.Main.Around(nil)
	w.activate()
	for range 40 {
		w.code("again")
	}
	w.do("POST", codesPath, full).Is(409, "too_many_codes")
}

func TestADeactivationThatIsNotWrittenLeavesAllAsItWas(t *testing.T) {
	w := newWorld(t)
	code := w.code("a")
	order := w.order(code).ID()
	w.Main.NewChanges()
	w.Main.Before(func([]store.Op) error { return store.ErrUnavailable })
	for _, path := range []string{"deactivate", "deactivate"} {
		w.operate("POST", w.addon.path()+"/"+path, nil).Is(503, "unavailable")
	}
	w.As(w.addon.token, "DELETE", codesPath+"/"+code, nil).Is(503)
	w.As(w.addon.token, "POST", codesPath, widget("b")).Is(503)
	w.Main.Before(nil)
	require.Equal(t, "active", w.status(order))
	require.Equal(t, []string{code}, w.stored())
	require.Empty(t, w.notices())
	w.deactivate()
	require.Equal(t, []string{code}, w.outcome().Removed)
}

// What comes between what a deactivation reads and what it writes is found by it, or finds the package inactive.
func TestWhatIsWrittenInTheMomentOfADeactivationDoesNotSlipThrough(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(w *world, code, ordered, order string) string // a code that is made
		removed   func(code, ordered, made string) []string
		kept      func(code, ordered, made string) []string
	}{
		"a code": {
			func(w *world, _, _, _ string) string {
				return w.As(w.addon.token, "POST", codesPath, widget("x")).Is(201).ID()
			},
			func(_, ordered, _ string) []string { return []string{ordered} },
			func(code, _, made string) []string { return []string{code, made} },
		},
		"an order": {
			func(w *world, code, _, _ string) string {
				w.As(w.addon.token, "POST", ordersPath, w.orderOf(code)).Is(201)
				return ""
			},
			func(code, ordered, _ string) []string { return []string{code, ordered} },
			func(string, string, string) []string { return []string{} },
		},
		"a cancellation": {
			func(w *world, _, _, order string) string {
				w.As(w.addon.token, "DELETE", ordersPath+"/"+order, nil).Is(204)
				return ""
			},
			func(string, string, string) []string { return []string{} },
			func(code, ordered, _ string) []string { return []string{code, ordered} },
		},
		"a deletion": {
			func(w *world, code, _, _ string) string {
				w.As(w.addon.token, "DELETE", codesPath+"/"+code, nil).Is(204)
				return ""
			},
			func(_, ordered, _ string) []string { return []string{ordered} },
			func(string, string, string) []string { return []string{} },
		},
		"a change": {
			func(w *world, _, ordered, _ string) string {
				w.As(w.addon.token, "PATCH", codesPath+"/"+ordered, object{"name": "y"}).Is(200)
				return ""
			},
			func(_, ordered, _ string) []string { return []string{ordered} },
			func(code, _, _ string) []string { return []string{code} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			code, ordered := w.code("a"), w.code("b")
			order := w.order(ordered).ID()
			w.Main.NewChanges()
			w.Clock.Pass(time.Second)
			var made string
			w.Main.Meanwhile(func() { made = c.meanwhile(w, code, ordered, order) })
			w.deactivate()
			o := w.outcome()
			require.Equal(t, c.removed(code, ordered, made), o.Removed)
			require.Equal(t, c.kept(code, ordered, made), o.Kept)
			require.Equal(t, o.Kept, w.stored())
		})
	}
}

// A package that comes and goes while its codes and orders are written never leaves an order that is neither active on
// a code that is there, nor executed with its code gone and told, nor cancelled.
func TestNothingSlipsThroughWhileAPackageComesAndGoes(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	var made []string
	var workers sync.WaitGroup
	for n := range 4 {
		workers.Go(func() {
			dice := rand.New(rand.NewPCG(1, uint64(n)))
			for range 25 {
				a := w.As(w.addon.token, "POST", codesPath, widget("x"))
				if a.Status != 201 {
					continue
				}
				mu.Lock()
				made = append(made, a.ID())
				mu.Unlock()
				o := w.As(w.addon.token, "POST", ordersPath, w.orderOf(a.ID()))
				if dice.IntN(3) == 0 && o.Status == 201 {
					w.As(w.addon.token, "DELETE", ordersPath+"/"+o.ID(), nil)
				}
				if dice.IntN(4) == 0 {
					w.As(w.addon.token, "DELETE", codesPath+"/"+a.ID(), nil)
				}
			}
		})
	}
	workers.Go(func() {
		for range 10 {
			w.deactivate()
			w.activate()
		}
	})
	workers.Wait()
	removed := map[string]bool{}
	for _, n := range w.notices() {
		var o outcome
		require.NoError(t, json.Unmarshal(n.Data, &o))
		for _, id := range o.Removed {
			require.False(t, removed[id], "removed once")
			removed[id] = true
		}
		for _, id := range o.Kept {
			require.Contains(t, made, id)
		}
	}
	there := w.stored()
	orders := w.As(w.addon.token, "GET", ordersPath+"?itemsPerPage=250", nil)
	require.Empty(t, orders.Body["nextCursor"])
	for _, o := range orders.Items() {
		code := o["customCodeId"].(string)
		switch o["status"] {
		case "active":
			require.Contains(t, there, code)
		case "executed":
			require.NotContains(t, there, code)
			require.True(t, removed[code], "what was removed was told")
		}
	}
	w.deactivate()
	last := w.outcome()
	require.ElementsMatch(t, there, slices.Concat(last.Removed, last.Kept))
	require.Equal(t, last.Kept, w.stored())
	w.activate()
	answers := hosttest.Together(60, func(int) hosttest.Answer {
		return w.As(w.addon.token, "POST", codesPath, widget("y"))
	})
	require.Equal(t, 40-len(last.Kept), hosttest.Statuses(answers)[201], "they were counted right")
}

// On AWS an access may be let in for half a minute after its deactivation.
func TestWhoWasLetInBeforeADeactivationMakesNothingAfterIt(t *testing.T) {
	w := newWorld(t)
	code := w.code("a")
	w.deactivate()
	mine, cleanups := addon.CustomCodes(w.addon.pkg), addon.CleanupOrders(w.addon.pkg)
	fields := addon.CodeFields{Name: "x", Position: addon.InHead}
	_, err := mine.Create(t.Context(), w.unit(), fields)
	require.True(t, problem.Is(err, "package_inactive"), "%v", err)
	order := addon.CleanupFields{CustomCode: code, Package: w.addon.pkg}
	_, err = cleanups.Create(t.Context(), w.unit(), order)
	require.True(t, problem.Is(err, "package_inactive"), "%v", err)
	_, err = mine.Change(t.Context(), w.unit(), code, func(f addon.CodeFields) (addon.CodeFields, error) {
		f.Active = false
		return f, nil
	})
	require.NoError(t, err, "the shop's people switch off what stays")
	w.activate()
	_, err = cleanups.Create(t.Context(), w.unit(), order)
	require.NoError(t, err)
	w.deactivate()
	require.Empty(t, w.stored())
	w.activate()
	_, err = mine.Create(t.Context(), w.unit(), fields)
	require.NoError(t, err)
	w.deactivate()
	require.NoError(t, mine.Delete(t.Context(), w.unit(), w.stored()[0]), "and delete it")
	require.Empty(t, w.stored())
}

// TestTheBudgetsAreKept counts calls in waves; the counter's is among the first. A code costs what its text takes, so
// units are those of a short one.
func TestTheBudgetsAreKept(t *testing.T) {
	w := newWorld(t)
	w.API.Near, w.API.Alone = false, false
	w.API.Authenticate = func(context.Context, string) (*change.Caller, error) {
		return &change.Caller{Access: w.addon.access, Package: w.addon.pkg, Shop: w.shop, Active: true,
			Permissions: permission.All, Limits: limit.Max, Version: events.APIVersion}, nil
	}
	code, ordered, plain := w.code("a"), w.code("b"), w.code("c")
	order := w.order(ordered).ID()
	for i, b := range []struct {
		name, method, path string
		body               any
		header             []string
		waves              []int
		write              float64
	}{
		{"read a code", "GET", codesPath + "/" + code, nil, nil, []int{2}, 1},
		{"list codes", "GET", codesPath, nil, nil, []int{2, 1}, 1},
		{"make a code", "POST", codesPath, widget("d"), nil, []int{1, 1}, 8},
		{"make a code under a key", "POST", codesPath, widget("e"), []string{"Idempotency-Key", "k"}, []int{2, 1}, 10},
		{"change a code", "PATCH", codesPath + "/" + code, object{"name": "aa"}, nil, []int{2, 1}, 4},
		{"order a cleanup", "POST", ordersPath, w.orderOf(code), nil, []int{1, 1}, 8},
		{"cancel an order", "DELETE", ordersPath + "/" + order, nil, nil, []int{2, 1}, 9},
		{"delete a code", "DELETE", codesPath + "/" + plain, nil, nil, []int{2, 1}, 8},
		{"delete a code with an order", "DELETE", codesPath + "/" + code, nil, nil, []int{2, 1, 1}, 12},
	} {
		t.Run(b.name, func(t *testing.T) {
			w.T = t
			w.InWaves(b.waves, func() {
				r := w.do(b.method, b.path, b.body, b.header...)
				require.Less(t, r.Status, 300, "%d: %s", i, r.Text)
			})
			_, write := w.Meter().Units()
			require.InDelta(t, b.write, write, 0, "write units")
		})
	}
	for i := range 30 {
		w.order(w.code(fmt.Sprint(i)))
	}
	w.T = t
	// Shop, access, tally, codes, orders, the write, and the entry of the audit trail.
	w.InWaves([]int{1, 1, 1, 1, 1, 1, 1}, func() { w.deactivate() })
}
