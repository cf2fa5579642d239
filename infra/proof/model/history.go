package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Unknown is the status of an answer that never came, or that says nothing of what was done.
const Unknown = 0

// Known is the status as the model takes it: an error of the server says nothing of what was done.
func Known(status int) int {
	if status >= 500 {
		return Unknown
	}
	return status
}

// Object is one thing that operations are about: its kind says which machine, its id which of them.
type Object struct{ Kind, ID string }

// String is the object's kind and id.
func (o Object) String() string { return o.Kind + " " + o.ID }

// The kinds of objects that have models.
const (
	Record = "record"
	Stock  = "stock"
	Coupon = "coupon"
	Quote  = "quote"
	Claim  = "claim"
)

// models are the models, by the kind of what they are of.
var models = map[string]porcupine.NondeterministicModel{
	Record: recordModel, Stock: stockModel, Coupon: couponModel, Quote: quoteModel,
	Claim: claimModel,
}

// History is what clients did and were answered. It is safe for concurrent use.
type History struct {
	mu     sync.Mutex
	ops    map[Object][]porcupine.Operation
	all    int
	lost   int            // how many of them nobody knows the outcome of
	good   map[string]int // how many writes succeeded, by what they did (deed)
	moment int64
}

// NewHistory is one in which nothing has happened.
func NewHistory() *History {
	return &History{ops: map[Object][]porcupine.Operation{}, good: map[string]int{}}
}

// Now is the moment at which an operation is asked for, or an answer comes: each is another one, and later.
func (h *History) Now() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moment++
	return h.moment
}

// End adds an operation of a client that has begun at that moment, and returns the moment of its end: never, when its
// status is Unknown.
func (h *History) End(client int, of Object, begun int64, in, out any, status int) (end int64) {
	end = h.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all++
	if status != Unknown && status < 300 {
		h.good[deed(of, in)]++
	}
	if status == Unknown {
		if reads(in) { // says nothing of anything
			return end
		}
		end = math.MaxInt64
		h.lost++
	}
	h.ops[of] = append(h.ops[of],
		porcupine.Operation{ClientId: client, Input: in, Call: begun, Output: out, Return: end})
	return end
}

// deeds are what a history has to have.
var deeds = []string{"claim", "coupon", "quote", "record change", "record create", "record delete", "stock set",
	"stock taken"}

// deed is what is asked of an object: its kind, and of records and stock what becomes of it.
func deed(of Object, in any) string {
	switch in := in.(type) {
	case RecordAsk:
		return of.Kind + " " + string(in.Do)
	case StockAsk:
		switch {
		case in.Sets:
			return of.Kind + " set"
		case in.By < 0:
			return of.Kind + " taken"
		}
		return of.Kind + " added or read"
	case CouponAsk:
		if in.Read {
			return of.Kind + " read"
		}
	}
	return of.Kind
}

// reads says whether what is asked changes nothing.
func reads(in any) bool {
	switch in := in.(type) {
	case RecordAsk:
		return in.Do == Read
	case StockAsk:
		return in.Read
	case CouponAsk:
		return in.Read
	}
	return false
}

// Operations is how many there are.
func (h *History) Operations() int { h.mu.Lock(); defer h.mu.Unlock(); return h.all }

// Excused adds the operations whose answers never came: each may have been done, or not.
func (h *History) Excused(e *Excused) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.add(requests, "whose outcome nobody knows", h.lost)
}

// patience is how long the search for an order may take for one object, in real time: simulated time stands still
// meanwhile. A machine that is busy with twenty other things has the ten seconds that a hard search takes within it.
const patience = 3 * time.Minute

// Lacks are the deeds of which none has succeeded: a history without them says nothing of them.
func (h *History) Lacks() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(deeds), func(d string) bool { return h.good[d] > 0 })
}

// Check returns an error for the first object whose operations have no possible order, with all of them.
func (h *History) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	objects := make([]Object, 0, len(h.ops))
	for o := range h.ops {
		objects = append(objects, o)
	}
	slices.SortFunc(objects, func(a, b Object) int { return strings.Compare(a.String(), b.String()) })
	for _, o := range objects {
		machine := models[o.Kind]
		switch porcupine.CheckOperationsTimeout(machine.ToModel(), h.ops[o], patience) {
		case porcupine.Illegal:
			return fmt.Errorf("no order of these operations on the %s is possible:\n%s", o, listing(h.ops[o]))
		case porcupine.Unknown:
			return fmt.Errorf("%d operations on the %s: no order was found within %s", len(h.ops[o]), o, patience)
		}
	}
	return nil
}

// listing is the operations in the order in which they were asked for.
func listing(ops []porcupine.Operation) string {
	ops = slices.Clone(ops)
	slices.SortFunc(ops, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var b strings.Builder
	for _, o := range ops {
		end := fmt.Sprint(o.Return)
		if o.Return == math.MaxInt64 {
			end = "never"
		}
		fmt.Fprintf(&b, "  %d to %s, client %d: %+v -> %+v\n", o.Call, end, o.ClientId, o.Input, o.Output)
	}
	return b.String()
}
