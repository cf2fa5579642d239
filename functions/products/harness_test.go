package products

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/limit"
	"eshop/shared/record/change"
)

// shopful is a shop whose products are under test.
type shopful struct{ *hosttest.World }

var callers = map[string]*change.Caller{
	"all": {Access: "acc", Shop: "shop", Website: "https://shop.example", Active: true, Permissions: permission.All,
		Limits: limit.Max},
	"writer": {Access: "wri", Shop: "shop", Website: "https://shop.example", Active: true,
		Permissions: []permission.Permission{permission.WriteProducts}, Limits: limit.Max},
	"other": {Access: "oth", Shop: "other", Website: "https://other.example", Active: true,
		Permissions: permission.All, Limits: limit.Max},
	"poor": {Access: "poo", Shop: "shop", Website: "https://shop.example", Active: true, Permissions: permission.All,
		Limits: limit.Limits{Hourly: 12, Daily: 100}},
}

// open is a shop on a clock that goes a millisecond on each time it is asked.
func open(t testing.TB) *shopful {
	return &shopful{hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function},
		Start: time.Date(2026, 11, 21, 2, 5, 12, 0, time.UTC),
		Step:  time.Millisecond, Authenticate: func(_ context.Context, token string) (*change.Caller, error) {
			if c := callers[token]; c != nil {
				return c, nil
			}
			return nil, change.ErrUnauthenticated
		}})}
}

// ask sends a request as "all"; headers are pairs.
func (s *shopful) ask(method, path string, body any, headers ...string) hosttest.Answer {
	s.T.Helper()
	return s.As("all", method, path, body, headers...)
}

// units is the write capacity that the last request took, the counter's included.
func (s *shopful) units(hosttest.Answer) float64 {
	_, units := s.Meter().Units()
	return units
}

type obj = hosttest.Object

// product is the body of a POST, with further fields.
func product(code string, more ...obj) obj {
	o := obj{"code": code, "name": "Product " + code, "priceLevels": []obj{{"level": "default", "price": "100.00"}}}
	for _, m := range more {
		maps.Copy(o, m)
	}
	return o
}

func variants(code string, n int) []obj {
	all := make([]obj, n)
	for i := range all {
		all[i] = obj{"code": fmt.Sprintf("%s-%d", code, i), "stock": obj{"quantity": 10}}
	}
	return all
}

// made creates a product.
func (s *shopful) made(code string, more ...obj) hosttest.Answer {
	s.T.Helper()
	return s.ask("POST", "/api-engine/products", product(code, more...)).Is(201)
}

func path(id string, more ...string) string {
	return "/api-engine/products/" + strings.Join(append([]string{id}, more...), "/")
}

func (s *shopful) get(id string) hosttest.Answer {
	s.T.Helper()
	return s.ask("GET", path(id), nil).Is(200)
}

// one wants exactly one change to have been told, and returns its records of a kind.
func (s *shopful) one(kind events.RecordKind) []events.Record {
	s.T.Helper()
	changes := s.Main.NewChanges()
	require.Len(s.T, changes, 1)
	return slices.DeleteFunc(slices.Clone(changes[0].Records), func(r events.Record) bool { return r.Kind != kind })
}

func (s *shopful) nothing() { s.T.Helper(); require.Empty(s.T, s.Main.NewChanges()) }

func (s *shopful) ids(a hosttest.Answer, list string) []string {
	s.T.Helper()
	var ids []string
	for _, v := range a.At(list).([]any) {
		ids = append(ids, v.(map[string]any)["id"].(string))
	}
	return ids
}

// change is one with a record of its own, made beside the API.
func (s *shopful) change(r events.Record) events.Change {
	return events.Change{Request: "r", Shop: "shop", At: s.Clock.Now().UnixMilli(), Records: []events.Record{r}}
}

// unit is a unit of work beside the API.
func (s *shopful) unit() *change.Unit {
	return &change.Unit{Shop: "shop", Request: s.P.NewID(), Table: s.Main, Now: s.P.Now, Random: s.P.Random}
}
