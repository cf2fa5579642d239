package egress

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// slotsPerHost is how many calls of this process may be under way at one host, whoever makes them. As many connections
// may stay idle, so that a host with many receivers keeps theirs. An environment of Lambda has fewer calls under way
// than that: it matters in the one process.
const slotsPerHost = 256

// WaitForSlot waits for a slot at the address's host, which is the right to one Post there. When ctx ends before, it
// returns ctx's error: nothing was sent, and the wait is no fault of the receiver. waited says whether the slot was
// not free at once. A caller that got the slot calls leave after the Post.
//
// A slot that becomes free goes to the tenant with the fewest slots there. Among equals the longest waiting is the
// next. So a tenant with 200 calls that hang does not keep another one from the host: the next free slot is the
// other's.
func (c *Client) WaitForSlot(ctx context.Context, address, tenant string) (leave func(), waited bool, err error) {
	host := hostOf(address)
	turn := c.slots.enter(host, tenant)
	if turn != nil {
		select {
		case <-turn:
		case <-ctx.Done():
			// If the turn has come in the same moment, the slot is the caller's, who finds out at the Post that ctx
			// has ended.
			if c.slots.withdraw(host, turn) {
				return nil, true, ctx.Err()
			}
		}
	}
	return func() { c.slots.leave(host, tenant) }, turn != nil, nil
}

// hostOf names what an address shares its connections with: everything of its scheme, host and port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "" // Post refuses it
	}
	host := u.Host
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	}
	return strings.ToLower(u.Scheme + "://" + host)
}

// slots are those of all hosts at which calls are under way.
type slots struct {
	mu sync.Mutex
	at map[string]*hostSlots
}

// hostSlots are those of one host. Somebody waits only while all are taken.
type hostSlots struct {
	taken   int
	of      map[string]int // by tenant, those that have any
	waiting []waiter       // the longest first
}

// waiter is a call that waits for its slot; turn is closed when it has one.
type waiter struct {
	tenant string
	turn   chan struct{}
}

// enter takes a free slot for the tenant, or lets it wait for the turn that is returned.
func (p *slots) enter(host, tenant string) (turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	slots := p.at[host]
	if slots == nil {
		slots = &hostSlots{of: map[string]int{}}
		if p.at == nil {
			p.at = map[string]*hostSlots{}
		}
		p.at[host] = slots
	}
	if slots.taken < slotsPerHost {
		slots.taken++
		slots.of[tenant]++
		return nil
	}
	turn = make(chan struct{})
	slots.waiting = append(slots.waiting, waiter{tenant, turn})
	return turn
}

// withdraw stops waiting; false when the turn has come.
func (p *slots) withdraw(host string, turn chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.at[host]
	n := -1
	if h != nil {
		n = slices.IndexFunc(h.waiting, func(w waiter) bool { return w.turn == turn })
	}
	if n < 0 {
		return false
	}
	h.waiting = slices.Delete(h.waiting, n, n+1)
	return true
}

// leave gives the tenant's slot to who comes next.
func (p *slots) leave(host, tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	slots := p.at[host]
	if slots.of[tenant]--; slots.of[tenant] == 0 {
		delete(slots.of, tenant)
	}
	// The host is forgotten with its last call, so that the map does not grow with each host ever called.
	if len(slots.waiting) == 0 {
		if slots.taken--; slots.taken == 0 {
			delete(p.at, host)
		}
		return
	}
	next := 0
	for n, w := range slots.waiting {
		if slots.of[w.tenant] < slots.of[slots.waiting[next].tenant] {
			next = n
		}
	}
	w := slots.waiting[next]
	slots.waiting = slices.Delete(slots.waiting, next, next+1)
	// taken stays as it is: the slot only changes its tenant.
	slots.of[w.tenant]++
	close(w.turn)
}
