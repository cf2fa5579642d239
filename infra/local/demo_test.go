package local

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/webhook/signature"
)

// demoReceiver is the demo receiver of a platform that runs, and a key that the platform signs with.
type demoReceiver struct {
	t   *testing.T
	s   *Server
	key signature.Key
}

// demoKey is the item that says which shop, accesses and admin are the demo's.
var demoKey = store.Key{PK: "DEMO", SK: "A"}

func demoItem(t *testing.T, s *Server) (its struct {
	Receiver string `json:"receiverAccessId"`
	Admin    string `json:"adminId"`
}) {
	items, err := s.Platform.Main.Get(t.Context(), demoKey)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(items[0].Doc, &its))
	return its
}

// delivered is a webhook as the receiver shows it.
type delivered struct {
	Event, ID string
	Verified  bool
	Body      json.RawMessage
}

func openDemo(t *testing.T) demoReceiver {
	s, err := Start(t.Context(), Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "test", Demo: true,
		Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	keys, err := s.Platform.SigningKeys().Live(t.Context(), demoItem(t, s).Receiver)
	require.NoError(t, err)
	require.Len(t, keys, 1)
	return demoReceiver{t, s, keys[0].Key}
}

func (d demoReceiver) post(body string, at time.Time, sign string, headers ...string) (status int, answer string) {
	d.t.Helper()
	r := httptest.NewRequest("POST", host.DemoReceiver, strings.NewReader(body))
	r.Header.Set("X-Webhook-Timestamp", fmt.Sprint(at.Unix()))
	r.Header.Set("X-Webhook-Signature", sign)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	d.s.API.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// signed posts a webhook as the platform does.
func (d demoReceiver) signed(body string, headers ...string) (status int, answer string) {
	now := time.Now()
	return d.post(body, now, signature.Hex(d.key, now.Unix(), []byte(body)), headers...)
}

// shown is what the receiver shows, as text and as JSON.
func (d demoReceiver) shown() (text string, items []delivered) {
	d.t.Helper()
	w := httptest.NewRecorder()
	d.s.API.ServeHTTP(w, httptest.NewRequest("GET", host.DemoReceiver, nil))
	require.Equal(d.t, http.StatusOK, w.Code)
	var list struct{ Items []delivered }
	require.NoError(d.t, json.Unmarshal(w.Body.Bytes(), &list))
	return w.Body.String(), list.Items
}

// call makes a call and reads its answer; anything but a 2xx is an error.
func call(s *Server, token, method, path string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(b))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, r)
	if w.Code >= 300 {
		return fmt.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(w.Body.Bytes(), into)
}

func TestTheDemoReceiverRemembersWhatVerifiesAndNothingElse(t *testing.T) {
	d := openDemo(t)
	before, _ := d.shown()
	now, body := time.Now(), `{"id":"W1","event":"customerCreate","data":{"customerIds":["C1"]}}`
	sign := func(body string, at time.Time) string { return signature.Hex(d.key, at.Unix(), []byte(body)) }
	old, brackets := now.Add(-time.Hour), strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)
	for name, x := range map[string]struct {
		body, sign string
		at         time.Time
		want       int
	}{
		"unsigned":            {body, "", now, 401},
		"another key's":       {body, signature.Hex(signature.New(rand.Reader), now.Unix(), []byte(body)), now, 401},
		"another body's":      {body, sign(body+" ", now), now, 401},
		"an old one":          {body, sign(body, old), old, 401},
		"brackets":            {`{"data":{"a":` + brackets + `}}`, "", now, 401},
		"no JSON":             {"{", sign("{", now), now, 400},
		"one of a mebibyte":   {`{"id":"` + strings.Repeat("x", 1<<20-9) + `"}`, "", now, 401},
		"one of more than it": {`{"id":"` + strings.Repeat("x", 1<<20) + `"}`, "", now, 400},
	} {
		status, _ := d.post(x.body, x.at, x.sign)
		require.Equal(t, x.want, status, name)
	}
	status, answer := d.post(`{"id":"W2","event":"ping","data":{"nonce":"<n0nce>"}}`, now, "")
	require.Equal(t, 200, status, "a ping is answered, whoever sent it")
	require.Equal(t, "<n0nce>", answer)
	after, _ := d.shown()
	require.Equal(t, before, after)

	deep := brackets[8_000:10_000]
	came := `{"id":"W3","event":"productChange","data":{"a":"<b>&` + "\u2028" + `","n":[1.50,1e2],"deep":` + deep + `}}`
	status, _ = d.signed(came)
	require.Equal(t, 200, status)
	text, items := d.shown()
	last := items[0]
	require.Equal(t, []any{"W3", "productChange", true, came},
		[]any{last.ID, last.Event, last.Verified, string(last.Body)})
	require.Contains(t, text, `"body":`+came, "as it came")
	require.Less(t, len(text), len(after)+len(came)+200)
}

func TestTheDemoReceiverRemembersAMebibyteInAll(t *testing.T) {
	d := openDemo(t)
	for i := range 40 {
		long := strings.Repeat("x", i*5_000)
		status, _ := d.signed(fmt.Sprintf(`{"id":"W%d","event":"customerCreate","data":{"x":"%s"}}`, i, long))
		require.Equal(t, 200, status)
	}
	text, items := d.shown()
	require.LessOrEqual(t, len(text), 1<<20+len(items)*200)
	for i, x := range items {
		require.Equal(t, fmt.Sprintf("W%d", 39-i), x.ID, "the newest first")
	}
	require.Len(t, items, 5, "195,000 bytes, and 5,000 less each time")
	status, _ := d.signed(`{"event":"` + strings.Repeat("x", 1<<20-12) + `"}`)
	require.Equal(t, 200, status)
	_, items = d.shown()
	require.Empty(t, items, "what is more than all by itself")
}

func TestNoPageOfAnotherSitePostsToTheDemoReceiver(t *testing.T) {
	d := openDemo(t)
	before, _ := d.shown()
	ping := `{"id":"W1","event":"ping","data":{"nonce":"n"}}`
	for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://other.example"}, {"Origin", "null"}} {
		status, _ := d.signed(ping, header[0], header[1])
		require.Equal(t, 403, status, header)
		status, _ = d.post(ping, time.Now(), "", header[0], header[1])
		require.Equal(t, 403, status, header)
	}
	after, _ := d.shown()
	require.Equal(t, before, after)
	status, _ := d.signed(ping, "Sec-Fetch-Site", "same-origin")
	require.Equal(t, 200, status)
}

func TestAFolderThatWasSeededWithoutTheAddonsStarts(t *testing.T) {
	d := openDemo(t)
	first := d.s
	doc := fmt.Appendf(nil, `{"shopId":%q,"accessId":%q}`, first.Run.Demo.ShopID, first.Run.Demo.AccessID)
	_, err := first.Platform.Main.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: demoKey, Doc: doc}))
	require.NoError(t, err)
	require.NoError(t, first.Stop())
	again, err := Start(t.Context(), first.settings)
	require.NoError(t, err)
	require.Equal(t, first.Run.Demo.Token, again.Run.Demo.Token)
	var said strings.Builder
	again.greet(&said)
	require.NotContains(t, said.String(), "Configurator")
	require.Nil(t, again.Run.Demo.Admin)
	require.NoError(t, again.Stop())
}

func TestTheDemosAdminSignsInByWhatIsPrinted(t *testing.T) {
	s := openDemo(t).s
	signIn := func(s *Server) error {
		u := s.Platform.Unit()
		u.Shop = s.Run.Demo.ShopID
		_, _, err := staff.NewAccounts(signin.Tries{Key: s.Platform.Key}).SignIn(t.Context(), u,
			signin.Visitor{Address: "192.0.2.1"},
			signin.Form{Email: s.Run.Demo.Admin.Email, Password: s.Run.Demo.Admin.Password})
		return err
	}
	require.NoError(t, signIn(s))
	var said strings.Builder
	s.greet(&said)
	require.Contains(t, said.String(), s.Run.Demo.Admin.URL)
	require.Contains(t, said.String(), s.Run.Demo.Admin.Password)

	first := *s.Run.Demo.Admin
	require.NotEqual(t, first.Password, openDemo(t).s.Run.Demo.Admin.Password, "each data folder has its own")
	require.NoError(t, s.Stop())
	again, err := Start(t.Context(), s.settings)
	require.NoError(t, err)
	require.Equal(t, first.Password, again.Run.Demo.Admin.Password)
	require.NoError(t, signIn(again))
	u := again.Platform.Unit()
	u.Shop = again.Run.Demo.ShopID
	require.NoError(t, staff.Delete(t.Context(), u, demoItem(t, again).Admin))
	require.NoError(t, again.Stop())
	last, err := Start(t.Context(), s.settings)
	require.NoError(t, err)
	require.Nil(t, last.Run.Demo.Admin, "who was deleted stays so")
	said.Reset()
	last.greet(&said)
	require.NotContains(t, said.String(), first.Password)
	require.NoError(t, last.Stop())
}

func TestTheDemosOrdersHaveMovedThroughTheirStates(t *testing.T) {
	s := openDemo(t).s
	var states struct{ Items []struct{ ID, Key string } }
	require.NoError(t, call(s, s.Run.Demo.Token, "GET", "/api-engine/order-states", nil, &states))
	keys := map[string]string{}
	for _, state := range states.Items {
		keys[state.ID] = state.Key
	}
	var orders struct{ Items []struct{ StateID string } }
	require.NoError(t, call(s, s.Run.Demo.Token, "GET", "/api-engine/orders", nil, &orders))
	at := map[string]int{}
	for _, o := range orders.Items {
		at[keys[o.StateID]]++
	}
	require.Equal(t, map[string]int{"new": 4, "processing": 4, "shipped": 3, "delivered": 7, "returned": 1,
		"cancelled": 1}, at)
}

func TestTheFirstCallOfTheDocumentationIsAnsweredWithTheDemosToken(t *testing.T) {
	s := openDemo(t).s
	_, page := ask(t, s, "", "/docs")
	call := regexp.MustCompile(`curl "` + s.BaseURL + `(\S+)" -H "Authorization: Bearer \$TOKEN"`).
		FindStringSubmatch(html.UnescapeString(page))
	require.NotNil(t, call)
	status, answer := ask(t, s, s.Run.Demo.Token, call[1])
	require.Equal(t, http.StatusOK, status)
	var list struct {
		Items      []json.RawMessage
		NextCursor string
	}
	require.NoError(t, json.Unmarshal([]byte(answer), &list))
	require.Len(t, list.Items, 2)
	require.NotEmpty(t, list.NextCursor)
}

func TestTheGreetingHasACallThatTheDemoReceiverIsToldOf(t *testing.T) {
	s := openDemo(t).s
	var said strings.Builder
	s.greet(&said)
	require.Contains(t, said.String(), "curl -X PATCH "+s.BaseURL+"/api-engine/products/")
	require.Contains(t, said.String(), "Authorization: Bearer "+s.Run.Demo.Token)
}

// TestEveryAnswerOfThisHostForbidsSniffing asks over a connection for all that the process serves, also what only this
// host does, and for OPTIONS of everything, which net/http would answer itself.
func TestEveryAnswerOfThisHostForbidsSniffing(t *testing.T) {
	d := openDemo(t)
	lines := []string{"OPTIONS *", "GET /nowhere", "PUT /uploads/imports/a", "BREW /healthz"}
	for _, pattern := range d.s.API.Patterns() {
		if !strings.Contains(pattern, "{") {
			lines = append(lines, pattern)
		}
	}
	require.Subset(t, lines, []string{"GET /healthz", "GET /readyz", "GET /metrics", "POST /demo/receiver"})
	for _, line := range lines {
		c, err := net.Dial("tcp", d.s.listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(c,
			line+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		require.NoError(t, err)
		got, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err, line)
		require.Equal(t, []string{"nosniff"}, got.Header["X-Content-Type-Options"], "%s: %d", line, got.StatusCode)
		require.NoError(t, c.Close())
	}
}

// TestWhatStrangersMakeOfThisHost: each operation without a token that only this host serves, and that is no read,
// stands here with what one call costs. Those of THE list are called (functions/house/strangers_test.go).
func TestWhatStrangersMakeOfThisHost(t *testing.T) {
	d := openDemo(t)
	costs := map[string]string{
		"PUT " + uploads + "/{key...}":      "the one file that its signed address is for",
		"POST " + host.DemoReceiver:         "memory of the last few webhooks that were signed",
		"POST /demo/configurator/quotes":    "a quote, by the limits of the demo's access",
		"OPTIONS /demo/configurator/quotes": "nothing: it says who may ask",
	}
	found := map[string]string{}
	for _, o := range d.s.API.Open() {
		if !o.Reads && d.s.Platform.Owners[o.Route] == "" {
			found[o.Route] = costs[o.Route]
		}
	}
	require.Equal(t, costs, found)
}
