// Package deliveries is the log of an access's webhook deliveries over the API, and the redelivery of one of them
// (contract, section 4, "Webhooks").
package deliveries

import (
	"time"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/shared/api"
	"eshop/shared/id"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// Listed is one call to one receiver as lists show it.
type Listed struct {
	ID          string         `json:"id" doc:"The webhook id"`
	Receiver    string         `json:"receiverId"`
	Event       events.Name    `json:"event"`
	State       delivery.State `json:"state" enum:"waiting,parked,delivered,exhausted,cancelled"`
	Reason      string         `json:"reason,omitempty" doc:"Of a cancelled one: receiver_deleted, receiver_inactive, unsubscribed, permission_gone, package_inactive"`
	Created     api.Time       `json:"created"`
	NextAttempt api.Time       `json:"nextAttemptAt,omitempty" doc:"When the next attempt begins, at the earliest"`
}

// Delivery is one as it is read by its id.
type Delivery struct {
	Listed
	Attempts []delivery.Attempt `json:"attempts" doc:"The latest hundred, with the first 2 KiB of each answer"`
}

// show is the delivery as lists show it.
func show(r delivery.Row) Listed {
	d := Listed{ID: r.ID, Receiver: r.Receiver, Event: r.Event, State: r.Shown(), Reason: r.Reason, Created: api.At(id.Time(r.ID))}
	if r.State == delivery.Waiting {
		d.NextAttempt = api.Time(r.Due)
	}
	return d
}

// whole is the delivery with its attempts.
func whole(i *store.Item) (Delivery, error) {
	attempts, err := delivery.AttemptsOf(i)
	if attempts == nil {
		attempts = []delivery.Attempt{}
	}
	return Delivery{show(delivery.Of(i)), attempts}, err
}

// visible says whether the item is a delivery that is still shown: for thirty days.
func visible(i *store.Item, now time.Time) bool { return i != nil && !i.Expired(now.Unix()) }

// redeliverable is why the delivery cannot go out again, nil when it can. r is its receiver, nil when that was deleted.
func redeliverable(d delivery.Row, r *webhook.Receiver) error {
	switch {
	case !d.Redeliverable():
		return api.Conflict("not_redeliverable", "A ping or a test is sent once: send another one.")
	case d.State == delivery.Cancelled:
		return cancelled()
	case r == nil:
		return api.Conflict("receiver_inactive", "The receiver was deleted.")
	}
	return r.Sendable()
}

func cancelled() error {
	return api.Conflict("delivery_cancelled", "The delivery was cancelled: its reason says why.")
}
