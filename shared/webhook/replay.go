package webhook

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/problem"
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

// ReplayState is how far a replay is.
type ReplayState string

// The states of a replay: Stopped is one that met an open breaker, or whose receiver may be sent nothing any more.
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
	State     ReplayState `json:"state" enum:"running,done,stopped" doc:"stopped: the breaker opened, or nothing may be sent to the receiver any more"`
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

// ID is the replay's: deliveries bear that of the replay that last let them go.
func (r Replaying) ID() string { return strings.TrimPrefix(r.Name, replayName) }

// Touch moves the replay's changed on to now. It never goes back, whatever the clock does.
func (r *Replaying) Touch(now time.Time) { r.Changed = max(r.Changed, field.At(now)) }

// Item is the replay as it is stored: one that has ended has no further step, and goes away after thirty days.
func (r Replaying) Item() store.Item {
	i := r.item(r)
	if r.State != ReplayRunning {
		i.Index2 = store.Key{}
	}
	i.Expires = r.Created.Go().Add(Retention).Unix()
	return i
}

// ReplayingOf reads the item of a replay.
func ReplayingOf(i *store.Item) (r Replaying, err error) {
	err = i.Into(&r)
	r.Name, r.Version = i.SK, i.Version
	return r, err
}

// BeginReplay begins a replay of a receiver's deliveries, if anything may be sent to it.
func BeginReplay(ctx context.Context, u *change.Unit, p Pipeline, o Owner, receiver string,
	asked Replay) (*Found, error) {
	asked, err := asked.complete(u.Now())
	if err != nil {
		return nil, err
	}
	f, err := Read(ctx, u.Table, o, receiver)
	if err != nil {
		return nil, err
	}
	if err := f.CheckSendable(); err != nil {
		return nil, err
	}
	now, version := u.Now(), u.NewID()
	r := Replaying{Package: o.Package,
		Release: Release{Receiver: f.ID, Shop: f.Shop, Access: f.Access, Due: now, Name: replayName + version,
			Version: version},
		ReplayRecord: ReplayRecord{From: asked.From, To: *asked.To, States: asked.States, PerSecond: asked.PerSecond,
			State: ReplayRunning, Created: field.At(now), Changed: field.At(now)}}
	asking := store.Set{Num: map[string]int64{requestedNum: now.UnixMilli()}}
	_, err = u.Write(ctx, f, events.Nothing, updateHealth(f.ID, asking), store.Put(r.Item()))
	if store.IsCondition(err) {
		return nil, problem.NotFound() // it was deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	p.start(ctx, r.Release, now)
	return f, nil
}

// LastReplay is the latest replay of an owner's receiver; a problem not_found when there was none of late.
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

// ReadReplay is a receiver's latest replay, whosever the receiver is; nil when there was none of late.
func ReadReplay(ctx context.Context, t store.Table, receiver string, now time.Time) (*ReplayRecord, error) {
	page, err := t.Query(ctx, store.Query{PK: healthPartition(receiver), From: replayName, To: replayName + "~",
		Descending: true, Limit: 1})
	if err != nil || len(page.Items) == 0 || page.Items[0].Expired(now.Unix()) {
		return nil, err
	}
	r, err := ReplayingOf(&page.Items[0])
	return &r.ReplayRecord, err
}

// Selects says whether the replay is to let a delivery go, as its row is now, and whether it has let it go before.
func (r Replaying) Selects(row Row, i *store.Item, now time.Time) (selected, did bool) {
	if row.Receiver != r.Receiver || !row.Redeliverable() || i.Expired(now.Unix()) {
		return false, false
	}
	if row.Replay == r.ID() {
		return false, true
	}
	return row.Ended == "" && slices.Contains(r.States, string(row.State)), false
}

// LetGo lets a delivery go out again by the replay, and rings for it; false: it is not as it was, or others have let
// it go.
func (r Replaying) LetGo(ctx context.Context, u *change.Unit, p Pipeline, i *store.Item) (bool, error) {
	set := requeueSet(RowOf(i), u.Now())
	set.Text[replayText] = r.ID()
	after, err := p.requeue(ctx, i, set, store.TextIsNot(replayText, r.ID()))
	if store.IsCondition(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, p.RingAll(ctx, []*store.Item{after}, u.Now())
}
