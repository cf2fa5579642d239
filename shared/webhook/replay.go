package webhook

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// Replay is which deliveries of a receiver go out again.
type Replay struct {
	From      field.Time  `json:"from" doc:"Created at or after this moment"`
	To        *field.Time `json:"to,omitempty" doc:"Created at or before this moment; now when not given"`
	States    []string    `json:"states,omitempty" enum:"delivered,exhausted" doc:"In these states; both when not given"`
	PerSecond int         `json:"perSecond,omitempty" minimum:"1" maximum:"100" doc:"How many go out each second, at most; 10 when not given"`
}

// defaultPerSecond is the rate of a replay that asks for none.
const defaultPerSecond = 10

// complete is the replay with the defaults of what it does not say.
func (r Replay) complete(now time.Time) (events.Replay, error) {
	var faults problem.Faults
	refuseTwice(&faults, "states", r.States)
	to := field.At(now)
	if r.To != nil {
		to = *r.To
	}
	if to < r.From && len(faults) == 0 {
		faults.Add("to", problem.Conflicting, "must not be before from")
	}
	if len(r.States) == 0 {
		r.States = []string{"delivered", "exhausted"}
	}
	if r.PerSecond == 0 {
		r.PerSecond = defaultPerSecond
	}
	return events.Replay{From: int64(r.From), To: int64(to), States: r.States, PerSecond: r.PerSecond}, faults.Err()
}

// ReplayRun is a replay under way, as it is stored.
type ReplayRun struct {
	ID       string `json:"-"` // of the request that asked for it
	Receiver string `json:"-"`
	Shop     string `json:"shopId"`
	Access   string `json:"accessId"`
	Package  string `json:"packageId"`
	events.Replay
	Tick  int64  `json:"-"` // the next one's number
	After string `json:"-"` // the last delivery that was looked at
}

// The attributes of a replay's item.
const (
	TickNum   = "tick"
	AfterText = "after"
	replays   = "REPLAY#" // begins their partitions
	ticking   = "replay"  // begins their messages
)

// ReplayKey is the item of a replay of a receiver.
func ReplayKey(receiver, request string) store.Key {
	return store.Key{PK: replays + receiver, SK: request}
}

// BeginReplay begins the replay that the notice of a change asks for, and rings for its first tick. Begun already, it
// is not begun again.
func BeginReplay(ctx context.Context, u *change.Unit, p Pipeline, c events.Change, n events.Notice) error {
	r := ReplayRun{ID: c.Request, Receiver: n.Receiver, Shop: c.Shop, Access: n.Access, Package: n.Package,
		Replay: *n.Replay}
	doc, err := json.Marshal(r)
	if err != nil {
		return err
	}
	item := store.Item{Key: ReplayKey(r.Receiver, r.ID), Doc: doc,
		Num:    map[string]int64{TickNum: 0, DueNum: u.Now().UnixMilli()},
		Index1: DuePlace(r.ID, u.Now().Add(Grace)), Expires: u.Now().Add(Kept).Unix()}
	_, err = p.Rows.Write(ctx, events.Nothing, store.Put(item, store.Absent()))
	if err != nil && !store.IsCondition(err) {
		return err
	}
	return p.Retry.Send(ctx, r.Message(0))
}

// ReplayRunOf reads the item of a replay.
func ReplayRunOf(i *store.Item) (r ReplayRun, err error) {
	err = json.Unmarshal(i.Doc, &r)
	r.ID, r.Receiver = i.SK, strings.TrimPrefix(i.PK, replays)
	r.Tick, r.After = i.Num[TickNum], i.Text[AfterText]
	return r, err
}

func isReplay(i *store.Item) bool { return strings.HasPrefix(i.PK, replays) }

// Message is the bell of the replay's next tick.
func (r ReplayRun) Message(delay time.Duration) queue.Message {
	delay = max(delay, 0)
	body := strings.Join([]string{ticking, r.Receiver, r.ID, strconv.FormatInt(r.Tick, 10)}, " ")
	return queue.Message{Body: body, Group: r.Receiver, Delay: delay}
}

// TickOf reads the body that Message wrote.
func TickOf(body string) (at store.Key, tick int64, ok bool) {
	f := strings.Split(body, " ")
	if len(f) != 4 || f[0] != ticking {
		return at, 0, false
	}
	tick, err := strconv.ParseInt(f[3], 10, 64)
	return ReplayKey(f[1], f[2]), tick, err == nil
}

// ReplayOver is the tick of a replay that has ended.
const ReplayOver = -1
