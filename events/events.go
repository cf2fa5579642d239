// Package events says what happened and what add-ons hear of it: the names of the events, the Change that a write
// publishes, and the webhook calls that it becomes. It knows no store, no queue and no HTTP.
//
// # A tour
//
// Begin with events.go: a Change is what one request did, its Records and its Notices; actor.go says who did it.
// kinds.go is the table: a row for each kind of record whose changes are published, with its events, from which all
// else that names events follows. calls.go makes of a change the calls of each event, and their bodies; parts.go cuts a
// change that is too long to be stored in one item; sample.go makes an example of each event.
//
// # Glossary
//
//   - event: a kind of webhook, to which receivers subscribe by its Name.
//   - change: what one request did to records, published by its last write.
//   - notice: what happened, but to no record; a part of a change, too.
//   - call: one body of an event, for all receivers alike; a delivery is a call to one receiver (shared/webhook).
//   - chunk: a call with some of the ids of an event that has too many for one, and its number.
package events

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// Name is an event as receivers subscribe to it.
type Name string

// The events, under the names that receivers subscribe to (contract, "Body").
const (
	CustomerCreate          Name = "customerCreate"
	CustomerChange          Name = "customerChange"
	CustomerDelete          Name = "customerDelete"
	ProductCreate           Name = "productCreate"
	ProductChange           Name = "productChange"
	ProductDelete           Name = "productDelete"
	OrderChange             Name = "orderChange"
	ShopOwnerChange         Name = "shopOwnerChange"
	PackageActivate         Name = "packageActivate"
	PackageDeactivate       Name = "packageDeactivate"
	PackageOpenInstructions Name = "packageOpenInstructions"
	CustomerErase           Name = "customerErase"
	ReceiverFailing         Name = "receiverFailing"
	ReceiverDisabled        Name = "receiverDisabled"
	ReceiverRecovered       Name = "receiverRecovered"
	Ping                    Name = "ping"
)

// Did is what happened to a record.
type Did string

// What can happen to a record.
const (
	Created Did = "created"
	Changed Did = "changed"
	Deleted Did = "deleted"
)

// Group is a part of a record that changed, as X-Webhook-Changed names it (contract, "Headers").
type Group string

// The groups of products (Basic … InCategories), customers (Contact, Billing, Delivery) and orders (New, State,
// Delivery, Note).
const (
	Basic        Group = "basic"
	Stock        Group = "stock"
	Prices       Group = "prices"
	Units        Group = "units"
	Variants     Group = "variants"
	InURLs       Group = "urls"
	InCategories Group = "categories"
	Contact      Group = "contact"
	Billing      Group = "billing"
	Delivery     Group = "delivery"
	New          Group = "created"
	State        Group = "state"
	Note         Group = "note"
)

// Groups are all there are, in the contract's order.
var Groups = []Group{Basic, Stock, Prices, Units, Variants, InURLs, InCategories, Contact, Billing, Delivery, New,
	State, Note}

// Record is what a change did to one record.
type Record struct {
	Kind     RecordKind `json:"k"`
	ID       string     `json:"i"`
	Did      Did        `json:"d"`
	Variants []string   `json:"v,omitempty"` // of a product: all at its creation and deletion, else those touched
	Groups   []Group    `json:"g,omitempty"` // sorted; of a change only
	Version  string     `json:"w,omitempty"` // the record's version afterwards: what its ETag holds
}

// APIVersion is the API version that is current (contract, "API versions"): an access that is made today has it, and
// its webhooks say it. It is one of api.Versions, which may have a newer one already: the one in which the program is
// written (api.Newest), and which becomes current by a release that says so here.
const APIVersion = "2026-11-01"

// Notice is an event that is not about a record: the owner, a package on a shop, a ping or a test.
type Notice struct {
	Event    Name            `json:"e"`
	Access   string          `json:"a,omitempty"` // of a package's event or a ping: the access it concerns
	Package  string          `json:"p,omitempty"` // of a package's event: the package
	Receiver string          `json:"q,omitempty"` // of a ping or test: the one receiver, whatever that subscribes to
	Data     json.RawMessage `json:"b"`           // the "data" of the webhook's body
	Test     bool            `json:"u,omitempty"` // it is the event's Sample, to the one receiver
}

// Call is the call that the notice becomes.
func (n Notice) Call(chunk int) Call {
	if !n.Test {
		return Call{Event: n.Event, Chunk: chunk, Data: n.Data}
	}
	c := Sample(n.Event)
	c.Chunk, c.Test = chunk, true
	return c
}

// Change is what one request did. It rides on the first item that the request's last transaction writes
// (shared/README.md, "What a change costs"). Its JSON has names of one letter, because each write stores it.
type Change struct {
	Request       string   `json:"r"`           // the platform's own id of the request, never the caller's
	ClientRequest string   `json:"c,omitempty"` // the client's own id of the request: the X-Request-Id that it sent
	Trace         Trace    `json:"w,omitempty"` // the trace that the client sent
	By            Actor    `json:"b,omitempty"` // who asked
	Shop          string   `json:"s"`
	At            int64    `json:"t"`           // unix milliseconds
	Chunk         int      `json:"h,omitempty"` // of its first call: a request that publishes several changes counts on
	Records       []Record `json:"x,omitempty"`
	Notices       []Notice `json:"n,omitempty"`
}

// Nothing is the change of a write that publishes none: a decision you can see at the call.
var Nothing = Change{}

// Empty says whether there is nothing in the change to publish.
func (c Change) Empty() bool { return len(c.Records) == 0 && len(c.Notices) == 0 }

// RequestID is the request's id as clients know it: their own, else the platform's.
func (c Change) RequestID() string { return cmp.Or(c.ClientRequest, c.Request) }

// Time is when the change was made.
func (c Change) Time() time.Time { return time.UnixMilli(c.At).UTC() }

// Risen is the change with a later version of the record that has the version was, and whether it tells of one: no two
// of its records have the same version.
func (c Change) Risen(was, version string) (risen Change, told bool) {
	i := slices.IndexFunc(c.Records, func(r Record) bool { return r.Version == was })
	if i >= 0 {
		c.Records = slices.Clone(c.Records)
		c.Records[i].Version = version
	}
	return c, i >= 0
}

// Encode is the change as the string that rides on an item; "" for Nothing.
func (c Change) Encode() string {
	if c.Empty() {
		return ""
	}
	b, err := json.Marshal(c)
	if err != nil {
		panic("events: a change always encodes: " + err.Error())
	}
	return string(b)
}

// Decode reads what Encode wrote.
func Decode(s string) (Change, error) {
	var c Change
	if s == "" {
		return c, nil
	}
	err := json.Unmarshal([]byte(s), &c)
	return c, err
}

// Merge brings what happened to one record several times down to what a reader of its result would say. Records stay in
// the order of their first change.
//
//   - Created and then changed is created.
//   - Created and then deleted is nothing.
//   - Deleted last, otherwise, is deleted.
//   - Variants and groups are united: variants in the order of their first change, groups sorted. The last version
//     counts.
func Merge(records []Record) []Record {
	type key struct {
		kind RecordKind
		id   string
	}
	at := make(map[key]int, len(records))
	out := make([]Record, 0, len(records))
	for _, r := range records {
		k := key{r.Kind, r.ID}
		i, seen := at[k]
		if !seen {
			at[k] = len(out)
			out = append(out, r)
			continue
		}
		out[i] = then(out[i], r)
	}
	out = slices.DeleteFunc(out, func(r Record) bool { return r.Did == "" })
	for i := range out {
		// Groups say what a change touched. A record that was made, or deleted, is told whole.
		if out[i].Did != Changed {
			out[i].Groups = nil
		}
	}
	return out
}

// then is record a followed by record b of the same id; its Did is "" when the two come to nothing.
func then(a, b Record) Record {
	both := b
	switch {
	case a.Did == "":
		return b
	case b.Did == Deleted && a.Did == Created:
		both.Did = ""
		return both
	case b.Did == Deleted:
		return both
	case a.Did == Created:
		both.Did = Created
	}
	both.Variants = union(a.Variants, b.Variants)
	both.Groups = union(a.Groups, b.Groups)
	slices.Sort(both.Groups)
	return both
}

func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
