package importer_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/job/imports"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// without are all permissions but that of writing customers.
func without() []permission.Permission {
	writes := func(p permission.Permission) bool { return p == permission.WriteCustomers }
	return slices.DeleteFunc(slices.Clone(permission.All), writes)
}

// losses are all ways to lose the right to import customers, with the code of the error that the import ends with.
var losses = []struct {
	name, code string
	lose       func(*world)
}{
	{"the package is deactivated", "package_inactive",
		func(w *world) { w.installs(addon.Deactivated, permission.All, permission.All) }},
	{"the access loses the permission", "insufficient_permission",
		func(w *world) { w.installs(addon.Active, without(), permission.All) }},
	{"its package loses the permission", "insufficient_permission",
		func(w *world) { w.installs(addon.Active, permission.All, without()) }},
}

// requireRefused wants an import that ended with one error of the file as a whole, and of which nothing is left.
func (w *world) requireRefused(id, code string) report {
	w.T.Helper()
	r := w.report(id)
	require.Equal(w.T, "failed", r.state)
	ended := slices.DeleteFunc(slices.Clone(r.errors), func(e rowError) bool { return e.Row != 0 })
	require.Len(w.T, ended, 1)
	require.Equal(w.T, code, ended[0].Code)
	require.Equal(w.T, r.read, r.changed+r.unchanged+r.failed)
	_, err := w.files.Stat(context.Background(), imports.File(shop, id))
	require.Error(w.T, err, "the file is taken away")
	return r
}

// ofCustomers says whether a write is of a batch of rows.
func ofCustomers(ops []store.Op) bool {
	return slices.ContainsFunc(ops, func(o store.Op) bool { return strings.HasPrefix(o.Key.PK, "S#"+shop+"#C#") })
}

func TestNothingIsWrittenOnceTheAccessOfAnImportMayNoMore(t *testing.T) {
	hosts := []struct {
		name  string
		set   func(*world)
		under int // batches that may be under way beside the one in whose write the right is lost
	}{
		{"as in Lambda", func(*world) {}, 0},
		{"as in the one process beside others' requests", func(w *world) {
			w.P.Traits, w.P.Calm = host.OneProcess, func(context.Context) bool { return true }
		}, 0},
		{"as in the one process", func(w *world) { w.P.Traits = host.OneProcess }, 3},
	}
	for _, host := range hosts {
		for _, loss := range losses {
			t.Run(host.name+", "+loss.name+" before the upload", func(t *testing.T) {
				w := newWorld(t)
				host.set(w)
				id, to := w.asked(imports.Customers, imports.CSV)
				loss.lose(w)
				require.NoError(t, w.upload(to, strings.NewReader(mixed(40))), "as S3 takes it")
				w.work()
				w.installs(addon.Active, permission.All, permission.All)
				require.Zero(t, w.requireRefused(id, loss.code).read)
				require.Empty(t, w.get("/api-engine/customers").Items())
			})
			t.Run(host.name+", "+loss.name+" between upload and claim", func(t *testing.T) {
				w := newWorld(t)
				host.set(w)
				id := w.begin(imports.Customers, imports.CSV, mixed(40))
				loss.lose(w)
				w.work()
				require.Zero(t, w.requireRefused(id, loss.code).read)
				require.Empty(t, w.get("/api-engine/customers").Items())
			})
			t.Run(host.name+", "+loss.name+" between batches", func(t *testing.T) {
				w := newWorld(t)
				host.set(w)
				id := w.begin(imports.Customers, imports.CSV, mixed(1000))
				lost, further := false, 0
				w.between(func(n int, ops []store.Op) error {
					if lost && ofCustomers(ops) {
						further++
					}
					if n == 4 {
						lost = true
						loss.lose(w)
					}
					return nil
				}, nil)
				w.work()
				w.between(nil, nil)
				r := w.requireRefused(id, loss.code)
				require.Positive(t, r.changed, "what was written before stays")
				require.LessOrEqual(t, further, host.under)
				told := 0
				for _, n := range w.calls() {
					for _, ids := range n {
						told += ids
					}
				}
				require.Len(t, w.get("/api-engine/customers?itemsPerPage=250").Items(), told, "and is told")
			})
		}
	}
}

func TestALeftImportIsLookedAtWhenItIsTakenUpAgain(t *testing.T) {
	w := newWorld(t)
	id := w.begin(imports.Customers, imports.CSV, mixed(400))
	w.between(func(n int, _ []store.Op) error {
		if n >= 5 {
			return errDied
		}
		return nil
	}, nil)
	require.Error(t, w.run(context.Background(), imports.File(shop, id)))
	w.between(nil, nil)
	before := len(w.get("/api-engine/customers?itemsPerPage=250").Items())
	require.Positive(t, before)
	losses[0].lose(w)
	w.restart()
	w.Clock.Pass(2 * time.Minute)
	w.sweep()
	w.work()
	w.requireRefused(id, "package_inactive")
	require.Len(t, w.get("/api-engine/customers?itemsPerPage=250").Items(), before)
}

func TestAnImportOfNoAccessBringsNothingIn(t *testing.T) {
	w := newWorld(t)
	id := w.begin(imports.Customers, imports.CSV, mixed(40))
	_, err := w.DB.Table("main").Write(context.Background(), events.Nothing, store.Delete(addon.Key(shop, shop)))
	require.NoError(t, err)
	w.P.Accesses.Drop(shop)
	w.work()
	w.requireRefused(id, "package_inactive")
}

// TestOnAWSALossCountsWithinThirtySeconds has an importer as Lambda's, to which nobody says that an access has changed.
func TestOnAWSALossCountsWithinThirtySeconds(t *testing.T) {
	w := newWorld(t)
	id := w.begin(imports.Customers, imports.CSV, mixed(2000))
	var lostAt, last time.Time
	w.between(func(n int, ops []store.Op) error {
		if n == 4 {
			w.Put(w.DB.Table("main"), addon.Access{Head: record.Head{ID: shop, Version: version},
				Terms: addon.Terms{Shop: shop, Package: pkg, State: addon.Deactivated}}.Item())
			lostAt = w.Clock.Now()
		}
		if !lostAt.IsZero() {
			w.Clock.Pass(5 * time.Second)
			if ofCustomers(ops) {
				last = w.Clock.Now()
			}
		}
		return nil
	}, nil)
	w.work()
	w.between(nil, nil)
	r := w.requireRefused(id, "package_inactive")
	require.Less(t, r.read, 2000)
	require.Less(t, last.Sub(lostAt), 36*time.Second, "no batch begins later, and each takes 5 s here")
}

// TestTheAddressOfAnUploadIsGivenAgainToWhoMayUseIt: the permission goes by the body's type, which no route names.
func TestTheAddressOfAnUploadIsGivenAgainToWhoMayUseIt(t *testing.T) {
	for _, loss := range losses {
		t.Run(loss.name, func(t *testing.T) {
			w := newWorld(t)
			w.API.Authenticate = func(ctx context.Context, _ string) (*change.Caller, error) {
				return w.P.Accesses.Caller(ctx, shop, shop, pkg)
			}
			ask := func() hosttest.Answer {
				return w.As(shop, "POST", "/api-engine/imports",
					fields{"type": imports.Customers, "format": imports.CSV,
						"mode": "upsert"}, "Idempotency-Key", "k")
			}
			first := ask().Is(201)
			loss.lose(w)
			refused := ask().Is(403)
			require.Equal(t, loss.code, refused.Body["code"])
			require.NotContains(t, refused.Text, first.ID())
			w.installs(addon.Active, permission.All, permission.All)
			require.Equal(t, first.Text, ask().Is(201).Text)
		})
	}
}
