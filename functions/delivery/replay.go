package delivery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/host"
	"eshop/shared/id"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// A replay lets a receiver's deliveries of a range go out again, at a rate: a chain of ticks, one message each second, of
// which each lets go its number and rings for the next (contract, section 4, "Webhooks"). The item of the replay is the
// truth: a message that comes twice or late does nothing, and for one that is lost the sweeper rings.

// replay is one, as it is stored.
type replay struct {
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
	tickNum   = "tick"
	afterText = "after"
	replays   = "REPLAY#" // begins their partitions
	ticking   = "replay"  // begins their messages
)

func replayKey(receiver, request string) store.Key {
	return store.Key{PK: replays + receiver, SK: request}
}

// Replay begins the replay that the notice of a change asks for, and rings for its first tick. Begun already, it is not
// begun again.
func Replay(ctx context.Context, p *host.Platform, c events.Change, n events.Notice) error {
	r := replay{ID: c.Request, Receiver: n.Receiver, Shop: c.Shop, Access: n.Access, Package: n.Package, Replay: *n.Replay}
	doc, err := json.Marshal(r)
	if err != nil {
		return err
	}
	item := store.Item{Key: replayKey(r.Receiver, r.ID), Doc: doc, Num: map[string]int64{tickNum: 0, dueNum: p.Now().UnixMilli()},
		Index1: duePlace(r.ID, p.Now().Add(Grace)), Expires: p.Now().Add(Kept).Unix()}
	_, err = p.Pipeline.Write(ctx, events.Nothing, store.Put(item, store.Absent()))
	if err != nil && !store.IsCondition(err) {
		return err
	}
	return p.Retry.Send(ctx, r.message(0))
}

func replayOf(i *store.Item) (r replay, err error) {
	err = json.Unmarshal(i.Doc, &r)
	r.ID, r.Receiver = i.SK, strings.TrimPrefix(i.PK, replays)
	r.Tick, r.After = i.Num[tickNum], i.Text[afterText]
	return r, err
}

func isReplay(i *store.Item) bool { return strings.HasPrefix(i.PK, replays) }

// message is the bell of the replay's next tick.
func (r replay) message(delay time.Duration) queue.Message {
	delay = max(delay, 0)
	body := strings.Join([]string{ticking, r.Receiver, r.ID, strconv.FormatInt(r.Tick, 10)}, " ")
	return queue.Message{Body: body, Group: r.Receiver, Delay: delay}
}

// tickOf reads what message wrote.
func tickOf(m queue.Received) (at store.Key, tick int64, ok bool) {
	f := strings.Split(m.Body, " ")
	if len(f) != 4 || f[0] != ticking {
		return at, 0, false
	}
	tick, err := strconv.ParseInt(f[3], 10, 64)
	return replayKey(f[1], f[2]), tick, err == nil
}

// over is the tick of a replay that has ended.
const over = -1

// tick does one tick of a replay, unless somebody did, and says whether its message is done with.
func (c *courier) tick(ctx context.Context, at store.Key, tick int64) (done bool) {
	due := c.Now().Add(time.Second)
	place := duePlace(at.SK, due.Add(Grace))
	item, err := c.Pipeline.Write(ctx, events.Nothing, store.Update(at, store.Set{Add: map[string]int64{tickNum: 1},
		Num: map[string]int64{dueNum: due.UnixMilli()}, Drop: []string{rungNum}, Index1: &place}, store.NumIs(tickNum, tick)))
	if err != nil {
		return store.IsCondition(err)
	}
	r, err := replayOf(&item)
	if err == nil {
		err = c.replay(ctx, &r)
	}
	if err != nil { // what it let go it does not let go again
		c.Log.Warn("a replay is held up", "receiver", r.Receiver, "error", err)
	}
	if r.Tick != over {
		err = c.Retry.Send(ctx, r.message(due.Sub(c.Now())))
	}
	if err != nil {
		c.Log.Warn("the sweeper will ring for a replay", "receiver", r.Receiver, "error", err)
	}
	return true
}

// replay lets the next deliveries go; it ends where its receiver's breaker is open or nothing may be sent any more.
func (c *courier) replay(ctx context.Context, r *replay) error {
	s, err := c.known.standing(ctx, Row{Shop: r.Shop, Access: r.Access, Package: r.Package, Receiver: r.Receiver})
	if err != nil {
		return err
	}
	more := false
	if s.replays() {
		if more, err = c.replayNext(ctx, r); err != nil {
			return err
		}
	}
	set, tick := store.Set{Text: map[string]string{afterText: r.After}}, r.Tick
	if !more {
		r.Tick, set = over, store.Set{Num: map[string]int64{tickNum: over}, Index1: &store.Key{}}
	}
	_, err = c.Pipeline.Write(ctx, events.Nothing, store.Update(replayKey(r.Receiver, r.ID), set, store.NumIs(tickNum, tick)))
	return err
}

// looked is how many deliveries of an access a tick looks at, at most, for those of its receiver.
const looked = 2000

// replayNext lets the next deliveries of the replay go out, as many as its rate allows in a second, and says whether there may
// be more.
func (c *courier) replayNext(ctx context.Context, r *replay) (more bool, err error) {
	for went, seen := 0, 0; seen < looked; {
		rows, more, err := c.following(ctx, *r)
		if err != nil {
			return false, err
		}
		for _, i := range rows {
			if went == r.PerSecond {
				return true, nil
			}
			did := false
			err := guard.Do(ctx, func() (err error) { did, err = c.once(ctx, *r, i); return err }, "webhook", i.SK)
			if err != nil && !errors.Is(err, guard.ErrPanic) { // what panics is passed over
				return false, err
			}
			if r.After = i.SK; did {
				went++
			}
		}
		if seen += len(rows); !more {
			return false, nil
		}
	}
	return true, nil
}

// once lets the delivery go out again, if the replay is of it and it did not by this replay already.
func (c *courier) once(ctx context.Context, r replay, i *store.Item) (bool, error) {
	row := Of(i)
	if row.Receiver != r.Receiver || !row.Redeliverable() || row.Was != "" || row.Replay == r.ID ||
		!slices.Contains(r.States, string(row.State)) || i.Expired(c.Now().Unix()) {
		return false, nil
	}
	after, err := again(ctx, c.Platform, i, func(set *store.Set) { set.Text[replayText] = r.ID },
		store.TextIs(stateText, string(row.State)), store.TextIsNot(replayText, r.ID))
	if err != nil || after == nil {
		return false, err
	}
	return true, ringAll(ctx, c.Platform, []*store.Item{after}, c.Now())
}

// following are the deliveries of the replay's access behind the last one looked at, in the order of their ids, and
// whether there are more.
func (c *courier) following(ctx context.Context, r replay) (rows []*store.Item, more bool, err error) {
	const most = 100
	horizon := ""
	for n := range Shards {
		page, err := c.Pipeline.Query(ctx, store.Query{PK: Partition(r.Access, n), After: r.After, Limit: most,
			From: id.Stamp(time.UnixMilli(r.From)), To: id.Stamp(time.UnixMilli(r.To)) + "~"})
		if err != nil {
			return nil, false, err
		}
		for k := range page.Items {
			rows = append(rows, &page.Items[k])
		}
		if page.Next != "" && (horizon == "" || page.Next < horizon) {
			horizon = page.Next
		}
	}
	if horizon != "" { // what lies behind it in its partition comes before the others' rest
		rows = slices.DeleteFunc(rows, func(i *store.Item) bool { return i.SK > horizon })
	}
	slices.SortFunc(rows, func(a, b *store.Item) int { return cmp.Compare(a.SK, b.SK) })
	return rows, horizon != "", nil
}

// replays says whether a replay goes on: not at an open breaker, nor where nothing may be sent.
func (s standing) replays() bool {
	return s.receiver != nil && s.access != nil && s.receiver.Open() && s.forbids(events.Ping) == ""
}
