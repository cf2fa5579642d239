package events

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"
)

// MaxIDs is how many ids one call carries, variants counted (contract, "Body"). Only a product that has more by itself
// goes beyond, alone: it is never split.
const MaxIDs = 500

// Call is one webhook that a change becomes, the same for every receiver that wants the event with the same groups.
type Call struct {
	Event   Name
	Chunk   int    // the change's own, and counting on where it has more than MaxIDs ids of an event
	Changed string // X-Webhook-Changed; "" for events that have none
	Data    []byte // the "data" of the body
	Test    bool   // its body says so: a sample, to one receiver
	At      int64  // unix milliseconds: the newest `changed` of its records; 0 of an event without records
}

// changed are the groups that a record of a grouped event shows: making an order is one of them.
func (r Record) changed() []Group {
	if r.Kind == Orders && r.Did == Created {
		return []Group{New}
	}
	return r.Groups
}

// Events are the events that a change's records become, in the order of the first record of each. A record whose kind
// has no event for what was done becomes none: the change feed alone tells of it.
func (c Change) Events() []Name {
	var names []Name
	for _, r := range c.Records {
		if n := r.Event(); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// Calls are the calls of one event about records, in the order of their first change, cut at MaxIDs. wanted are groups:
// of a grouped event only records that touch one of them are told; none stands for all.
func (c Change) Calls(event Name, wanted []Group) []Call {
	of := event.Row()
	if of.About.Kind == "" {
		return nil
	}
	grouped := event.Grouped()
	var about []Record
	for _, r := range c.merged() {
		if r.Event() == event && (len(wanted) == 0 || !grouped || overlap(r.changed(), wanted)) {
			about = append(about, r)
		}
	}
	var calls []Call
	for i, chunk := range chunks(about) {
		call := Call{Event: event, Chunk: c.Chunk + i, Data: of.About.data(chunk), At: newest(chunk)}
		if grouped {
			call.Changed = groupsOf(chunk)
		}
		calls = append(calls, call)
	}
	return calls
}

// newest is the newest `changed` of the records: the time in their versions, in unix milliseconds. 0 if they have none.
func newest(records []Record) (at int64) {
	for _, r := range records {
		at = max(at, ulidTime(r.Version))
	}
	return at
}

// As is the change as the call tells of it: at the newest `changed` of the records that it lists. So a receiver that
// has fetched a record can tell by a webhook's time whether that is older (contract, "Body").
func (c Change) As(call Call) Change {
	if call.At > 0 {
		c.At = call.At
	}
	return c
}

// merged is the records merged, so that no call has a record twice, whoever made the change. One record is the usual
// case and needs no work.
func (c Change) merged() []Record {
	if len(c.Records) < 2 {
		return c.Records
	}
	return Merge(c.Records)
}

func overlap(a, b []Group) bool {
	return slices.ContainsFunc(a, func(g Group) bool { return slices.Contains(b, g) })
}

// chunks are the records in chunks of at most MaxIDs ids.
func chunks(records []Record) (all [][]Record) {
	begin, ids := 0, 0
	for i, r := range records {
		n := 1 + len(r.Variants)
		// A product is never split: one with more ids than MaxIDs is a chunk of its own.
		if i > begin && ids+n > MaxIDs {
			all = append(all, records[begin:i])
			begin, ids = i, 0
		}
		ids += n
	}
	if begin < len(records) {
		all = append(all, records[begin:])
	}
	return all
}

// groupsOf is the value of X-Webhook-Changed: the groups of these records, sorted, each once.
func groupsOf(records []Record) string {
	var all []string
	for _, r := range records {
		for _, g := range r.changed() {
			all = append(all, string(g))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

// AppendHead appends a webhook's body up to its "data" (contract, "Body"): that and a closing brace follow. The change
// is as the call tells of it (As).
func (c Change) AppendHead(b []byte, webhook string, event Name, version string, by By) []byte {
	head := mustMarshal(struct {
		ID         string `json:"id"`
		Event      Name   `json:"event"`
		ShopID     string `json:"shopId"`
		APIVersion string `json:"apiVersion"`
		CreatedAt  string `json:"createdAt"`
		By         By     `json:"by"`
		RequestID  string `json:"requestId"`
	}{webhook, event, c.Shop, version, c.Time().Format("2006-01-02T15:04:05.000Z"), by, c.RequestID()})
	return append(append(b, head[:len(head)-1]...), `,"data":`...)
}

// mustMarshal is the JSON of a value of texts and lists, which always has one.
func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("events: " + err.Error())
	}
	return b
}

// WebhookID is the id of a call to a receiver. It is a ULID: its time is the change's (As the call tells of it), and
// its other 80 bits are of SHA-256(request, event, receiver, chunk). So a change that is handed over again makes the
// same id again, and receivers can tell a repetition by it (contract, "Body").
func (c Change) WebhookID(event Name, receiver string, chunk int) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Request, string(event), receiver, strconv.Itoa(chunk)}, "\n")))
	var id ulid.ULID
	_ = id.SetTime(uint64(c.At)) // no change is of the year 10889
	copy(id[6:], sum[:])
	return id.String()
}

// ulidTime is the time in a ULID, in unix milliseconds; 0 if the text is no ULID.
func ulidTime(text string) int64 {
	id, err := ulid.ParseStrict(text)
	if err != nil {
		return 0
	}
	return int64(id.Time())
}
