package docs_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"html"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/docs"
	"eshop/functions/docs/openapi"
	"eshop/shared/api"
	"eshop/shared/frontend/browsertest"
	"eshop/shared/host"
)

var links = regexp.MustCompile(`href="(/docs[^"]*|#[^"]*)"`)

// everyPage is all pages that links lead to from the first one, by their addresses.
func everyPage(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	var visit func(path string)
	visit = func(path string) {
		r := get(t, "GET", path)
		require.Equal(t, 200, r.Code, path)
		if all[path] = r.Body.String(); !strings.HasPrefix(r.Header().Get("Content-Type"), "text/html") {
			delete(all, path)
			return
		}
		for _, m := range links.FindAllStringSubmatch(all[path], -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if _, seen := all[to]; to != "" && !seen && !strings.Contains(to, ".") {
				visit(to)
			}
		}
	}
	visit("/docs")
	require.Greater(t, len(all), 20)
	return all
}

// TestNoPageIsLong bounds what a page is about, and apart from it the menu, which is the same in each: a new tag is a
// line of the menu and makes no other page too long.
func TestNoPageIsLong(t *testing.T) {
	for path, page := range everyPage(t) {
		before, body, found := strings.Cut(page, "<main>")
		require.True(t, found, path)
		require.LessOrEqual(t, len(body), 60<<10, path)
		require.LessOrEqual(t, len(before), 8<<10, path)
		require.Contains(t, page, `<li><a href="`+path+`" aria-current="page">`, "the menu marks where one is")
	}
}

// TestTheVersionIsWrittenAsItsHeaderIs, and not as packages spell it.
func TestTheVersionIsWrittenAsItsHeaderIs(t *testing.T) {
	require.Contains(t, everyPage(t)["/docs"], ">Version "+api.Newest().Name+"</p>")
}

// TestEachPageSaysWhatItIsAbout to search engines, and leads back up: a page of operations is long on a phone.
func TestEachPageSaysWhatItIsAbout(t *testing.T) {
	about := regexp.MustCompile(`<meta name="description" content="([^"]{20,200})">`)
	seen := map[string]string{}
	for at, page := range everyPage(t) {
		said := about.FindStringSubmatch(page)
		require.NotNil(t, said, at)
		require.Empty(t, seen[said[1]], "%s says the same", at)
		seen[said[1]] = at
		require.Contains(t, page, `href="#top"`, at)
	}
}

// TestWhatIsCopiedGoesToThisPlatform, whose address no reader has to set, in the version that the pages describe.
func TestWhatIsCopiedGoesToThisPlatform(t *testing.T) {
	for at, page := range everyPage(t) {
		require.NotContains(t, page, "$BASE", at)
		for _, block := range regexp.MustCompile(`(?s)<pre[^>]*>curl .*?</pre>`).FindAllString(page, -1) {
			block = html.UnescapeString(block)
			require.Regexp(t, `"http://api\.test/|"\$SHOP/|http://127\.0\.0\.1|"https?://`, block, at)
			if strings.Contains(block, "/api-engine/") && strings.Contains(block, "$TOKEN") {
				require.Contains(t, block, "Api-Version: 2027-01-01", "%s: %s", at, block)
			}
		}
	}
}

// TestNoMarkIsShown: what Markdown marks is code, stress or a link on the page, and nothing of a text is read as HTML,
// which would be left out.
func TestNoMarkIsShown(t *testing.T) {
	code := regexp.MustCompile(`(?s)<(pre|code)\b.*?</(pre|code)>`)
	for at, page := range everyPage(t) {
		_, body, _ := strings.Cut(page, "<main>")
		text := code.ReplaceAllString(body, "")
		for _, mark := range []string{"`", "**", "](", "|--", "<!-- raw HTML omitted -->"} {
			_, shown, found := strings.Cut(text, mark)
			require.False(t, found, "%s shows the mark %s before %.40s", at, mark, shown)
		}
	}
}

func TestNoLinkIsDead(t *testing.T) {
	all := everyPage(t)
	for path, page := range all {
		for _, m := range links.FindAllStringSubmatch(page, -1) {
			to, anchor, anchored := strings.Cut(m[1], "#")
			if to == "" {
				to = path
			}
			if anchored {
				require.Contains(t, all[to], `id="`+anchor+`"`, "%s of %s", m[1], path)
			}
			require.Equal(t, 200, get(t, "GET", to).Code, "%s of %s", to, path)
		}
	}
}

func TestTheIndexFindsEachOperationFieldErrorAndEvent(t *testing.T) {
	at := regexp.MustCompile(`data-index="([^"]+)"`).FindStringSubmatch(get(t, "GET", "/docs").Body.String())[1]
	r := get(t, "GET", at)
	require.Equal(t, "public, max-age=31536000, immutable", r.Header().Get("Cache-Control"))
	var entries []struct{ Kind, Title, At string }
	require.NoError(t, json.Unmarshal(r.Body.Bytes(), &entries))
	pages, found := everyPage(t), map[string]bool{}
	for _, e := range entries {
		page, anchor, _ := strings.Cut(e.At, "#")
		require.Contains(t, pages[page], `id="`+anchor+`"`, e.At)
		found[e.Kind+" "+anchor], found[e.Kind+" "+e.Title] = true, true
	}
	for _, methods := range decoded(t)["paths"].(map[string]any) {
		for _, op := range methods.(map[string]any) {
			require.True(t, found["operation "+op.(map[string]any)["operationId"].(string)])
		}
	}
	for _, c := range openapi.Codes {
		require.True(t, found["error "+c.Name], c.Name)
	}
	for _, c := range openapi.FaultCodes {
		require.True(t, found["fault "+c.Name], c.Name)
	}
	for _, e := range events.Sent {
		require.True(t, found["event "+string(e)], e)
	}
	require.True(t, found["field billingAddress.city"])
	for path, page := range pages {
		for _, m := range regexp.MustCompile(`<h2 id="([^"]+)">`).FindAllStringSubmatch(page, -1) {
			require.True(t, found["guide "+m[1]] || path == "/docs" || path == "/docs/errors", "%s of %s", m[1], path)
		}
	}
}

// What somebody types is found, though no operation, field or error is called so.
func TestTheIndexKnowsTheWordsOfGuides(t *testing.T) {
	var entries []struct{ Title, At, Words string }
	require.NoError(t, json.Unmarshal(get(t, "GET", "/docs/search.json").Body.Bytes(), &entries))
	for word, at := range map[string]string{"signature": "/docs/webhooks#verify",
		"X-Webhook-Signature": "/docs/webhooks#what-a-webhook-holds",
		"rotate":              "/docs/webhooks#rotate-keys", "breaker": "/docs/webhooks#when-you-are-down",
		"pagination": "/docs/conventions#pagination", "etag": "/docs/conventions#optimistic-locking",
		"idempotency": "/docs/conventions#idempotency", "sunset": "/docs/conventions#versions",
		"X-RateLimit-Hourly-Remaining": "/docs#headers", "consent": "/docs/frontend#consent",
		"backup": "/docs/operator#backup-and-restore"} {
		found := false
		for _, e := range entries {
			found = found || e.At == at && strings.Contains(strings.ToLower(e.Title+" "+e.Words), strings.ToLower(word))
			require.NotRegexp(t, "`|\\]\\(|\\|--", e.Words, e.Title)
		}
		require.True(t, found, "%s at %s", word, at)
	}
}

// A partner who plans ahead finds how long a version lives, and what several coupons come to.
func TestTheReferenceSaysWhatIsPromisedOfVersionsAndCoupons(t *testing.T) {
	versions := get(t, "GET", "/docs/conventions").Body.String()
	for _, word := range []string{"12 months", "<code>Deprecation</code>", "<code>Sunset</code>"} {
		require.Contains(t, versions, word)
	}
	require.Contains(t, get(t, "GET", "/docs").Body.String(), `href="/docs/conventions#versions"`)
	require.Contains(t, get(t, "GET", "/docs/discount-coupons").Body.String(), "first the percentages")
	require.Contains(t, get(t, "GET", "/docs/orders").Body.String(), `href="/docs/discount-coupons"`)
}

func TestTheCatalogueShowsTheSamplesOfEvents(t *testing.T) {
	page := get(t, "GET", "/docs/events").Body.String()
	for _, e := range events.Sent {
		_, article, _ := strings.Cut(page, `<article class="op" id="`+string(e)+`"`)
		_, shown, _ := strings.Cut(article, `<pre tabindex="0">`)
		shown, _, _ = strings.Cut(shown, "</pre>")
		file, err := os.ReadFile("../../events/samples/2026-11-01/" + string(e) + ".json")
		require.NoError(t, err)
		var want, have map[string]any
		require.NoError(t, json.Unmarshal(file, &want))
		require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(shown)), &have), e)
		require.Equal(t, want["data"], have["data"], e)
	}
}

// programs are the examples of each operation in a language, by the operation's id.
func programs(t *testing.T, language string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, page := range everyPage(t) {
		for _, article := range strings.Split(page, `<article class="op" id="`)[1:] {
			id, _, _ := strings.Cut(article, `"`)
			if _, source, is := strings.Cut(article, `<pre tabindex="0" data-in="`+language+`">`); is {
				source, _, _ = strings.Cut(source, "</pre>")
				all[id] = html.UnescapeString(source)
			}
		}
	}
	require.Greater(t, len(all), 90)
	return all
}

// tool skips the test where a program is not here, unless TOOLS=required.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("TOOLS") != "required" {
		t.Skip("there is no " + name + " here")
	}
	require.NoError(t, err)
	return path
}

// written puts the examples into files of a new folder.
func written(t *testing.T, language, ending string) string {
	t.Helper()
	folder := t.TempDir()
	for id, source := range programs(t, language) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, id+ending), []byte(source), 0o600))
	}
	return folder
}

func TestTheExamplesAreWrittenInTheirLanguages(t *testing.T) {
	check := func(program, language, ending, argument, script string) {
		t.Run(language, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), tool(t, program), argument, script, "check",
				written(t, language, ending)).CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
	check("bash", "curl", ".sh", "-c", `for f in "$1"/*; do bash -n "$f" || exit 1; done`)
	check("python3", "Python", ".py", "-c",
		"import sys, pathlib\nfor f in pathlib.Path(sys.argv[2]).iterdir(): compile(f.read_text(), f.name, 'exec')")
	t.Run("JavaScript", func(t *testing.T) {
		script := "const fs = require('fs'), vm = require('vm'), at = process.argv[1];" +
			"for (const f of fs.readdirSync(at)) new vm.SourceTextModule(fs.readFileSync(at + '/' + f, 'utf8'), " +
			"{identifier: f});"
		out, err := exec.CommandContext(t.Context(), tool(t, "node"), "--experimental-vm-modules", "-e", script,
			written(t, "JavaScript", ".mjs")).CombinedOutput()
		require.NoError(t, err, string(out))
	})
	for id, source := range programs(t, "Go") {
		_, err := parser.ParseFile(token.NewFileSet(), id+".go", source, 0)
		require.NoError(t, err, source)
	}
}

func TestTheExamplesRunAsTheyStand(t *testing.T) {
	for language, run := range map[string][]string{
		"curl": {"bash", "example.sh"}, "JavaScript": {"node", "example.mjs"},
		"Python": {"python3", "example.py"}, "Go": {"go", "run", "example.go"}} {
		t.Run(language, func(t *testing.T) {
			program, all := tool(t, run[0]), programs(t, language)
			var requests []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var body struct{ Email string }
				_ = json.NewDecoder(r.Body).Decode(&body)
				requests = append(requests, fmt.Sprint(r.Method, r.URL.Path, r.Header["Authorization"],
					r.Header["Api-Version"], body.Email))
				if r.Method == http.MethodPost {
					w.WriteHeader(http.StatusUnprocessableEntity)
				}
				fmt.Fprint(w, `{"items":[]}`)
			}))
			defer server.Close()
			folder := t.TempDir()
			for _, id := range []string{"listCustomers", "createCustomer"} {
				source := strings.Replace(all[id], base+"/", server.URL+"/", 1)
				require.NoError(t, os.WriteFile(filepath.Join(folder, run[len(run)-1]), []byte(source), 0o600))
				c := exec.CommandContext(t.Context(), program, run[1:]...)
				c.Dir, c.Env = folder, append(os.Environ(), "TOKEN=secret", "no_proxy=127.0.0.1")
				out, err := c.CombinedOutput()
				require.NoError(t, err, string(out))
				require.Contains(t, string(out), `{"items":[]}`, "a refusal is shown, too")
			}
			require.Equal(t, []string{"GET/api-engine/customers[Bearer secret] [2027-01-01]",
				"POST/api-engine/customers[Bearer secret] [2027-01-01]jana.novakova@example.cz"}, requests)
		})
	}
}

// While two versions serve side by side, pages of the one ask the other for their files.
func TestAPageOfAnotherVersionFindsItsFiles(t *testing.T) {
	for path, kind := range map[string]string{"/docs/page.0123456789.css": "text/css; charset=utf-8",
		"/docs/page.0123456789.js":     "text/javascript; charset=utf-8",
		"/docs/search.0123456789.json": "application/json"} {
		r := get(t, "GET", path)
		require.Equal(t, 200, r.Code, path)
		require.Equal(t, kind, r.Header().Get("Content-Type"))
		require.Equal(t, "public, max-age=300", r.Header().Get("Cache-Control"))
	}
	require.Equal(t, 404, get(t, "GET", "/docs/page.0123456789.txt").Code)
}

// What shoppers are refused for is not what partners are.
func TestTheProblemsOfAnOperationAreItsOwn(t *testing.T) {
	require.Contains(t, get(t, "GET", "/docs/change-feed").Body.String(), "410 feed_expired")
	shoppers := get(t, "GET", "/docs/basket-and-checkout").Body.String()
	require.Contains(t, shoppers, "403 cross_site")
	for _, code := range []string{"feed_expired", "unauthenticated", "rate_limited", "insufficient_permission",
		"unknown_api_version"} {
		require.NotContains(t, shoppers, " "+code+"</a>")
	}
}

func TestTheColoursAreReadable(t *testing.T) {
	style, err := os.ReadFile("page.css")
	require.NoError(t, err)
	themes := regexp.MustCompile(`:root\{[^}]*\}`).FindAllString(string(style), -1)
	require.Len(t, themes, 2, "light and dark")
	for _, theme := range themes {
		bright := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+):#(\w+)`).FindAllStringSubmatch(theme, -1) {
			bright[m[1]] = luminance(t, m[2])
		}
		for _, ink := range []string{"ink", "dim", "accent", "deep", "good", "warn", "bad"} {
			for _, ground := range []string{"paper", "card"} {
				light, dark := max(bright[ink], bright[ground]), min(bright[ink], bright[ground])
				require.GreaterOrEqual(t, (light+0.05)/(dark+0.05), 4.5, "%s on %s: %s", ink, ground, theme)
			}
		}
	}
}

// luminance is how bright a colour is (WCAG 2.2).
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	require.NoError(t, err)
	part := func(shift int) float64 {
		v := float64(n>>shift&255) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

// tried opens pages of a platform whose API answers alike whatever is asked.
func tried(t *testing.T) (*browsertest.Tab, string) {
	t.Helper()
	p := &host.Platform{}
	a := api.New(api.Config{Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
		BaseURL: "http://api.test"})
	docs.Function.HTTP(p, a)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api-engine/") {
			a.ServeHTTP(w, r)
			return
		}
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("X-RateLimit-Daily-Remaining", "86399")
		fmt.Fprint(w, `{"id":"1"}`)
	}))
	t.Cleanup(server.Close)
	// The address is known once the server listens; the pages are made at the first request for one.
	p.BaseURL = server.URL
	return browsertest.NewShopper(t).Tab(), server.URL
}

func TestATrialKnowsAnExamplesID(t *testing.T) {
	tab, base := tried(t)
	tab.Go(base + "/docs/products")
	tab.Click("#readProduct .tabs + button")
	require.Len(t, browsertest.Eval[string](tab, `document.querySelector('#readProduct [name=id]').value`), 26)
}

// TestATokenStaysInItsPage: what is stored under an origin outlives the page, and whoever gets a script into the origin
// reads it.
func TestATokenStaysInItsPage(t *testing.T) {
	tab, base := tried(t)
	tab.Go(base + "/docs/customers")
	tab.Click("#listCustomers .tabs + button")
	tab.Fill("#listCustomers [name=token]", "secret")
	tab.Click("#listCustomers form button:not(.copy)")
	tab.Wait(`document.querySelector('#listCustomers form pre').textContent.startsWith('200 OK\n')`)
	token := func(operation string) string {
		tab.Click("#" + operation + " .tabs + button")
		return browsertest.Eval[string](tab, `document.querySelector('#`+operation+` [name=token]').value`)
	}
	require.Equal(t, "secret", token("readCustomer"), "the next trial of the page has it")
	require.NotContains(t, browsertest.Eval[string](tab,
		`JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state, window.name])`), "secret")
	tab.Go(base + "/docs/products")
	require.Empty(t, token("readProduct"))
	require.Empty(t, tab.Faults())
}

func TestATrialShowsTheHeadOfItsAnswer(t *testing.T) {
	tab, base := tried(t)
	tab.Go(base + "/docs/shop")
	tab.Click("#readShop .tabs + button")
	tab.Fill("#readShop [name=token]", "secret")
	tab.Click("#readShop form button:not(.copy)")
	tab.Wait(`document.querySelector('#readShop form pre').textContent.startsWith('200 OK\n')`)
	shown := browsertest.Eval[string](tab, `document.querySelector('#readShop form pre').textContent`)
	require.Contains(t, shown, "etag: \"v1\"\n")
	require.Contains(t, shown, "x-ratelimit-daily-remaining: 86399\n")
	require.Contains(t, shown, "\n\n{\n  \"id\": \"1\"\n}")
	require.NotContains(t, shown, "content-length")
	require.Empty(t, tab.Faults())
}

func TestWhereThereIsNoTrialThePageSaysWhy(t *testing.T) {
	tab, base := tried(t)
	for path, because := range map[string]string{
		"/docs/tokens": "install code", "/docs/basket-and-checkout": "a shop's own host",
		"/docs/basket-price-quotes": "it takes a file"} {
		tab.Go(base + path)
		require.True(t, browsertest.Eval[bool](tab,
			`Array.from(document.querySelectorAll('.tabs')).every(t => /^(Try it|No trial here)/.test(t.nextElementSibling.textContent))`), path)
		require.Contains(t, browsertest.Eval[string](tab, `document.querySelector('[data-untried] + p').textContent`),
			because, path)
	}
}

// What copies code stands above its first line, in the head that each block keeps free: on a narrow window it would
// cover the line, on a wide one a long one.
func TestNothingCoversTheCode(t *testing.T) {
	tab, base := tried(t)
	tab.BeforeEachPage(`Object.defineProperty(navigator, 'clipboard', {value: {writeText: async text => { window.kept = text }}});
		const later = setTimeout; window.setTimeout = (f, ms) => { window.soon = f; return later(() => {}, 0) }`)
	for _, width := range []int{360, 1280} {
		tab.Width(width)
		tab.Go(base + "/docs/customers")
		require.Equal(t, 0, browsertest.Eval[int](tab, `Array.from(document.querySelectorAll('.copied')).filter(holder => {
			const over = holder.querySelector('.copy').getBoundingClientRect(), pre = holder.querySelector('pre');
			const text = pre.getBoundingClientRect().top + parseFloat(getComputedStyle(pre).paddingTop);
			return over.bottom > text && over.height;
		}).length`), width)
		require.True(t, browsertest.Eval[bool](tab, `document.documentElement.scrollWidth <= innerWidth`), width)
	}
	tab.Click("#listCustomers [data-in=curl] .copy")
	tab.Wait(`document.querySelector('#listCustomers .copy').textContent === 'Copied' && window.kept.startsWith('curl ')`)
	tab.Run(`soon()`)
	require.Equal(t, "Copy", browsertest.Eval[string](tab,
		`document.querySelector('#listCustomers .copy').textContent`))
}
