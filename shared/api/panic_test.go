package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"eshop/shared/limit"
	"eshop/shared/store"
)

// startling are counters and a table that panic when that is asked of them.
type startling struct {
	store.Table
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

func (s startling) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if strings.HasPrefix(keys[0].PK, "IK#") {
		s.panics("the look for a kept answer")
	}
	return s.Table.Get(ctx, keys...)
}

func (s startling) Query(ctx context.Context, q store.Query) (store.Page, error) {
	s.panics("partition " + q.PK)
	return s.Table.Query(ctx, q)
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
				s := startling{Table: w.table, Counters: w.api.Counters, at: at}
				w.api.Near, w.api.Counters, w.api.Table = near, s, s
				w.listed = s
				w.refused(w.do(want.method, notes, want.body, "Idempotency-Key", "k"), want.status, want.code)
				w.api.Counters, w.api.Table, w.listed = s.Counters, s.Table, s.Table
				if r := w.do("GET", notes, ""); r.Code != 200 {
					t.Fatal(r.Body)
				}
			})
		}
	}
}
