package journeys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
	"eshop/shared/base/permission"
)

// open is the one process as it is reached from everywhere: at its public address, through a proxy that has its names
// and its certificates. Everything that anybody is told there is read.
type open struct {
	t      testing.TB
	at     string       // where the process listens
	from   string       // the visitor's address
	people *http.Client // keeps cookies, as a browser does
	told   *told
}

// told is what was read, and what of it speaks of this machine.
type told struct {
	mu    sync.Mutex
	wrong []string
	known *strings.Replacer // what is no address of the platform
}

// ofThisMachine is what nobody in the open net can use.
var ofThisMachine = regexp.MustCompile(`.{0,60}(127\.0\.0\.1|localhost|http://\w).{0,60}`)

// namespaces are names of vocabularies that look like addresses.
var namespaces = regexp.MustCompile(`http://www\.(w3|sitemaps)\.org/[A-Za-z0-9/.]+`)

// read looks for what speaks of this machine.
func (x *told) read(where, text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, found := range ofThisMachine.FindAllString(x.known.Replace(namespaces.ReplaceAllString(text, "")), -1) {
		x.wrong = append(x.wrong, where+": "+found)
	}
}

// RoundTrip is the proxy: it takes https, tells whom it was asked by, and speaks http to the process.
func (x open) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := r.Clone(r.Context())
	asked.Host, asked.URL.Scheme, asked.URL.Host = r.URL.Host, "http", x.at
	asked.Header.Set("X-Forwarded-For", x.from)
	asked.Header.Set("X-Forwarded-Proto", r.URL.Scheme)
	return http.DefaultTransport.RoundTrip(asked)
}

// ask makes a request at a public address, and reads the whole answer.
func (x open) ask(method, address string, body any, header ...string) answer {
	x.t.Helper()
	var sent io.Reader
	switch b := body.(type) {
	case nil:
	case url.Values:
		sent = strings.NewReader(b.Encode())
		header = append(header, "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
	case string:
		sent = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		require.NoError(x.t, err)
		sent, header = bytes.NewReader(text), append(header, "Content-Type", "application/json")
	}
	r, err := http.NewRequest(method, address, sent)
	require.NoError(x.t, err)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := x.people.Do(r)
	require.NoError(x.t, err, address)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	require.NoError(x.t, err)
	var head bytes.Buffer
	require.NoError(x.t, got.Header.Write(&head))
	x.told.read(method+" "+address, head.String())
	if kind := got.Header.Get("Content-Type"); !strings.HasPrefix(kind, "image/") && !isGuide(address) {
		x.told.read(method+" "+address, string(text))
	}
	for _, cookie := range got.Header.Values("Set-Cookie") {
		require.Contains(x.t, cookie, "Secure", address)
	}
	require.NotEmpty(x.t, got.Header.Get("Strict-Transport-Security"), address)
	return answer{x.t, got.StatusCode, got.Header, text}
}

// page is what a browser asks for.
func (x open) page(address string) answer {
	return x.ask("GET", address, nil, "Accept", "text/html,*/*", "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate",
		"Sec-Fetch-Dest", "document")
}

// links are the addresses in a text, absolute ones and those of a page's links and pictures.
var (
	absolute = regexp.MustCompile(`https://[^\s,"'<>()\\` + "`" + `]+`)
	relative = regexp.MustCompile(`(?:href|src)="(/[^"]*)"`)
)

// walk follows every link that it is told, from these on, as far as it leads to the platform. Each has to lead
// somewhere.
func (x open) walk(from ...string) (seen map[string]bool) {
	x.t.Helper()
	seen = map[string]bool{}
	for todo := from; len(todo) > 0; {
		at, err := url.Parse(strings.ReplaceAll(todo[0], "&amp;", "&"))
		todo = todo[1:]
		if err != nil || at.Host != "eshop.example" && !strings.HasSuffix(at.Host, ".eshop.example") &&
			at.Host != "caj.example" || seen[at.Host+at.Path] ||
			strings.HasPrefix(at.Path, "/demo/") { // which programs POST to
			continue
		}
		seen[at.Host+at.Path] = true
		a := x.page(at.String())
		require.NotContains(x.t, []int{404, 500}, a.status, at)
		if isGuide(at.String()) || strings.Contains(a.header.Get("Content-Type"), "image/") {
			continue
		}
		todo = append(todo, absolute.FindAllString(string(a.body), -1)...)
		for _, m := range relative.FindAllStringSubmatch(string(a.body), -1) {
			to, err := at.Parse(m[1])
			require.NoError(x.t, err)
			todo = append(todo, to.String())
		}
	}
	return seen
}

// isGuide says whether an address is that of a document that people have written: its examples are of many platforms,
// and those of the command line truly of a laptop.
func isGuide(address string) bool {
	at, err := url.Parse(address)
	if err != nil {
		return false
	}
	name, is := strings.CutPrefix(at.Path, "/docs/")
	return is && !strings.HasPrefix(name, "reference") && !strings.HasSuffix(name, ".json")
}

// reads asks for everything that a document of operations says can be read.
func (x open) reads(document answer, token string) {
	x.t.Helper()
	var paths struct{ Paths map[string]fields }
	require.NoError(x.t, json.Unmarshal(document.body, &paths))
	for _, path := range slices.Sorted(maps.Keys(paths.Paths)) {
		if paths.Paths[path]["get"] == nil || !strings.HasPrefix(path, "/api-engine/") {
			continue
		}
		for strings.Contains(path, "{") { // the first of the list before it
			list, rest, _ := strings.Cut(path, "/{")
			_, rest, _ = strings.Cut(rest, "}")
			var page struct{ Items []struct{ ID string } }
			a := x.ask("GET", "https://eshop.example"+list, nil, "Authorization", "Bearer "+token)
			if json.Unmarshal(a.body, &page) != nil || len(page.Items) == 0 {
				break
			}
			path = list + "/" + page.Items[0].ID + rest
		}
		a := x.ask("GET", "https://eshop.example"+path, nil, "Authorization", "Bearer "+token)
		require.Less(x.t, a.status, 500, path)
	}
}

// TestInTheOpenNothingSpeaksOfThisMachine (contract, "The one process"): every address that anybody is told is a public
// one, and leads there.
func TestInTheOpenNothingSpeaksOfThisMachine(t *testing.T) {
	t.Parallel()
	public, err := url.Parse("https://eshop.example")
	require.NoError(t, err)
	data := t.TempDir()
	w := oneProcess(t, func(s *local.Settings) {
		s.Data, s.PublicURL, s.Environment, s.Demo = data, public, "staging", true
		s.TrustedProxies = local.Proxies{netip.MustParsePrefix("127.0.0.0/8")}
		s.SecurityContact = "mailto:security@eshop.example"
	})
	run := readRun(t, data)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	x := open{t: t, at: strings.TrimPrefix(w.url, "http://"), from: "203.0.113.7", told: &told{}}
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		x.told.read("webhook "+r.Header.Get("X-Webhook-Event"), string(body))
		var ping struct{ Data struct{ Nonce string } }
		_ = json.Unmarshal(body, &ping)
		io.WriteString(rw, ping.Data.Nonce)
	}))
	t.Cleanup(receiver.Close)
	x.told.known = strings.NewReplacer(w.url+"/demo/receiver", "", receiver.URL, "",
		"of a platform on your own machine http://127.0.0.1", "")
	x.people = &http.Client{Transport: x, Jar: jar}

	// The operator makes a shop below the host, with a person and a package.
	api := func(token, method, path string, body any) answer {
		t.Helper()
		a := x.ask(method, "https://eshop.example"+path, body, "Authorization", "Bearer "+token)
		require.Less(t, a.status, 300, "%s %s: %s", method, path, a.body)
		return a
	}
	tea := api(w.operator, "POST", "/operator/shops", fields{"name": "Tea", "domain": "tea.eshop.example",
		"locale": "cs_CZ", "currency": "CZK", "owner": fields{"email": "jana@tea.example"}})
	require.Equal(t, "https://tea.eshop.example", tea.text("websiteUrl"))
	person := api(w.operator, "POST", "/operator/shops/"+tea.id()+"/admins",
		fields{"email": "jana@tea.example", "name": "J"})
	link := person.text("setPasswordUrl")
	require.Contains(t, link, "https://tea.admin.eshop.example/admin/set-password?token=")
	pkg := api(w.operator, "POST", "/operator/packages", fields{"code": "own", "name": "Own", "instructions": "# Own",
		"permissions": permission.All, "systemUrl": receiver.URL})
	access := api(w.operator, "POST", "/operator/shops/"+tea.id()+"/accesses", fields{"packageId": pkg.id()})
	token := access.text("token")

	// The add-on hears of everything, sells, imports and exports.
	api(token, "POST", "/api-engine/webhooks", fields{"url": receiver.URL + "/hook"})
	api(token, "POST", "/api-engine/webhook-signing-keys", nil)
	product := api(token, "POST", "/api-engine/products", fields{"code": "TEA", "name": "Čaj",
		"stock": fields{"quantity": 9}, "priceLevels": []fields{{"level": "default", "price": "99.00"}}})
	require.Equal(t, "https://tea.eshop.example/caj", product.text("url"))
	api(token, "POST", "/api-engine/custom-codes",
		fields{"name": "Hello", "code": "<p>hello</p>", "position": "bodyEnd"})
	exported := api(token, "POST", "/api-engine/exports", fields{"type": "products", "format": "csv"})
	eventually(t, patience, func() bool {
		return api(token, "GET", "/api-engine/exports/"+exported.id(), nil).text("state") == "done"
	})
	file := api(token, "GET", "/api-engine/exports/"+exported.id(), nil).text("downloadUrl")
	require.Contains(t, file, "https://eshop.example/exports/")
	require.Contains(t, string(x.ask("GET", file, nil).body), "https://tea.eshop.example/caj")
	imported := api(token, "POST", "/api-engine/imports",
		fields{"type": "customers", "format": "csv", "mode": "upsert"})
	require.Contains(t, imported.text("uploadUrl"), "https://eshop.example/uploads/")
	require.Less(t, x.ask("PUT", imported.text("uploadUrl"), "email;firstName;lastName\na@b.cz;A;B\n").status, 300)

	// A shopper buys.
	shop := "https://tea.eshop.example"
	require.Equal(t, 201, x.ask("POST", shop+"/basket/items", fields{"productId": product.id(), "quantity": 1}).status)
	x.ask("GET", shop+"/basket", nil)
	address := fields{"street": "Dlouhá 1", "city": "Brno", "zip": "60200", "country": "CZ"}
	order := x.ask("POST", shop+"/checkout", fields{"email": "host@example.cz", "firstName": "H", "lastName": "O",
		"phone": "+420601123456", "billingAddress": address})
	require.Equal(t, 201, order.status, "%s", order.body)
	require.Contains(t, order.text("confirmationUrl"), "https://tea.eshop.example/order/")

	// The owner sets a password by the link and signs in. A browser of before 2023 sends Origin alone.
	admin := "https://tea.admin.eshop.example"
	require.Equal(t, 200, x.ask("POST", link, url.Values{"password": {"a good password"}}).status)
	a := x.ask("POST", admin+"/admin/sign-in", "email=jana%40tea.example&password=a+good+password",
		"Content-Type", "application/x-www-form-urlencoded", "Origin", admin)
	require.Equal(t, 200, a.status, "%s", a.body)
	a = x.ask("POST", admin+"/admin/sign-in", "email=jana%40tea.example&password=a+good+password",
		"Content-Type", "application/x-www-form-urlencoded", "Origin", "http://tea.admin.eshop.example")
	require.Equal(t, 403, a.status, "of another scheme")

	// What is at the platform's own host; both shops with all their pages, the demo's at its id; the admin.
	demo := run.Demo.StorefrontURL
	require.Equal(t, "https://"+strings.ToLower(run.Demo.ShopID)+".eshop.example", demo)
	seen := x.walk("https://eshop.example/docs", "https://eshop.example/llms.txt",
		"https://eshop.example/.well-known/security.txt", "https://eshop.example/openapi.json",
		"https://eshop.example/docs/grafana.json", shop, shop+"/robots.txt", shop+"/sitemap.xml",
		order.text("confirmationUrl"), demo+"/", demo+"/robots.txt", demo+"/sitemap.xml", admin+"/admin")
	for _, at := range []string{"eshop.example/docs/webhooks", "tea.eshop.example/caj",
		"tea.admin.eshop.example/admin/orders"} {
		require.Contains(t, slices.Collect(maps.Keys(seen)), at)
	}
	document := x.ask("GET", "https://eshop.example/openapi.json", nil)
	x.reads(document, token)
	x.reads(document, run.Demo.Token)
	x.reads(document, "esk_live_nobody")

	// The operator's and a developer's own.
	ada := fields{"name": "Ada", "email": "ada@addon.example"}
	dev := api(w.operator, "POST", "/operator/developers", ada).text("token")
	test := api(dev, "POST", "/developer/shops", fields{"name": "Try", "domain": "try.test", "locale": "cs_CZ",
		"currency": "CZK", "owner": fields{"email": "ada@addon.example"}, "demo": true})
	require.Equal(t, "https://"+strings.ToLower(test.id())+".eshop.example", test.text("websiteUrl"))
	for _, path := range []string{"shops", "packages", "shops/" + test.id(), "none"} {
		x.ask("GET", "https://eshop.example/developer/"+path, nil, "Authorization", "Bearer "+dev)
	}
	for _, path := range []string{"shops", "shops/" + tea.id(), "packages",
		"packages/" + pkg.id() + "/webhook-deliveries",
		"shops/" + tea.id() + "/accesses", "shops/" + tea.id() + "/admins", "audit", "tokens", "developers", "none"} {
		x.ask("GET", "https://eshop.example/operator/"+path, nil, "Authorization", "Bearer "+w.operator)
	}
	require.Contains(t, string(x.ask("GET", "https://eshop.example/operator/audit", nil, "Authorization",
		"Bearer "+w.operator).body), `"`+x.from+`"`, "the audit trail has the visitor's address")
	x.ask("GET", "https://eshop.example/metrics", nil, "Authorization", "Bearer "+w.operator)

	// A name of its own is told when it is ready.
	path := "/operator/shops/" + tea.id()
	require.Equal(t, "https://"+strings.ToLower(tea.id())+".eshop.example",
		api(w.operator, "PATCH", path, fields{"domain": "caj.example"}).text("websiteUrl"))
	require.Equal(t, "https://caj.example",
		api(w.operator, "PATCH", path, fields{"readyDomain": "caj.example"}).text("websiteUrl"))
	require.Contains(t, string(x.page("https://caj.example/sitemap.xml").body), "https://caj.example/sitemap")
	require.Equal(t, "https://caj.example/caj",
		api(token, "GET", "/api-engine/products/"+product.id(), nil).text("url"))
	require.NotEqual(t, "https://caj.example",
		api(w.operator, "PATCH", path, fields{"readyDomain": nil}).text("websiteUrl"))

	require.Empty(t, x.told.wrong)
	x.followsTheScheme(shop, token)
	x.limitsByAddress(strings.TrimSuffix(run.Demo.Admin.URL, "/admin"))
}

// followsTheScheme asks by http, as the proxy tells: whoever reads is led on, a token is refused.
func (x open) followsTheScheme(shop, token string) {
	plain := func(method, address, token string) (int, string) {
		r, err := http.NewRequest(method, strings.Replace(address, "https:", "http:", 1), nil)
		require.NoError(x.t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		a, err := x.RoundTrip(r)
		require.NoError(x.t, err)
		require.NoError(x.t, a.Body.Close())
		return a.StatusCode, a.Header.Get("Location")
	}
	status, to := plain("GET", shop+"/caj?a=b", "")
	require.Equal(x.t, "308 "+shop+"/caj?a=b", fmt.Sprint(status, " ", to))
	for _, refused := range [][3]string{{"POST", shop + "/basket/items", ""},
		{"GET", "https://eshop.example/api-engine/shop", token},
		{"GET", "https://eshop.example/operator/backup", token}} {
		status, to := plain(refused[0], refused[1], refused[2])
		require.Equal(x.t, "403 ", fmt.Sprint(status, " ", to), refused[1])
	}
}

// limitsByAddress: who guesses passwords is stopped, and nobody beside them.
func (x open) limitsByAddress(admin string) {
	try := func(from, name string) int {
		x.from = from
		x.people = &http.Client{Transport: x}
		form := url.Values{"email": {name + "@tea.example"}, "password": {"wrong password"}}
		return x.ask("POST", admin+"/admin/sign-in", form).status
	}
	var last int
	for i := range 11 {
		last = try("198.51.100.9", fmt.Sprint("a", i))
	}
	require.Equal(x.t, 429, last)
	require.Equal(x.t, 429, try("203.0.113.200, 198.51.100.9", "b"), "a spoofed entry is none")
	require.NotEqual(x.t, 429, try("198.51.100.10", "b"))
}
