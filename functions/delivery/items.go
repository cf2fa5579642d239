package delivery

import (
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/id"
	"eshop/shared/queue"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// State of a delivery (contract, section 4, "Webhooks").
type State string

// The states of a delivery. Each ends as one of the last three.
const (
	Waiting   State = "waiting"
	Parked    State = "parked"
	Delivered State = "delivered"
	Exhausted State = "exhausted"
	Cancelled State = "cancelled"
)

// Row is a delivery: the truth about one call to one receiver. Its body is fixed when it is queued, so every attempt sends
// the same bytes.
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
	State    State
	Reason   string // of a cancelled one
	Due      int64  // unix milliseconds: no attempt begins before
	Made     int    // attempts made
	Extra    int    // of them those that do not count toward the ten: probes
	Probe    bool   // this attempt is one
	Drained  bool   // this attempt is of one that was let go
	Test     bool   // it is a sample that its receiver asked for
	Asked    int    // redeliveries asked for and not made yet
	Was      State  // of one that goes out again: what it stays when that fails
	Replay   string // the replay that last had it go out again
	Proof    string // of a ping that was answered with its nonce: the address that it proved, until that is written down
	Tried    int    // how often that was tried
}

// Kept is how long a delivery is kept after its change (contract, section 4, "Webhooks").
const Kept = 30 * 24 * time.Hour

// listed is the length above which the data of a call is an item that its receivers share.
const listed = 512

// The attributes of a row. Of those without a promise of their own: see Row.
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
	wasText      = "was"
	replayText   = "replay"
	proofText    = "proof"
	triedNum     = "tried"
	rungNum      = "rung" // how often the sweeper rang since the due time was set
)

// digits of ULIDs, to shard by.
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// Key is the delivery's item. The rows of an access are in Shards partitions, each in the order of ids, which is that of
// created.
func Key(acc, webhook string) store.Key {
	return store.Key{PK: Partition(acc, shard(webhook, 1)%Shards), SK: webhook}
}

// Shards is how many partitions hold the deliveries of an access.
const Shards = 4

// Partition is one of an access's partitions of deliveries.
func Partition(acc string, n int) string { return "D#" + acc + "#" + strconv.Itoa(n) }

// shard is the value of the id's nth digit from its end, 0 to 31: of a webhook id all of the last sixteen are random.
func shard(webhook string, n int) int {
	if len(webhook) < n {
		return 0
	}
	return max(0, strings.IndexByte(digits, webhook[len(webhook)-n]))
}

// DueShards is how many partitions of Index1 hold the waiting deliveries.
const DueShards = 16

// Due is the partition of Index1 with the waiting deliveries of shard n, by the moment from which on the sweeper rings.
func Due(n int) string { return "DUE#" + strconv.Itoa(n) }

// DueUntil bounds a query of Due to what is to be rung by t.
func DueUntil(t time.Time) string { return id.Stamp(t) + "$" } // behind every "#"

// duePlace is where a delivery waits.
func duePlace(webhook string, ring time.Time) store.Key {
	return store.Key{PK: Due(shard(webhook, 2) % DueShards), SK: id.Stamp(ring) + "#" + webhook}
}

// EndedAs is the partition of Index2 with a receiver's deliveries that are parked, exhausted or cancelled, by id.
func EndedAs(receiver string, s State) string { return "R#" + receiver + "#" + string(s) }

// endedPlace is the delivery's place there.
func endedPlace(receiver, webhook string, s State) store.Key {
	return store.Key{PK: EndedAs(receiver, s), SK: webhook}
}

// ListKey is the item of a call's data that is too long for a row, the same for all receivers that filter by the same
// groups.
func ListKey(request string, event events.Name, chunk int, groups []events.Group) store.Key {
	sk := "A"
	for _, g := range groups {
		sk += "#" + string(g)
	}
	return store.Key{PK: "BODY#" + request + "#" + string(event) + "#" + strconv.Itoa(chunk), SK: sk}
}

// New is the row of a call to a receiver and, when its data is long, the item with the data, which must be there before
// the row is.
func New(c events.Change, call events.Call, to Address, now time.Time) (row store.Item, list *store.Item) {
	webhook := c.WebhookID(call.Event, to.Receiver, call.Chunk)
	body := events.AppendHead(make([]byte, 0, 192+len(call.Data)), webhook, call.Event, c.Shop, to.Version, c.Time())
	row = store.Item{
		Key: Key(to.Access, webhook),
		Text: map[string]string{stateText: string(Waiting), shopText: c.Shop, packageText: to.Package,
			receiverText: to.Receiver, eventText: string(call.Event)},
		Num:     map[string]int64{dueNum: now.UnixMilli()},
		Index1:  duePlace(webhook, now.Add(Grace)),
		Expires: c.Time().Add(Kept).Unix(),
	}
	if to.Held != "" && call.Event != events.Ping && !call.Test {
		row.Text[stateText], row.Index1, row.Index2 = string(to.Held), store.Key{}, endedPlace(to.Receiver, webhook, to.Held)
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
	if len(call.Data) <= listed {
		row.Doc = append(append(body, call.Data...), '}')
		return row, nil
	}
	row.Doc = body
	at := ListKey(c.Request, call.Event, call.Chunk, to.Groups)
	row.Text[listText] = at.PK + " " + at.SK
	return row, &store.Item{Key: at, Doc: call.Data, Expires: row.Expires + int64(time.Hour/time.Second)}
}

// Address is who a call goes to.
type Address struct {
	Access, Package, Receiver string         // of a systemUrl all three are the package
	About                     string         // of a systemUrl: the access that is told of
	Version                   string         // the access's API version
	Groups                    []events.Group // that the receiver filters by
	Held                      State          // what becomes at once of all but pings: Parked or Exhausted; "": they wait
}

// Of reads a delivery's item.
func Of(i *store.Item) Row {
	r := Row{ID: i.SK, Access: accessOf(i.Key), Shop: i.Text[shopText], Package: i.Text[packageText],
		Receiver: i.Text[receiverText], About: i.Text[aboutText], Event: events.Name(i.Text[eventText]), Changed: i.Text[changedText],
		Body: i.Doc, State: State(i.Text[stateText]), Reason: i.Text[reasonText],
		Due: i.Num[dueNum], Made: int(i.Num[madeNum]), Extra: int(i.Num[extraNum]),
		Test: i.Num[testNum] != 0, Asked: int(i.Num[askedNum]), Was: State(i.Text[wasText]), Replay: i.Text[replayText],
		Proof: i.Text[proofText], Tried: int(i.Num[triedNum])}
	if pk, sk, ok := strings.Cut(i.Text[listText], " "); ok {
		r.List = store.Key{PK: pk, SK: sk}
	}
	return r
}

// accessOf is the access in a delivery's key.
func accessOf(k store.Key) string {
	acc, _, _ := strings.Cut(strings.TrimPrefix(k.PK, "D#"), "#")
	return acc
}

// attemptText is the attribute with the nth attempt.
func attemptText(n int) string { return "attempt" + strconv.Itoa(n) }

// Bell is a message of the queues: look at this delivery. It holds no secret and no body.
type Bell struct {
	Access, ID, Receiver string
	Retry                bool   // it is in the retry queue
	Parked               bool   // it lets a parked delivery go
	Probe                bool   // it lets one through an open breaker
	Called               bool   // its lane in the one process kept it, and has a place for it now
	Claim                string // of a delivery that is reserved: the attempt needs no other
}

// The words behind a bell's names.
const (
	retryWord  = "retry"
	parkedWord = "parked"
	probeWord  = "probe"
	calledWord = "called"
	claimWord  = "claim:" // begins it
)

// BellOf is the bell of a row.
func BellOf(i *store.Item, retry bool) Bell {
	return Bell{Access: accessOf(i.Key), ID: i.SK, Receiver: i.Text[receiverText], Retry: retry, Claim: reservation(i)}
}

// Message is the bell as a queue takes it, to be heard after the delay.
func (b Bell) Message(delay time.Duration) queue.Message {
	body := b.Access + " " + b.ID + " " + b.Receiver
	if b.Retry {
		body += " " + retryWord
	}
	if b.Parked {
		body += " " + parkedWord
	}
	if b.Probe {
		body += " " + probeWord
	}
	if b.Called {
		body += " " + calledWord
	}
	if b.Claim != "" {
		body += " " + claimWord + b.Claim
	}
	return queue.Message{Body: body, Group: b.Receiver, Delay: min(max(delay, 0), queue.MaxDelay)}
}

// bellOf reads what Message wrote.
func bellOf(m queue.Received) (Bell, bool) {
	f := strings.Split(m.Body, " ")
	if len(f) < 3 || f[0] == webhook.StepWord {
		return Bell{}, false
	}
	b := Bell{Access: f[0], ID: f[1], Receiver: f[2]}
	for _, word := range f[3:] {
		claim, claimed := strings.CutPrefix(word, claimWord)
		switch {
		case word == retryWord:
			b.Retry = true
		case word == parkedWord:
			b.Parked = true
		case word == probeWord:
			b.Probe = true
		case word == calledWord:
			b.Called = true
		case claimed:
			b.Claim = claim
		default:
			return Bell{}, false
		}
	}
	return b, true
}

// stepOf reads the message of a drain's step.
func stepOf(m queue.Received) (webhook.Step, bool) { return webhook.StepOf(m.Body) }
