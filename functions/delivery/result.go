package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"eshop/events"
	"eshop/functions/webhooks"
	"eshop/shared/api"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// Attempt is one attempt as the log of deliveries shows it.
type Attempt struct {
	Number     int      `json:"number"`
	At         api.Time `json:"at"`
	Status     int      `json:"status,omitempty"`
	DurationMs int64    `json:"durationMs"`
	Error      string   `json:"error,omitempty"`
	Answer     string   `json:"answer,omitempty"` // its first 2 KiB
}

// AttemptsOf reads the attempts of a delivery's item, the first first.
func AttemptsOf(i *store.Item) ([]Attempt, error) {
	all := []Attempt{}
	for n := 1; i.Text[attemptText(n)] != ""; n++ {
		var a Attempt
		if err := json.Unmarshal([]byte(i.Text[attemptText(n)]), &a); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// noted is how old the last success noted of a receiver may be: so seldom does a healthy one's traffic write its health.
const noted = time.Minute

// note writes down the receiver's health, and of a ping whether it proved the address.
func (c *courier) note(ctx context.Context, r Row, did outcome) error {
	if !did.sent() {
		return nil
	}
	ping, end := r.Event == events.Ping, api.At(did.end)
	var op store.Op
	switch {
	case ping && did.failure != "":
		op = webhooks.PingFailed(r.Receiver, did.failure)
	case ping:
		if err := webhooks.Verified(ctx, c.Platform, *did.receiver); err != nil {
			return err
		}
		op = webhooks.PingSucceeded(r.Receiver, end)
	case did.failure != "":
		op = webhooks.Failed(r.Receiver, did.failure)
	case did.health.Failures > 0 || did.end.Sub(did.health.LastSuccess.Go()) >= noted:
		op = webhooks.Succeeded(r.Receiver, end)
	default:
		return nil
	}
	c.known.forget(r)
	_, err := c.Main.Write(ctx, events.Nothing, op)
	if err != nil && !store.IsCondition(err) { // refused: the receiver was deleted meanwhile
		c.Log.Warn("a receiver's health was not noted", "receiver", r.Receiver, "error", err)
	}
	return nil
}

// conclude writes the outcome into the row, and rings for the next attempt.
func (c *courier) conclude(ctx context.Context, b Bell, r Row, claim string, did outcome) error {
	set, wait := c.result(r, did)
	set.Drop = append(set.Drop, claimText, leaseNum, rungNum)
	err := c.insist(ctx, store.Update(Key(r.Access, r.ID), set, store.TextIs(claimText, claim)))
	if store.IsCondition(err) {
		return nil // the lease had ended and somebody else goes on with it
	}
	if err == nil && wait > 0 && wait <= queue.MaxDelay {
		b.Retry = true
		if err := c.ring(ctx, b, wait); err != nil {
			c.Log.Warn("the sweeper will ring for a retry", "webhook", r.ID, "error", err)
		}
	}
	return err
}

// result is what the outcome makes of the row, and how long until the next attempt; 0: none.
func (c *courier) result(r Row, did outcome) (set store.Set, wait time.Duration) {
	switch {
	case did.cancelled != "":
		set = ended(r, Cancelled)
		set.Text[reasonText] = did.cancelled
		return set, 0
	case did.held:
		now := c.Now()
		return waiting(r, now.Add(holding(r, now)), now)
	}
	made := r.Made + 1
	due, more := next(r.ID, made, did.end, asked(did.answer))
	switch {
	case did.failure == "":
		set = store.Set{Text: map[string]string{stateText: string(Delivered)}, Index1: &store.Key{}}
	case more && r.Event != events.Ping:
		set, wait = waiting(r, due, did.end)
	default:
		set = ended(r, Exhausted)
	}
	set.Text[attemptText(made)] = logged(made, did)
	if set.Num == nil {
		set.Num = map[string]int64{}
	}
	set.Num[madeNum] = int64(made)
	return set, wait
}

// ended is the row among its receiver's that ended so.
func ended(r Row, s State) store.Set {
	return store.Set{Text: map[string]string{stateText: string(s)}, Index1: &store.Key{},
		Index2: &store.Key{PK: EndedAs(r.Receiver, s), SK: r.ID}}
}

// waiting is the row with its next attempt: soon by a message, for which the sweeper lets the queue its time, later by the
// sweeper alone.
func waiting(r Row, due, now time.Time) (store.Set, time.Duration) {
	wait, ring := due.Sub(now), due
	if wait <= queue.MaxDelay {
		ring = due.Add(Grace)
	}
	place := duePlace(r.ID, ring)
	return store.Set{Text: map[string]string{}, Num: map[string]int64{dueNum: due.UnixMilli()}, Index1: &place}, max(wait, time.Millisecond)
}

// holding is how long a delivery waits for its receiver before that is looked at again: the longer it has waited, the longer.
func holding(r Row, now time.Time) time.Duration {
	return min(max(now.Sub(created(r))/4, 5*time.Second), queue.MaxDelay)
}

func logged(number int, did outcome) string {
	a := Attempt{Number: number, At: api.At(did.at), Status: did.answer.Status, DurationMs: did.answer.Duration.Milliseconds(),
		Error: did.failure, Answer: did.answer.Excerpt()}
	b, err := json.Marshal(a)
	if err != nil {
		panic("delivery: an attempt always encodes: " + err.Error())
	}
	return string(b)
}

// release gives a claim back without an attempt, and says whether it did.
func (c *courier) release(ctx context.Context, b Bell, claim string) bool {
	err := c.insist(ctx, store.Update(Key(b.Access, b.ID), store.Set{Drop: []string{claimText, leaseNum}}, store.TextIs(claimText, claim)))
	return err == nil || store.IsCondition(err)
}

// insist writes until the store serves, as long as the lease has room for it, whether or not the host stops meanwhile.
func (c *courier) insist(ctx context.Context, op store.Op) error {
	const within, pause = 8 * time.Second, 50 * time.Millisecond
	ctx = context.WithoutCancel(ctx)
	for began := time.Now(); ; time.Sleep(pause) {
		_, err := c.Pipeline.Write(ctx, events.Nothing, op)
		if !errors.Is(err, store.ErrUnavailable) || time.Since(began) > within {
			return err
		}
	}
}
