package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// among is how many receivers a change goes to where it is several.
const among = 10

// webhooks measures the pipeline beside the plain loop of signed POSTs, in this order:
//
//   - changes published and delivered to one receiver,
//   - a backlog drained,
//   - the least that a change costs,
//   - how long a change takes to arrive,
//   - the same with ten receivers, and with two sick ones among the ten.
func (b *bench) webhooks() error {
	in, err := listen()
	if err != nil {
		return err
	}
	if err := b.plain(in); err != nil {
		return err
	}
	if err := send(b.partner("POST", "/api-engine/webhook-signing-keys", nil)); err != nil {
		b.tell(line{Name: "signed with the key that is there", Wrong: err.Error()})
	}
	if _, err := b.subscribe(in, "productChange", "productCreate"); err != nil { // the imports are told, too
		return err
	}
	b.publish(in)
	if err := b.drain(in); err != nil {
		return err
	}
	if err := b.leastChange(); err != nil {
		return err
	}
	if err := b.arrival("change to arrival at 100/s", 100, b.longer(), in); err != nil {
		return err
	}
	return b.ten(in)
}

// plain prints the limit: a loop that does nothing but sign and POST.
func (b *bench) plain(in *receiver) error {
	p, err := loop(in.url, 16, b.span)
	if err != nil {
		return err
	}
	b.print("limit: plain loop of signed POSTs", 16, p.result, p.CPU)
	b.tells("… of it", append([]Figure{figure(p.perSecond(), "per s", 0), per10k(p.CPU, int64(p.Requests), "")},
		memoryOf(p.PSS, p.Anon)...)...)
	return nil
}

// subscribe registers the receiver and waits until it is enabled.
func (b *bench) subscribe(in *receiver, events ...string) (id string, err error) {
	var made, now struct{ ID, State string }
	if err := b.make("/api-engine/webhooks", map[string]any{"url": in.url, "events": events}, &made); err != nil {
		return "", err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if err := b.get("/api-engine/webhooks/"+made.ID, &now); err != nil || now.State == "enabled" {
			return made.ID, err
		}
	}
	return "", fmt.Errorf("the receiver did not become enabled")
}

// quantity is a product's next one: each time another, since what changes nothing is told to nobody.
var quantity atomic.Int64

// change is the n-th stock change, of a product each time another until all had one.
func (b *bench) change(n int) *http.Request {
	return b.partner("PATCH", "/api-engine/products/"+b.product(n),
		fmt.Appendf(nil, `{"stock":{"quantity":%d}}`, 1_000_000+quantity.Add(1)))
}

// product is the nth product, in turn.
func (b *bench) product(n int) string { return b.productIDs[n%len(b.productIDs)] }

// publish measures changes made over the API, until the last of them has arrived at all receivers. It prints a row of
// the changes and a row of the deliveries.
func (b *bench) publish(ins ...*receiver) {
	before, opened := int64(0), connections(ins)
	for _, in := range ins {
		before += in.count.Load()
	}
	b.p.most()
	cpu, began := b.p.cpu(), time.Now()
	r := load(16, 2*b.span, 0, b.change)
	want := int64(r.Requests * len(ins))
	came := reach(before+want, 30*time.Second, ins) - before
	took := time.Since(began)
	b.print(fmt.Sprintf("changes over the API, subscribed: %d", len(ins)), 16, r, b.p.cpu()-cpu)
	b.deliveries("… and delivered, signed, until the last", came, took, b.p.cpu()-cpu, want, connections(ins)-opened)
}

// connections are how many the receivers were called with so far.
func connections(ins []*receiver) (n int64) {
	for _, in := range ins {
		n += in.opened.Load()
	}
	return n
}

// deliveries prints how fast they went, with how many new connections, and what they took of the processor and of
// memory.
func (b *bench) deliveries(name string, n int64, took, cpu time.Duration, want, opened int64) {
	l := line{Name: name, Figures: append([]Figure{figure(float64(n)/took.Seconds(), "per s", 0), per10k(cpu, n, ""),
		figure(float64(opened), "connections", 0)}, memoryOf(b.p.most())...)}
	if n != want {
		l.Wrong = fmt.Sprintf("%d of %d CAME", n, want)
	}
	b.tell(l)
}

// drain lets deliveries pile up behind a receiver that keeps its answers back, and then measures how fast they are
// delivered.
func (b *bench) drain(in *receiver) error {
	in.hang()
	before := in.count.Load()
	r := load(32, time.Hour, b.waiting, b.change)
	if r.Failed > 0 {
		return fmt.Errorf("piling up: %s", r.First)
	}
	b.p.most()
	cpu, began, opened := b.p.cpu(), time.Now(), in.opened.Load()
	in.release()
	came := reach(before+int64(b.waiting), 60*time.Second, []*receiver{in}) - before
	b.deliveries(fmt.Sprintf("%d waiting deliveries drained", b.waiting), came, time.Since(began), b.p.cpu()-cpu,
		int64(b.waiting), in.opened.Load()-opened)
	return nil
}

// ten measures with ten receivers. How long a change takes to arrive is measured at eight of them: while all are well,
// and while one of the other two is dead and the last one hangs.
func (b *bench) ten(first *receiver) error {
	ins := []*receiver{first}
	for len(ins) < among {
		in, err := listen()
		if err != nil {
			return err
		}
		if _, err := b.subscribe(in, "productChange"); err != nil {
			return err
		}
		ins = append(ins, in)
	}
	b.publish(ins...)
	well := ins[:among-2]
	for _, rate := range []int{40, 100} {
		if err := b.arrival(fmt.Sprintf("at %d/s to 10 receivers, all well", rate), rate, 2*b.span,
			well...); err != nil {
			return err
		}
	}
	ins[among-2].die()
	ins[among-1].hang()
	for _, rate := range []int{40, 100} {
		if err := b.arrival(fmt.Sprintf("at %d/s, one of the 10 dead and one hanging", rate), rate, 4*b.span,
			well...); err != nil {
			return err
		}
	}
	ins[among-1].release()
	return nil
}

// arrival publishes rate changes a second, each when it is due, whatever became of those before. It measures from each
// request to its arrival at the receivers.
func (b *bench) arrival(name string, rate int, span time.Duration, ins ...*receiver) error {
	cpu := b.p.cpu()
	err := paced(rate, span, func(n int) error {
		for _, in := range ins {
			in.published(b.product(n))
		}
		return send(b.change(n))
	})
	if err != nil {
		return err
	}
	p50, p99, n, missing := arrived(ins, 30*time.Second)
	l := line{Name: name, Figures: []Figure{figure(ms(p50), "ms p50", 1), figure(ms(p99), "ms p99", 1),
		figure(float64(n), "came", 0), per10k(b.p.cpu()-cpu, int64(span.Seconds()*float64(rate)), " changes")}}
	if missing > 0 {
		l.Wrong = fmt.Sprint(missing, " DID NOT COME")
	}
	b.tell(l)
	return nil
}

// paced begins so many a second, each when it is due whatever became of those before. It makes all of them, and returns
// the first error.
func paced(rate int, span time.Duration, do func(n int) error) (first error) {
	var under sync.WaitGroup
	var once sync.Once
	began := time.Now()
	for n := range int(span.Seconds() * float64(rate)) {
		time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / time.Duration(rate))))
		under.Go(func() {
			if err := do(n); err != nil {
				once.Do(func() { first = err })
			}
		})
	}
	under.Wait()
	return first
}

// arrived waits until all changes have come, for the given time at most. It returns how long they took, how many came
// and how many did not.
func arrived(ins []*receiver, within time.Duration) (p50, p99 time.Duration, n, missing int) {
	var all []time.Duration
	end := time.Now().Add(within)
	for _, in := range ins {
		for in.awaited() > 0 && time.Now().Before(end) {
			time.Sleep(time.Millisecond)
		}
		came, left := in.arrivals()
		all, missing = append(all, came...), missing+left
	}
	p50, p99 = percentiles(all)
	return p50, p99, len(all), missing
}

// percentiles are the median and the 99th percentile.
func percentiles(all []time.Duration) (p50, p99 time.Duration) {
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)*99/100]
}
