package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// A delivery can be sent again under its id: somebody asks for it (AskRedelivery), unless it was cancelled, or a replay
// takes it after it has ended. Its row waits again, so whatever keeps a first delivery safe keeps this one, too.
// Row.Ended is the state to which it returns when the attempt fails or is not made.

// Shown is the delivery's state as its owner sees it: a delivered one stays delivered while it is sent again.
func (r Row) Shown() DeliveryState {
	if r.State == Waiting && r.Ended == Delivered {
		return Delivered
	}
	return r.State
}

// Redeliverable says whether the delivery can have further attempts. A ping or test has one.
func (r Row) Redeliverable() bool { return r.Event != events.Ping && !r.Test }

// Redeliverable says the same as Row.Redeliverable.
func (l Listed) Redeliverable() bool { return events.Name(l.Event) != events.Ping && !l.Test }

// Redeliver asks for one further attempt of an owner's delivery: an access's, or a package's to its systemUrl. by is
// the request's key, "" none. It calls admitted last, before it writes anything: an error of that refuses the request.
func Redeliver(ctx context.Context, u *change.Unit, pipeline Pipeline, owner, id, by string,
	admitted func(context.Context) error) (*Delivery, error) {
	items, err := pipeline.Rows.Get(ctx, RowKey(owner, id))
	if err != nil {
		return nil, err
	}
	if _, there := ShowDelivery(items[0], u.Now()); !there {
		return nil, problem.NotFound()
	}
	row := RowOf(items[0])
	found, err := u.Table.Get(ctx, row.StandingKeys()...)
	if err != nil {
		return nil, err
	}
	now, err := StandingOf(found)
	if err == nil {
		err = now.checkRedeliverable(row)
	}
	if err != nil {
		return nil, err
	}
	if err := admitted(ctx); err != nil {
		return nil, err
	}
	after, err := AskRedelivery(ctx, u, pipeline, items[0], by)
	if err != nil {
		return nil, err
	}
	if after == nil {
		return nil, cancelled()
	}
	return whole(ctx, pipeline.Rows, after, u.Now())
}

// checkRedeliverable returns the problem why the delivery cannot be sent again, nil when it can.
func (s Standing) checkRedeliverable(d Row) error {
	switch why := s.Refuses(d.Event); {
	case !d.Redeliverable():
		return problem.Conflict("not_redeliverable", "A ping or a test is sent once: send another one.")
	case d.State == Cancelled:
		return cancelled()
	case s.Receiver == nil:
		return problem.Conflict("receiver_inactive", "The receiver was deleted.")
	case s.Access == nil || why == PackageInactive:
		return problem.Conflict(PackageInactive, "The package is not active on the shop that the delivery is about.")
	case why == Unsubscribed, why == PermissionGone:
		return problem.Conflict("not_redeliverable", "The receiver's events leave this one out by now, or its "+
			"missingPermissions has what it needs: nothing would be sent.")
	}
	return s.Receiver.CheckSendable()
}

// cancelled is the refusal to send a cancelled delivery again.
func cancelled() error {
	return problem.Conflict("delivery_cancelled", "The delivery was cancelled: its reason says why.")
}

// AskRedelivery asks for one attempt at the delivery now, also past an open breaker, and rings for it. Askings before
// that attempt are one, and so is an asking under the key (by, "" none) of the last one within a day: a request that
// comes twice, or is tried again, means one attempt. It returns the delivery as it is then, and nil when it is
// cancelled or gone by now.
func AskRedelivery(
	ctx context.Context, u *change.Unit, pipeline Pipeline, i *store.Item, by string,
) (*store.Item, error) {
	return record.Retry(ctx, func() (*store.Item, error) {
		if i == nil || i.Text[stateText] == string(Cancelled) {
			return nil, nil
		}
		row := RowOf(i)
		if row.wasAskedBy(by, u.Now()) {
			return i, nil
		}
		again := row.again(u.Now())
		again.Asked = true
		if by != "" {
			again.AskedBy = askMark(by, u.Now())
		}
		after, err := pipeline.replace(ctx, row, again, u.Now())
		if f, refused := store.Failed(err, i.Key); refused {
			i = f.Item // the next try asks for the delivery as it is now
		}
		if err != nil {
			return nil, err
		}
		if err := pipeline.RingAll(ctx, []*store.Item{&after}, u.Now()); err != nil {
			pipeline.Log.Warn("the sweeper will ring for a redelivery", "webhook", i.SK, "error", err)
		}
		return &after, nil
	})
}

// askMark is what a row keeps of the key under which it was asked for: when, in unix milliseconds, and the beginning of
// the key's SHA-256. The API keeps the answer under a key, but after the row is written: the mark is for a request that
// is tried again because its process died between the two.
func askMark(key string, now time.Time) string {
	h := sha256.Sum256([]byte(key))
	return strconv.FormatInt(now.UnixMilli(), 10) + ":" + hex.EncodeToString(h[:12])
}

// wasAskedBy says whether the row was last asked for under this key, within the key's life.
func (r Row) wasAskedBy(key string, now time.Time) bool {
	at, _, _ := strings.Cut(r.AskedBy[strings.LastIndexByte(r.AskedBy, ' ')+1:], ":") // the release before keeps many
	ms, err := strconv.ParseInt(at, 10, 64)
	asked := time.UnixMilli(ms)
	return key != "" && err == nil && now.Sub(asked) < change.KeyLife &&
		strings.HasSuffix(r.AskedBy, askMark(key, asked))
}
