package main

import (
	"fmt"
	"net/http"
	"time"
)

// webhooks measures the pipeline: the plain loop, changes published and delivered, a backlog drained, and how long a
// change takes to arrive at 100 a second.
func (b *bench) webhooks() error {
	in, err := listen()
	if err != nil {
		return err
	}
	r := plainLoop(in.url, 16, b.span)
	b.print("limit: plain loop of signed POSTs", 16, r, 0)
	if err := b.subscribe(in); err != nil {
		return err
	}
	b.publish(in)
	if err := b.drain(in); err != nil {
		return err
	}
	return b.arrival(in)
}

func (b *bench) subscribe(in *receiver) error {
	if err := send(b.partner("POST", "/api-engine/webhook-signing-keys", nil)); err != nil {
		fmt.Println("  (signed with the key that is there:", err, ")")
	}
	if err := send(b.partner("POST", "/api-engine/webhooks", fmt.Appendf(nil, `{"url":%q,"events":["productChange"]}`, in.url))); err != nil {
		return err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var list struct{ Items []struct{ State string } }
		if err := b.get("/api-engine/webhooks", &list); err != nil {
			return err
		}
		if len(list.Items) > 0 && list.Items[0].State == "enabled" {
			return nil
		}
	}
	return fmt.Errorf("the receiver did not become enabled")
}

// change is the n-th stock change, of a product each time another until all had one.
func (b *bench) change(n int) *http.Request {
	return b.partner("PATCH", "/api-engine/products/"+b.productIDs[n%len(b.productIDs)], fmt.Appendf(nil, `{"stock":{"quantity":%d}}`, 1_000_000+n))
}

// publish measures changes made over the API until the last of them has arrived.
func (b *bench) publish(in *receiver) {
	cpu, before, began := b.p.cpu(), in.count.Load(), time.Now()
	r := load(16, 2*b.span, 0, b.change)
	came := in.reach(before+int64(r.requests), 30*time.Second) - before
	took := time.Since(began)
	b.print("changes over the API, 1 receiver subscribed", 16, r, b.p.cpu()-cpu)
	b.deliveries("… and delivered, signed, until the last", came, took, b.p.cpu()-cpu, int64(r.requests))
}

func (b *bench) deliveries(name string, n int64, took, cpu time.Duration, want int64) {
	fmt.Printf("%-44s %15.0f per s, %.2f s CPU per 10,000", name, float64(n)/took.Seconds(), cpu.Seconds()/float64(max(1, n))*10_000)
	if n != want {
		fmt.Printf("   %d of %d CAME", n, want)
	}
	fmt.Println()
}

// drain lets deliveries pile up behind a receiver that holds its answers back, then measures how fast they go.
func (b *bench) drain(in *receiver) error {
	in.hang()
	before := in.count.Load()
	r := load(32, time.Hour, b.waiting, func(n int) *http.Request { return b.change(n + 10_000_000) })
	if r.failed > 0 {
		return fmt.Errorf("piling up: %s", r.first)
	}
	cpu, began := b.p.cpu(), time.Now()
	in.release()
	came := in.reach(before+int64(b.waiting), 60*time.Second) - before
	b.deliveries(fmt.Sprintf("%d waiting deliveries drained", b.waiting), came, time.Since(began), b.p.cpu()-cpu, int64(b.waiting))
	return nil
}

// arrival publishes 100 changes a second and measures from the request to the receiver.
func (b *bench) arrival(in *receiver) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := range int(b.span.Seconds() * 100) {
		<-tick.C
		in.published(b.productIDs[n%len(b.productIDs)])
		if err := send(b.change(n + 20_000_000)); err != nil {
			return err
		}
	}
	time.Sleep(500 * time.Millisecond)
	p50, p99, n := in.arrivals()
	fmt.Printf("%-44s %15.1f ms p50, %.1f ms p99 (%d)\n", "change to arrival at 100/s", ms(p50), ms(p99), n)
	return nil
}
