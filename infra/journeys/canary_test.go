package journeys

import (
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

// canaryOn makes runs of the canary on a platform, whose log is then the given one.
func canaryOn(f host.Function, p *host.Platform) aRun {
	return func(ctx context.Context, log *slog.Logger) error {
		its := *p
		its.Log = log
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
var canarySteps = []string{"shop", "receiver", "change", "webhook", "page", "basket", "checkout", "order", "cancel"}

// canaryOf lets the canary make its shop, and returns somebody with another token of its access there.
func canaryOf(t *testing.T, w *world, domain string) *tenant {
	t.Helper()
	made, err := w.runs(t)
	require.NoError(t, err)
	require.Equal(t, []string{"shop", "product", "key", "receiver"}, made.steps)
	w.counts() // of its signing key
	o := w.operate(t)
	shop := o.get("/operator/shops?domain=" + domain).items("items")[0]["id"].(string)
	tn := &tenant{w: w, shop: shop,
		access: o.get("/operator/shops/" + shop + "/accesses").items("items")[0]["id"].(string)}
	tn.client = client{t, w.url, o.post(tn.accessPath()+"/tokens", fields{}).text("token")}
	return tn
}

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
	states := tn.get("/api-engine/order-states").items("items")
	cancelled := slices.IndexFunc(states, func(s fields) bool { return s["key"] == "cancelled" })
	bought := tn.get("/api-engine/orders").items("items")
	require.Len(t, bought, 2)
	for _, order := range bought {
		require.Equal(t, states[cancelled]["id"], order["stateId"], "nobody has anything to do for its orders")
	}
	require.Len(t, tn.get("/api-engine/products").items("items"), 1)
	require.Len(t, tn.get("/api-engine/webhooks").items("items"), 1)

	o := tn.w.operate(t)
	o.do(200, "POST", tn.accessPath()+"/deactivate", nil)
	tn.w.counts()
	tn.fails(t, "receiver")
	o.do(200, "POST", tn.accessPath()+"/activate", nil)
	tn.w.counts()
	tn.w.well(t)
}

func TestTheCanaryInTheOneProcess(t *testing.T) {
	t.Parallel()
	w := oneProcess(t, func(s *local.Settings) { s.Canary = true })
	tn := canaryOf(t, w, "canary.localhost")
	tn.canary(t)

	its := "/api-engine/webhooks/" + tn.get("/api-engine/webhooks").items("items")[0]["id"].(string)
	tn.patch(its, fields{"active": false})
	tn.fails(t, "webhook")
	tn.patch(its, fields{"active": true})
	w.well(t)

	shop := "/operator/shops/" + tn.shop
	w.operate(t).do(202, "DELETE", shop, nil)
	tn.fails(t, "shop")
}

func TestTheCanaryInLambda(t *testing.T) {
	t.Parallel()
	w := inLambda(t, straight())
	tn := canaryOf(t, w, "canary.example")
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
