package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"os"
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
	"eshop/shared/base/egress/egresstest"
)

// TestMain keeps what the platform says of faults that are meant out of the tests' output.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// Operator is the operator's token.
const Operator = "the-operators-own-token"

// Sim is one world: a platform that serves, with its surroundings. Clients, receivers and the goroutine of the faults
// share it.
type Sim struct {
	T       testing.TB
	Seed    uint64
	History *model.History
	Told    *model.Told

	course
	host    Host
	network egresstest.Network
	clients atomic.Int64
	ports   int  // of receivers, so far
	soaks   bool // what comes and goes is the churner's

	persons persons // who are erased, in all shops
	shops   []*shop
	lives   int
	working sync.WaitGroup

	mu      sync.Mutex // guards what follows
	plan    plan       // none until shops are made
	done    map[string]bool
	asked   int              // how many requests were answered, or not
	dated   map[string]dated // what webhooks said, by their ids
	seen    hash.Hash64      // of all answers and webhooks, with their times
	life    *Life            // the platform that serves; nil between two
	crashes []time.Time
	skew    time.Duration // of the platform's clock
	newest  time.Time     // the newest time that the clock had shown before its last jump
	setBack []span        // when it showed times once more
}

// course is how a simulation goes: Days are in simulated time, Prove is in real time.
type course interface {
	tempo() tempo
	draw(r *rand.Rand, onAWS bool) plan
	// listen has the server listen, at this address if it can, and returns where it does.
	listen(s *Sim, address string, server egresstest.Server) string
}

// tempo is how long all things may take.
type tempo struct {
	pace     float64       // the factor of every pause
	patience time.Duration // how long a client insists on an answer
	arrival  time.Duration // how long, after the last fault, what is owed may take to arrive
	after    time.Duration // for how long it is seen, once all has arrived, that nothing comes again
	writing  time.Duration // how long an answer takes to be written down where nothing hinders it
	excused  int           // how much a run may excuse, in percent
	insists  bool          // each write is asked for again, under a key, until it is known what became of it
}

// Days are in the simulated time of testing/synctest: a sleep of days takes no time.
type Days struct{ length time.Duration }

var daily = tempo{pace: 1, patience: 12 * time.Hour, after: time.Hour, writing: time.Minute, excused: 1,
	arrival: 3 * 24 * time.Hour} // a retry a day after the last one, by a fifth late, and a probe

func (d Days) tempo() tempo { return daily }

// listen has the server listen in the simulated network, where it likes.
func (d Days) listen(s *Sim, address string, server egresstest.Server) string {
	s.network.Listen(address, server)
	return address
}

// within runs work on a platform in simulated time, in which nothing goes wrong by itself and which ends with the work.
func within(t *testing.T, seed uint64, length time.Duration, host func(testing.TB) Host, work func(*Sim)) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, seed)
	synctest.Test(t, func(t *testing.T) {
		s := newSim(t, seed, host(t), Days{length})
		s.begin()
		defer func() {
			s.kill()
			s.host.End()
			time.Sleep(time.Minute) // connections that were kept are closed some seconds later
		}()
		work(s)
	})
}

// Run simulates a platform for so long. It fails the test with the whole plan if something is not as the model has it.
// A seed decides all but the order of goroutines and what Go itself draws: runtime.go decides these, too.
func Run(t *testing.T, seed uint64, length time.Duration, host func(testing.TB) Host) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	within(t, seed, length, host, func(s *Sim) {
		defer collectHourly()()
		s.run()
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
func newSim(t testing.TB, seed uint64, host Host, c course) *Sim {
	return &Sim{T: t, Seed: seed, History: model.NewHistory(), Told: model.NewTold(), course: c, host: host,
		seen: fnv.New64a(), done: map[string]bool{}, dated: map[string]dated{},
		persons: persons{erased: map[string]time.Time{}}}
}

// run makes shops, has them live through the plan, and checks everything.
func (s *Sim) run() {
	for range 2 {
		s.open()
	}
	p := s.draw(s.random(0), s.host.OnAWS())
	s.mu.Lock()
	s.plan = p
	s.mu.Unlock()
	err, excuses := s.live(), s.excuses()
	if err == nil { // else not all was looked at
		err = excuses.Check(s.tempo().excused)
	}
	if err != nil {
		s.T.Error(err)
	}
	if s.T.Failed() {
		s.T.Logf("seed %d failed; its faults within %s, where those that begin a process put off those behind:\n%s",
			s.Seed, s.plan.length, s.plan)
	}
	s.T.Logf("seed %d: %d operations, %d lives, %d crashes, all that was seen: %016x; %s", s.Seed,
		s.History.Operations(), s.lives, len(s.crashes), s.seen.Sum64(), excuses)
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
func (s *Sim) paced(d time.Duration) time.Duration { return time.Duration(float64(d) * s.tempo().pace) }

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
	time.Sleep(s.tempo().after)
	return s.check()
}

// settle enables every receiver (they all answer, since the plan is over), and waits until nothing is owed, at most for
// the tempo's arrival.
func (s *Sim) settle() {
	for _, shop := range s.shops {
		shop.recover()
	}
	for end := time.Now().Add(s.tempo().arrival); time.Now().Before(end) && s.waits(); {
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
var wanted = []string{"a note on a customer", "a note on an order", "an order's state", "a product's name",
	"a product's price", "a count of stock", "a checkout", "an import"}

// wantedInDays are those that take the platform minutes.
var wantedInDays = []string{"an export", "an erasure", "a picture", "a shop's leaving"}

// did notes that one of these was done.
func (s *Sim) did(what string) { s.mu.Lock(); defer s.mu.Unlock(); s.done[what] = true }

// check holds all that happened against the model. It also fails if something was never done with success: then the run
// has proved nothing of it.
func (s *Sim) check() error {
	s.Told.Kept = s.kept
	lacks, wants := s.History.Lacks(), wanted
	if !s.tempo().insists {
		wants = slices.Concat(wanted, wantedInDays)
	}
	if s.host.OnAWS() {
		wants = append(slices.Clone(wants), "a conflict")
	}
	for _, what := range wants {
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
	from, until := answered.Add(-s.tempo().writing), answered.Add(s.tempo().writing)
	for _, crash := range s.crashes {
		if crash.After(from) && crash.Before(until) {
			return false
		}
	}
	return !s.plan.lasts(answered, until, fullDisk, refusing, unanswered) && !s.claimEndedEarly(answered)
}

// excused says whether something that is wrong now, or was ten seconds before a request began, explains that the
// platform could not serve it: what it stores cannot be reached or written. Writes that meet others are no excuse.
func (s *Sim) excused(begun time.Time) bool {
	if s.tempo().insists {
		return true // in real time a machine that is busy may be too slow
	}
	return s.faults().lasts(begun.Add(-10*time.Second), time.Now(), refusing, unanswered, fullDisk)
}

// excuses are what this run let pass only because something was going wrong.
func (s *Sim) excuses() *model.Excused {
	e := &model.Excused{}
	e.Requests(s.asked)
	s.History.Excused(e)
	for _, x := range s.shops {
		for _, l := range x.listeners {
			s.Told.Excused(l, e)
		}
		all, _ := x.answered()
		for _, f := range []*feed{&x.feed, &x.hasty} {
			f.Excused(all, e)
		}
		for _, w := range x.limits.windows {
			w.Excused(e)
		}
	}
	return e
}

// shop is one of the shops, with its partner and its add-ons.
type shop struct {
	sim                   *Sim
	id, host              string
	operator, partner     *client
	cancelled, processing string // ids of the states
	listeners             []model.Listener
	enables               []func() // of their receivers
	numbers               model.Numbers
	customers             customers
	products              products
	limits                limits
	merchant              merchant
	switching             switching
	pictures              pictures
	leaving               leaving
	listing               sync.Mutex
	list                  []answered // what the change feed must have
	feed, hasty           feed       // hasty is read by who imports, while that is under way
	churner               churner
}

// partners is who did it of what the partner's program does.
var partners = model.Package("partner")

// everything is all permissions.
var everything = []string{"customers:read", "customers:write", "products:read", "products:write", "orders:read",
	"orders:write", "coupons:read", "coupons:write", "quotes:write", "shop:read", "urls:read"}

// newShop makes a shop with the access of a partner, whom nothing limits.
func (s *Sim) newShop(permissions ...string) *shop {
	x := &shop{sim: s, host: fmt.Sprintf("shop%d.example", len(s.shops)), operator: s.client(Operator)}
	s.shops = append(s.shops, x)
	x.id = x.operator.must("POST", "/operator/shops", fields{"name": "Obchod", "domain": x.host, "locale": "cs_CZ",
		"currency": "CZK", "visitorLimits": fields{"basketsPerMinute": 0, "checkoutsPerMinute": 0},
		"owner": fields{"email": "majitel@shop.example"}}).text("id")
	var path string
	x.partner, path = x.install("partner", permissions)
	x.operator.must("PATCH", path, fields{"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000})
	return x
}

// open makes a shop with all that happens there, while nothing fails.
func (s *Sim) open() {
	x := s.newShop(everything...)
	for _, state := range x.partner.must("GET", "/api-engine/order-states", nil).list("items") {
		switch state["key"] {
		case "cancelled":
			x.cancelled = state["id"].(string)
		case "processing":
			x.processing = state["id"].(string)
		}
	}
	x.partner.must("PATCH", "/api-engine/order-states/"+x.cancelled, fields{"final": false}) // its orders can go on
	all := []string{"customerCreate", "customerChange", "customerDelete", "productChange", "orderChange"}
	x.listens(x.partner, false, all)
	x.partner.must("PATCH", x.listens(x.partner, false, all), fields{"own": false})
	x.listeners[len(x.listeners)-1].NotOwn = true
	narrow, _ := x.install("narrow", []string{"customers:read", "shop:read"})
	x.listens(narrow, false, []string{"customerCreate", "customerChange", "customerDelete"}, "orderChange")
	flaky, _ := x.install("flaky", everything)
	x.listens(flaky, true, []string{"customerChange", "orderChange"})
	x.switching.begin(x)
	limited, path := x.install("limited", []string{"shop:read"})
	x.operator.must("PATCH", path, fields{"hourlyLimit": hourly, "dailyLimit": 86_400_000})
	x.limits = limits{client: limited, windows: map[string]*model.Window{}}
	x.merchant.hire(x)
	x.products.fill(x)
	x.pictures.begin(x)
	x.leaving.begin(x)
	x.feed.begin(time.Now())
	x.hasty.begin(time.Now())
}

// install is an access of a new package, active, with these permissions.
func (x *shop) install(code string, permissions []string) (c *client, path string) {
	pkg := x.operator.must("POST", "/operator/packages", fields{"code": strings.ToUpper(code) + "-" + x.id,
		"name": code, "instructions": "# Návod", "permissions": permissions})
	made := x.operator.must("POST", "/operator/shops/"+x.id+"/accesses", fields{"packageId": pkg.text("id")})
	c = x.sim.client(made.text("token"))
	c.pkg = code
	return c, "/operator/shops/" + x.id + "/accesses/" + made.text("id")
}

// listens registers a receiver for the client's access. Of silent events the receiver must hear nothing, because its
// access lacks their permission.
func (x *shop) listens(c *client, flaky bool, events []string, silent ...string) (path string) {
	to := &receiver{sim: x.sim, flaky: flaky}
	to.address = x.sim.receives(to)
	path = c.registers(to.address, slices.Concat(events, silent)...)
	x.listeners = append(x.listeners, model.Listener{Name: to.address, Shop: x.id, Package: c.pkg,
		Events: append(slices.Clone(events), "customerErase")}) // which nobody can do without
	x.enables = append(x.enables, func() { c.must("POST", path+"/enable", nil) })
	return path
}

// receives has one more receiver listen, and returns its address.
func (s *Sim) receives(to egresstest.Server) (address string) {
	s.ports++
	return s.listen(s, fmt.Sprintf("127.0.0.1:%d", 9000+s.ports), to)
}

// registers registers the receiver at this address for these events, or for all, and waits until it is enabled. It
// returns its path in the API.
func (c *client) registers(address string, events ...string) (path string) {
	body := fields{"url": "http://" + address + "/"}
	if len(events) > 0 {
		body["events"] = events
	}
	path = "/api-engine/webhooks/" + c.must("POST", "/api-engine/webhooks", body).text("id")
	for c.must("GET", path, nil).text("state") != "enabled" {
		c.sim.rest(time.Second)
	}
	return path
}

// work begins all that happens at the shop.
func (x *shop) work(ctx context.Context) {
	for range 2 {
		x.begin(ctx, 3*time.Minute, x.customers.actor(x))
		x.begin(ctx, 3*time.Minute, x.products.actor(x))
	}
	x.begin(ctx, 30*time.Minute, x.customers.contend(x))
	x.begin(ctx, 40*time.Minute, x.customers.imports(x))
	if !x.sim.soaks && !x.sim.tempo().insists { // what takes the platform minutes
		x.begin(ctx, time.Hour/2, x.customers.erases(x))
		x.begin(ctx, time.Hour, x.customers.exports(x))
		x.begin(ctx, time.Hour/2, x.pictures.actor(x))
		x.begin(ctx, time.Hour, x.leaving.actor())
	}
	x.begin(ctx, 10*time.Minute, x.products.checkout(x))
	x.begin(ctx, 30*time.Minute, x.products.rush(x))
	x.begin(ctx, 30*time.Minute, x.products.quotes(x))
	x.begin(ctx, 7*time.Minute, x.merchant.actor())
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

// check is check of one shop: what its listeners were told, its order numbers, its limits, its pictures, its feed.
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
	x.pictures.look(x)
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
