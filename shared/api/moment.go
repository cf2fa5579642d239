package api

import (
	"strings"
	"time"

	"eshop/shared/record/field"
)

// rfc3339 reads a time as RFC 3339 has it, which in UTC lies in the years 1 to 9999: an earlier or later one has no
// spelling that could be read again.
//
// time.Parse alone takes an hour of one digit, a comma before the fraction, and an offset of 24 hours or 60 minutes.
func rfc3339(s string) (time.Time, bool) {
	if len(s) > field.MaxTime {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, s)
	// The text that Parse took is at least as long as this place.
	if err != nil || s[len("2006-01-02T15")] != ':' || strings.Contains(s, ",") {
		return t, false
	}
	if offset := s[len(s)-len("+07:00"):]; s[len(s)-1] != 'Z' && (offset[1:3] > "23" || offset[4:] > "59") {
		return t, false
	}
	return t, inUTC(t)
}

// inUTC says whether a moment can be written in UTC.
func inUTC(t time.Time) bool {
	year := t.UTC().Year()
	return 1 <= year && year <= 9999
}

// Moment reads a moment of a query: RFC 3339 with Z or an offset, or a date for its 00:00 UTC.
func Moment(s string) (time.Time, bool) {
	if t, err := time.Parse(time.DateOnly, s); len(s) == len(time.DateOnly) && err == nil {
		return t, inUTC(t)
	}
	t, ok := rfc3339(s)
	return t.UTC(), ok
}
