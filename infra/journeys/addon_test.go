package journeys

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listener is the server of an add-on: it keeps every call and answers 200 with the body it got, which proves the
// address to a ping, unless it is told to answer otherwise.
type listener struct {
	t     testing.TB
	url   string
	id    string // of the receiver
	mu    sync.Mutex
	calls []call
	come  chan struct{} // closed at the next call
	say   func(w http.ResponseWriter, c call)
}

// call is one call as it came.
type call struct {
	header http.Header
	raw    []byte
	at     time.Time
	body   struct {
		ID, Event, ShopID, APIVersion, CreatedAt, By, RequestID string
		Data                                                    json.RawMessage
	}
}

func newListener(t testing.TB) *listener {
	a := &listener{t: t, come: make(chan struct{})}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	a.url = s.URL
	return a
}

// ServeHTTP is the add-on's address.
func (a *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := call{header: r.Header, at: time.Now()}
	var err error
	if c.raw, err = io.ReadAll(r.Body); err != nil {
		return // cut before its end: it never came
	}
	_ = json.Unmarshal(c.raw, &c.body) // what is no JSON fails the test that looks at it
	c.header.Set("Method", r.Method)
	a.mu.Lock()
	a.calls = append(a.calls, c)
	close(a.come)
	a.come = make(chan struct{})
	say := a.say
	a.mu.Unlock()
	if say != nil {
		say(w, c)
		return
	}
	_, _ = w.Write(c.raw)
}

// answers makes the add-on answer so from now on; nil: as at first.
func (a *listener) answers(say func(http.ResponseWriter, call)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.say = say
}

// down breaks the connection, as a server does that is not well.
func down(http.ResponseWriter, call) { panic(http.ErrAbortHandler) }

func status(code int) func(http.ResponseWriter, call) {
	return func(w http.ResponseWriter, _ call) { w.WriteHeader(code) }
}

// all is what came so far but pings, and what is waited on for more.
func (a *listener) all() ([]call, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.calls), func(c call) bool { return c.body.Event == "ping" }), a.come
}

// until waits until what came is enough, and returns it.
func (a *listener) until(enough func([]call) bool) []call {
	a.t.Helper()
	for late := time.After(patience); ; {
		calls, more := a.all()
		if enough(calls) {
			return calls
		}
		select {
		case <-more:
		case <-late:
			require.FailNow(a.t, "not what was waited for", "%s", list(calls))
		}
	}
}

func list(calls []call) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&b, "%s attempt %s changed %q %s\n", c.body.Event, c.header.Get("X-Webhook-Attempt"),
			c.header.Get("X-Webhook-Changed"), c.body.Data)
	}
	return b.String()
}

// hears waits for the call of an event about an id (any of the data), and holds it against the contract.
func (a *listener) hears(event, about string) call {
	a.t.Helper()
	var found call
	a.until(func(calls []call) bool {
		i := slices.IndexFunc(calls, func(c call) bool {
			return c.body.Event == event && strings.Contains(string(c.body.Data), about)
		})
		if i >= 0 {
			found = calls[i]
		}
		return i >= 0
	})
	found.check(a.t)
	return found
}

// tells wants the data, as JSON, and X-Webhook-Changed ("": no such header).
func (c call) tells(t testing.TB, data, changed string) {
	t.Helper()
	require.Equal(t, data, string(c.body.Data))
	require.Equal(t, changed, c.header.Get("X-Webhook-Changed"))
	require.Equal(t, changed != "", len(c.header["X-Webhook-Changed"]) == 1)
}

// data is the body's data as fields.
func (c call) data(t testing.TB) (f fields) {
	t.Helper()
	require.NoError(t, json.Unmarshal(c.body.Data, &f))
	return f
}

// check holds what every call has against the contract, "Body" and "Headers": method, headers, and the body to the
// byte.
func (c call) check(t testing.TB) {
	t.Helper()
	require.Equal(t, "POST", c.header.Get("Method"))
	require.Equal(t, fmt.Sprintf(`{"id":%q,"event":%q,"shopId":%q,"apiVersion":"2026-11-01","createdAt":%q,`+
		`"by":%q,"requestId":%q,"data":%s}`, c.body.ID, c.body.Event, c.body.ShopID, c.body.CreatedAt, c.body.By,
		c.body.RequestID, c.body.Data), string(c.raw))
	require.Equal(t, []string{c.body.By}, c.header["X-Webhook-By"])
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, c.body.CreatedAt)
	require.Equal(t, []string{"application/json"}, c.header["Content-Type"])
	require.Equal(t, []string{"eshop-webhooks/1"}, c.header["User-Agent"])
	require.Equal(t, []string{c.body.Event}, c.header["X-Webhook-Event"])
	require.Equal(t, []string{c.body.ID}, c.header["X-Webhook-Id"])
	require.Regexp(t, `^[1-9]\d*$`, c.header.Get("X-Webhook-Attempt"))
	for name := range c.header {
		require.Contains(t, known, name, "a header that the contract does not have")
	}
}

var known = []string{"Method", "Accept-Encoding", "Content-Length", "Content-Type", "User-Agent", "X-Webhook-Event",
	"X-Webhook-Id",
	"X-Webhook-Attempt", "X-Webhook-Changed", "X-Webhook-By", "X-Webhook-Timestamp", "X-Webhook-Signature",
	"X-Webhook-Signature-Next",
	"X-Webhook-Signature-Previous", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature",
	"Traceparent"} // where the request had one

// signing are the headers that a call without a key has none of.
var signing = []string{"X-Webhook-Timestamp", "X-Webhook-Signature", "X-Webhook-Signature-Next",
	"X-Webhook-Signature-Previous",
	"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"}

func (c call) unsigned(t testing.TB) {
	t.Helper()
	for _, name := range signing {
		require.NotContains(t, c.header, name)
	}
}

// signed verifies the call with the access's primary key as the contract says, with the pending one ("": none) as one
// who tries it, and with both as a Standard Webhooks library does; and wants no signature more.
func (c call) signed(t testing.TB, primary, pending string) {
	t.Helper()
	stamp := c.header.Get("X-Webhook-Timestamp")
	_, err := strconv.ParseInt(stamp, 10, 64)
	require.NoError(t, err)
	want := map[string][]string{"X-Webhook-Signature": {hexOf(t, primary, stamp, c.raw)}}
	standard := []string{standardOf(t, primary, stamp, c)}
	if pending != "" {
		want["X-Webhook-Signature-Next"] = []string{hexOf(t, pending, stamp, c.raw)}
		standard = append(standard, standardOf(t, pending, stamp, c))
	}
	for _, name := range []string{"X-Webhook-Signature", "X-Webhook-Signature-Next", "X-Webhook-Signature-Previous"} {
		require.Equal(t, want[name], c.header[name], name)
	}
	require.Equal(t, c.body.ID, c.header.Get("Webhook-Id"))
	require.Equal(t, stamp, c.header.Get("Webhook-Timestamp"))
	require.ElementsMatch(t, standard, strings.Fields(c.header.Get("Webhook-Signature")))
}

func hexOf(t testing.TB, key, stamp string, body []byte) string {
	return "sha256=" + hex.EncodeToString(mac(t, key, stamp+"."+string(body)))
}

func standardOf(t testing.TB, key, stamp string, c call) string {
	return "v1," + base64.StdEncoding.EncodeToString(mac(t, key, c.body.ID+"."+stamp+"."+string(c.raw)))
}

// mac is the HMAC-SHA256 under a key as it was shown.
func mac(t testing.TB, key, text string) []byte {
	t.Helper()
	shown, ok := strings.CutPrefix(key, "whsec_")
	require.True(t, ok, "a key begins with whsec_")
	bytes, err := base64.StdEncoding.DecodeString(shown)
	require.NoError(t, err)
	require.Len(t, bytes, 32)
	m := hmac.New(sha256.New, bytes)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// The contract's own vector, so that nobody can say that this verifier is as wrong as the signer.
func TestTheVerifierAgreesWithTheContractsVector(t *testing.T) {
	c := call{raw: []byte(`{"id":"01","event":"ping","data":{"nonce":"n"}}`), header: http.Header{
		"X-Webhook-Timestamp": {"1795226712"},
		"X-Webhook-Signature": {"sha256=badde4fd30cf6771afe04165cd747245ef02ae1eccf434be78c1e8320ef308e4"},
		"Webhook-Id":          {"01"}, "Webhook-Timestamp": {"1795226712"},
		"Webhook-Signature": {"v1,dHB+9rxMWmt0n6y4cIrdCk8qW4B3qdKwWKGI1OYY+K0="},
	}}
	c.body.ID = "01"
	c.signed(t, "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "")
}
