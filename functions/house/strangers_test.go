package house_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
)

// TestAReadWithoutATokenMakesNoRow: whatever a stranger asks for, as a page and by a script, with a key.
func TestAReadWithoutATokenMakesNoRow(t *testing.T) {
	w := open(t)
	reads := 0
	for _, o := range w.API.Open() {
		if !o.Reads {
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

// unbounded are the operations without a token that no 429 ends, with what one call costs. They make nothing: no row,
// no entry of an index, no webhook.
var unbounded = map[string]string{
	"PATCH /basket/items/{id}":         "writes the visitor's basket",
	"DELETE /basket/items/{id}":        "writes the visitor's basket",
	"DELETE /basket/coupon":            "writes the visitor's basket",
	"POST /account/sign-out":           "deletes the session of the cookie",
	"POST /admin/sign-out":             "deletes the session of the cookie",
	"POST /account/set-password":       "reads the link that the token is of, which is good once",
	"POST /admin/set-password":         "reads the link that the token is of, which is good once",
	"POST /consent":                    "writes a cookie",
	"POST /api-engine/webhooks/canary": "reads nothing: its address has a key, without which it is 404",
}

// anyBasket is the code of a coupon that needs no least order.
const anyBasket = "ANY"

// TestWhatAStrangerMakesEndsIn429 makes many calls of each operation without a token within one moment: as a visitor
// who has registered and has a basket, and as one who is new with each call. Who makes anything by them ends in a 429.
// Operations of the admin write nothing at all without a session, and are listed only if they do without one.
func TestWhatAStrangerMakesEndsIn429(t *testing.T) {
	w := open(t)
	w.As(w.token, "POST", "/api-engine/discount-coupons",
		object{"code": anyBasket, "type": "percentage", "value": "10.00"}).Is(201)
	bounded, listed := 0, 0
	for _, o := range w.API.Open() {
		if o.Reads {
			continue
		}
		w.Clock.Pass(time.Minute)
		w.round++
		w.enter()
		refused := false
		for who, cookies := range map[string][]*http.Cookie{"registered": w.cookies, "new": nil} {
			w.Clock.Pass(time.Minute)
			refused = w.isRefused(o.Route, who, cookies) || refused
		}
		_, is := unbounded[o.Route]
		require.False(t, is && refused, "%s ends in a 429, and does not belong into the list", o.Route)
		switch {
		case is:
			listed++
		case refused:
			bounded++
		default:
			require.Contains(t, o.Route, " /admin/", "%s neither ends in a 429 nor is in the list", o.Route)
		}
	}
	require.Len(t, unbounded, listed)
	require.Equal(t, 8, bounded, "of those that a stranger may call")
}

// isRefused makes 200 calls of an operation, 20 of one of the admin's, until one is a 429. If none is, all but the
// first, which may have used what is good once, may have written one row over and over, and tell of nothing.
func (w *world) isRefused(route, who string, cookies []*http.Cookie) bool {
	w.T.Helper()
	written := map[store.Key]bool{}
	w.Main.Before(func(ops []store.Op) error {
		for _, op := range ops {
			if op.Kind == store.Putting || op.Kind == store.Updating {
				written[op.Key] = true
			}
		}
		return nil
	})
	defer w.Main.Before(nil)
	calls, most := 200, 1
	if strings.Contains(route, " /admin/") {
		calls, most = 20, 0
	}
	for n := range calls {
		if w.strange(route, cookies, n).Status == http.StatusTooManyRequests {
			return true
		}
		if n == 0 {
			clear(written)
			w.Main.NewChanges()
		}
	}
	require.LessOrEqual(w.T, len(written), most, "%s makes rows without end for who is %s", route, who)
	require.Empty(w.T, w.Main.NewChanges(), "%s tells of changes without end for who is %s", route, who)
	return false
}

// strange is the nth call of an operation by a visitor with these cookies. No two calls say the same, and none has what
// is good once.
func (w *world) strange(route string, cookies []*http.Cookie, n int) hosttest.Answer {
	w.T.Helper()
	defer func(round int) { w.round = round }(w.round)
	w.round = 1_000*w.round + n
	body := w.sample(route)
	delete(body, "quoteToken")
	switch route {
	case "PATCH /account": // what is no try at a password
		body = object{"firstName": "Hana " + strconv.Itoa(n)}
	case "POST /basket/coupon": // what an empty basket takes
		body = object{"code": anyBasket}
	}
	method, path, _ := strings.Cut(route, " ")
	if strings.HasPrefix(path, "/admin/") {
		path = wildcard.ReplaceAllString(path, "01KAJ0000000000000000000S1")
	} else {
		path = w.path(route)
	}
	r := w.Request("", method, path, body)
	if strings.HasPrefix(path, "/admin/") {
		r = w.Request("", method, path, "email=a@example.cz&password=correct+horse", "Content-Type", formType)
	}
	r.Host = w.host(route)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	return w.Serve(r)
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
