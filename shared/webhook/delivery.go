package webhook

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// Listed is a delivery as lists show it.
type Listed struct {
	ID          string          `json:"id" doc:"The webhook id"`
	Receiver    string          `json:"receiverId"`
	Event       field.SentEvent `json:"event"`
	State       DeliveryState   `json:"state" enum:"waiting,parked,delivered,exhausted,cancelled"`
	Reason      string          `json:"reason,omitempty" enum:"receiver_deleted,receiver_inactive,unsubscribed,permission_gone,package_inactive,no_system_url" doc:"Why the delivery was cancelled; absent of any other"`
	Created     field.Time      `json:"created"`
	NextAttempt field.Time      `json:"nextAttemptAt,omitempty" doc:"When the next attempt begins, at the earliest"`
	Test        bool            `json:"test,omitempty" doc:"Whether it is a test: true, or absent"`

	// What people see of its attempts in a list.
	Made   int             `json:"-"` // how many there were
	Failed bool            `json:"-"` // one of them failed
	Last   DeliveryAttempt `json:"-"` // the latest; its Number is 0 if there was none
}

// Delivery is a delivery as it is read by its id.
type Delivery struct {
	Listed
	Attempts []DeliveryAttempt `json:"attempts" doc:"The attempts so far, the latest hundred, with the first 2 KiB of each answer"`
	Body     json.RawMessage   `json:"body,omitempty" doc:"The body as it is sent, a Webhook; only the installCode of a packageActivate is left out"`
}

// ShowDelivery returns the delivery of an item as lists show it; false when it is shown no more, after thirty days.
func ShowDelivery(i *store.Item, now time.Time) (Listed, bool) {
	if i == nil || i.Expired(now.Unix()) {
		return Listed{}, false
	}
	r := RowOf(i)
	attempts, _ := r.attempts() // what cannot be read is not counted; ReadDelivery tells of it
	d := Listed{ID: r.ID, Receiver: r.Receiver, Event: field.SentEvent(r.Event), State: r.Shown(), Reason: r.Reason,
		Created: field.At(id.Time(r.ID)), Test: r.Test, Made: r.Made,
		Failed: slices.ContainsFunc(attempts, func(a DeliveryAttempt) bool { return a.Error != "" })}
	if n := len(attempts); n > 0 {
		d.Last = attempts[n-1]
	}
	if r.State == Waiting {
		d.NextAttempt = field.Time(r.Due)
	}
	return d, true
}

// Wanted is the filter of a list of deliveries. A value of "" lets all pass.
type Wanted struct {
	Receiver string          `query:"receiverId" maxLength:"64" doc:"Deliveries to this receiver"`
	Event    field.SentEvent `query:"event" doc:"Deliveries of this event"`
	State    DeliveryState   `query:"state" enum:"waiting,parked,delivered,exhausted,cancelled" doc:"Deliveries in this state"`
	Failed   string          `query:"failed" enum:"true,false" doc:"Deliveries of which an attempt failed (true) or none did (false), whatever became of later ones"`
}

// Matches says whether the delivery passes the filter.
func (w Wanted) Matches(d Listed) bool {
	return (w.Receiver == "" || w.Receiver == d.Receiver) && (w.Event == "" || w.Event == d.Event) &&
		(w.State == "" || w.State == d.State) && (w.Failed == "" || w.Failed == strconv.FormatBool(d.Failed))
}

// ReadDelivery reads an owner's delivery with its attempts; the error is the problem not_found when there is none.
func ReadDelivery(ctx context.Context, rows store.Table, owner, id string, now time.Time) (*Delivery, error) {
	items, err := rows.Get(ctx, RowKey(owner, id))
	if err != nil {
		return nil, err
	}
	return whole(ctx, rows, items[0], now)
}

// whole returns the delivery of an item with its attempts and its body. i is nil when there is none: not_found.
func whole(ctx context.Context, rows store.Table, i *store.Item, now time.Time) (*Delivery, error) {
	listed, there := ShowDelivery(i, now)
	if !there {
		return nil, problem.NotFound()
	}
	attempts, err := AttemptsOf(i)
	if err != nil {
		return nil, err
	}
	body, err := ReadBody(ctx, rows, RowOf(i))
	return &Delivery{listed, attempts, body}, err
}

// DeliveryAttempt is one attempt as its delivery shows it.
type DeliveryAttempt struct {
	Number     int        `json:"number"`
	At         field.Time `json:"at"`
	Status     int        `json:"status,omitempty"`
	DurationMs int64      `json:"durationMs"`
	Error      string     `json:"error,omitempty"`
	Answer     string     `json:"answer,omitempty"` // its first 2 KiB
	Signed     *Signed    `json:"signed,omitempty" doc:"What was signed, where the answer is 401: compare it with what your receiver verified"`
}

// Signed is what the signature of an attempt is over. Whoever verifies other bytes has changed or parsed the body.
type Signed struct {
	Timestamp int64  `json:"timestamp" doc:"The X-Webhook-Timestamp that was signed" example:"1795226712"`
	Bytes     int    `json:"bytes" doc:"The length of the body" example:"46"`
	SHA256    string `json:"sha256" doc:"The SHA-256 of the body's bytes, as hex digits" example:"1f3ce40415a2081fa3eee75fc39fff8e56c22270d1a978a7249b592dcebd20b4"`
}

// MostLogged is how many attempts of a delivery are kept, the latest, so that its item stays small enough.
const MostLogged = 100

// AttemptsOf reads the attempts in a delivery's item, the oldest first.
func AttemptsOf(i *store.Item) ([]DeliveryAttempt, error) { return RowOf(i).attempts() }

// attempts reads the attempts of the row, the oldest first.
func (r Row) attempts() ([]DeliveryAttempt, error) {
	all := []DeliveryAttempt{}
	for _, text := range r.Attempts {
		var a DeliveryAttempt
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}
