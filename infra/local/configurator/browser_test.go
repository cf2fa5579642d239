package configurator

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend"
	"eshop/shared/frontend/browsertest"
	"eshop/shared/page/stylesheet"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// storefront is a shop's pages with the widget in them, on an origin of their own: the product's, another one's, and a
// basket that takes everything.
type storefront struct {
	*httptest.Server
	platform *platform
	backend  *Backend
	locale   string
	added    []string // bodies of POST /basket/items
	keys     []string // and their keys
	asked    []string // bodies of POST /quotes
}

func openStorefront(t *testing.T, locale string) *storefront {
	s := &storefront{platform: openPlatform(t), locale: locale}
	addon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			s.asked = append(s.asked, string(body))
			r.Body = io.NopCloser(strings.NewReader(string(body)))
		}
		s.backend.ServeHTTP(w, r)
	}))
	t.Cleanup(addon.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+frontend.Script.Path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", frontend.Script.Type)
		w.Write(frontend.Script.Body)
	})
	mux.HandleFunc("GET /static/storefront.css", func(w http.ResponseWriter, r *http.Request) {
		own, err := os.ReadFile("../../../functions/storefront/static/storefront.css")
		require.NoError(t, err)
		w.Header().Set("Content-Type", "text/css")
		w.Write(stylesheet.Of(own))
	})
	mux.HandleFunc("GET /p/{product}", func(w http.ResponseWriter,
		r *http.Request) {
		s.page(w, r.PathValue("product"))
	})
	mux.HandleFunc("GET /basket", func(w http.ResponseWriter, _ *http.Request) { s.page(w, "") })
	mux.HandleFunc("POST /basket/items", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.Equal(t, "same-origin", r.Header.Get("Sec-Fetch-Site"))
		s.added, s.keys = append(s.added, string(body)), append(s.keys, r.Header.Get("Idempotency-Key"))
		reply(w, 201, fields{})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	s.backend = s.platform.install()
	s.backend.origins = []string{s.URL}
	code := s.platform.codes[0]
	code["code"] = strings.Replace(code["code"].(string), "http://addon.example:82/configurator", addon.URL, 1)
	return s
}

// page is a page of the shop with the widget's code at its end.
func (s *storefront) page(w http.ResponseWriter, product string) {
	state := frontend.State{Shop: frontend.Shop{ID: "S1", Locale: s.locale, Currency: "CZK"},
		Page: frontend.Page{Type: frontend.ProductDetail, ProductID: product, Path: "/p/" + product}}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><html lang="cs"><head><meta charset="utf-8">%s
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Směs</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/storefront.css"></head><body><main id="content">
<div class="wide"><article class="product"><div class="pictures one"><span class="pic art t0 a0"></span></div><div class="offer">
<h1>Čajová směs na míru</h1><p class="short">Základ, přísady, gramáž i jmenovka podle vás.</p>
<p class="price"><b>129 Kč</b> <small>s DPH</small></p>
<form method="post" action="/basket/items" id="plain"><input type="hidden" name="productId" value="%s">
<div class="add"><div class="field"><label for="quantity">Počet</label><input id="quantity" name="quantity" type="number" value="1"></div>
<button class="button">Do košíku</button></div></form></div></article></div></main>%s</body></html>`,
		state.Head(time.Now()), product, s.platform.codes[0]["code"])
}

// printed writes a label with letters that a keyboard of chromedp's does not have.
func printed(tab *browsertest.Tab, label string) {
	tab.Fill("#tb-label", " ")
	tab.Run(fmt.Sprintf(`document.execCommand("selectAll"); document.execCommand("insertText", false, %q)`, label))
}

// TestTheEstimateIsThePrice holds the widget's arithmetic against the backend's.
func TestTheEstimateIsThePrice(t *testing.T) {
	s := openStorefront(t, "sk_SK")
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/p/P1")
	require.Equal(t, "Namiešajte si vlastný čaj", tab.Text(".tea-blend h2"))
	shown := browsertest.Eval[map[string]string](tab, `(() => {
		const form = document.querySelector('.tea-blend'), shown = {};
		const pick = (name, value) => { form.querySelector('[name=' + name + '][value="' + value + '"]').checked = true; };
		for (const label of ['', 'x']) for (const {value: tea} of form.elements.tea) for (const {value: grams} of form.elements.grams) {
			for (let set = 0; set < 64; set++) {
				const boxes = [...form.elements.additions];
				boxes.forEach((box, i) => { box.disabled = false; box.checked = Boolean(set & (1 << i)); });
				const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
				if (chosen.length > 3) continue;
				pick('tea', tea), pick('grams', grams), form.elements.label.value = label;
				form.dispatchEvent(new Event('input'));
				shown[[tea, grams, label, ...chosen]] = form.querySelector('[data-estimate] b').textContent.replace(/\D/g, '');
			}
		}
		return shown;
	})()`)
	require.Len(t, shown, 2*4*3*42)
	for what, crowns := range shown {
		parts := strings.Split(what, ",")
		b := Blend{Tea: parts[0], Label: parts[2], Additions: parts[3:], Locale: "sk_SK"}
		_, err := fmt.Sscan(parts[1], &b.Grams)
		require.NoError(t, err)
		require.Empty(t, b.Faults())
		require.Equal(t, strings.TrimSuffix(money(b.UnitPrice()), ".00"), crowns, what)
	}
}

func TestTheWidgetSaysWhatIsWrong(t *testing.T) {
	s := openStorefront(t, "cs_CZ")
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/p/P1")
	for _, one := range []string{"orange", "mint", "rose"} {
		tab.Click(".tea-blend label:has([value=" + one + "])")
	}
	require.True(t, browsertest.Eval[bool](tab, `document.querySelector('[value=ginger]').disabled`),
		"three are enough")
	tab.Click(".tea-blend label:has([value=rose])")
	require.False(t, browsertest.Eval[bool](tab, `document.querySelector('[value=ginger]').disabled`))

	for _, label := range []string{strings.Repeat("ž", 25), "🍵"} {
		printed(tab, label)
		tab.Click(".tea-blend button")
		tab.Wait(`document.querySelector("[data-refused]").textContent !== ""`)
		require.Contains(t, tab.Text("[data-refused]"), "Na jmenovku")
		require.Equal(t, "tb-label", browsertest.Eval[string](tab, `document.activeElement.id`))
		require.Equal(t, "true", browsertest.Eval[string](tab, `document.activeElement.getAttribute("aria-invalid")`))
	}
	printed(tab, "Čaj")
	require.Equal(t, "", browsertest.Eval[string](tab, `document.querySelector("[data-refused]").textContent`))
	tab.Fill("#tb-quantity", "0")
	tab.Click(".tea-blend button")
	require.Contains(t, tab.Text("[data-refused]"), "Počet")
	tab.Fill("#tb-quantity", "1")
	s.platform.refused = func(w http.ResponseWriter, _ *http.Request) { reply(w, 500, fields{}) }
	tab.Click(".tea-blend button")
	tab.Wait(`document.querySelector("[data-refused]").textContent !== ""`)
	require.Contains(t, tab.Text("[data-refused]"), "nepodařilo")
	require.False(t, browsertest.Eval[bool](tab, `document.querySelector(".tea-blend button").disabled`),
		"it can be tried again")
	require.Empty(t, s.added)
}

func TestAnAnswerThatIsLostAddsNothingTwice(t *testing.T) {
	s := openStorefront(t, "cs_CZ")
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/p/P1")
	tab.Run(`const whole = window.fetch;
		window.fetch = async (address, ...rest) => {
			const answer = await whole(address, ...rest);
			if (address !== '/basket/items') return answer;
			window.fetch = whole;
			throw new TypeError('lost');
		};`)
	tab.Click(".tea-blend button")
	tab.Wait(`document.querySelector("[data-refused]").textContent !== ""`)
	tab.Follow(".tea-blend button")
	require.Equal(t, s.URL+"/basket", tab.URL())
	require.Len(t, s.asked, 1, "the same quote")
	require.Equal(t, []string{s.added[0], s.added[0]}, s.added)
	require.Equal(t, []string{"the-quotes-token", "the-quotes-token"}, s.keys)
}

func TestTheWidgetTouchesNoOtherPage(t *testing.T) {
	s := openStorefront(t, "cs_CZ")
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/p/P2")
	tab.Wait(`document.readyState === "complete"`)
	require.True(t, browsertest.Eval[bool](tab,
		`!document.querySelector(".tea-blend") && document.querySelector("#plain").offsetHeight > 0`))
	tab.Go(s.URL + "/p/P1")
	tab.Click(".tea-blend-plain summary")
	require.Equal(t, "Do košíku", tab.Text("#plain button"), "the blend of the house is still sold")
	require.Empty(t, tab.Faults())
}

// TestTheWidgetFitsItsPage looks at a phone's window and a desk's. SHOTS is a folder for pictures of them.
func TestTheWidgetFitsItsPage(t *testing.T) {
	s := openStorefront(t, "cs_CZ")
	tab := browsertest.NewShopper(t).Tab()
	tab.Go(s.URL + "/p/P1")
	tab.Click(".tea-blend label:has([value=rose])")
	tab.Click(".tea-blend label:has([value=lavender])")
	printed(tab, "Pro babičku")
	for _, width := range []int{360, 1280} {
		tab.Screenshot(fmt.Sprintf("%s/widget-%d.png", shots(t), width), width)
		require.LessOrEqual(t, browsertest.Eval[int](tab, `document.documentElement.scrollWidth`), width)
	}
	unlabelled := browsertest.Eval[int](tab,
		`[...document.querySelectorAll(".tea-blend input")].filter((i) => !i.labels.length).length`)
	require.Zero(t, unlabelled)
}

func shots(t *testing.T) string {
	if to := os.Getenv("SHOTS"); to != "" {
		return to
	}
	return t.TempDir()
}

// TestWithoutScriptsTheShopsFormSaysWhy it is not the widget that is there, on the add-on's product only.
func TestWithoutScriptsTheShopsFormSaysWhy(t *testing.T) {
	s := openStorefront(t, "cs_CZ")
	tab := browsertest.NewShopper(t).Tab()
	said := func() string {
		return browsertest.Eval[string](tab, `getComputedStyle(document.querySelector("#plain"), "::before").content`)
	}
	tab.Go(s.URL + "/p/P1")
	require.Equal(t, "none", said())
	tab.WithoutScripts()
	tab.Go(s.URL + "/p/P1")
	require.Contains(t, said(), "jen se zapnutým JavaScriptem")
	tab.Go(s.URL + "/p/P2")
	require.Equal(t, "none", said())
}
