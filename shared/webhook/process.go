package webhook

import (
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"eshop/shared/store"
)

// Process is one of those that claim deliveries for attempts. It is safe for concurrent use.
type Process struct {
	name   string
	claims atomic.Uint64
}

// NewProcess is a process under a name that no other one ever has.
func NewProcess(name string) *Process { return &Process{name: name} }

// Lease is how long a claim keeps other processes away from a delivery: as long as the function of whoever has it may
// live, however slow the store is before the attempt and behind it.
const Lease = 25 * time.Second

// ReservedFor is how long before the lease a reservation serves: a longer wait in the queue costs the write after all.
const ReservedFor = 10 * time.Second

// reservedMark tells the claim of a reservation from one that an attempt was begun with.
const reservedMark = ".+"

// Claim is a claim that nobody else makes.
func (p *Process) Claim() string { return p.name + "." + p.number() }

func (p *Process) number() string { return strconv.FormatUint(p.claims.Add(1), 36) }

// Made says whether the claim is one of the process's.
func (p *Process) Made(claim string) bool {
	name, _, _ := strings.Cut(claim, ".")
	return name == p.name
}

// Reserved says whether the claim is a reservation of the process.
func (p *Process) Reserved(claim string) bool { return strings.HasPrefix(claim, p.name+reservedMark) }

// Reserve claims the delivery that is about to be made for its first attempt by this process, for the bell that BellOf
// makes of it, which spares the write of the claim. It does nothing for what does not wait.
func (p *Process) Reserve(row *store.Item, now time.Time) {
	if row.Text[StateText] != string(Waiting) {
		return
	}
	row.Text[ClaimText] = p.name + reservedMark + p.number()
	row.Num[LeaseNum] = now.Add(ReservedFor + Lease).UnixMilli()
}

// reservation is the row's, if it bears one.
func reservation(i *store.Item) string {
	if claim := i.Text[ClaimText]; strings.Contains(claim, reservedMark) {
		return claim
	}
	return ""
}
