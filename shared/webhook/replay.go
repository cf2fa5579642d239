package webhook

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
)

// Replay says which deliveries of a receiver are to be sent again, and how fast.
type Replay struct {
	From      field.Time  `json:"from" doc:"The moment from which on deliveries were created that are sent again"`
	To        *field.Time `json:"to,omitempty" doc:"The moment up to which deliveries were created that are sent again; now when not given"`
	States    []string    `json:"states,omitempty" enum:"delivered,exhausted" doc:"The states of the deliveries that are sent again; both when not given"`
	PerSecond int         `json:"perSecond,omitempty" minimum:"1" maximum:"100" doc:"How many go out each second, at most; 10 when not given"`
}

// defaultPerSecond is the rate of a replay that asks for none.
const defaultPerSecond = 10

// complete fills in the defaults of what the replay does not say.
func (r Replay) complete(now time.Time) (Replay, error) {
	var faults problem.Faults
	refuseTwice(&faults, "states", r.States)
	if r.To == nil {
		r.To = new(field.At(now))
	}
	if *r.To < r.From && len(faults) == 0 {
		faults.Add("to", problem.Conflicting, "must not be before from")
	}
	if len(r.States) == 0 {
		r.States = []string{"delivered", "exhausted"}
	}
	if r.PerSecond == 0 {
		r.PerSecond = defaultPerSecond
	}
	return r, faults.Err()
}

// ReplayState is the state of a replay.
type ReplayState string

// The states of a replay. It stops when it meets an open breaker, or nothing may be sent to its receiver any more.
const (
	ReplayRunning ReplayState = "running"
	ReplayDone    ReplayState = "done"
	ReplayStopped ReplayState = "stopped"
)

// ReplayRecord is a replay as its owner sees it.
type ReplayRecord struct {
	From      field.Time  `json:"from"`
	To        field.Time  `json:"to"`
	States    []string    `json:"states" enum:"delivered,exhausted"`
	PerSecond int         `json:"perSecond"`
	State     ReplayState `json:"state" enum:"running,done,stopped" doc:"How far the replay is; stopped when the breaker opened, or nothing may be sent to the receiver any more"`
	Sent      int         `json:"sent" doc:"How many deliveries went out again so far"`
	Created   field.Time  `json:"created"`
	Changed   field.Time  `json:"changed"`
}

// Replaying is a replay as it is stored.
type Replaying struct {
	Release
	ReplayRecord
	Package string `json:"packageId"`
}

// ID is the replay's id. A delivery bears the id of the replay that last sent it again.
func (r Replaying) ID() string { return strings.TrimPrefix(r.Name, replayName) }

// Touch sets the replay's changed to now. It never goes back, whatever the clock does.
func (r *Replaying) Touch(now time.Time) { r.Changed = max(r.Changed, field.At(now)) }

// Item is the replay as it is stored. When it has ended it has no further step; it goes away after thirty days.
func (r Replaying) Item() store.Item {
	i := r.item(r)
	i.Expires = r.Created.Go().Add(Retention).Unix()
	return i
}

// ReplayingOf reads the item of a replay.
func ReplayingOf(i *store.Item) (r Replaying, err error) {
	err = i.Into(&r)
	r.Name, r.Head = i.SK, Releases.Head(i)
	return r, err
}

// BeginReplay begins a replay of a receiver's deliveries, if anything may be sent to the receiver, and returns the
// receiver. Replays of one receiver may run side by side.
func BeginReplay(ctx context.Context, u *change.Unit, pipeline Pipeline, owner Owner, receiver string,
	asked Replay) (*Found, error) {
	asked, err := asked.complete(u.Now())
	if err != nil {
		return nil, err
	}
	found, err := Read(ctx, u.Table, owner, receiver)
	if err != nil {
		return nil, err
	}
	if err := found.CheckSendable(); err != nil {
		return nil, err
	}
	now, version := u.Now(), u.NewID()
	replay := Replaying{Package: owner.Package,
		Release: Release{Receiver: found.ID, Shop: found.Shop, Access: found.Access, Name: replayName + version,
			Head: job.Head{Version: version, Due: now}},
		ReplayRecord: ReplayRecord{From: asked.From, To: *asked.To, States: asked.States, PerSecond: asked.PerSecond,
			State: ReplayRunning, Created: field.At(now), Changed: field.At(now)}}
	asking := store.Set{Num: map[string]int64{requestedNum: now.UnixMilli()}}
	_, err = u.Write(ctx, found, events.Nothing, updateHealth(found.ID, asking), store.Put(replay.Item()))
	if store.IsCondition(err) {
		return nil, problem.NotFound() // it was deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	pipeline.start(ctx, replay.Release, now)
	return found, nil
}

// LastReplay reads the latest replay of an owner's receiver; the error is not_found when there was none in thirty days.
func LastReplay(ctx context.Context, t store.Table, o Owner, receiver string, now time.Time) (*ReplayRecord, error) {
	f, err := Read(ctx, t, o, receiver)
	if err != nil {
		return nil, err
	}
	r, err := ReadReplay(ctx, t, f.ID, now)
	if err == nil && r == nil {
		return nil, problem.NotFound()
	}
	return r, err
}

// ReadReplay reads a receiver's latest replay, whoever owns the receiver; nil when there was none in thirty days.
func ReadReplay(ctx context.Context, t store.Table, receiver string, now time.Time) (*ReplayRecord, error) {
	page, err := t.Query(ctx, store.Query{PK: healthPartition(receiver), From: replayName, To: replayName + "~",
		Descending: true, Limit: 1})
	if err != nil || len(page.Items) == 0 || page.Items[0].Expired(now.Unix()) {
		return nil, err
	}
	r, err := ReplayingOf(&page.Items[0])
	return &r.ReplayRecord, err
}

// Selects says whether the replay is to send a delivery again, as its row is now, and whether it has done so before.
func (r Replaying) Selects(row Row, i *store.Item, now time.Time) (selected, did bool) {
	if row.Receiver != r.Receiver || !row.Redeliverable() || i.Expired(now.Unix()) {
		return false, false
	}
	if row.Replay == r.ID() {
		return false, true
	}
	return row.Ended == "" && slices.Contains(r.States, string(row.State)), false
}

// LetGo sends a delivery again for the replay, and rings for it. It returns false when the delivery has changed since
// it was read: others have sent it again.
func (r Replaying) LetGo(ctx context.Context, u *change.Unit, pipeline Pipeline, i *store.Item) (bool, error) {
	row := RowOf(i)
	again := row.again(u.Now())
	again.Replay = r.ID()
	after, err := pipeline.replace(ctx, row, again, u.Now())
	if store.IsCondition(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, pipeline.RingAll(ctx, []*store.Item{&after}, u.Now())
}
