package inflight

import (
	"strconv"
	"sync"
	"sync/atomic"

	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// takers names those of a process who take deliveries: its name, a point, and a number.
type takers struct {
	name string // no other process ever has it
	made atomic.Uint64
}

// NewTaker is the process's name, and a number that this process has not used.
func (t *takers) NewTaker() string { return t.name + "." + strconv.FormatUint(t.made.Add(1), 36) }

// underWay are the deliveries that this process is at. Leases end by the clock, and a clock may jump, by a correction
// or because the machine slept, while an attempt is in flight and the sweeper or a doubled message rings for it: here
// it is not begun beside itself all the same. Between processes the lease is all there is: there, one more attempt
// under the same id and number is possible after such a jump, and after the death of a process, and nothing else
// makes one.
type underWay struct {
	mu sync.Mutex
	at map[store.Key]struct{}
}

// begin is false when this process is at the delivery already.
func (u *underWay) begin(b webhook.Bell) bool {
	key := webhook.RowKey(b.Access, b.ID)
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, there := u.at[key]; there {
		return false
	}
	if u.at == nil {
		u.at = map[store.Key]struct{}{}
	}
	u.at[key] = struct{}{}
	return true
}

// End is Process.End.
func (u *underWay) End(b webhook.Bell) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.at, webhook.RowKey(b.Access, b.ID))
}
