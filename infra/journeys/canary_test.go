package journeys

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/infra/local"
	"eshop/shared/host"
)

// canaryOn makes runs of the canary on a platform, whose log is then the given one, in the shop that is named by then.
func (w *world) canaryOn(f host.Function, p *host.Platform) aRun {
	return func(ctx context.Context, log *slog.Logger) error {
		its := *p
		its.Log, its.Canary = log, cmp.Or(w.named, p.Canary)
		return f.Tick.Handler(&its)(ctx)
	}
}

// throughDoor leads requests to any name to the door, where that name's server would be.
type throughDoor string

func (d throughDoor) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(string(d))
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	if r.Host == "" {
		r.Host = r.URL.Host
	}
	r.URL.Scheme, r.URL.Host = u.Scheme, u.Host
	return caller.Transport.RoundTrip(r)
}

// done is a log of the steps that a run has done, and of all that it says.
type done struct {
	slog.Handler // nobody reads it
	mu           sync.Mutex
	steps        []string
	said         strings.Builder
}

func newDone() *done { return &done{Handler: slog.DiscardHandler, steps: []string{}} }

func (*done) Enabled(context.Context, slog.Level) bool { return true }

func (d *done) Handle(_ context.Context, r slog.Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "step" && r.Level == slog.LevelInfo {
			d.steps = append(d.steps, a.Value.String())
		}
		d.said.WriteString(a.String() + "\n")
		return true
	})
	return nil
}

// runs makes a run of the canary.
func (w *world) runs(t *testing.T) (*done, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d := newDone()
	err := w.canary(ctx, slog.New(d))
	return d, err
}

// canarySteps are those of a run that is well.
var canarySteps = []string{"access", "product", "receiver", "change", "webhook", "page"}

// well makes a run in which all is.
func (w *world) well(t *testing.T) {
	t.Helper()
	run, err := w.runs(t)
	require.NoError(t, err)
	require.Equal(t, canarySteps, run.steps)
}

// fails makes a run that fails at a step. It says so, and tells nobody what lets it in.
func (tn *tenant) fails(t *testing.T, step string) {
	t.Helper()
	run, err := tn.w.runs(t)
	require.ErrorContains(t, err, "the canary failed at "+step+": ")
	require.Equal(t, canarySteps[:slices.Index(canarySteps, step)], run.steps)
	for _, text := range []string{"key=", "esk_", "whsec_"} {
		require.NotContains(t, run.said.String()+err.Error(), text)
	}
}

// canary lets it run, and looks at what it leaves behind, and at how it fails when it may do nothing.
func (tn *tenant) canary(t *testing.T) {
	for range 2 {
		tn.w.well(t)
	}
	require.Len(t, tn.get("/api-engine/products?code=CANARY").items("items"), 1)
	require.Len(t, tn.get("/api-engine/webhooks").items("items"), 1)
	o := tn.w.operate(t)
	require.Len(t, o.get(tn.accessPath()+"/tokens").items("items"), 1, "the run's own token is revoked")
	o.do(200, "POST", tn.accessPath()+"/deactivate", nil)
	tn.w.counts()
	tn.fails(t, "product")
	o.do(200, "POST", tn.accessPath()+"/activate", nil)
	tn.w.counts()
	tn.w.well(t)
}

func TestTheCanaryInTheOneProcess(t *testing.T) {
	t.Parallel()
	w := oneProcess(t, func(s *local.Settings) { s.Demo, s.Canary = true, "1" })
	tn := &tenant{client: client{t, w.url, w.demo.Token}, w: w, shop: w.demo.ShopID, access: w.demo.AccessID}
	tn.canary(t)
	its := "/api-engine/webhooks/" + tn.get("/api-engine/webhooks").items("items")[0]["id"].(string)
	tn.patch(its, fields{"active": false})
	tn.fails(t, "webhook")
	tn.patch(its, fields{"active": true})
	w.well(t)
}

func TestTheCanaryInLambda(t *testing.T) {
	t.Parallel()
	w := inLambda(t, straight())
	tn := w.shopWith(t, "products:read", "products:write")
	w.named = tn.shop + "/" + tn.pkg
	tn.canary(t)

	w.faults.fresh.down.Store(true) // so that deliveries do not begin
	tn.fails(t, "webhook")
	w.faults.fresh.down.Store(false)
	w.well(t)
	for _, f := range functions.List {
		if f.Outside {
			for _, n := range f.Needs {
				for _, a := range n.Does {
					require.True(t, grant{w.grants, f.Name, n.Resource, f.Needs}.did(a), "%s %v", a, n)
				}
			}
		}
	}
}
