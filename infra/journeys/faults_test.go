package journeys

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	awsevents "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"eshop/infra/aws/engines"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
	bells "eshop/shared/ports/queue/memory"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
)

// faults are the places where a test breaks the Lambda host, and the clock's tick, which it gives by hand.
type faults struct {
	main         *faultyTable
	fresh, retry *faultyQueue
	unheard      *bells.Queue // of changes that the stream's mapping gave up
	tick         func(context.Context, awsevents.EventBridgeEvent) (struct{}, error)
}

// sweep is a tick of the clock.
func (f *faults) sweep(t testing.TB) {
	t.Helper()
	_, err := f.tick(t.Context(), awsevents.EventBridgeEvent{})
	require.NoError(t, err)
}

// faultyQueue is a queue that cannot be reached while it is down.
type faultyQueue struct {
	queue.Queue
	down    atomic.Bool
	refused atomic.Int64 // sends
}

func (q *faultyQueue) Send(ctx context.Context, m ...queue.Message) error {
	if q.down.Load() {
		q.refused.Add(1)
		return queue.ErrUnavailable
	}
	return q.Queue.Send(ctx, m...)
}

func (q *faultyQueue) Receive(ctx context.Context, most int, wait time.Duration) ([]queue.Received, error) {
	if q.down.Load() {
		return nil, queue.ErrUnavailable
	}
	return q.Queue.Receive(ctx, most, wait)
}

func (q *faultyQueue) Delete(ctx context.Context, m ...queue.Received) error {
	if q.down.Load() {
		return queue.ErrUnavailable
	}
	return q.Queue.Delete(ctx, m...)
}

// faultyTable is a table of which so many more of the requests' calls are served before nobody can reach it.
type faultyTable struct {
	store.Table
	*outage
	beside bool // its calls are no request's: they count for nothing
}

// outage is how long a table still serves.
type outage struct {
	broken atomic.Bool
	serves atomic.Int64
}

// asideOf is the table for functions that no request waits for.
func asideOf(f *faultyTable) *faultyTable {
	return &faultyTable{Table: f.Table, outage: f.outage, beside: true}
}

// breaks lets n more calls through.
func (f *outage) breaks(n int) {
	f.serves.Store(int64(n))
	f.broken.Store(true)
}

func (f *faultyTable) down() bool {
	switch {
	case !f.broken.Load():
		return false
	case f.beside:
		return f.serves.Load() <= 0
	}
	return f.serves.Add(-1) < 0
}

// table is one that serves so long.
func (f *faultyTable) table() store.Table {
	return storetest.Faulty{Table: f.Table, Around: func(_ storetest.Call, do func() error) error {
		if f.down() {
			return store.ErrUnavailable
		}
		return do()
	}}
}

// twice lets every function do its work twice: a stream's batch whole, then in two halves, the newer one first, then
// the batch before it once more; a queue's batch from two sides at once, then once more.
func twice() mapped {
	between := straight()
	between.feed = func(_ host.Function, f engines.StreamFunction) engines.StreamFunction {
		var before awsevents.DynamoDBEvent
		return func(ctx context.Context, e awsevents.DynamoDBEvent) (awsevents.DynamoDBEventResponse, error) {
			half := len(e.Records) / 2
			for _, again := range [][]awsevents.DynamoDBEventRecord{e.Records, e.Records[half:], e.Records[:half],
				before.Records} {
				r, err := f(ctx, awsevents.DynamoDBEvent{Records: again})
				if err != nil || len(r.BatchItemFailures) > 0 {
					return r, err
				}
			}
			before = e
			return awsevents.DynamoDBEventResponse{}, nil
		}
	}
	between.messages = func(f engines.QueueFunction) engines.QueueFunction {
		return func(ctx context.Context, e awsevents.SQSEvent) (r awsevents.SQSEventResponse, err error) {
			var both sync.WaitGroup
			both.Go(func() { _, _ = f(ctx, e) }) // what it says is said again below
			both.Go(func() { _, _ = f(ctx, e) })
			both.Wait()
			return f(ctx, e)
		}
	}
	return between
}

func TestEveryRecordAndMessageTwiceIsOneCallPerID(t *testing.T) {
	t.Parallel()
	w := inLambda(t, twice())
	tn := w.shopWith(t, everything...)
	receivers := []*listener{tn.listens(), tn.listens(), tn.listens(fields{"groups": []string{"stock"}})}
	var work sync.WaitGroup
	for range 4 {
		p := tn.post("/api-engine/products", thing(2)).id()
		work.Go(func() {
			for n := range 10 {
				tn.patch("/api-engine/products/"+p, fields{"stock": fields{"quantity": n + 1}})
				tn.customer()
			}
		})
	}
	work.Wait()
	for _, a := range receivers {
		// by no order: who is doubled is passed by
		a.until(func(calls []call) bool { return len(tn.told(calls)) >= 40+4+40 })
		calls := tn.heard(a)
		seen, of := map[string]bool{}, map[string]int{}
		for _, c := range calls {
			c.check(t)
			require.False(t, seen[c.body.ID], "%s came twice", c.body.ID)
			require.Equal(t, "1", c.header.Get("X-Webhook-Attempt"))
			seen[c.body.ID] = true
			of[c.body.Event]++
		}
		delete(of, "packageActivate") // older than the receiver, it may come again when there is one
		require.Equal(t, map[string]int{"customerCreate": 40, "productCreate": 4, "productChange": 40}, of)
	}
}

// told are the calls about what the shop did since it has the receiver.
func (tn *tenant) told(calls []call) (told []call) {
	for _, c := range calls {
		if c.body.Event != "packageActivate" && !tn.ofWitness(c) {
			told = append(told, c)
		}
	}
	return told
}

func TestTheQueueIsAwayAndComesBack(t *testing.T) {
	t.Parallel()
	t.Run("for a moment: requests go on, and the stream's next try rings", func(t *testing.T) {
		w := inLambda(t, straight())
		tn := w.shopWith(t, everything...)
		a := tn.listens()
		w.faults.queues(true)
		id := tn.customer()
		eventually(t, patience, func() bool { return w.faults.fresh.refused.Load() > 0 })
		tn.get("/api-engine/customers/" + id)
		w.faults.queues(false)
		if !w.faults.gaveUp(t, 0) {
			a.hears("customerCreate", id).tells(t, ids(id), "")
		}
	})
	t.Run("for twenty tries: requests go on, and nothing is given up", func(t *testing.T) {
		w := inLambda(t, straight())
		tn := w.shopWith(t, everything...)
		a := tn.listens()
		w.faults.queues(true)
		var made []string
		for range 5 {
			made = append(made, tn.customer())
		}
		eventually(t, patience, func() bool { return w.faults.fresh.refused.Load() > 20 })
		w.faults.queues(false)
		for _, id := range made {
			a.hears("customerCreate", id).tells(t, ids(id), "")
		}
		require.False(t, w.faults.gaveUp(t, 0))
		tn.hearsOnly(a, "customerCreate", "customerCreate", "customerCreate", "customerCreate", "customerCreate")
	})
}

// queues are away, or back.
func (f *faults) queues(away bool) {
	f.fresh.down.Store(away)
	f.retry.down.Store(away)
}

// gaveUp waits so long for a change to be given up by the stream's mapping.
func (f *faults) gaveUp(t testing.TB, wait time.Duration) bool {
	t.Helper()
	m, err := f.unheard.Receive(t.Context(), 1, wait)
	require.NoError(t, err)
	return len(m) > 0
}

// Each request is made again and again, with the store out of reach from its first call on, from its second, …, until
// one comes through: each of the others is a 503 that did nothing.
func TestAStoreThatCannotBeReached(t *testing.T) {
	t.Parallel()
	w := inLambda(t, straight())
	tn := w.shopWith(t, everything...)
	a := tn.listens()
	p := tn.post("/api-engine/products", thing(2))
	at := "/api-engine/products/" + p.id()
	customer := "/api-engine/customers/" + tn.customer()
	a.until(func(calls []call) bool { return len(calls) == 2 })
	tn.quiet()
	for _, x := range []struct {
		name, method, path string
		status             int
		body               any
		event              string
	}{
		{"a change", "PATCH", at, 200, fields{"name": "Po výpadku"}, "productChange"},
		{"a creation", "POST", "/api-engine/customers", 201, someone(), "customerCreate"},
		{"a product", "POST", "/api-engine/products", 201, thing(3), "productCreate"},
		{"a product of 60 variants", "POST", "/api-engine/products", 201, thing(60), "productCreate"},
		{"60 variants more", "POST", at + "/variants", 201, fields{"items": thing(60)["variants"]}, "productChange"},
		{"a batch", "PATCH", "/api-engine/products/batch/stock", 200,
			fields{"items": []fields{{"id": p.id(), "quantity": 7}}}, "productChange"},
		{"a deletion", "DELETE", customer, 204, nil, "customerDelete"},
		{"a list", "GET", "/api-engine/products", 200, nil, ""},
		{"a read", "GET", at, 200, nil, ""},
	} {
		t.Run(x.name+" is a 503 and nothing, at whichever call the store goes", func(t *testing.T) {
			tn := tn.under(t)
			heard := len(tn.heard(a))
			before := tn.picture()
			key := unique("key")
			failures := 0
			for n := 0; ; n++ {
				w.faults.main.breaks(n)
				r, err := tn.send(x.method, x.path, x.body, "Idempotency-Key", key)
				w.faults.main.broken.Store(false)
				require.NoError(t, err)
				if r.status == x.status {
					break
				}
				failures++
				require.Regexp(t, `^[1-9]\d*$`, r.problem(503, "unavailable").header.Get("Retry-After"))
				require.True(t, before == tn.picture(), "something was written when the store went at call %d", n)
				require.Less(t, n, 50)
			}
			require.Positive(t, failures)
			calls := tn.heard(a)
			if x.event == "" {
				require.Len(t, calls, heard)
				return
			}
			require.Len(t, calls, heard+1, list(calls))
			require.Equal(t, x.event, calls[heard].body.Event)
		})
	}
}

// under is the tenant in a test below its own.
func (tn *tenant) under(t testing.TB) *tenant {
	return &tenant{client: tn.client.on(t), w: tn.w, shop: tn.shop, pkg: tn.pkg, access: tn.access, witness: tn.witness,
		witnessed: tn.witnessed, witnesses: tn.witnesses}
}

// picture is all that the access can see.
func (tn *tenant) picture() string {
	tn.t.Helper()
	var all strings.Builder
	for _, of := range []string{"products", "customers", "categories", "webhooks"} {
		all.Write(tn.get("/api-engine/" + of + "?itemsPerPage=250").body)
	}
	return all.String()
}

// lives decides which invocations of a function die.
type lives struct {
	// the calls of store and queue that the next invocation makes before it dies; none waiting: it lives
	next  chan int
	ended chan bool // whether one of those died, and of the one after a death the same
	after atomic.Bool
}

// life is one invocation: once it is dead, nothing that it still does is done.
type life struct {
	mu     sync.Mutex
	left   int // before it dies; below 0: it does not
	mortal bool
	dead   bool
}

type lifeKey struct{}

// errDead is what a dead function hears.
var errDead = errors.New("journeys: this process is no more")

// alive is asked at each call of store or queue.
func alive(ctx context.Context) error {
	l, _ := ctx.Value(lifeKey{}).(*life)
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mortal {
		l.dead = l.dead || l.left == 0
		l.left--
	}
	if l.dead {
		return errDead
	}
	return nil
}

// live runs an invocation. A dead one's answer is lost.
func live[E, R any](ls *lives, f func(context.Context, E) (R, error)) func(context.Context, E) (R, error) {
	return func(ctx context.Context, e E) (R, error) {
		l := &life{}
		select {
		case l.left = <-ls.next:
			l.mortal = true
		default:
		}
		r, err := f(context.WithValue(ctx, lifeKey{}, l), e)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.dead {
			err = errDead
		}
		if ls.after.Swap(l.dead) || l.mortal {
			ls.ended <- l.dead
		}
		return r, err
	}
}

func mortalTable(t store.Table) store.Table {
	return storetest.Faulty{Table: t, Around: func(c storetest.Call, do func() error) error {
		if err := alive(c.Context); err != nil {
			return err
		}
		return do()
	}}
}

type mortalQueue struct {
	queue.Sender
}

func (m mortalQueue) Send(ctx context.Context, messages ...queue.Message) error {
	if err := alive(ctx); err != nil {
		return err
	}
	return m.Sender.Send(ctx, messages...)
}

// mortal makes one function die.
func mortal(name string, ls *lives) mapped {
	between := straight()
	between.parts = func(p *host.Parts, f host.Function) {
		if f.Name == name {
			p.Main, p.Pipeline = mortalTable(p.Main), mortalTable(p.Pipeline)
			p.Fresh, p.Retry = mortalQueue{p.Fresh}, mortalQueue{p.Retry}
		}
	}
	switch name {
	case "batcher":
		between.feed = func(of host.Function, f engines.StreamFunction) engines.StreamFunction {
			if of.Name != name {
				return f
			}
			return live(ls, f)
		}
	case "importer":
		between.uploads = func(f uploadFunction) uploadFunction { return live(ls, f) }
	default:
		between.messages = func(f engines.QueueFunction) engines.QueueFunction { return live(ls, f) }
	}
	return between
}

// TestAFunctionDiesBetweenAnyTwoSteps kills the batcher and the delivery at their first call of store or queue, at
// their second, …, until one lives to its end.
func TestAFunctionDiesBetweenAnyTwoSteps(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"batcher": 1, "delivery": 2} {
		t.Run(name+": nothing is lost, and nothing comes more than once more", func(t *testing.T) {
			t.Parallel()
			ls := &lives{next: make(chan int, 1), ended: make(chan bool, 2)}
			w := inLambda(t, mortal(name, ls))
			tn := w.shopWith(t, everything...)
			a := tn.listens()
			deaths := 0
			for died := true; died; {
				w.clock.pass(2 * time.Minute) // nothing is remembered, and a success is noted
				ls.next <- deaths
				id := tn.customer()
				if died = <-ls.ended; died {
					deaths++
					w.clock.pass(26 * time.Second) // the lease of a dead claim
					require.False(t, <-ls.ended)
				}
				a.hears("customerCreate", id).tells(t, ids(id), "")
				require.Less(t, deaths, 30)
			}
			require.GreaterOrEqual(t, deaths, 3, "at several places")
			times := map[string]int{}
			for _, c := range tn.heard(a) {
				times[c.body.ID]++
				require.LessOrEqual(t, times[c.body.ID], most)
			}
			require.Len(t, times, deaths+1)
		})
	}
}

// Seventy codes with their claims are more than one transaction holds. Wherever the store goes, each product
// has its new code or its old one; the same request again, without an Idempotency-Key at once and under its own once
// the first one's time is over, does the rest, and the sweeper tells of what the first one did. All or none is one
// transaction.
func TestABatchOfSeveralTransactionsIsLeftByTheStoreInTheMiddle(t *testing.T) {
	t.Parallel()
	w := inLambda(t, straight())
	tn := w.shopWith(t, everything...)
	a := tn.listens(fields{"events": []string{"productChange"}})
	require.Positive(t, tn.batchesLeft(w, a, 70, ""), "the store went between two transactions")
	require.Positive(t, tn.batchesLeft(w, a, 70, "", "Idempotency-Key"), "and under a key")
	require.Zero(t, tn.batchesLeft(w, a, 30, "?errorPolicy=rejectAll", "Idempotency-Key"))
}

// batchesLeft lets the store go at each call of a batch of so many codes in turn, and says how many of the batches were
// left half done.
func (tn *tenant) batchesLeft(w *world, a *listener, size int, query string, header ...string) (halfway int) {
	t, path := tn.t, "/api-engine/products/batch/basic"+query
	for n, refused := 0, true; refused; n++ {
		var items []fields
		for range size {
			items = append(items, fields{"id": tn.post("/api-engine/products", thing(0)).id(), "code": unique("C")})
		}
		headers := header
		if len(header) > 0 {
			headers = append(headers, unique("key"))
		}
		w.faults.main.breaks(n)
		r, err := tn.send("PATCH", path, fields{"items": items}, headers...)
		w.faults.main.broken.Store(false)
		require.NoError(t, err)
		if refused = r.status != 200; refused {
			r.problem(503, "unavailable")
			done := 0
			for _, x := range items {
				if tn.get("/api-engine/products/"+x["id"].(string)).text("code") == x["code"] {
					done++
				}
			}
			again, err := tn.send("PATCH", path, fields{"items": items}, headers...)
			require.NoError(t, err)
			if again.status == 409 { // for as long as the first request could still be running
				again.problem(409, "idempotency_in_progress")
				w.clock.pass(11 * time.Second)
				again = tn.do(200, "PATCH", path, fields{"items": items}, headers...)
			}
			require.Equal(t, 200, again.status)
			require.EqualValues(t, size-done, again.fields()["changed"])
			if 0 < done && done < size {
				halfway++
			}
		}
		w.clock.pass(time.Minute)
		w.faults.sweep(t)
		for _, x := range items {
			require.Equal(t, x["code"], tn.get("/api-engine/products/"+x["id"].(string)).text("code"))
			a.hears("productChange", x["id"].(string))
		}
		require.Less(t, n, 30)
	}
	return halfway
}
