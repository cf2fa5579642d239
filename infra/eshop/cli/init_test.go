package cli

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
	"eshop/shared/webhook/signature"
)

// written is the folder of a new add-on in a language.
func written(t *testing.T, lang string) string {
	t.Helper()
	tool := lang
	if _, err := exec.LookPath(tool); err != nil {
		require.NotEqual(t, "required", os.Getenv("TOOLS"), "%s is not here, and TOOLS=required", tool)
		t.Skipf("%s is not here: no add-on in it is tried", tool)
	}
	folder := filepath.Join(t.TempDir(), "Dárky 2")
	sh, out, errs := shell("")
	require.Zero(t, Main([]string{"init", "addon", folder, "--lang", lang}, sh), errs.String())
	require.Contains(t, out.String(), languages[lang].test)
	return folder
}

// ran runs a program in a folder and returns what it has said.
func ran(t *testing.T, folder string, program ...string) string {
	t.Helper()
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func TestANewAddOnPassesItsOwnTests(t *testing.T) {
	for lang, of := range languages {
		t.Run(lang, func(t *testing.T) {
			folder := written(t, lang)
			ran(t, folder, strings.Fields(of.test)...)
			if lang == "go" {
				ran(t, folder, "go", "vet", ".")
				require.Empty(t, ran(t, folder, "gofmt", "-l", "."))
			}
			readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
			require.NoError(t, err)
			require.Contains(t, string(readme), "# darky-2\n")
			require.NotContains(t, string(readme), "{{")
			files, err := os.ReadDir(folder)
			require.NoError(t, err)
			for _, f := range files {
				base, ext, _ := strings.Cut(f.Name(), ".")
				if base != "main" && (ext == "go" || ext == "js") && !strings.HasSuffix(base, "_test") {
					require.Contains(t, string(readme), "`"+f.Name()+"`")
				}
			}
		})
	}
}

func TestAnAddOnOverwritesNothing(t *testing.T) {
	folder := t.TempDir()
	sh, _, errs := shell("")
	file := filepath.Join(folder, "README.md")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	require.Equal(t, 1, Main([]string{"init", "addon", folder}, sh))
	require.Contains(t, errs.String(), "is not empty")
	require.Equal(t, 1, Main([]string{"init", "addon", file}, sh))
	require.Equal(t, 1, Main([]string{"init", "addon", filepath.Join(folder, "new"), "--lang", "rust"}, sh))
	require.Contains(t, errs.String(), `--lang "rust" is neither go nor node`)
	require.Equal(t, 2, Main([]string{"init", "adon"}, sh))
	require.Contains(t, errs.String(), "did you mean addon?")
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1)
	mine, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "mine", string(mine))
	require.Zero(t, Main([]string{"init", "addon", filepath.Join(folder, "a", "b")}, sh), errs.String())
}

// installed is a new add-on that is installed in the demo shop, the way its README goes.
type installed struct {
	shopper
	product goods
	button  string // where its button asks for quotes
	stop    func() // deactivates it
}

// install makes a package and its key, starts the add-on, installs it, and waits until it has set the shop up.
func install(t *testing.T, lang string) installed {
	t.Helper()
	folder := written(t, lang)
	p := serving(t, t.TempDir())
	t.Cleanup(func() { require.NoError(t, p.Stop()) })
	operator := &client{url: p.BaseURL, token: p.Run.OperatorToken, http: http.Client{Timeout: time.Minute}}
	post := func(path string, body any) object {
		made, err := ask[object](t.Context(), operator, "POST", "/operator"+path, body)
		require.NoError(t, err)
		return made
	}
	address := free(t)
	pkg := post("/packages", object{"code": "gifts", "name": "Gifts", "instructions": "",
		"permissions": []string{"products:read", "quotes:write", "codes:read", "codes:write", "shop:read"},
		"systemUrl":   "http://" + address + "/hooks"})["id"].(string)
	key := post("/packages/"+pkg+"/system-keys", nil)["key"].(string)
	_, port, _ := strings.Cut(address, ":")
	starts(t, folder, lang, "PLATFORM="+p.BaseURL, "WEBHOOK_KEYS="+key, "PORT="+port)
	accesses := "/shops/" + p.Run.Demo.ShopID + "/accesses"
	access := post(accesses, object{"packageId": pkg})["id"].(string)
	s := shopper{t, p}
	i := installed{shopper: s, product: s.product(), button: "http://" + address + "/quotes",
		stop: func() { post(accesses+"/"+access+"/deactivate", nil) }}
	require.Eventually(t, func() bool { // its button is there a moment before it has answered packageActivate
		of, err := ask[object](t.Context(), operator, "GET", "/operator"+accesses+"/"+access, nil)
		return err == nil && of["setup"] == "done"
	}, time.Minute, 20*time.Millisecond)
	require.True(t, i.offers())
	return i
}

// offers says whether the button is on the product's page.
func (i installed) offers() bool {
	_, page := i.ask("GET", strings.TrimPrefix(i.product.URL, i.origin()), nil)
	return strings.Contains(page, i.button)
}

func TestANewAddOnIsInstalledAndSells(t *testing.T) {
	for lang := range languages {
		t.Run(lang, func(t *testing.T) {
			i := install(t, lang)
			var quote struct{ QuoteToken, UnitPrice string }
			status, answer := i.at(i.button, i.product.gift())
			require.Equal(t, 200, status, answer)
			require.NoError(t, json.Unmarshal([]byte(answer), &quote))
			status, answer = i.ask("POST", "/basket/items",
				object{"productId": i.product.ID, "quantity": 2, "quoteToken": quote.QuoteToken})
			require.Equal(t, 201, status, answer)
			require.Contains(t, answer, `"unitPrice":"`+quote.UnitPrice+`"`)
			require.NotEqual(t, i.product.PriceLevels[0].Price, quote.UnitPrice)
			i.stop()
			require.Eventually(t, func() bool {
				status, _ := i.at(i.button, i.product.gift())
				return status == 403 && !i.offers()
			}, time.Minute, 20*time.Millisecond)
		})
	}
}

// TestANewAddOnIsInstalledWithoutAnAddress goes the way of its README on a hosted platform: with a developer's token
// alone, and what eshop listen brings.
func TestANewAddOnIsInstalledWithoutAnAddress(t *testing.T) {
	folder := written(t, "go")
	p := serving(t, t.TempDir())
	t.Cleanup(func() { require.NoError(t, p.Stop()) })
	as := func(token string) func(path string, body any) object {
		caller := &client{url: p.BaseURL, token: token, http: http.Client{Timeout: time.Minute}}
		return func(path string, body any) object {
			made, err := ask[object](t.Context(), caller, "POST", path, body)
			require.NoError(t, err)
			return made
		}
	}
	token := as(p.Run.OperatorToken)("/operator/developers",
		object{"name": "Ada", "email": "ada@addon.example"})["token"].(string)
	post := as(token)
	shop := post("/developer/shops", object{"name": "Tea", "domain": "gifts.test", "locale": "cs_CZ",
		"currency": "CZK", "owner": object{"email": "you@addon.example"}, "demo": true})
	pkg := post("/developer/packages", object{"code": "gifts", "name": "gifts", "instructions": "",
		"permissions": []string{"products:read", "quotes:write", "codes:read", "codes:write",
			"shop:read"}})["id"].(string)
	address := free(t)
	_, port, _ := strings.Cut(address, ":")
	key := signature.New(rand.Reader).Text()
	starts(t, folder, "go", "PLATFORM="+p.BaseURL, "WEBHOOK_KEYS="+key, "PORT="+port)
	sh, _, _ := shell("")
	follows(t, sh, "listen", "--url", p.BaseURL, "--token", token, "--key", key, "--package", pkg, "--to",
		"http://"+address+"/hooks")
	access := post("/developer/shops/"+shop["id"].(string)+"/accesses", object{"packageId": pkg})["token"].(string)

	seller := &client{url: p.BaseURL, token: access}
	goods, err := ask[page[goods]](t.Context(), seller, "GET", "/api-engine/products?code=CAJ-005", nil)
	require.NoError(t, err)
	quotes := func() int {
		r := shopper{t, p}.request("POST", "http://"+address+"/quotes", goods.Items[0].gift())
		r.Header.Set("Origin", shop["websiteUrl"].(string))
		status, _ := shopper{t, p}.send(r)
		return status
	}
	require.Eventually(t, func() bool { return quotes() == 200 }, time.Minute, 20*time.Millisecond)
}

func TestATokenIsEnoughToBeginWith(t *testing.T) {
	for lang := range languages {
		t.Run(lang, func(t *testing.T) {
			folder := written(t, lang)
			p := serving(t, t.TempDir())
			defer func() { require.NoError(t, p.Stop()) }()
			address := free(t)
			_, port, _ := strings.Cut(address, ":")
			starts(t, folder, lang, "PLATFORM="+p.BaseURL, "ESHOP_TOKEN="+p.Run.Demo.Token, "PORT="+port)
			s := shopper{t, p}
			i := installed{shopper: s, product: s.product(), button: "http://" + address + "/quotes"}
			require.True(t, i.offers())
			status, answer := i.at(i.button, i.product.gift())
			require.Equal(t, 200, status, answer)
		})
	}
}

// free is an address on this machine that nobody listens at.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// starts starts an add-on and waits until it listens. It ends with the test.
func starts(t *testing.T, folder, lang string, environment ...string) {
	t.Helper()
	program := []string{"node", "main.js"}
	if lang == "go" {
		ran(t, folder, "go", "build", "-o", "addon", ".")
		program = []string{filepath.Join(folder, "addon")}
	}
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = folder, append(os.Environ(), environment...), os.Stderr
	said, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "listening on") {
	}
	require.Contains(t, lines.Text(), "listening on")
	go io.Copy(io.Discard, said)
}

// shopper looks at the demo shop with a browser.
type shopper struct {
	t *testing.T
	p *local.Server
}

func (s shopper) origin() string { return s.p.Run.Demo.StorefrontURL }

// goods is a product that the shop sells.
type goods struct {
	ID, URL     string
	Active      bool
	Variants    []object
	Stock       struct{ Quantity int }
	PriceLevels []struct{ Level, Price string }
}

// gift is what the add-on's widget sends of the product, with a picture of one point.
func (g goods) gift() object {
	return object{"productId": g.ID, "label": "Pro babičku", "picture": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6" +
		"fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="}
}

// product is one without variants that is on stock.
func (s shopper) product() goods {
	demo := &client{url: s.p.BaseURL, token: s.p.Run.Demo.Token}
	all, err := ask[page[goods]](s.t.Context(), demo, "GET", "/api-engine/products?itemsPerPage=250", nil)
	require.NoError(s.t, err)
	for _, g := range all.Items {
		if g.Active && len(g.Variants) == 0 && g.Stock.Quantity > 5 && len(g.PriceLevels) > 0 {
			return g
		}
	}
	require.Fail(s.t, "the demo shop sells nothing")
	return goods{}
}

// ask asks the shop, whatever finds names here.
func (s shopper) ask(method, path string, body any) (int, string) {
	r := s.request(method, s.p.BaseURL+path, body)
	r.Host = strings.TrimPrefix(s.origin(), "http://")
	return s.send(r)
}

// at posts to another address, as a script of the shop's pages does.
func (s shopper) at(address string, body any) (int, string) {
	return s.send(s.request("POST", address, body))
}

func (s shopper) request(method, address string, body any) *http.Request {
	text, err := json.Marshal(body)
	require.NoError(s.t, err)
	r, err := http.NewRequest(method, address, bytes.NewReader(text))
	require.NoError(s.t, err)
	r.Header.Set("Origin", s.origin())
	r.Header.Set("Content-Type", "application/json")
	if method != "GET" {
		r.Header.Set("Accept", "application/json")
	}
	return r
}

func (s shopper) send(r *http.Request) (int, string) {
	got, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	require.NoError(s.t, err)
	return got.StatusCode, string(b)
}
