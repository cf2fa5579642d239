package configurator

import (
	"bytes"
	"encoding/json"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const secret = "esk_test_the-token-of-the-add-on"

// fields is an object of JSON.
type fields = map[string]any

// platform is a stand-in for the platform's API, with one shop in it.
type platform struct {
	t *testing.T
	*httptest.Server

	mu      sync.Mutex
	codes   []fields
	orders  []fields
	quotes  []fields
	images  [][]byte
	refused http.HandlerFunc // of quotes and images, when it is not nil
}

func openPlatform(t *testing.T) *platform {
	p := &platform{t: t}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api-engine/products", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "code="+ProductCode {
			reply(w, 200, fields{"items": []any{}})
			return
		}
		reply(w, 200, fields{"items": []fields{{"id": "P1", "url": "http://shop.example:81/cajova-smes-na-miru"}}})
	})
	mux.HandleFunc("GET /api-engine/custom-codes", func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, fields{"items": p.codes})
	})
	mux.HandleFunc("POST /api-engine/custom-codes", func(w http.ResponseWriter, r *http.Request) {
		code := p.body(r)
		code["id"], code["packageId"] = "C1", "PKG"
		p.codes = append(p.codes, code)
		reply(w, 201, code)
	})
	mux.HandleFunc("PATCH /api-engine/custom-codes/C1", func(w http.ResponseWriter, r *http.Request) {
		p.codes[0]["code"] = p.body(r)["code"]
		reply(w, 200, p.codes[0])
	})
	mux.HandleFunc("POST /api-engine/cleanup-orders", func(w http.ResponseWriter, r *http.Request) {
		if len(p.orders) > 0 {
			reply(w, 409, fields{"code": "cleanup_exists"})
			return
		}
		p.orders = append(p.orders, p.body(r))
		reply(w, 201, fields{})
	})
	mux.HandleFunc("POST /basket-price-quote-images", func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		require.NoError(t, err)
		require.Equal(t, "image/png", header.Header.Get("Content-Type"))
		b, err := io.ReadAll(file)
		require.NoError(t, err)
		p.images = append(p.images, b)
		reply(w, 201, fields{"id": "I1"})
	})
	mux.HandleFunc("POST /basket-price-quotes", func(w http.ResponseWriter, r *http.Request) {
		p.quotes = append(p.quotes, p.body(r))
		reply(w, 201, fields{"id": "Q1", "quoteToken": "the-quotes-token", "status": "issued"})
	})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Equal(t, "Bearer "+secret, r.Header.Get("Authorization"))
		if p.refused != nil && strings.HasPrefix(r.URL.Path, "/basket-price-quotes") {
			p.refused(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *platform) body(r *http.Request) (f fields) {
	require.NoError(p.t, json.NewDecoder(r.Body).Decode(&f))
	return f
}

func (p *platform) install() *Backend {
	p.t.Helper()
	b, err := Install(p.t.Context(), Platform{p.URL, secret, p.Client()}, "http://addon.example:82/configurator")
	require.NoError(p.t, err)
	return b
}

// ask posts a text as a browser on a page of the origin does.
func ask(b *Backend, origin, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/quotes", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

const (
	shop  = "http://shop.example:81"
	blend = `{"tea":"assam","additions":["mint"],"grams":100,"label":" Pro babičku ","locale":"cs_CZ"}`
)

func TestAnInstallationIsOneCodeAndItsCleanupOrder(t *testing.T) {
	p := openPlatform(t)
	require.Equal(t, shop+"/cajova-smes-na-miru", p.install().ProductURL)
	require.Len(t, p.codes, 1)
	code := p.codes[0]
	require.Equal(t, "bodyEnd", code["position"])
	require.Equal(t, []fields{{"customCodeId": "C1", "packageId": "PKG"}}, p.orders)
	html := code["code"].(string)
	require.Less(t, len(html), 64<<10)
	require.Contains(t, html, `const config = {"productId":"P1","backend":"http://addon.example:82/configurator/quotes",`)
	require.NotContains(t, html, secret)
	require.NotContains(t, html, "esk_")

	p.install()
	require.Len(t, p.codes, 1, "done again it changes nothing")
	p.codes[0]["code"], p.codes[0]["active"] = "an old widget", false
	p.orders = nil // as an installation leaves it that ended too early
	p.install()
	require.Equal(t, html, p.codes[0]["code"])
	require.Equal(t, false, p.codes[0]["active"], "the merchant has switched it off")
	require.Len(t, p.orders, 1)
}

func TestAShopWithoutTheProductGetsNoWidget(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/api-engine/products", r.URL.Path)
		reply(w, 200, fields{"items": []any{}})
	}))
	defer s.Close()
	_, err := Install(t.Context(), Platform{s.URL, secret, s.Client()}, "http://addon.example")
	require.ErrorIs(t, err, ErrNoProduct)
}

func TestTheBackendMakesThePriceAndTheBrowserGetsAToken(t *testing.T) {
	p := openPlatform(t)
	b := p.install()
	w := ask(b, shop, blend)
	require.Equal(t, 201, w.Code, w.Body)
	require.JSONEq(t, `{"quoteToken":"the-quotes-token","unitPrice":"153.00"}`, w.Body.String())
	require.Equal(t, shop, w.Header().Get("Access-Control-Allow-Origin"))
	require.Equal(t, []fields{{"productId": "P1", "unitPrice": "153.00", "imageIds": []any{"I1"}, "expiresIn": 3600.0,
		"note": "Černý Assam · s přísadami: máta · 100 g · jmenovka: Pro babičku"}}, p.quotes)
	_, err := png.Decode(bytes.NewReader(p.images[0]))
	require.NoError(t, err)
}

func TestTheBackendRefusesWhatIsNoBlend(t *testing.T) {
	p := openPlatform(t)
	b := p.install()
	for name, x := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"a price":      {`{"tea":"assam","grams":100,"locale":"cs_CZ","unitPrice":"1.00"}`, 400, "unitPrice"},
		"no JSON":      {`{`, 400, "JSON"},
		"two blends":   {blend + blend, 400, "more than one"},
		"a long body":  {`{"label":"` + strings.Repeat("x", maxBody) + `"}`, 400, "too large"},
		"a text":       {`{"grams":"100"}`, 400, "grams"},
		"a fraction":   {`{"grams":100.5}`, 400, "grams"},
		"nonsense":     {strings.Replace(blend, "assam", "grass", 1), 422, "tea"},
		"a long label": {strings.Replace(blend, "Pro", strings.Repeat("Pro", 9), 1), 422, "24 characters"},
	} {
		w := ask(b, shop, x.body)
		require.Equal(t, x.status, w.Code, name)
		var answer struct{ Errors []Fault }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
		require.Contains(t, w.Body.String(), x.says, name)
	}
	form := httptest.NewRequest("POST", "/quotes", strings.NewReader(blend))
	form.Header.Set("Content-Type", "text/plain")
	w := httptest.NewRecorder()
	b.ServeHTTP(w, form)
	require.Equal(t, 400, w.Code)
	require.Empty(t, p.quotes)
	require.Empty(t, p.images)
}

func TestOnlyPagesOfTheShopAsk(t *testing.T) {
	p := openPlatform(t)
	b := p.install()
	for _, from := range []string{"http://other.example", "null", "https://shop.example:81", "http://shop.example"} {
		w := ask(b, from, blend)
		require.Equal(t, 403, w.Code, from)
		require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
	}
	require.Empty(t, p.quotes)
	for _, from := range []string{shop, "http://addon.example:82", ""} {
		require.Equal(t, 201, ask(b, from, blend).Code, from)
	}
	r := httptest.NewRequest("OPTIONS", "/quotes", nil)
	r.Header.Set("Origin", shop)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	require.Equal(t, 204, w.Code)
	require.Equal(t, shop, w.Header().Get("Access-Control-Allow-Origin"))
	require.Equal(t, "Content-Type", w.Header().Get("Access-Control-Allow-Headers"))
	require.Equal(t, "Origin", w.Header().Get("Vary"))
}

func TestWhatThePlatformRefusesIsNotTheBrowsersToKnow(t *testing.T) {
	p := openPlatform(t)
	b := p.install()
	p.refused = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "17")
		reply(w, 429, fields{"code": "rate_limited", "detail": "of " + r.Header.Get("Authorization")})
	}
	w := ask(b, shop, blend)
	require.Equal(t, 503, w.Code)
	require.Equal(t, "17", w.Header().Get("Retry-After"))
	p.Close()
	gone := ask(b, shop, blend)
	require.Equal(t, 503, gone.Code)
	for _, w := range []*httptest.ResponseRecorder{w, gone} {
		for _, hidden := range []string{secret, "Bearer", "rate_limited", p.URL} {
			require.NotContains(t, w.Body.String(), hidden)
		}
	}
}

func TestQuotesHaveSoManyPlaces(t *testing.T) {
	p := openPlatform(t)
	b := p.install()
	for range atOnce {
		b.slots <- struct{}{}
	}
	w := ask(b, shop, blend)
	require.Equal(t, 503, w.Code)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
	<-b.slots
	require.Equal(t, 201, ask(b, shop, blend).Code)
	require.Equal(t, 201, ask(b, shop, blend).Code, "a place is free again")
}

func TestWhoSendsSlowlyHoldsNoPlace(t *testing.T) {
	p := openPlatform(t)
	b := p.install()
	var slow sync.WaitGroup
	defer slow.Wait()
	for range atOnce {
		body, sender := io.Pipe()
		slow.Go(func() {
			r := httptest.NewRequest("POST", "/quotes", body)
			r.Header.Set("Content-Type", "application/json")
			b.ServeHTTP(httptest.NewRecorder(), r)
			body.Close() // whatever was answered, the sender is not left waiting
		})
		_, err := sender.Write([]byte("{")) // it returns when the backend reads
		require.NoError(t, err)
		defer sender.Close()
	}
	require.Equal(t, 201, ask(b, shop, blend).Code)
}
