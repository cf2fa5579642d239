package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// tenant is a shop's add-on that makes changes and reads at a steady rate, and hears of its changes.
type tenant struct {
	*shop
	rate                  float64    // changes a second, with as many reads
	moments               *rand.Rand // when: the same in each run
	changes, reads, polls times      // until the answers are back
	mu                    sync.Mutex
	asked                 map[string]time.Time   // when a change's request arrived, by the customer's id
	came                  []map[string]time.Time // when its webhook did, at each receiver
	made                  int
}

// tenant is one with receivers at these distances, who has worked for a while.
func (s *Sim) tenant(rate float64, receivers ...time.Duration) *tenant {
	b := &tenant{shop: s.newShop("customers:read", "customers:write"), rate: rate,
		moments: rand.New(rand.NewPCG(3, 4)), asked: map[string]time.Time{}}
	for _, way := range receivers {
		b.hears(way)
	}
	b.works(3*time.Second, nil)
	b.settles()
	b.changes, b.reads, b.polls = times{of: "changes"}, times{of: "reads"}, times{of: "reads of the change feed"}
	b.mu.Lock()
	clear(b.asked)
	b.mu.Unlock()
	return b
}

var told = regexp.MustCompile(`"([0-9A-Z]{26})"`)

// toldOf are the ids in a webhook of several records.
func toldOf(body []byte, list string) (ids []string) {
	_, data, _ := strings.Cut(string(body), `"`+list+`":[`)
	for _, m := range told.FindAllStringSubmatch(data, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// hears is a receiver of the tenant's, so far away, that answers 200 and notes what came when.
func (b *tenant) hears(way time.Duration) {
	came := map[string]time.Time{}
	b.came = append(b.came, came)
	b.partner.registers(b.sim.receives(far(way, func(_ http.Header, body []byte) int {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, id := range toldOf(body, "customerIds") {
			came[id] = time.Now()
		}
		return 200
	})))
}

// serves wants a new shop's changes to be answered and heard of.
func (s *Sim) serves() {
	b := s.tenant(20, way)
	b.works(5*time.Second, nil)
	b.settles()
	require.Less(s.T, b.heard(0).p(100), 2*time.Second)
}

// settles waits for what is on its way.
func (b *tenant) settles() { time.Sleep(10 * time.Second) }

// heard are the times from a change's request to its webhook's arrival at the receiver, one of each change.
func (b *tenant) heard(receiver int) *times {
	t := &times{of: fmt.Sprint("webhooks to receiver ", receiver)}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, asked := range b.asked {
		if at, has := b.came[receiver][id]; has {
			t.add(at.Sub(asked))
		}
	}
	require.Equal(b.sim.T, len(b.asked), len(t.all), "each change has come")
	return t
}

// times are all that is measured of a tenant.
func (b *tenant) times() []*times {
	return []*times{b.heard(0), &b.changes, &b.reads, &b.polls}
}

// works for so long, and no longer than until over is closed.
func (b *tenant) works(length time.Duration, over <-chan struct{}) {
	var work sync.WaitGroup
	defer work.Wait()
	for end := time.After(length); ; {
		select {
		case <-end:
			return
		case <-over:
			return
		case <-time.After(time.Duration(b.moments.ExpFloat64() / b.rate * float64(time.Second))):
			b.made++
			n := b.made
			work.Go(func() { b.once(n) })
		}
	}
}

// once makes a customer and reads it, now and then what changed of late, too.
func (b *tenant) once(n int) {
	began := time.Now()
	id := b.timed(&b.changes, "POST", customersPath, jana(n)).text("id")
	b.mu.Lock()
	b.asked[id] = began
	b.mu.Unlock()
	b.timed(&b.reads, "GET", customersPath+"/"+id, nil)
	if n%5 == 0 {
		late := time.Now().UTC().Add(-10 * time.Second).Format(time.RFC3339)
		b.timed(&b.polls, "GET", "/api-engine/changes?itemsPerPage=10&from="+late, nil)
	}
}

// jana is a new customer.
func jana(n int) fields {
	return fields{"email": fmt.Sprintf("jana%d@example.com", n), "firstName": "Jana", "lastName": "Nováková"}
}

// timed is the answer, and takes its time down as the tenant sees it, who is some way off.
func (b *tenant) timed(t *times, method, path string, body any) answer {
	began := time.Now()
	answer := b.partner.must(method, path, body)
	t.add(time.Since(began) + 2*way)
	return answer
}

// times are how long something took, each time.
type times struct {
	of  string
	mu  sync.Mutex
	all []time.Duration
}

func (t *times) add(d time.Duration) { t.mu.Lock(); defer t.mu.Unlock(); t.all = append(t.all, d) }

// p is the time that so many percent took at most.
func (t *times) p(percent int) time.Duration {
	slices.Sort(t.all)
	return t.all[(len(t.all)*percent+99)/100-1]
}

// String is what a test logs of the times.
func (t *times) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, longest %s of %d", t.p(50), t.p(99), t.p(100), len(t.all))
}
