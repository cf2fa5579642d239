package gifts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// The example of the guide /docs/webhooks: another implementation makes the same signature.
const (
	exampleKey  = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	exampleBody = `{"id":"01","event":"ping","data":{"nonce":"n"}}`
	exampleTime = 1795226712
	exampleSign = "sha256=badde4fd30cf6771afe04165cd747245ef02ae1eccf434be78c1e8320ef308e4"
)

func TestTheSignatureIsThePlatforms(t *testing.T) {
	keys, err := ParseKeys(exampleKey)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{"X-Webhook-Timestamp": {fmt.Sprint(exampleTime)}, "X-Webhook-Signature": {exampleSign}}
	at := time.Unix(exampleTime, 0)
	for _, c := range []struct {
		name string
		body string
		now  time.Time
		want bool
	}{
		{"as signed", exampleBody, at, true},
		{"five minutes later", exampleBody, at.Add(5 * time.Minute), true},
		{"too old", exampleBody, at.Add(5*time.Minute + time.Second), false},
		{"from the future", exampleBody, at.Add(-6 * time.Minute), false},
		{"another body", exampleBody + " ", at, false},
	} {
		if genuine(keys, h, []byte(c.body), c.now) != c.want {
			t.Errorf("%s: want %v", c.name, c.want)
		}
	}
	if genuine(nil, h, []byte(exampleBody), at) {
		t.Error("without a key nothing is genuine")
	}
	if _, err := ParseKeys("whsec_short"); err == nil {
		t.Error("a short key is none")
	}
}

// platform is a stand-in for the platform, with one shop. It notes each call but those that read.
type platform struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string
	codes []fields
	down  bool
	// meanwhile is what comes to the add-on while it makes a call of this name, once.
	meanwhile map[string]func()
}

func openPlatform(t *testing.T) (*platform, *Addon) {
	p := &platform{}
	p.Server = httptest.NewServer(http.HandlerFunc(p.answer))
	t.Cleanup(p.Close)
	keys, _ := ParseKeys(exampleKey)
	a := &Addon{Name: "gifts", Platform: p.URL, Address: "https://addon.example", Keys: keys,
		File: filepath.Join(t.TempDir(), "shops.json")}
	return p, a
}

func (p *platform) answer(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + r.URL.Path
	p.mu.Lock()
	comes := p.meanwhile[call]
	delete(p.meanwhile, call)
	p.mu.Unlock()
	if comes != nil {
		comes()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var body fields
	sent, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(sent, &body)
	if r.Method != "GET" {
		p.calls = append(p.calls, call)
	}
	status, answer := 200, any(fields{})
	switch {
	case p.down:
		status, answer = 503, fields{"code": "unavailable", "detail": "Try again.", "requestId": "01R"}
	case call == "POST /api-engine/tokens" && body["installCode"] == "the-code":
		status, answer = 201, fields{"token": "esk_secret", "shopId": "S1"}
	case r.Header.Get("Authorization") != "Bearer esk_secret":
		status, answer = 401, fields{"code": "unauthenticated"}
	case call == "GET /api-engine/shop":
		answer = fields{"id": "S1", "websiteUrl": "https://shop.example", "locale": "sk_SK"}
	case call == "GET /api-engine/custom-codes":
		answer = fields{"items": p.codes}
	case call == "POST /api-engine/custom-codes":
		body["id"], body["packageId"] = "C1", "P1"
		p.codes, status, answer = append(p.codes, body), 201, body
	case call == "POST /api-engine/cleanup-orders" && len(p.codes) != 1:
		status, answer = 422, fields{"code": "invalid"}
	case call == "GET /api-engine/products/T1":
		answer = fields{"priceLevels": []fields{{"level": "vip", "price": "1.00"},
			{"level": "default", "price": "199.95"}}}
	case call == "POST /basket-price-quote-images" && bytes.Contains(sent, []byte("the picture")):
		status, answer = 201, fields{"id": "I1"}
	case call == "POST /basket-price-quotes":
		token := fmt.Sprint(body["productId"], " for ", body["unitPrice"], ", ", body["note"], " ", body["imageIds"])
		status, answer = 201, fields{"quoteToken": token}
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// post sends a webhook that the platform has signed.
func post(a *Addon, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/hooks", strings.NewReader(body))
	stamp := fmt.Sprint(time.Now().Unix())
	r.Header.Set("X-Webhook-Timestamp", stamp)
	r.Header.Set("X-Webhook-Signature", sign(a.Keys[0], stamp, []byte(body)))
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

// life is a webhook of the package's life.
func life(event, at, code string) string {
	return fmt.Sprintf(`{"id":"01","event":%q,"shopId":"S1","data":{"occurredAt":%q,"installCode":%q}}`, event, at, code)
}

// wanted is a gift with its label's picture: "the picture", in base64.
const wanted = `{"productId":"T1","label":"Babke","picture":"dGhlIHBpY3R1cmU="}`

// ask asks for a quote, as a page of this origin does.
func ask(a *Addon, method, origin, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/quotes", strings.NewReader(body))
	r.Header.Set("Origin", origin)
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

func want(t *testing.T, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), body) {
		t.Fatalf("answered %d %s, want %d %s", w.Code, w.Body, status, body)
	}
}

func TestOnlyThePlatformIsHeard(t *testing.T) {
	_, a := openPlatform(t)
	want(t, post(a, `{"event":"ping","data":{"nonce":"the-nonce"}}`), 200, "the-nonce")
	want(t, post(a, `{"event":"productChange"}`), 204, "")
	want(t, post(a, `{`), 400, "")
	forged := httptest.NewRecorder()
	a.ServeHTTP(forged, httptest.NewRequest("POST", "/hooks", strings.NewReader(`{"event":"ping"}`)))
	want(t, forged, 401, "")
}

func TestAnActivationInstallsOnceAndADeactivationForgets(t *testing.T) {
	const first, later = "2026-11-21T02:05:12.583Z", "2026-11-21T03:00:00.000Z"
	p, a := openPlatform(t)
	want(t, post(a, life("packageActivate", first, "")), 204, "") // a test event has no code
	// The token was lost; no other attempt would mend that.
	want(t, post(a, life("packageActivate", "2026-11-20T00:00:00.000Z", "a-used-code")), 204, "")
	want(t, post(a, life("packageActivate", "2026-11-20T00:00:00.000Z", "the-code")), 204, "")
	want(t, post(a, life("packageActivate", first, "the-code")), 204, "")
	want(t, post(a, life("packageActivate", first, "the-code")), 204, "") // it came again
	calls := strings.Join(p.calls, "\n")
	for call, times := range map[string]int{"/api-engine/tokens": 2, "POST /api-engine/custom-codes": 1} {
		if n := strings.Count(calls, call); n != times {
			t.Errorf("%s %d times, want %d", call, n, times)
		}
	}
	html := fmt.Sprint(p.codes[0]["code"])
	if !strings.Contains(html, "'https://addon.example/quotes'") || strings.Contains(html, "esk_") {
		t.Error("the widget asks elsewhere, or tells a token:", html)
	}
	restarted := &Addon{Platform: p.URL, Keys: a.Keys, File: a.File}
	if err := restarted.Load(); err != nil {
		t.Fatal(err)
	}
	want(t, ask(restarted, "POST", "https://shop.example", wanted), 200, "quote")
	if is, _ := os.Stat(a.File); is.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Error("others read the tokens")
	}
	want(t, post(a, life("packageDeactivate", "2026-11-20T00:00:00.000Z", "")), 204, "") // one before
	want(t, ask(a, "POST", "https://shop.example", wanted), 200, "quote")
	want(t, post(a, life("packageDeactivate", later, "")), 204, "")
	want(t, post(a, life("packageActivate", first, "the-code")), 204, "") // it comes late
	want(t, ask(a, "POST", "https://shop.example", wanted), 403, "")
}

func TestWhatComesWhileThePlatformIsAskedCounts(t *testing.T) {
	const first, later, tokens = "2026-11-21T02:05:12.583Z", "2026-11-21T03:00:00.000Z", "POST /api-engine/tokens"
	deactivated := life("packageDeactivate", later, "")
	activated := func(code string) string { return life("packageActivate", first, code) }
	for _, c := range []struct {
		name, code, during, comes string
		answer, codes             int
	}{
		{"a deactivation during the exchange", "the-code", tokens, deactivated, 403, 0},
		{"a deactivation before the widget is there", "the-code", "GET /api-engine/shop", deactivated, 403, 0},
		{"two at once, the second is exchanged", "a-used-code", tokens, activated("the-code"), 200, 1},
		{"two at once, the first is exchanged", "the-code", tokens, activated("a-used-code"), 200, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, a := openPlatform(t)
			p.meanwhile = map[string]func(){c.during: func() {
				if w := post(a, c.comes); w.Code != 204 {
					t.Error("answered", w.Code, w.Body)
				}
			}}
			want(t, post(a, activated(c.code)), 204, "")
			puts := strings.Count(strings.Join(p.calls, "\n"), "/api-engine/custom-codes")
			if len(p.meanwhile) > 0 || puts != c.codes {
				t.Errorf("the custom code was put %d times, want %d; %d came not", puts, c.codes, len(p.meanwhile))
			}
			want(t, ask(a, "POST", "https://shop.example", wanted), c.answer, "")
		})
	}
}

func TestATokenByHandForgetsNothing(t *testing.T) {
	const before, first, later = "2026-11-20T00:00:00.000Z", "2026-11-21T02:05:12.583Z", "2026-11-21T03:00:00.000Z"
	_, a := openPlatform(t)
	want(t, post(a, life("packageActivate", first, "the-code")), 204, "")
	for _, deactivated := range []string{before, later} {
		if err := a.SetUp(t.Context(), "esk_secret"); err != nil {
			t.Fatal(err)
		}
		want(t, post(a, life("packageDeactivate", before, "")), 204, "") // it comes late
		want(t, ask(a, "POST", "https://shop.example", wanted), 200, "quote")
		want(t, post(a, life("packageDeactivate", deactivated, "")), 204, "")
	}
	want(t, ask(a, "POST", "https://shop.example", wanted), 403, "")
	if err := a.SetUp(t.Context(), "esk_secret"); err != nil {
		t.Fatal(err)
	}
	want(t, ask(a, "POST", "https://shop.example", wanted), 200, "quote")
}

func TestAQuoteIsMadeForPagesOfTheShop(t *testing.T) {
	p, a := openPlatform(t)
	if err := a.SetUp(t.Context(), "esk_secret"); err != nil {
		t.Fatal(err)
	}
	made := ask(a, "POST", "https://shop.example", wanted)
	want(t, made, 200, `{"quoteToken":"T1 for 219.95, Darčekové balenie: Babke [I1]","unitPrice":"219.95"}`)
	if origin := made.Header().Get("Access-Control-Allow-Origin"); origin != "https://shop.example" {
		t.Error("the browser would not show the answer:", origin)
	}
	want(t, ask(a, "OPTIONS", "https://shop.example", ""), 200, "")
	for _, origin := range []string{"https://other.example", "", "null"} {
		want(t, ask(a, "POST", origin, wanted), 403, "")
	}
	for _, part := range []string{`{"unitPrice":"1.00"}`, `{"productId":"T1","label":"L"}`,
		`{"productId":"T1","picture":"dGhlIHBpY3R1cmU="}`, `{"productId":"","label":"L","picture":"dGhlIHBpY3R1cmU="}`,
		`{"productId":"T1","label":"L","picture":""}`} {
		want(t, ask(a, "POST", "https://shop.example", part), 400, `POST {"productId"`)
	}
	want(t, ask(a, "PUT", "https://shop.example", wanted), 400, "")
	unlabelled := strings.Replace(wanted, "Babke", "", 1)
	want(t, ask(a, "POST", "https://shop.example", unlabelled), 200, `Darčekové balenie [I1]`)
	p.down = true
	var said bytes.Buffer
	log.SetOutput(&said)
	defer log.SetOutput(os.Stderr)
	failed := ask(a, "POST", "https://shop.example", wanted)
	const words = "503 unavailable: Try again. (request 01R)"
	want(t, failed, 502, words)
	if !strings.Contains(said.String(), words) {
		t.Error("the log does not say why:", said.String())
	}
	p.Close()
	want(t, ask(a, "POST", "https://shop.example", wanted), 502, "the platform does not answer")
}

func TestMoneyIsRounded(t *testing.T) {
	for price, want := range map[string]string{"199.95": "219.95", "0.04": "0.04", "0.05": "0.06",
		"1000.00": "1100.00"} {
		if got := asGift(price); got != want {
			t.Errorf("%s: %s, want %s", price, got, want)
		}
	}
}
