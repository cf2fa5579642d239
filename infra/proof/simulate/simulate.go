// Package simulate runs the whole platform for days of simulated time, with partners, shoppers and add-ons at work and
// everything around it failing, and holds what they saw against the model (package model). A seed decides what they do,
// when, and what fails: `make simulate SEED=7 DAYS=30` does the same again.
//
// # A tour
//
// Run (this file) is one simulation: days of trouble, then quiet, in which all that is owed has to arrive, then the
// checks. plan.go draws the faults from the seed and prints them. host.go is what a platform has to offer to be
// simulated: it begins, is killed, and stops. network.go has the add-ons' receivers and what goes wrong at them.
// stores.go is what goes wrong at tables and queues. client.go is who calls the API, and the other files are what they
// do: customers.go, imports.go, orders.go, shoppers.go, merchants.go, limits.go, feed.go, switching.go. prove.go does
// the same with the real program in real time, seeds.go says which seeds are tried.
//
// # Glossary
//
//   - life: the time of one process of the platform, from Begin to Kill or Stop.
//   - fault: one thing that goes wrong, at a moment or for a time; plan: all of them.
//   - actor: somebody who works at a shop, as a function that is called again and again.
//   - unknown: the outcome of a request whose answer never came, or was an error of the server. It may have been done.
//   - insist: to send a request again under one Idempotency-Key, until its outcome is known.
//   - told: of a change that listeners must hear of, or may, if its outcome is unknown.
//   - owed: a webhook that a listener must still hear.
//   - history: what was asked, by whom, from when to when, and what was answered. The model says whether it can be.
package simulate

import (
	"context"
	"encoding/json"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/proof/model"
)

// Operator is the operator's token.
const Operator = "the-operators-own-token"

// Sim is one simulation. Clients, receivers and the goroutine of the faults share it.
type Sim struct {
	T       testing.TB
	Seed    uint64
	History *model.History
	Told    *model.Told

	plan    plan
	network *network
	host    Host
	clients atomic.Int64

	pace     float64       // the factor of every pause: 1 in simulated time, less with the real program
	patience time.Duration // how long a client insists on an answer
	arrival  time.Duration // how long, after the last fault, what is owed may take to arrive
	after    time.Duration // for how long it is seen, once all has arrived, that nothing comes again
	writing  time.Duration // how long an answer takes to be written down where nothing hinders it
	insists  bool          // each write is asked for again, under a key, until it is known what became of it
	receives func(*receiver) (address string)

	shops   []*shop
	lives   int
	working sync.WaitGroup

	mu      sync.Mutex // guards what follows, and the plan until shops are made
	done    map[string]bool
	seen    hash.Hash64 // of all answers and webhooks, with their times
	life    *Life       // the platform that serves; nil between two
	crashes []time.Time
	skew    time.Duration // of the platform's clock
	newest  time.Time     // the newest time that the clock had shown before its last jump
	setBack []span        // when it showed times once more
}

// Run simulates a platform for so long, in the simulated time of testing/synctest: a sleep of days takes no time. It
// fails the test with the whole plan if something is not as the model has it. A seed decides all but the order of
// goroutines and what Go itself draws: infra/proof/days decides these, too.
func Run(t *testing.T, seed uint64, length time.Duration, host func(testing.TB) Host) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, seed)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	synctest.Test(t, func(t *testing.T) {
		defer collectHourly()()
		s := newSim(t, seed, host(t))
		s.pace, s.receives = 1, s.network.simulated
		s.patience, s.writing = 12*time.Hour, time.Minute
		s.arrival = 3 * 24 * time.Hour // a retry a day after the last one, by a fifth late, and a probe
		s.after = time.Hour
		s.run(func(r *rand.Rand) plan { return draw(r, length, s.host.OnAWS()) })
		time.Sleep(time.Minute) // connections that were kept are closed some seconds later
	})
}

// collectHourly collects garbage each hour, while all goroutines wait. By itself Go would begin with it when it has
// taken so much memory, and what is under way then goes on in another order. It returns what ends this.
func collectHourly() (end func()) {
	ended := make(chan struct{})
	var collecting sync.WaitGroup
	collecting.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Hour):
				synctest.Wait()
				runtime.GC()
			}
		}
	})
	return func() { close(ended); collecting.Wait() }
}

// newSim is a world in which nothing runs yet. Everything random in it follows from the seed.
func newSim(t testing.TB, seed uint64, host Host) *Sim {
	s := &Sim{T: t, Seed: seed, History: model.NewHistory(), Told: model.NewTold(), host: host, seen: fnv.New64a(),
		done: map[string]bool{}}
	s.network = &network{sim: s, at: map[string]*receiver{}, dated: map[string]dated{}}
	return s
}

// run makes shops, has them live through the plan, and checks everything.
func (s *Sim) run(planned func(*rand.Rand) plan) {
	s.begin()
	for n := range 2 {
		s.shops = append(s.shops, s.open(n))
	}
	s.mu.Lock()
	s.plan = planned(s.random(0))
	s.mu.Unlock()
	if err := s.live(); err != nil {
		s.T.Error(err)
	}
	if s.T.Failed() {
		s.T.Logf("seed %d failed; its faults within %s, where those that begin a process put off those behind:\n%s",
			s.Seed, s.plan.length, s.plan)
	}
	s.T.Logf("seed %d: %d operations, %d lives, %d crashes, all that was seen: %016x", s.Seed, s.History.Operations(),
		s.lives, len(s.crashes), s.seen.Sum64())
	s.kill()
	s.host.End()
}

// saw notes what somebody was answered or heard, in the order of all: by that two runs of a seed are compared.
func (s *Sim) saw(what ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.seen, time.Now().UnixNano(), what)
}

// rest is a pause of somebody.
func (s *Sim) rest(d time.Duration) { time.Sleep(s.paced(d)) }

// paced is a duration at the pace of this run.
func (s *Sim) paced(d time.Duration) time.Duration { return time.Duration(float64(d) * s.pace) }

// faults is the plan: none while shops are made.
func (s *Sim) faults() plan { s.mu.Lock(); defer s.mu.Unlock(); return s.plan }

// random is randomness of its own for each purpose, the same for the same seed.
func (s *Sim) random(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(s.Seed, purpose)) }

// live has all at work until the plan ends. Then it waits until those under way have ended, and until what is owed has
// arrived, and checks everything.
func (s *Sim) live() error {
	ctx, cancel := context.WithCancel(context.Background())
	for _, shop := range s.shops {
		shop.work(ctx)
	}
	s.suffer()
	cancel()
	over := time.Now()
	s.working.Wait()
	ended := time.Now()
	s.settle()
	s.T.Logf("all came to their ends within %s, and all that was owed arrived within %s",
		ended.Sub(over).Round(time.Second), time.Since(ended).Round(time.Second))
	time.Sleep(s.after)
	return s.check()
}

// settle enables every receiver (they all answer, since the plan is over), and waits until nothing is owed, at most for
// s.arrival.
func (s *Sim) settle() {
	for _, shop := range s.shops {
		shop.recover()
	}
	for end := time.Now().Add(s.arrival); time.Now().Before(end) && s.waits(); {
		s.rest(10 * time.Minute)
	}
}

// waits says whether a listener still waits for a webhook.
func (s *Sim) waits() bool {
	for _, shop := range s.shops {
		for _, l := range shop.listeners {
			if s.Told.Waits(l) {
				return true
			}
		}
	}
	return false
}

// wanted is what people at a shop or in its admin have to have done, each at least once, beside the deeds of a history.
var wanted = []string{"a note on a customer", "a note on an order", "a count of stock", "a checkout", "an import"}

// did notes that one of these was done.
func (s *Sim) did(what string) { s.mu.Lock(); defer s.mu.Unlock(); s.done[what] = true }

// check holds all that happened against the model. It also fails if something was never done with success: then the run
// has proved nothing of it.
func (s *Sim) check() error {
	s.Told.Kept = s.kept
	lacks := s.History.Lacks()
	for _, what := range wanted {
		if !s.done[what] {
			lacks = append(lacks, what)
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("never done with success: %s", strings.Join(lacks, ", "))
	}
	if err := s.History.Check(); err != nil {
		return err
	}
	for _, shop := range s.shops {
		if err := shop.check(); err != nil {
			return fmt.Errorf("shop %s: %w", shop.id, err)
		}
	}
	return nil
}

// kept says whether the platform has surely written down that a receiver answered at that time, and nobody called once
// more meanwhile. It has, unless the process was killed while the answer was on its way or within the time that writing
// takes, nothing could be written, or the attempt's claim had ended early.
func (s *Sim) kept(answered time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, until := answered.Add(-s.writing), answered.Add(s.writing)
	for _, crash := range s.crashes {
		if crash.After(from) && crash.Before(until) {
			return false
		}
	}
	return !s.plan.lasts(answered, until, fullDisk, refusing, unanswered) && !s.claimEndedEarly(answered)
}

// shop is one of the shops, with its partner and its add-ons.
type shop struct {
	sim                   *Sim
	id, host              string
	partner               *client
	access                string // path of the partner's access
	cancelled, processing string // ids of the states
	listeners             []model.Listener
	enables               []func() // of their receivers
	numbers               model.Numbers
	customers             customers
	products              products
	limits                limits
	merchant              merchant
	switching             switching
	feed, hasty           feed // hasty is read by who imports, while that is under way
}

// everything is all permissions.
var everything = []string{"customers:read", "customers:write", "products:read", "products:write", "orders:read",
	"orders:write", "coupons:read", "coupons:write", "quotes:write", "shop:read"}

// open makes a shop while nothing fails.
func (s *Sim) open(n int) *shop {
	x := &shop{sim: s, host: fmt.Sprintf("shop%d.example", n)}
	operator := s.client(Operator)
	x.id = operator.must("POST", "/operator/shops", fields{"name": "Obchod", "domain": x.host, "locale": "cs_CZ",
		"currency": "CZK", "visitorLimits": fields{"basketsPerMinute": 0, "checkoutsPerMinute": 0},
		"owner": fields{"email": "majitel@shop.example"}}).text("id")
	x.partner, x.access = x.install(operator, "partner", everything)
	operator.must("PATCH", x.access, fields{"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000})
	for _, state := range x.partner.must("GET", "/api-engine/order-states", nil).list("items") {
		switch state["key"] {
		case "cancelled":
			x.cancelled = state["id"].(string)
		case "processing":
			x.processing = state["id"].(string)
		}
	}
	x.partner.must("PATCH", "/api-engine/order-states/"+x.cancelled, fields{"final": false}) // its orders can go on
	x.listens(n, 0, x.partner, []string{"customerCreate", "customerChange", "customerDelete", "productChange",
		"orderChange"})
	narrow, _ := x.install(operator, "narrow", []string{"customers:read", "shop:read"})
	x.listens(n, 1, narrow, []string{"customerCreate", "customerChange", "customerDelete"}, "orderChange")
	flaky, _ := x.install(operator, "flaky", everything)
	x.listens(n, 2, flaky, []string{"customerChange", "orderChange"})
	x.switching.begin(x, n, operator)
	limited, path := x.install(operator, "limited", []string{"shop:read"})
	operator.must("PATCH", path, fields{"hourlyLimit": hourly, "dailyLimit": 86_400_000})
	x.limits = limits{client: limited, windows: map[string]*model.Window{}}
	x.merchant.hire(x, operator)
	x.products.fill(x)
	x.feed.begin()
	x.hasty.begin()
	return x
}

// install is an access of a new package, active, with these permissions.
func (x *shop) install(operator *client, code string, permissions []string) (c *client, path string) {
	code = strings.ToUpper(code) + "-" + x.id
	pkg := operator.must("POST", "/operator/packages", fields{"code": code, "name": code,
		"instructions": "# Návod", "permissions": permissions})
	made := operator.must("POST", "/operator/shops/"+x.id+"/accesses", fields{"packageId": pkg.text("id")})
	return x.sim.client(made.text("token")), "/operator/shops/" + x.id + "/accesses/" + made.text("id")
}

// listens registers a receiver for the client's access and waits until it is enabled. The receiver numbered 2 is the
// flaky one. Of silent events the receiver must hear nothing, because its access lacks their permission.
func (x *shop) listens(shop, n int, c *client, events []string, silent ...string) {
	to := &receiver{address: fmt.Sprintf("127.0.0.1:%d", 9000+10*shop+n), flaky: n == 2}
	to.address = x.sim.receives(to)
	l := model.Listener{Name: to.address, Shop: x.id, Events: events}
	path := "/api-engine/webhooks/" + c.must("POST", "/api-engine/webhooks", fields{"url": "http://" + l.Name + "/",
		"events": slices.Concat(events, silent)}).text("id")
	for c.must("GET", path, nil).text("state") != "enabled" {
		x.sim.rest(time.Second)
	}
	x.listeners, x.enables = append(x.listeners, l), append(x.enables, func() { c.must("POST", path+"/enable", nil) })
}

// work begins all that happens at the shop.
func (x *shop) work(ctx context.Context) {
	for range 2 {
		x.begin(ctx, 3*time.Minute, x.customers.actor(x))
		x.begin(ctx, 3*time.Minute, x.products.actor(x))
	}
	x.begin(ctx, 30*time.Minute, x.customers.contend(x))
	x.begin(ctx, 40*time.Minute, x.customers.imports(x))
	x.begin(ctx, 10*time.Minute, x.products.checkout(x))
	x.begin(ctx, 30*time.Minute, x.products.rush(x))
	x.begin(ctx, 30*time.Minute, x.products.quotes(x))
	x.begin(ctx, 15*time.Minute, x.merchant.actor())
	x.begin(ctx, 25*time.Minute, x.limits.actor(x))
	x.begin(ctx, 20*time.Minute, x.feed.actor(x))
	x.begin(ctx, 4*time.Minute, x.switching.actor(x))
}

// begin has somebody act again and again, with random pauses whose mean is every. Each has a randomness of its own, so
// that what one does is the same whatever the others do.
func (x *shop) begin(ctx context.Context, every time.Duration, act func(r *rand.Rand)) {
	r := x.sim.random(uint64(1000 + x.sim.clients.Add(1)))
	x.sim.working.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(x.sim.paced(time.Duration(r.ExpFloat64() * float64(every)))):
				act(r)
			}
		}
	})
}

// recover enables every receiver, as a person would after a bad day.
func (x *shop) recover() {
	for _, enable := range x.enables {
		enable()
	}
}

// check is check of one shop: what its listeners were told, its order numbers, its merchant, its limits, its feed.
func (x *shop) check() error {
	for _, l := range x.listeners {
		if err := x.sim.Told.Check(l); err != nil {
			return err
		}
	}
	if err := x.numbers.Check(); err != nil {
		return err
	}
	if err := x.limits.check(); err != nil {
		return err
	}
	if err := x.switching.check(x); err != nil {
		return err
	}
	return x.checkFeed()
}

// fields is a JSON object.
type fields = map[string]any

// whole is JSON of a value, which always can be.
func whole(t testing.TB, v any) []byte {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}
