package field

import (
	"sync"
	"time"
)

// Zone is the time of the shops' countries. Where neither the system nor the program knows it (import time/tzdata), it
// is one hour ahead of UTC all year.
var Zone = sync.OnceValue(func() *time.Location {
	l, err := time.LoadLocation("Europe/Prague")
	if err != nil {
		return time.FixedZone("CET", 3600)
	}
	return l
})

// NormalizeTime is a moment as people's forms send it, 2026-11-22T14:05 with or without seconds, as RFC 3339 has it:
// one without a zone is of the shops' own time. Any other text stays as it is.
func NormalizeTime(text string) string {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04",
		"2006-01-02 15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, Zone()); err == nil {
			return t.UTC().Format(time.RFC3339)
		}
	}
	return text
}

// Local is a moment as a form's field shows it, in the shops' own time; "" of none.
func (t *Time) Local() string {
	if t == nil || *t == 0 {
		return ""
	}
	return t.Go().In(Zone()).Format("2006-01-02T15:04:05")
}
