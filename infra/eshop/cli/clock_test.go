package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
)

// outage is a receiver that answers pings alone, and counts attempts.
type outage struct {
	mu       sync.Mutex
	attempts map[string]int // by webhook
	stale    int            // attempts whose timestamp is not the time at which they came
}

func (o *outage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Webhook-Event") == "ping" {
		_, _ = io.Copy(w, r.Body) // which repeats the nonce
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.attempts[r.Header.Get("X-Webhook-Id")]++
	if at, err := strconv.ParseInt(r.Header.Get("X-Webhook-Timestamp"), 10, 64); err != nil ||
		time.Since(time.Unix(at, 0)).Abs() > time.Minute {
		o.stale++
	}
	w.WriteHeader(http.StatusInternalServerError)
}

// made is how many attempts were made at each delivery.
func (o *outage) made() (counts []int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range o.attempts {
		counts = append(counts, n)
	}
	return counts
}

// hears makes a key and registers the outage.
func (o *outage) hears(t *testing.T, c *client) (id string) {
	t.Helper()
	_, err := ask[object](t.Context(), c, "POST", "/api-engine/webhook-signing-keys", object{})
	require.NoError(t, err)
	return o.registers(t, c)
}

// registers registers the outage for customerCreate once more, and waits for its ping.
func (o *outage) registers(t *testing.T, c *client) (id string) {
	t.Helper()
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	type receiver struct{ ID, State string }
	r, err := ask[receiver](t.Context(), c, "POST", "/api-engine/webhooks",
		object{"url": server.URL, "events": []string{"customerCreate"}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return stateOf(t, c, r.ID) == "enabled" }, time.Minute, time.Millisecond)
	return r.ID
}

func stateOf(t *testing.T, c *client, receiver string) string {
	t.Helper()
	got, err := ask[struct{ State string }](t.Context(), c, "GET", "/api-engine/webhooks/"+receiver, nil)
	require.NoError(t, err)
	return got.State
}

func createCustomer(t *testing.T, c *client, email string) {
	t.Helper()
	_, err := ask[object](t.Context(), c, "POST", "/api-engine/customers",
		object{"email": email, "firstName": "Jana", "lastName": "Nová"})
	require.NoError(t, err)
}

// moves moves the clock by the command.
func moves(t *testing.T, data, by string) {
	t.Helper()
	sh, out, errs := shell(data)
	require.Equal(t, 0, Main([]string{"clock", "+" + by}, sh), errs.String())
	require.Contains(t, out.String(), "ahead")
}

func accessOf(p *local.Server) *client {
	return &client{url: p.BaseURL, token: p.Run.Demo.Token, http: http.Client{Timeout: time.Minute}}
}

func TestWhatWaitsHappensWhenTheClockIsMovedOn(t *testing.T) {
	data := t.TempDir()
	p := serving(t, data)
	defer func() { require.NoError(t, p.Stop()) }()
	c, down := accessOf(p), &outage{attempts: map[string]int{}}
	receiver := down.hears(t, c)
	createCustomer(t, c, "one@example.com")
	moves(t, data, "2m")
	require.Equal(t, []int{3}, down.made(), "after 10 s and a minute")
	moves(t, data, "86h")
	require.Equal(t, []int{10}, down.made(), "the whole schedule")
	require.Zero(t, down.stale, "a receiver refuses what is signed with another time than its own")

	createCustomer(t, c, "two@example.com")
	createCustomer(t, c, "three@example.com")
	moves(t, data, "30m")
	require.Equal(t, "failing", stateOf(t, c, receiver))
	moves(t, data, "5d1h")
	require.Equal(t, "disabled", stateOf(t, c, receiver))

	type feed = page[entry]
	at, err := ask[feed](t.Context(), c, "GET", "/api-engine/changes", nil)
	require.NoError(t, err)
	moves(t, data, "31d")
	_, err = ask[feed](t.Context(), c, "GET", "/api-engine/changes?cursor="+at.NextCursor, nil)
	require.ErrorContains(t, err, "feed_expired")
}

// TestEachAttemptIsMadeAtItsTimeHoweverFarTheClockIsMoved moves it over the whole schedule at once.
func TestEachAttemptIsMadeAtItsTimeHoweverFarTheClockIsMoved(t *testing.T) {
	data := t.TempDir()
	p := serving(t, data)
	defer func() { require.NoError(t, p.Stop()) }()
	c, down := accessOf(p), &outage{attempts: map[string]int{}}
	const receivers = 5 // one webhook for each, so that none has its breaker opened
	down.hears(t, c)
	for range receivers - 1 {
		down.registers(t, c)
	}
	createCustomer(t, c, "one@example.com")
	moves(t, data, "84h")
	type attempt struct{ At time.Time }
	type delivery struct {
		ID       string
		Attempts []attempt
	}
	all, err := ask[page[delivery]](t.Context(), c, "GET", "/api-engine/webhook-deliveries?event=customerCreate", nil)
	require.NoError(t, err)
	require.Len(t, all.Items, receivers)
	for _, d := range all.Items {
		d, err := ask[delivery](t.Context(), c, "GET", "/api-engine/webhook-deliveries/"+d.ID, nil)
		require.NoError(t, err)
		require.Len(t, d.Attempts, len(webhook.Waits))
		for n := 1; n < len(d.Attempts); n++ {
			waited, wait := d.Attempts[n].At.Sub(d.Attempts[n-1].At), webhook.Waits[n]
			require.GreaterOrEqual(t, waited, wait*8/10, "attempt %d", n+1)
			require.Less(t, waited, wait*12/10+2*time.Second, "attempt %d, with what a busy machine takes", n+1)
		}
	}
}

// TestTheClockSaysMillisecondsAlways: the moment that it is, however round.
func TestTheClockSaysMillisecondsAlways(t *testing.T) {
	text, err := json.Marshal(local.Clock{Now: field.At(time.Date(2026, 11, 29, 10, 23, 18, 0, time.UTC))})
	require.NoError(t, err)
	require.Contains(t, string(text), `"now":"2026-11-29T10:23:18.000Z"`)
}

func TestTheClockStaysAheadAfterAStart(t *testing.T) {
	data := t.TempDir()
	p := serving(t, data)
	moves(t, data, "68h")
	require.NoError(t, p.Stop())
	p = serving(t, data)
	c := accessOf(p)
	_, err := ask[object](t.Context(), c, "GET", "/api-engine/status", nil)
	require.NoError(t, err)
	require.InDelta(t, 68, time.Until(c.at).Hours(), 0.1, "an answer's date is the platform's")
	sh, out, errs := shell(data)
	require.Equal(t, 0, Main([]string{"clock", "--json"}, sh), errs.String())
	var shown local.Clock
	require.NoError(t, json.Unmarshal([]byte(out.String()), &shown))
	require.Equal(t, "68h0m0s", shown.Ahead)
	require.NoError(t, p.Stop())

	_, err = local.Start(context.Background(), local.Settings{Addr: "127.0.0.1:0", Data: data,
		Environment: "production", Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	require.ErrorContains(t, err, "68h0m0s ahead")
	require.NoError(t, os.WriteFile(filepath.Join(data, "clock"), []byte("tomorrow"), 0o600))
	_, err = local.Start(context.Background(), local.Settings{Addr: "127.0.0.1:0", Data: data,
		Environment: "development", Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	require.ErrorContains(t, err, "clock of the data folder")
}

func TestTheClockRefuses(t *testing.T) {
	p := serving(t, t.TempDir())
	defer func() { require.NoError(t, p.Stop()) }()
	operator := &client{url: p.BaseURL, token: p.Run.OperatorToken, http: http.Client{Timeout: time.Minute}}
	for _, by := range []string{"", "0s", "-68h", "3", "tomorrow", "9000h"} {
		_, err := ask[local.Clock](t.Context(), operator, "POST", local.ClockPath, object{"advance": by})
		require.ErrorContains(t, err, "422", by)
	}
	_, err := ask[local.Clock](t.Context(), accessOf(p), "POST", local.ClockPath, object{"advance": "68h"})
	require.ErrorContains(t, err, "401")
}

func TestAProductionHasNoClockToMove(t *testing.T) {
	p, err := local.Start(context.Background(), local.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(),
		Environment: "production", Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Stop()) }()
	operator := &client{url: p.BaseURL, token: p.Run.OperatorToken, http: http.Client{Timeout: time.Minute}}
	_, err = ask[local.Clock](t.Context(), operator, "POST", local.ClockPath, object{"advance": "68h"})
	require.ErrorContains(t, err, "404")
}
