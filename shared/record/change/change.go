// Package change is the unit of work: one change of a shop's records, whoever asks for it. A partner's request, a form
// of the admin, a row of a file and the operator each make a Unit and hand it to the same command of a noun; the
// command reads, decides, and writes once, with the change that it publishes. A door adds what is its own (a limit, an
// answer stored for an Idempotency-Key, a cookie) by its Door and learns what came of the command.
package change

import (
	"cmp"
	"context"
	"io"
	"time"

	"eshop/events"
	"eshop/shared/base/id"
	"eshop/shared/ports/store"
)

// Unit is one unit of work. It lives as long as its request and is not shared between goroutines.
type Unit struct {
	Shop          string       // whose records are changed; "" of what belongs to no shop
	Request       string       // the platform's own id of the request, a ULID: what webhooks are keyed by
	ClientRequest string       // the client's own id of the request, its X-Request-Id; "" when it sent none
	Trace         events.Trace // the one that the client sent; "" when it sent none
	By            events.Actor // who asks
	Table         store.Table  // the records
	Now           func() time.Time
	Random        io.Reader
	Door          Door // nil: what is written is written, and nothing is held against versions
}

// Door is what a door of the platform adds to a command.
type Door interface {
	// Match holds the version of the record that is about to be changed against what the caller expects it to be: a
	// problem version_conflict when it is another.
	Match(version string) error
	// Write does the operations in one transaction, with those that the door adds. result must be exactly the value
	// that the command returns (api.Do asserts its type). nil: no answer is stored with this transaction, because it is
	// not the last, or because its answer has no body.
	Write(ctx context.Context, result any, change events.Change, ops ...store.Op) (store.Item, error)
	// Begin does the operations of the first of several transactions, which publishes nothing. From then on, for as
	// long as life, the same request is refused when it is sent once more, instead of done beside this one.
	Begin(ctx context.Context, life time.Duration, ops ...store.Op) error
}

// LogID is the request's id in log lines: the client's own, else the platform's.
func (u *Unit) LogID() string { return cmp.Or(u.ClientRequest, u.Request) }

// NewID is a new identifier.
func (u *Unit) NewID() string { return id.New(u.Now(), u.Random) }

// NextVersion is the version of a write to a record that has the given one ("" of a new record): an id of now, or of a
// millisecond after the given version if that is later. So a record's `changed` rises strictly with its version,
// whatever the clock does (contract, "Order in time").
func (u *Unit) NextVersion(version string) string {
	return id.New(After(id.Time(version), u.Now()), u.Random)
}

// After is now, or a millisecond after last if that is later: the moment of a change of what was changed at last.
func After(last, now time.Time) time.Time {
	if next := last.Add(time.Millisecond); now.Before(next) {
		return next
	}
	return now
}

// Match holds a record's version against what the door's caller expects.
func (u *Unit) Match(version string) error {
	if u.Door == nil {
		return nil
	}
	return u.Door.Match(version)
}

// ChangeOf is the change that this unit publishes: what it did to records, merged, and the notices that are about no
// record.
func (u *Unit) ChangeOf(records []events.Record, notices ...events.Notice) events.Change {
	return events.Change{Request: u.Request, ClientRequest: u.ClientRequest, Trace: u.Trace, By: u.By, Shop: u.Shop,
		At: u.Now().UnixMilli(), Records: events.Merge(records), Notices: notices}
}

// Write does the operations in one transaction and publishes the change. A store that cannot serve is
// store.ErrUnavailable, a condition that does not hold a *store.ConditionError, and then nothing was written.
func (u *Unit) Write(ctx context.Context, result any, change events.Change, ops ...store.Op) (store.Item, error) {
	if u.Door == nil {
		return u.Table.Write(ctx, change, ops...)
	}
	return u.Door.Write(ctx, result, change, ops...)
}

// Begin writes the first of several transactions; Write writes the others. life is how long the unit of work may take.
// Its errors are those of Write.
func (u *Unit) Begin(ctx context.Context, life time.Duration, ops ...store.Op) error {
	if u.Door == nil {
		_, err := u.Table.Write(ctx, events.Nothing, ops...)
		return err
	}
	return u.Door.Begin(ctx, life, ops...)
}

// KeyLife is how long an Idempotency-Key means the same request, and its answer is kept (contract, "Idempotency").
const KeyLife = 24 * time.Hour

// KeptAbout is the partition of Index2 with the kept answers of Idempotency-Keys that say something of a person: the
// erasing of the person finds them there.
func KeptAbout(person string) string { return "IK#C#" + person }

// KeptEmpty is such an answer once the person was erased: 204, without a body.
var KeptEmpty = []byte(`{"status":204}`)
