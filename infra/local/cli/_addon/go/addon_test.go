package main

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	keys, err := parseKeys(exampleKey)
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
	if _, err := parseKeys("whsec_short"); err == nil {
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
}

func openPlatform(t *testing.T) (*platform, *addon) {
	p := &platform{}
	p.Server = httptest.NewServer(http.HandlerFunc(p.answer))
	t.Cleanup(p.Close)
	keys, _ := parseKeys(exampleKey)
	a := &addon{platform: p.URL, address: "https://addon.example", keys: keys,
		file: filepath.Join(t.TempDir(), "shops.json")}
	if err := a.load(); err != nil {
		t.Fatal(err)
	}
	return p, a
}

func (p *platform) answer(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var body fields
	_ = json.NewDecoder(r.Body).Decode(&body)
	call := r.Method + " " + r.URL.Path
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
		answer = fields{"id": "S1", "websiteUrl": "https://shop.example"}
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
	case call == "POST /basket-price-quotes":
		token := fmt.Sprintf("quote of %v for %v", body["productId"], body["unitPrice"])
		status, answer = 201, fields{"quoteToken": token}
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// post sends a webhook that the platform has signed.
func post(a *addon, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/hooks", strings.NewReader(body))
	stamp := fmt.Sprint(time.Now().Unix())
	r.Header.Set("X-Webhook-Timestamp", stamp)
	r.Header.Set("X-Webhook-Signature", sign(a.keys[0], stamp, []byte(body)))
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

// life is a webhook of the package's life.
func life(event, at, code string) string {
	return fmt.Sprintf(`{"id":"01","event":%q,"shopId":"S1","data":{"occurredAt":%q,"installCode":%q}}`, event, at, code)
}

// ask asks for a quote, as a page of this origin does.
func ask(a *addon, method, origin, body string) *httptest.ResponseRecorder {
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
	if html := fmt.Sprint(p.codes[0]["code"]); !strings.Contains(html, "https://addon.example/quotes") {
		t.Error("the button asks elsewhere")
	}
	restarted := &addon{platform: p.URL, keys: a.keys, file: a.file}
	if err := restarted.load(); err != nil {
		t.Fatal(err)
	}
	want(t, ask(restarted, "POST", "https://shop.example", `{"productId":"T1"}`), 200, "quote")
	if is, _ := os.Stat(a.file); is.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Error("others read the tokens")
	}
	want(t, post(a, life("packageDeactivate", "2026-11-20T00:00:00.000Z", "")), 204, "") // one before
	want(t, ask(a, "POST", "https://shop.example", `{"productId":"T1"}`), 200, "quote")
	want(t, post(a, life("packageDeactivate", later, "")), 204, "")
	want(t, post(a, life("packageActivate", first, "the-code")), 204, "") // it comes late
	want(t, ask(a, "POST", "https://shop.example", `{"productId":"T1"}`), 403, "")
}

func TestAQuoteIsMadeForPagesOfTheShop(t *testing.T) {
	p, a := openPlatform(t)
	if err := a.setUp(t.Context(), shop{Token: "esk_secret"}); err != nil {
		t.Fatal(err)
	}
	made := ask(a, "POST", "https://shop.example", `{"productId":"T1"}`)
	want(t, made, 200, `"quoteToken":"quote of T1 for 219.95"`)
	if origin := made.Header().Get("Access-Control-Allow-Origin"); origin != "https://shop.example" {
		t.Error("the browser would not show the answer:", origin)
	}
	want(t, ask(a, "OPTIONS", "https://shop.example", ""), 200, "")
	for _, origin := range []string{"https://other.example", "", "null"} {
		want(t, ask(a, "POST", origin, `{"productId":"T1"}`), 403, "")
	}
	want(t, ask(a, "POST", "https://shop.example", `{"unitPrice":"1.00"}`), 400, "")
	p.down = true
	var said bytes.Buffer
	log.SetOutput(&said)
	defer log.SetOutput(os.Stderr)
	failed := ask(a, "POST", "https://shop.example", `{"productId":"T1"}`)
	want(t, failed, 502, "01R")
	if strings.Contains(failed.Body.String(), "unavailable") || strings.Contains(failed.Body.String(), "esk_") {
		t.Error("the browser learns too much:", failed.Body)
	}
	if !strings.Contains(said.String(), "503 unavailable: Try again. (request 01R)") {
		t.Error("nobody learns why:", said.String())
	}
}

func TestMoneyIsRounded(t *testing.T) {
	for price, want := range map[string]string{"199.95": "219.95", "0.04": "0.04", "0.05": "0.06",
		"1000.00": "1100.00"} {
		if got := asGift(price); got != want {
			t.Errorf("%s: %s, want %s", price, got, want)
		}
	}
}
