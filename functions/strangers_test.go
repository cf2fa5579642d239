package functions_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/store"
)

// TestEachOperationWithoutATokenIsBounded: its row of THE list says what bounds that which a stranger can make by it,
// or it is a read. A read makes no row, whatever a stranger asks for: they are all asked here, as a page and by a
// script, with a key.
func TestEachOperationWithoutATokenIsBounded(t *testing.T) {
	w := open(t)
	reads := 0
	for _, o := range w.API.Open() {
		if !o.Reads {
			require.NotEmpty(t, o.Bounded, "%s says not what bounds that which a stranger can make by it", o.Route)
			continue
		}
		reads++
		_, path, _ := strings.Cut(o.Route, " ")
		path = wildcard.ReplaceAllString(strings.TrimSuffix(path, "{$}"), "01KAJ0000000000000000000S1")
		writes := w.Main.Writes()
		for _, accept := range []string{"application/json", hosttest.PageType} {
			r := w.Request("", http.MethodGet, path+"?a=b", nil, "Accept", accept, "Idempotency-Key", "k")
			r.Host = w.host(o.Route)
			w.Serve(r)
		}
		require.Equal(t, writes, w.Main.Writes(), "%s has written to the table", o.Route)
	}
	require.Greater(t, reads, 20)
}

// TestNoStrangerKeepsMoreAnswersThanTheirAddressMayMake sends each operation without a token more new Idempotency-Keys
// in a minute than an address may make baskets: no more answers are kept than that, though the visitor has one basket.
func TestNoStrangerKeepsMoreAnswersThanTheirAddressMayMake(t *testing.T) {
	const most = 120 // of visitorLimits
	w := open(t)
	seen, refused := 0, 0
	for _, o := range w.API.Open() {
		if !o.Keeps || o.Reads {
			continue
		}
		seen++
		w.Clock.Pass(time.Minute)
		kept := map[store.Key]bool{}
		w.Main.Before(func(ops []store.Op) error {
			for _, op := range ops {
				if strings.HasPrefix(op.Key.PK, "IK#") {
					kept[op.Key] = true
				}
			}
			return nil
		})
		var last hosttest.Answer
		for n := range most + 10 {
			last = w.underKey(o.Route, o.Route+strconv.Itoa(n))
		}
		w.Main.Before(nil)
		require.LessOrEqual(t, len(kept), most, "%s: answers kept of %d", o.Route, most+10)
		require.GreaterOrEqual(t, last.Status, 400, o.Route)
		if len(kept) == most {
			refused++
			last.Is(http.StatusTooManyRequests, "too_many_tries")
			first := w.underKey(o.Route, o.Route+"0")
			require.Equal(t, "true", first.Header.Get("Idempotent-Replayed"), "%s: a replay is not counted", o.Route)
		}
	}
	require.Greater(t, seen, 5)
	require.GreaterOrEqual(t, refused, 3, "of an item, its quantity and a coupon")
}

// underKey is a visitor's request of an operation under an Idempotency-Key. An operation without a sample is asked for
// with a made-up id.
func (w *world) underKey(route, key string) hosttest.Answer {
	w.T.Helper()
	method, path, _ := strings.Cut(route, " ")
	path = wildcard.ReplaceAllString(path, "01KAJ0000000000000000000S1")
	body := w.sample(route)
	if body != nil {
		path = w.path(route)
		delete(body, "quoteToken") // it buys once
	}
	r := w.Request("", method, path, body, "Idempotency-Key", strings.ReplaceAll(key, " ", ""))
	r.Host = w.host(route)
	for _, c := range w.cookies {
		r.AddCookie(c)
	}
	return w.Serve(r)
}
