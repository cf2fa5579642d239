package events

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxIDs is how many ids one call carries, variants counted (contract, section 5, "Body"). Only a product that has more
// by itself goes beyond, alone: it is never split.
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
		call := Call{Event: event, Chunk: c.Chunk + i, Data: of.About.appendData(nil, chunk), At: newest(chunk)}
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
// has fetched a record can tell by a webhook's time whether that is older (contract, section 10).
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

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

// appendText appends a JSON string. Ids and names are plain ASCII and are copied as they are; anything else goes
// through encoding/json.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic("events: a string always encodes: " + err.Error())
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// AppendHead appends a webhook's body up to its "data" (contract, section 5, "Body"): that and a closing brace follow.
func AppendHead(b []byte, webhook string, event Name, shop, version string, at time.Time) []byte {
	b = appendText(append(b, `{"id":`...), webhook)
	b = appendText(append(b, `,"event":`...), string(event))
	b = appendText(append(b, `,"shopId":`...), shop)
	b = appendText(append(b, `,"apiVersion":`...), version)
	b = append(b, `,"createdAt":"`...)
	b = at.UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	return append(b, `","data":`...)
}

// WebhookID is the id of a call to a receiver. It is a ULID: its time is the change's (As the call tells of it), and
// its other 80 bits are of SHA-256(request, event, receiver, chunk). So a change that is handed over again makes the
// same id again, and receivers can tell a repetition by it (contract, section 5).
func (c Change) WebhookID(event Name, receiver string, chunk int) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Request, string(event), receiver, strconv.Itoa(chunk)}, "\n")))
	return ulid(uint64(c.At), [10]byte(sum[:10]))
}

// digits are those of ULIDs, Crockford's base 32.
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ulidTime is the time in a ULID, in unix milliseconds: its first ten digits. 0 if the text is no ULID.
func ulidTime(text string) (ms int64) {
	if len(text) != 26 {
		return 0
	}
	for i := range 10 {
		value := strings.IndexByte(digits, text[i])
		if value < 0 {
			return 0
		}
		ms = ms<<5 | int64(value)
	}
	return ms
}

// ulid writes 48 bits of time, in milliseconds, and 80 others in Crockford's base 32, as ULIDs are written.
func ulid(ms uint64, others [10]byte) string {
	hi := ms<<16 | uint64(binary.BigEndian.Uint16(others[:2]))
	lo := binary.BigEndian.Uint64(others[2:])
	var s [26]byte
	for i := 25; i >= 0; i-- {
		s[i] = digits[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(s[:])
}
