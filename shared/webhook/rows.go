package webhook

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
)

// DeliveryState is the state of a delivery (contract, "Deliveries").
type DeliveryState string

// The states of a delivery. Each ends as one of the last three.
const (
	Waiting   DeliveryState = "waiting"
	Parked    DeliveryState = "parked"
	Delivered DeliveryState = "delivered"
	Exhausted DeliveryState = "exhausted"
	Cancelled DeliveryState = "cancelled"
)

// Ended says whether the delivery has come to its end: of itself, nothing more happens to it.
func (s DeliveryState) Ended() bool { return s == Delivered || s == Exhausted || s == Cancelled }

// Row is a delivery: the truth about one call to one receiver. Its body is fixed when it is queued, so every attempt
// sends the same bytes. outcome.go says how it comes from one state into another.
type Row struct {
	ID       string // the webhook id
	Shop     string
	Access   string
	Package  string
	Receiver string
	About    string // of a delivery to a package's systemUrl: the access that it tells of; else ""
	Event    events.Name
	Changed  string       // X-Webhook-Changed, if any
	By       events.By    // X-Webhook-By
	Trace    events.Trace // of the request that it tells of; "" when that had none
	Body     []byte       // whole, or up to its data where List is set
	List     store.Key    // the item that holds the data; zero: Body is whole
	Test     bool         // it is a sample that its receiver asked for
	Expires  int64        // unix seconds

	State    DeliveryState
	Reason   string        // why it was cancelled
	Due      int64         // unix milliseconds: no attempt begins before
	Taker    string        // who is making an attempt, until the lease ends; "": nobody
	Lease    int64         // unix milliseconds: until then the taker keeps others away
	Made     int           // attempts made
	Extra    int           // of them those that do not count toward the ten: probes
	Attempts []string      // the latest MostLogged of them, each a DeliveryAttempt as JSON
	Asked    bool          // its next attempt was asked for, and goes past an open breaker
	AskedBy  string        // the mark of the key (askMark) under which it was last asked for, "" none
	Ended    DeliveryState // how it had ended before it was sent again; "" while it is sent for the first time
	Replay   string        // the replay that last sent it again
}

// Why a delivery is cancelled (contract, "How a delivery ends").
const (
	ReceiverDeleted  = "receiver_deleted"
	ReceiverInactive = "receiver_inactive"
	Unsubscribed     = "unsubscribed"
	PermissionGone   = "permission_gone"
	PackageInactive  = "package_inactive"
	NoSystemURL      = "no_system_url"
)

// Retention is how long a delivery is kept after its change (contract, "Deliveries").
const Retention = 30 * 24 * time.Hour

// longestInline is the longest data of a call, in bytes, that its row holds. Longer data is an item that receivers
// share.
const longestInline = 512

// The attributes of a row; Row says what they mean.
const (
	stateText    = "state"
	shopText     = "shop"
	packageText  = "package"
	receiverText = "receiver"
	eventText    = "event"
	changedText  = "changed"
	actorText    = "actor"
	traceText    = "trace"
	listText     = "list"
	reasonText   = "reason"
	aboutText    = "about"
	takerText    = "claim"
	leaseNum     = "lease"
	dueNum       = "due"
	madeNum      = "made"
	extraNum     = "extra"
	testNum      = "test"
	askedNum     = "asked"
	askedByText  = "by"
	endedText    = "was"
	replayText   = "replay"
	rungNum      = "rung" // how often the sweeper rang since the row was last written whole
)

// NewRow returns the row of a call to a receiver and, when its data is long, the item with the data, which must be
// written before the row. The row has no entry in Index1: the stream and the queue carry it to its first attempt
// (doc.go). Where queues forget, AddDueEntry adds one.
func NewRow(c events.Change, call events.Call, to Addressee, now time.Time) (row store.Item, list *store.Item) {
	c = c.As(call)
	r := Row{ID: c.WebhookID(call.Event, to.Receiver, call.Chunk), Shop: c.Shop, Access: to.Access, Package: to.Package,
		Receiver: to.Receiver, About: to.About, Event: call.Event, Changed: call.Changed, By: c.By.To(to.Package),
		Trace: c.Trace, Test: call.Test, State: cmp.Or(to.State, Waiting), Due: now.UnixMilli(),
		Expires: c.Time().Add(Retention).Unix()}
	if !r.Redeliverable() {
		r.State = Waiting // whatever the receiver's state: a ping or test was asked for
	}
	if r.State == Cancelled {
		r.Reason = NoSystemURL
	}
	r.Body = c.AppendHead(make([]byte, 0, 256+len(call.Data)), r.ID, r.Event, to.Version, r.By)
	switch {
	case r.Test:
		r.Body = append(append(r.Body, call.Data...), `,"test":true}`...)
	case len(call.Data) <= longestInline:
		r.Body = append(append(r.Body, call.Data...), '}')
	default:
		r.List = ListKey(c.Request, call.Event, call.Chunk, to.Groups)
		list = &store.Item{Key: r.List, Doc: call.Data, Expires: r.Expires + int64(time.Hour/time.Second)}
	}
	return r.item(), list
}

// AddDueEntry gives the row of a delivery that waits, before it is written, an entry in Index1: for a host whose queues
// forget, so that a bell may be lost.
func AddDueEntry(row *store.Item) {
	if row.Text[stateText] == string(Waiting) {
		row.Index1 = DueRows.Entry(row.SK, time.UnixMilli(row.Num[dueNum]).Add(Grace))
	}
}

// Addressee is who a call goes to.
type Addressee struct {
	Access, Package, Receiver string         // of a systemUrl all three are the package
	About                     string         // of a systemUrl: the access that is told of
	Version                   string         // the access's API version
	Groups                    []events.Group // that the receiver filters by
	State                     DeliveryState  // Receiver.FirstState; "": Waiting. Pings and tests wait whatever it is.
}

// RowOf reads a delivery's item.
func RowOf(i *store.Item) Row {
	r := Row{ID: i.SK, Access: accessOf(i.Key), Shop: i.Text[shopText], Package: i.Text[packageText],
		Receiver: i.Text[receiverText], About: i.Text[aboutText], Event: events.Name(i.Text[eventText]),
		Changed: i.Text[changedText], By: events.By(i.Text[actorText]), Trace: events.Trace(i.Text[traceText]),
		Test: i.Num[testNum] != 0, Body: i.Doc, Expires: i.Expires,
		State: DeliveryState(i.Text[stateText]), Reason: i.Text[reasonText], Due: i.Num[dueNum],
		Taker: i.Text[takerText], Lease: i.Num[leaseNum], Made: int(i.Num[madeNum]), Extra: int(i.Num[extraNum]),
		Asked: i.Num[askedNum] > 0, AskedBy: i.Text[askedByText], Ended: DeliveryState(i.Text[endedText]),
		Replay: i.Text[replayText]}
	if pk, sk, ok := strings.Cut(i.Text[listText], " "); ok {
		r.List = store.Key{PK: pk, SK: sk}
	}
	for n := max(1, r.Made-MostLogged+1); i.Text[attemptText(n)] != ""; n++ {
		r.Attempts = append(r.Attempts, i.Text[attemptText(n)])
	}
	return r
}

// item is the row as it is stored, without an entry in Index1. A delivery that has come to a stop without an answer of
// 2xx has an entry in Index2.
func (r Row) item() store.Item {
	i := store.Item{Key: RowKey(r.Access, r.ID), Doc: r.Body, Expires: r.Expires,
		Text: map[string]string{shopText: r.Shop, packageText: r.Package, receiverText: r.Receiver, aboutText: r.About,
			eventText: string(r.Event), changedText: r.Changed, actorText: string(r.By),
			traceText: string(r.Trace), stateText: string(r.State), reasonText: r.Reason, takerText: r.Taker,
			askedByText: r.AskedBy, endedText: string(r.Ended), replayText: r.Replay},
		Num: map[string]int64{dueNum: r.Due, leaseNum: r.Lease, madeNum: int64(r.Made), extraNum: int64(r.Extra)}}
	if r.List.PK != "" {
		i.Text[listText] = r.List.PK + " " + r.List.SK
	}
	for k, attempt := range r.Attempts {
		i.Text[attemptText(r.Made-len(r.Attempts)+1+k)] = attempt
	}
	if r.Test {
		i.Num[testNum] = 1
	}
	if r.Asked {
		i.Num[askedNum] = 1
	}
	maps.DeleteFunc(i.Text, func(_, text string) bool { return text == "" })
	maps.DeleteFunc(i.Num, func(_ string, n int64) bool { return n == 0 })
	if r.State != Waiting && r.State != Delivered {
		i.Index2 = stateEntry(r.Receiver, r.ID, r.State)
	}
	return i
}

// replace writes a row whole in the place of the row that was read, and returns its item. The store refuses it when a
// taker, an attempt, an asking or an end has changed the row since. Notes of the sweeper are no such change, and go
// away. A row that waits gets its entry in Index1: after a short wait the sweeper leaves the message time (Grace), a
// wait that is longer than any message's it ends itself.
func (p Pipeline) replace(ctx context.Context, read, row Row, now time.Time) (store.Item, error) {
	i := row.item()
	if due := time.UnixMilli(row.Due); row.State == Waiting {
		if due.Sub(now) <= queue.MaxDelay {
			due = due.Add(Grace)
		}
		i.Index1 = DueRows.Entry(row.ID, due)
	}
	unchanged := []store.Condition{store.TextIs(stateText, string(read.State)), store.TextIs(takerText, read.Taker),
		store.NumIs(dueNum, read.Due), store.AtMost(madeNum, int64(read.Made))}
	if !read.Asked {
		unchanged = append(unchanged, store.AtMost(askedNum, 0))
	}
	return p.Rows.Write(ctx, events.Nothing, store.Put(i, unchanged...))
}

// ReadBody returns the body of the delivery, the same in every attempt but for an install code: the row's own, or the
// row's with the data that receivers share. It is nil when that data is gone.
func ReadBody(ctx context.Context, rows store.Table, r Row) ([]byte, error) {
	if r.List.PK == "" {
		return r.Body, nil
	}
	items, err := rows.Get(ctx, r.List)
	if err != nil || items[0] == nil {
		return nil, err
	}
	body := make([]byte, 0, len(r.Body)+len(items[0].Doc)+1)
	return append(append(append(body, r.Body...), items[0].Doc...), '}'), nil
}

// attemptText is the attribute with the nth attempt.
func attemptText(n int) string { return "attempt" + strconv.Itoa(n) }
