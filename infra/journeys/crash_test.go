package journeys

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Rounds of the crash journey, its writers, and how many answers a life gives at least before it is killed; and the
// limits of the writers, of which each death may cost 1 %.
const (
	rounds  = 9
	writers = 4
	answers = 40
	hourly  = 20_000
	daily   = 50_000
)

// TestKilledAtAnyMoment kills the real program again and again while writers change things, each request again with its
// Idempotency-Key until it is answered. In the end every change was made once, has arrived, and no webhook came more
// than once in any life of the process.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	var writing sync.WaitGroup
	for n := range writers {
		writing.Go(func() { c.write(n) })
	}
	for range rounds {
		c.live()
	}
	c.enough.Store(true)
	writing.Wait()
	c.settles()
}

// crash is the platform that is killed, and what its writers were told.
type crash struct {
	t      *testing.T
	data   string
	addr   string
	p      *process
	reader *tenant // has the receiver; its requests are not counted
	writer client
	a      *listener
	enough atomic.Bool
	sent   atomic.Int64 // requests of the writers, answered or not

	mu       sync.Mutex
	up       chan struct{}     // closed while it serves
	answered int               // in this life
	kept     int               // answers of the lives before
	changes  map[string]int    // how many were answered, by customer or product
	phones   map[string]string // of customers
	of       [writers][]string // customers of each writer
	products [writers]string   //
	more     chan struct{}     // gets a value at an answer
}

func newCrash(t *testing.T) *crash {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &crash{t: t, data: t.TempDir(), addr: l.Addr().String(), up: make(chan struct{}), changes: map[string]int{},
		phones: map[string]string{},
		more:   make(chan struct{}, 1)}
	require.NoError(t, l.Close())
	c.start()
	c.reader = c.p.world().shopWith(t, everything...)
	w := c.p.world().install(t, c.reader.shop, everything...)
	w.w.operate(t).patch(w.accessPath(), fields{"hourlyLimit": hourly, "dailyLimit": daily})
	for n := range c.products {
		c.products[n] = c.reader.post("/api-engine/products", thing(0)).id()
	}
	c.a = c.reader.listens()
	c.writer = w.client
	c.writer.base = c.p.run.BaseURL
	close(c.up)
	return c
}

func (c *crash) start() {
	c.p = begin(c.t, command(c.t, c.data, "DEMO=0", "ADDR="+c.addr), c.data)
}

// live lets the process live for some answers, and kills it at a moment that nobody chose.
func (c *crash) live() {
	want := answers + rand.IntN(2*answers)
	for c.told() < want {
		select {
		case <-c.more:
		case <-time.After(patience):
			require.FailNow(c.t, "the writers stand still")
		}
	}
	<-time.After(rand.N(20 * time.Millisecond)) // anywhere between two answers
	c.mu.Lock()
	c.up = make(chan struct{})
	c.mu.Unlock()
	c.p.kill()
	c.keep()
	require.Eventually(c.t, func() bool { return c.a.open.Load() == 0 }, patience, time.Millisecond,
		"its last calls are read")
	c.a.life.Add(1)
	c.start()
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.up)
}

func (c *crash) told() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answered
}

// keep counts the answers of the life that is over.
func (c *crash) keep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept, c.answered = c.kept+c.answered, 0
}

// write makes changes until it is enough: new customers, their phones, and one more piece of a product.
func (c *crash) write(n int) {
	for i := 0; !c.enough.Load(); i++ {
		switch mine := c.of[n]; {
		case i%3 == 0:
			id := c.insist("POST", "/api-engine/customers", someone()).id()
			c.of[n] = append(mine, id)
			c.note(id, "")
		case i%3 == 1:
			id, phone := mine[rand.IntN(len(mine))], strconv.Itoa(i)
			c.insist("PATCH", "/api-engine/customers/"+id, fields{"phone": phone})
			c.note(id, phone)
		default:
			c.insist("PATCH", "/api-engine/products/batch/stock",
				fields{"items": []fields{{"id": c.products[n], "change": 1}}})
			c.note(c.products[n], "")
		}
	}
}

func (c *crash) note(id, phone string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes[id]++
	if phone != "" {
		c.phones[id] = phone
	}
}

// insist makes a request until it is answered 2xx, however often the process dies meanwhile.
func (c *crash) insist(method, path string, body any) answer {
	key := unique("key")
	for {
		c.mu.Lock()
		up := c.up
		c.mu.Unlock()
		<-up
		c.sent.Add(1)
		a, err := c.writer.send(method, path, body, "Idempotency-Key", key)
		if err != nil {
			continue
		}
		c.mu.Lock()
		c.answered++
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
		if a.status < 300 {
			return a
		}
		if a.status != 409 && a.status != 503 {
			c.t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			c.enough.Store(true)
			return a
		}
	}
}

// settles holds what there is and what came against what was answered.
func (c *crash) settles() {
	t := c.t
	c.reader = c.reader.in(c.p)
	expected := 0
	for _, n := range c.changes {
		expected += n
	}
	distinct := func(calls []call) int {
		seen := map[string]bool{}
		for _, x := range calls {
			seen[x.body.ID] = true
		}
		return len(seen)
	}
	c.a.until(func(calls []call) bool { return distinct(calls) >= expected })
	calls := c.reader.heard(c.a)
	require.Equal(t, expected, distinct(calls), "each change once, under one id")

	came, lives, first := map[string]int{}, map[string]bool{}, map[string]string{}
	for _, x := range calls {
		x.check(t)
		require.Equal(t, "1", x.header.Get("X-Webhook-Attempt"))
		in := fmt.Sprint(x.body.ID, " in life ", x.life)
		require.False(t, lives[in], "twice: %s", in)
		lives[in] = true
		if raw, again := first[x.body.ID]; again {
			require.Equal(t, raw, string(x.raw), "the same bytes")
			continue
		}
		first[x.body.ID] = string(x.raw)
		came[about(t, x)]++
	}
	require.Equal(t, c.changes, came, "every acknowledged change arrived, and no other")
	c.reads()
	c.counted()
	t.Logf("%d changes over %d deaths, %d calls, of which %d came once more", expected, rounds, len(calls),
		len(calls)-expected)
}

// about is the one record that the call is about.
func about(t testing.TB, c call) string {
	t.Helper()
	d := c.data(t)
	if list, _ := d["customerIds"].([]any); len(list) == 1 {
		return list[0].(string)
	}
	list, _ := d["products"].([]any)
	require.Len(t, list, 1)
	return list[0].(fields)["id"].(string)
}

// reads shows all that was acknowledged, and every piece of stock once.
func (c *crash) reads() {
	for _, of := range c.of {
		for _, id := range of {
			require.Equal(c.t, c.phones[id], c.reader.get("/api-engine/customers/"+id).text("phone"))
		}
	}
	for _, id := range c.products {
		require.EqualValues(c.t, c.changes[id],
			c.reader.get("/api-engine/products/" + id).fields()["stock"].(fields)["quantity"])
	}
}

// counted holds the limit's count against the requests: never less than were answered, for a crash gives nothing back,
// and never more than were sent and the deaths may have cost (contract, section 10, "Limits over a crash").
func (c *crash) counted() {
	a, err := c.writer.send("GET", "/api-engine/status", nil)
	require.NoError(c.t, err)
	left, err := strconv.Atoi(a.header.Get("X-RateLimit-Daily-Remaining"))
	require.NoError(c.t, err)
	used := int64(daily - left)
	require.LessOrEqual(c.t, used, c.sent.Load()+1+rounds*hourly/100)
	require.GreaterOrEqual(c.t, used, int64(c.kept+c.answered+1))
}

// TestKilledWhileItSeeds kills first starts at moments from the program's beginning to its first address and a little
// later: the next start goes on, with the whole demo shop.
func TestKilledWhileItSeeds(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	const tries = 20
	for n := range tries {
		cmd := command(t, data)
		require.NoError(t, cmd.Start())
		<-time.After(time.Duration(n) * 10 * time.Millisecond)
		_ = cmd.Process.Kill() // it has not ended by itself: see the start below
		_ = cmd.Wait()
	}
	p := begin(t, command(t, data), data)
	require.Len(t, p.demo().get("/api-engine/customers?itemsPerPage=250").items("items"), 50)
	require.Len(t, p.demo().get("/api-engine/categories").items("items"), 3)
	require.Len(t, p.addon("demo-receiver.token").get("/api-engine/webhooks").items("items"), 1)
	require.Len(t, p.addon("demo-receiver.token").get("/api-engine/webhook-signing-keys").items("items"), 1)
	p.stop(syscall.SIGTERM)
}

func TestAFirstStartThatDiedBeforeItsEndIsMadeUpFor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for range 3 { // as often as it dies between the key and the receiver
		p := begin(t, command(t, data), data)
		addon := p.addon("demo-receiver.token")
		require.Len(t, addon.get("/api-engine/webhook-signing-keys").items("items"), 1)
		receivers := addon.get("/api-engine/webhooks").items("items")
		require.Len(t, receivers, 1)
		addon.delete("/api-engine/webhooks/" + receivers[0]["id"].(string))
		p.stop(syscall.SIGTERM)
		require.NoError(t, os.Remove(filepath.Join(data, "run.json")))
	}
}
