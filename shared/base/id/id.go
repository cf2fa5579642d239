// Package id makes the platform's identifiers: ULIDs, opaque to clients (contract, "JSON"). Who makes one brings the
// clock and the randomness, so that tests own both.
package id

import (
	"io"
	"strings"
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

// Stamp is the first ten characters of every ULID of that moment: it sorts as the moment does, so an index's sort key
// is Stamp + "#" + id. A moment before 1970 is as the first that a ULID can hold, one after the year 10889 as the last.
func Stamp(t time.Time) string {
	var u ulid.ULID
	_ = u.SetTime(uint64(min(max(t.UnixMilli(), 0), int64(ulid.MaxTime())))) // it can hold
	return u.String()[:stampSize]
}

// Stamped is the moment of the Stamp that s begins with; the zero time when it begins with none.
func Stamped(s string) time.Time {
	if len(s) < stampSize {
		return time.Time{}
	}
	return Time(s[:stampSize] + strings.Repeat("0", Size-stampSize))
}

// stampSize is the number of characters of a Stamp.
const stampSize = 10

// Size is the number of characters of an identifier.
const Size = ulid.EncodedSize

// Valid says whether s has the form of an identifier: anything else is the id of nothing.
func Valid(s string) bool { return len(s) == Size && begins(s) }

// ValidStamp says whether s has the form of a Stamp.
func ValidStamp(s string) bool { return len(s) == stampSize && begins(s) }

// begins says whether an identifier can begin with s, which is not empty.
func begins(s string) bool {
	if s[0] > '7' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z' || c == 'I' || c == 'L' || c == 'O' || c == 'U') {
			return false
		}
	}
	return true
}
