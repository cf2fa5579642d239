package webhook

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/queue"
	"eshop/shared/store"
)

// DeliveryState is the state of a delivery (contract, section 4, "Webhooks").
type DeliveryState string

// The states of a delivery. Each ends as one of the last three.
const (
	Waiting   DeliveryState = "waiting"
	Parked    DeliveryState = "parked"
	Delivered DeliveryState = "delivered"
	Exhausted DeliveryState = "exhausted"
	Cancelled DeliveryState = "cancelled"
)

// Row is a delivery: the truth about one call to one receiver. Its body is fixed when it is queued, so every attempt
// sends the same bytes.
type Row struct {
	ID       string // the webhook id
	Shop     string
	Access   string
	Package  string
	Receiver string
	About    string // of a delivery to a package's systemUrl: the access that it tells of; else ""
	Event    events.Name
	Changed  string    // X-Webhook-Changed, if any
	Body     []byte    // whole, or where List is set up to its data
	List     store.Key // the item that holds the data; zero: Body is whole
	State    DeliveryState
	Reason   string        // of a cancelled one
	Due      int64         // unix milliseconds: no attempt begins before
	Lease    int64         // unix milliseconds: until then its claim keeps others away; 0: nobody claims it
	Made     int           // attempts made
	Extra    int           // of them those that do not count toward the ten: probes
	Probe    bool          // this attempt is one
	LetGo    bool          // this attempt is of one that was let go
	Test     bool          // it is a sample that its receiver asked for
	Asked    int           // redeliveries asked for and not made yet
	Ended    DeliveryState // of one that goes out again: how it had ended, which it stays when that fails
	Replay   string        // the replay that last had it go out again
	Proof    string        // of a ping that proved an address: which, until that is written down
	Tried    int           // how often that was tried
}

// Why a delivery is cancelled (contract, section 5, "Retries").
const (
	ReceiverDeleted  = "receiver_deleted"
	ReceiverInactive = "receiver_inactive"
	Unsubscribed     = "unsubscribed"
	PermissionGone   = "permission_gone"
	PackageInactive  = "package_inactive"
)

// Retention is how long a delivery is kept after its change (contract, section 4, "Webhooks").
const Retention = 30 * 24 * time.Hour

// longestInline is the length above which the data of a call is an item that its receivers share.
const longestInline = 512

// The attributes of a row; Row says what those mean that have no comment here.
const (
	stateText    = "state"
	shopText     = "shop"
	packageText  = "package"
	receiverText = "receiver"
	eventText    = "event"
	changedText  = "changed"
	listText     = "list"
	reasonText   = "reason"
	aboutText    = "about"
	claimText    = "claim" // who is making an attempt, until the lease ends
	leaseNum     = "lease" // unix milliseconds
	dueNum       = "due"
	madeNum      = "made"
	extraNum     = "extra"
	testNum      = "test"
	askedNum     = "asked"
	askedByText  = "by" // askers
	endedText    = "was"
	replayText   = "replay"
	proofText    = "proof"
	triedNum     = "tried"
	rungNum      = "rung" // how often the sweeper rang since the due time was set
)

// NewRow is the row of a call to a receiver and, when its data is long, the item with the data, which must be there
// before the row is. It has no entry in Index1: the stream and the queue carry it to its first attempt (doc.go).
func NewRow(c events.Change, call events.Call, to Addressee, now time.Time) (row store.Item, list *store.Item) {
	webhook := c.WebhookID(call.Event, to.Receiver, call.Chunk)
	body := events.AppendHead(make([]byte, 0, 192+len(call.Data)), webhook, call.Event, c.Shop, to.Version, c.Time())
	state := cmp.Or(to.State, Waiting)
	if call.Event == events.Ping || call.Test {
		state = Waiting
	}
	row = store.Item{
		Key: RowKey(to.Access, webhook),
		Text: map[string]string{stateText: string(state), shopText: c.Shop, packageText: to.Package,
			receiverText: to.Receiver, eventText: string(call.Event)},
		Num:     map[string]int64{dueNum: now.UnixMilli()},
		Expires: c.Time().Add(Retention).Unix(),
	}
	if state != Waiting {
		row.Index2 = stateEntry(to.Receiver, webhook, state)
	}
	if call.Changed != "" {
		row.Text[changedText] = call.Changed
	}
	if to.About != "" {
		row.Text[aboutText] = to.About
	}
	if call.Test {
		row.Num[testNum] = 1
		row.Doc = append(append(body, call.Data...), `,"test":true}`...)
		return row, nil
	}
	if len(call.Data) <= longestInline {
		row.Doc = append(append(body, call.Data...), '}')
		return row, nil
	}
	row.Doc = body
	at := ListKey(c.Request, call.Event, call.Chunk, to.Groups)
	row.Text[listText] = at.PK + " " + at.SK
	return row, &store.Item{Key: at, Doc: call.Data, Expires: row.Expires + int64(time.Hour/time.Second)}
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
		Receiver: i.Text[receiverText], About: i.Text[aboutText],
		Event: events.Name(i.Text[eventText]), Changed: i.Text[changedText],
		Body: i.Doc, State: DeliveryState(i.Text[stateText]), Reason: i.Text[reasonText],
		Due: i.Num[dueNum], Lease: i.Num[leaseNum], Made: int(i.Num[madeNum]), Extra: int(i.Num[extraNum]),
		Test: i.Num[testNum] != 0, Asked: int(i.Num[askedNum]),
		Ended: DeliveryState(i.Text[endedText]), Replay: i.Text[replayText],
		Proof: i.Text[proofText], Tried: int(i.Num[triedNum])}
	if pk, sk, ok := strings.Cut(i.Text[listText], " "); ok {
		r.List = store.Key{PK: pk, SK: sk}
	}
	return r
}

// ReadBody is the body of the delivery, the same in every attempt but for an install code: the row's own, or with the
// data that receivers share. nil: that data is gone.
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

// waitUntil is the row as it waits for an attempt that is due then, and how long that is from now.
func (r Row) waitUntil(due, now time.Time) (Row, time.Duration) {
	r.State, r.Due = Waiting, due.UnixMilli()
	return r, max(due.Sub(now), time.Millisecond)
}

// setTo is what makes the stored row the one after, which waits so long for its next attempt, if it waits: a short wait
// is a message's, for which the sweeper lets the queue its time, a longer one the sweeper's alone.
func (r Row) setTo(after Row, wait time.Duration) store.Set {
	set := store.Set{Text: map[string]string{stateText: string(after.State)}, Num: map[string]int64{},
		Index1: &store.Key{}, Index2: &store.Key{}}
	switch due := time.UnixMilli(after.Due); {
	case after.State == Waiting && wait <= queue.MaxDelay:
		*set.Index1 = DueEntry(r.ID, due.Add(Grace))
	case after.State == Waiting:
		*set.Index1 = DueEntry(r.ID, due)
	case after.State != Delivered:
		*set.Index2 = stateEntry(r.Receiver, r.ID, after.State)
	}
	text := func(name, was, is string) {
		switch {
		case is == "" && was != "":
			set.Drop = append(set.Drop, name)
		case is != was:
			set.Text[name] = is
		}
	}
	num := func(name string, was, is int) {
		switch {
		case is == 0 && was != 0:
			set.Drop = append(set.Drop, name)
		case is != was:
			set.Num[name] = int64(is)
		}
	}
	text(reasonText, r.Reason, after.Reason)
	text(endedText, string(r.Ended), string(after.Ended))
	text(proofText, r.Proof, after.Proof)
	num(triedNum, r.Tried, after.Tried)
	num(extraNum, r.Extra, after.Extra)
	num(askedNum, r.Asked, after.Asked)
	if after.State == Waiting || after.Due != r.Due {
		set.Num[dueNum] = after.Due
	}
	return set
}
