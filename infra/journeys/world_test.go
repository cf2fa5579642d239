package journeys

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/demo"
)

// world is a platform that serves, on one of the hosts.
type world struct {
	url      string
	operator string
	clock    *clock
	faults   *faults // nil: the host has no places for them
	grants   *grants // of the functions in Lambda
	canary   aRun
	named    string    // where the canary is, if the settings do not say it
	demo     *demo.Run // in the one process with a demo shop
	mangles  bool      // its door hands on a body of any bytes as text
	emulated bool      // its tables may take seconds: then requests are 503, and limits let pass
}

// aRun makes a run of the canary, which logs there.
type aRun func(context.Context, *slog.Logger) error

// clock is the real one, moved on by the test.
type clock struct {
	ahead   atomic.Int64
	foreign bool // the platform goes by a clock of its own: its time passes by waiting for it
}

func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) pass(d time.Duration) {
	if c.foreign {
		time.Sleep(d)
		return
	}
	c.ahead.Add(int64(d))
}

// counts lets be over what a host may remember: 30 s on AWS of accesses, 10 s of keys (contract, "Who is who" and
// "Signing keys").
func (w *world) counts() { w.clock.pass(31 * time.Second) }

func (w *world) operate(t testing.TB) client { return client{t, w.url, w.operator} }

// everything is all permissions that these journeys need.
var everything = []string{"customers:read", "customers:write", "products:read", "products:write", "shop:read"}

// tenant is an add-on on a shop: an access with its token.
type tenant struct {
	client
	w                 *world
	shop, pkg, access string
	mu                sync.Mutex
	witness           *tenant // hears everything, to tell when nothing more can come
	witnessed         *listener
	witnesses         []string // its customers
}

func unique(name string) string { return name + "-" + strings.ToLower(rand.Text()) }

// shopWith is a new shop with a package of these permissions.
func (w *world) shopWith(t testing.TB, permissions ...string) *tenant {
	t.Helper()
	s := w.operate(t).post("/operator/shops",
		fields{"name": "Obchod", "domain": unique("shop") + ".example", "locale": "sk_SK", "currency": "EUR",
			"owner": fields{"email": "majitel@shop.example"}})
	return w.install(t, s.id(), permissions...)
}

// install puts a new package on the shop, active.
func (w *world) install(t testing.TB, shop string, permissions ...string) *tenant {
	t.Helper()
	o := w.operate(t)
	pkg := o.post("/operator/packages", fields{"code": unique("addon"), "name": "Doplněk", "instructions": "# Návod",
		"permissions": permissions}).id()
	a := o.post("/operator/shops/"+shop+"/accesses", fields{"packageId": pkg})
	return &tenant{client: client{t, w.url, a.text("token")}, w: w, shop: shop, pkg: pkg, access: a.id()}
}

func (tn *tenant) accessPath() string { return "/operator/shops/" + tn.shop + "/accesses/" + tn.access }

// listens registers a receiver and waits until it is enabled.
func (tn *tenant) listens(also ...fields) *listener {
	tn.t.Helper()
	a := tn.registers(also...)
	tn.enabled(a)
	return a
}

func (tn *tenant) registers(also ...fields) *listener {
	tn.t.Helper()
	a := newListener(tn.t)
	body := fields{"url": a.url}
	for _, f := range also {
		for k, v := range f {
			body[k] = v
		}
	}
	a.id = tn.post("/api-engine/webhooks", body).id()
	return a
}

func (tn *tenant) receiver(a *listener) answer {
	tn.t.Helper()
	return tn.get("/api-engine/webhooks/" + a.id)
}

// shows waits until the receiver shows a text under the name.
func (tn *tenant) shows(a *listener, name, text string) {
	tn.t.Helper()
	eventually(tn.t, patience, func() bool { return tn.receiver(a).text(name) == text }, "%s: %s", name, text)
}

func (tn *tenant) enabled(a *listener) { tn.t.Helper(); tn.shows(a, "state", "enabled") }

func (tn *tenant) customer() string {
	tn.t.Helper()
	return tn.post("/api-engine/customers", someone()).id()
}

func someone() fields {
	return fields{"email": unique("jana") + "@example.com", "firstName": "Jana", "lastName": "Nováková"}
}

func thing(variants int) fields {
	f := fields{"code": unique("P"), "name": "Čaj", "priceLevels": []fields{{"level": "default", "price": "99.00"}}}
	if variants > 0 {
		var all []fields
		for i := range variants {
			all = append(all, fields{"code": unique("V"), "name": fmt.Sprint("V", i)})
		}
		f["variants"] = all
	}
	return f
}

// quiet waits until whatever the shop's changes so far could become must have come: two changes made later, one after
// the arrival of the other, have come to another add-on of the same shop.
func (tn *tenant) quiet() {
	tn.t.Helper()
	tn.mu.Lock()
	defer tn.mu.Unlock()
	if tn.witness == nil {
		tn.witness = tn.w.install(tn.t, tn.shop, everything...)
		tn.witnessed = tn.witness.listens()
	}
	for range 2 {
		id := tn.witness.customer()
		tn.witnesses = append(tn.witnesses, id)
		tn.witnessed.hears("customerCreate", id)
	}
}

// heard is all that came to the add-on once it is quiet, but what came of quiet itself.
func (tn *tenant) heard(a *listener) []call {
	tn.t.Helper()
	tn.quiet()
	calls, _ := a.all()
	var out []call
	for _, c := range calls {
		if !tn.ofWitness(c) {
			out = append(out, c)
		}
	}
	return out
}

func (tn *tenant) ofWitness(c call) bool {
	tn.mu.Lock()
	defer tn.mu.Unlock()
	return slices.ContainsFunc(tn.witnesses, func(id string) bool { return strings.Contains(string(c.body.Data), id) })
}

// hearsOnly wants exactly these events to have come, in any order.
func (tn *tenant) hearsOnly(a *listener, events ...string) {
	tn.t.Helper()
	got := []string{}
	calls := tn.heard(a)
	for _, c := range calls {
		got = append(got, c.body.Event)
	}
	require.ElementsMatch(tn.t, events, got, list(calls))
}
