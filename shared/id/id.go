// Package id makes the platform's identifiers: ULIDs, opaque to clients (contract, section 2, "Ids"). Who makes one
// brings the clock and the randomness, so that tests own both.
package id

import (
	"io"
	"time"

	"github.com/oklog/ulid/v2"
)

// New is a new ULID of the given time with 80 bits from random, which must not fail (crypto/rand.Reader does not).
func New(now time.Time, random io.Reader) string {
	return ulid.MustNew(ulid.Timestamp(now), random).String()
}

// Time is the moment in a ULID, to the millisecond; the zero time when s is none.
func Time(s string) time.Time {
	u, err := ulid.ParseStrict(s)
	if err != nil {
		return time.Time{}
	}
	return ulid.Time(u.Time()).UTC()
}

// Stamp is the first ten characters of every ULID of that moment: it sorts as the moment does, so an index's sort key is
// Stamp + "#" + id.
func Stamp(t time.Time) string {
	var u ulid.ULID
	if err := u.SetTime(ulid.Timestamp(t)); err != nil {
		panic("id: a time outside the years 1970 to 10889: " + t.String())
	}
	return u.String()[:10]
}
