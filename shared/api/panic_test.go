package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"eshop/shared/ports/limit"
	"eshop/shared/ports/store/storetest"
)

// startling are counters, and what happens around a table, that panic when that is asked of them.
type startling struct {
	limit.Counters
	at string
}

func (s startling) panics(at string) {
	if s.at == at {
		panic("secret internals")
	}
}

func (s startling) Charge(ctx context.Context, access string, l limit.Limits, cost int64,
	now time.Time,
) (limit.Standing, error) {
	s.panics("the charge")
	return s.Counters.Charge(ctx, access, l, cost, now)
}

// around panics at the read of a kept answer, or of a partition.
func (s startling) around(c storetest.Call, do func() error) error {
	switch {
	case len(c.Keys) > 0 && strings.HasPrefix(c.Keys[0].PK, "IK#"):
		s.panics("the look for a kept answer")
	case c.Query != nil:
		s.panics("partition " + c.Query.PK)
	}
	return do()
}

// TestAPanicBesideARequestIsItsOwn is of what a request has done on goroutines of their own, and of the same where one
// process does it in turn.
func TestAPanicBesideARequestIsItsOwn(t *testing.T) {
	for _, near := range []bool{true, false} {
		for at, want := range map[string]struct {
			status       int
			code         string
			method, body string
		}{
			"the charge":                 {500, "internal", "GET", ""},
			"the look for a kept answer": {503, "unavailable", "POST", `{"title":"Tea"}`},
			"partition N#0":              {500, "internal", "GET", ""},
			"partition N#1":              {500, "internal", "GET", ""},
		} {
			t.Run(fmt.Sprintf("%s, in turn %t", at, near), func(t *testing.T) {
				w := open(t)
				s := startling{Counters: w.api.Counters, at: at}
				table := storetest.Faulty{Table: w.table, Around: s.around}
				w.api.Near, w.api.Counters, w.api.Table, w.listed = near, s, table, table
				w.refused(w.do(want.method, notes, want.body, "Idempotency-Key", "k"), want.status, want.code)
				w.api.Counters, w.api.Table, w.listed = s.Counters, table.Table, table.Table
				if r := w.do("GET", notes, ""); r.Code != 200 {
					t.Fatal(r.Body)
				}
			})
		}
	}
}
