package local

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/docs/openapi"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
)

var update = flag.Bool("update", false, "write the golden files anew")

// examplesFile has the example of each operation: package docs says how.
const examplesFile = "../../functions/docs/openapi/examples.json"

// exampleAt is when examples are recorded: after all that the demo shop is seeded with. Each request is made a minute
// after the one before.
var exampleAt = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)

// What stands in examples for what is another one each time: an id of something that a reader makes first, addresses of
// an add-on, and a code or the end of a link that is told once.
const (
	exampleID       = "01KAJ1V4S7TGXSAKB4YV5Q2D3E"
	exampleReceiver = "https://example.com/hooks"
	exampleSystem   = "https://addon.example/eshop"
	exampleCode     = "7Zq0mB1x9cD4fGhJkLmNpQrStUvWxYz2a3b4c5d6e7f"
)

// TestGoldenExamplesAreWhatADemoShopAnswers makes the request of each operation's example on a demo shop, and wants the
// answers that the document shows. `make golden` writes them.
func TestGoldenExamplesAreWhatADemoShopAnswers(t *testing.T) {
	golden, err := os.ReadFile(examplesFile)
	require.NoError(t, err)
	r := openRecorder(t)
	all := operations(t, r.s.API, golden)
	for _, o := range all {
		r.all[o.id] = o
	}
	for _, o := range inTurn(all) {
		r.record(o)
	}
	if *update {
		require.NoError(t, os.WriteFile(examplesFile, examplesAsWritten(all), 0o644))
		return
	}
	require.Equal(t, string(golden), string(examplesAsWritten(all)), "run `make golden`")
}

// operation is one operation of a document, with its example.
type operation struct {
	id, method, path string
	form, paged      bool     // it takes a file; it answers a page
	statuses         []string // of its answers in JSON
	example          map[string]json.RawMessage
}

// operations are those of both documents, in their order, each with the path and the request of its example.
func operations(t *testing.T, a *api.API, golden []byte) (all []*operation) {
	examples := map[string]map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(golden, &examples))
	type content struct{ Content map[string]any }
	type parameter struct{ Name string }
	for _, document := range [][]byte{openapi.Document(a, api.Newest()), openapi.DeveloperDocument(a)} {
		var d struct {
			Paths map[string]map[string]struct {
				OperationID string
				Parameters  []parameter
				RequestBody content
				Responses   map[string]content
			}
		}
		require.NoError(t, json.Unmarshal(document, &d))
		for _, route := range a.Patterns() {
			method, path, _ := strings.Cut(route, " ")
			op, is := d.Paths[path][strings.ToLower(method)]
			if !is {
				continue
			}
			o := &operation{id: op.OperationID, method: method, path: path, example: map[string]json.RawMessage{},
				form:  op.RequestBody.Content["multipart/form-data"] != nil,
				paged: slices.Contains(op.Parameters, parameter{"itemsPerPage"})}
			for _, name := range []string{"path", "request"} {
				if given := examples[o.id][name]; given != nil {
					o.example[name] = given
				}
			}
			for status, answer := range op.Responses {
				if answer.Content["application/json"] != nil {
					o.statuses = append(o.statuses, status)
				}
			}
			slices.Sort(o.statuses)
			all = append(all, o)
		}
	}
	return all
}

// examplesAsWritten are the examples as their file has them: a line for each part of one.
func examplesAsWritten(all []*operation) []byte {
	var b bytes.Buffer
	for i, o := range all {
		between := "\n  "
		fmt.Fprintf(&b, "%s%q: {", []string{",\n", "{\n"}[min(1, max(0, 1-i))], o.id)
		for _, name := range append([]string{"path", "request"}, o.statuses...) {
			if o.example[name] != nil {
				fmt.Fprintf(&b, "%s%q: %s", between, name, o.example[name])
				between = ",\n  "
			}
		}
		b.WriteString("}")
	}
	return append(b.Bytes(), "\n}\n"...)
}

// late are operations that need others or end what others go on with. They come in this order, before all that deletes.
var late = []string{"readReplay", "checkout", "listShopperOrders", "readShopperOrder", "signOutShopper",
	"setShopperPassword", "renewToken"}

// inTurn are operations in an order in which they succeed: first what makes something, then what reads and changes it,
// then what is late, then what deletes, the last made first.
func inTurn(all []*operation) []*operation {
	const deletes = 100
	turn := func(o *operation) int {
		makes := slices.Contains(o.statuses, "201") || !strings.Contains(o.path, "{")
		switch i := slices.Index(late, o.id); {
		case i >= 0:
			return 2 + i
		case o.method == http.MethodDelete:
			return deletes
		case o.method == http.MethodPost && makes:
			return 0
		}
		return 1
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *operation) int { return cmp.Compare(turn(a), turn(b)) })
	last := all[slices.IndexFunc(all, func(o *operation) bool { return turn(o) == deletes }):]
	slices.Reverse(last)
	besides := func(o *operation) int { return strings.Count(o.path, "}/data") } // goes before its record
	slices.SortStableFunc(last, func(a, b *operation) int { return cmp.Compare(besides(b), besides(a)) })
	return all
}

// recorder makes the requests of examples on a demo shop.
type recorder struct {
	*testing.T
	s        *Server
	now      atomic.Int64          // unix milliseconds
	all      map[string]*operation // by their ids
	author   string                // the token of a developer
	addon    string                // where an add-on answers every webhook
	made     map[string]string     // ids of what was made, by the path of its collection
	issued   string                // what the next request sends in place of exampleCode
	retiring string                // a signing key that signs no more
	cookies  []*http.Cookie        // of a visitor of the shop
}

func openRecorder(t *testing.T) *recorder {
	r := &recorder{T: t, all: map[string]*operation{}, made: map[string]string{}}
	r.now.Store(exampleAt.UnixMilli())
	var err error
	r.s, err = Start(t.Context(), Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "test", Demo: true,
		Now: func() time.Time { return time.UnixMilli(r.now.Load()) }, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.s.Stop()) })
	addon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var hook struct{ Data struct{ Nonce string } }
		_ = json.NewDecoder(q.Body).Decode(&hook)
		_, _ = io.WriteString(w, hook.Data.Nonce)
	}))
	t.Cleanup(addon.Close)
	r.addon = addon.URL
	var developer struct{ Token string }
	require.NoError(t, call(r.s, r.s.Run.OperatorToken, "POST", "/operator/developers",
		map[string]string{"name": "Ada", "email": "ada@addon.example"}, &developer))
	r.author = developer.Token
	return r
}

// record makes an operation's request and keeps its answer.
func (r *recorder) record(o *operation) {
	r.before(o)
	path := o.path
	if given := o.example["path"]; given != nil {
		require.NoError(r, json.Unmarshal(given, &path))
	}
	require.NotContains(r, path, "{", "%s: put a path into %s", o.id, examplesFile)
	switch {
	case o.id == "searchProducts":
		path += "?q=%C4%8Daj"
	case o.paged: // one entry shows what each is like
		path += "?itemsPerPage=1"
	}
	a := r.ask(o, path, o.example["request"])
	require.Less(r, a.Code, 300, "%s: %s", o.id, a.Body)
	r.keep(o, a)
	r.after(o, a)
}

// ask makes a request of the operation, as whoever may, and waits until all that follows from it is done.
func (r *recorder) ask(o *operation, path string, body []byte) *httptest.ResponseRecorder {
	r.now.Add(time.Minute.Milliseconds())
	segments := strings.Split(o.path, "/")
	for i, s := range strings.Split(path, "/") {
		if strings.HasPrefix(s, exampleID) {
			collection := strings.Join(segments[:i], "/")
			require.NotEmpty(r, r.made[collection], "%s: nothing was made at %s", o.id, collection)
			path = strings.Replace(path, exampleID, r.made[collection], 1)
		}
	}
	text, kind := strings.NewReplacer(
		`"customCodeId": "`+exampleID, `"customCodeId": "`+r.made["/api-engine/custom-codes"],
		`"packageId": "`+exampleID, `"packageId": "`+r.made["/developer/packages"], exampleCode, r.issued,
		exampleReceiver, r.addon+"/hooks", exampleSystem, r.addon+"/eshop").Replace(string(body)), "application/json"
	if o.form {
		text, kind = r.picture()
	}
	q := httptest.NewRequest(o.method, path, strings.NewReader(text))
	q.Header.Set("Content-Type", kind)
	switch {
	case strings.HasPrefix(path, "/developer/"):
		q.Header.Set("Authorization", "Bearer "+r.author)
	case strings.HasPrefix(path, "/api-engine/") || strings.HasPrefix(path, "/basket-price-"):
		q.Header.Set("Authorization", "Bearer "+r.s.Run.Demo.Token)
	default:
		q.Host = strings.TrimPrefix(r.s.Run.Demo.StorefrontURL, "http://")
		for _, c := range r.cookies {
			q.AddCookie(c)
		}
	}
	a := httptest.NewRecorder()
	r.s.API.ServeHTTP(a, q)
	for _, c := range a.Result().Cookies() {
		r.cookies = append(slices.DeleteFunc(r.cookies, func(had *http.Cookie) bool { return had.Name == c.Name }), c)
	}
	r.s.settle(r.Context(), 10*time.Second)
	return a
}

// picture is a form with a picture as its file, and its type.
func (r *recorder) picture() (text, kind string) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	file, err := w.CreateFormFile("file", "image.png")
	require.NoError(r, err)
	require.NoError(r, png.Encode(file, image.NewRGBA(image.Rect(0, 0, 2, 2))))
	require.NoError(r, w.Close())
	return form.String(), w.FormDataContentType()
}

// before does what an operation needs that no other operation's example does.
func (r *recorder) before(o *operation) {
	u := r.s.Platform.Unit()
	u.Shop = r.s.Run.Demo.ShopID
	switch o.id {
	case "exchangeInstallCode":
		access, err := addon.Accesses.Read(r.Context(), u.Table, u.Shop, r.s.Run.Demo.AccessID)
		require.NoError(r, err)
		r.issued, err = addon.IssueInstallCode(r.Context(), u, addon.InstallCode{Access: access.ID, Shop: u.Shop,
			Package: access.Package, Activation: r.s.Platform.NewID()})
		require.NoError(r, err)
	case "setShopperPassword":
		var err error
		r.issued, err = customer.NewAccounts(signin.Tries{}).MakeLink(r.Context(), u, r.made["/account/register"])
		require.NoError(r, err)
	case "deleteCustomer":
		r.keep(o, r.ask(o, "/api-engine/customers/"+exampleID+"?erase=true", nil))
	case "removeBasketCoupon": // the first that is removed, since the basket has become an order
		add := r.all["addToBasket"]
		r.after(add, r.ask(add, add.path, add.example["request"]))
	case "deleteSigningKey":
		r.made["/api-engine/webhook-signing-keys"] = r.retiring
	}
}

// noSuch matches the id of the first product of a batch.
var noSuch = regexp.MustCompile(`\[\{"id": "\w+"`)

// after remembers what an operation has made, does what has to happen to it before others read it, and records the
// second answer of an operation that has one.
func (r *recorder) after(o *operation, a *httptest.ResponseRecorder) {
	var it struct {
		ID, Token, UploadURL string
		Items                []struct{ ID string }
	}
	_ = json.Unmarshal(a.Body.Bytes(), &it)
	if o.method == http.MethodPost && a.Code == http.StatusCreated && it.ID != "" {
		r.made[o.path] = it.ID
	}
	switch o.id {
	case "createUrl":
		r.keep(o, r.ask(o, o.path, o.example["request"]))
	case "changeProductsBasic", "changeProductsStock", "changeProductsUnits", "changeProductsPrices":
		r.keep(o, r.ask(o, o.path, noSuch.ReplaceAll(o.example["request"], []byte(`[{"id": "`+exampleID+`"`))))
	case "createImport":
		q, err := http.NewRequestWithContext(r.Context(), http.MethodPut, it.UploadURL,
			strings.NewReader("code,name,price\nHR-1,Hrnek modrý,249.00\nHR-2,,0\n"))
		require.NoError(r, err)
		put, err := http.DefaultClient.Do(q)
		require.NoError(r, err)
		require.NoError(r, put.Body.Close())
		require.Less(r, put.StatusCode, 300)
		r.done("/api-engine/imports/" + it.ID)
	case "createExport":
		r.done("/api-engine/exports/" + it.ID)
	case "createSigningKey": // a second one is pending
		r.retiring = it.ID
		var second struct{ ID string }
		require.NoError(r, json.Unmarshal(r.ask(o, o.path, nil).Body.Bytes(), &second))
		r.made[o.path] = second.ID
	case "addToBasket", "listShopperOrders", "listDeveloperSystemDeliveries":
		r.made[o.path] = it.Items[0].ID
	case "listDeliveries": // a ping is not sent again
		told := r.ask(o, o.path+"?event=productChange&itemsPerPage=1", nil)
		require.NoError(r, json.Unmarshal(told.Body.Bytes(), &it))
		r.made[o.path] = it.Items[0].ID
	case "createDeveloperAccess":
		require.NoError(r, call(r.s, it.Token, "POST", "/api-engine/webhook-signing-keys", nil, nil))
		require.NoError(r, call(r.s, it.Token, "POST", "/api-engine/webhooks",
			map[string]string{"url": r.addon + "/hooks"}, nil))
		r.s.settle(r.Context(), 10*time.Second)
	case "renewToken":
		r.author = it.Token
	}
}

// done waits until the import or the export at a path is done.
func (r *recorder) done(path string) {
	var job struct{ State string }
	for job.State != "done" {
		require.True(r, guard.Wait(r.Context(), time.Millisecond))
		require.NoError(r, call(r.s, r.s.Run.Demo.Token, "GET", path, nil, &job))
	}
}

// What is another one each time: ids, texts that nobody may know or foresee, in fields and in addresses, the addresses
// of test shops, what is left of the limits, and how long an attempt took.
var (
	ids    = regexp.MustCompile(`01[0-9A-HJKMNP-TV-Z]{24}`)
	fields = regexp.MustCompile(`"(token|quoteToken|nextCursor|fingerprint|last4|installCode|answer)":"[^"]+"|` +
		`"key":"whsec_[^"]+"`)
	ends    = regexp.MustCompile(`([?&]signature=|[?&]key=|/order/|set-password\?token=|images/` + exampleID + `-)[\w-]+`)
	shops   = regexp.MustCompile(`http://01[0-9a-z]{24}\.(admin\.)?localhost:\d+`)
	left    = regexp.MustCompile(`"remaining":\{[^}]*\}`)
	took    = regexp.MustCompile(`"durationMs":\d+`)
	instead = map[string]string{"token": "esk_test_…", "key": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
		"quoteToken": "mVbJ0wW7sKqYl2fXUo8cTnR4eGdA9hPi3zE6yB1tQ5k", "nextCursor": "3q2-7wAAAAAwMUtBSjFWNFM3",
		"fingerprint": "150c6d7bf58ca73d", "last4": "x9Qe", "installCode": exampleCode,
		"answer": "7a12912e58a6ef3f6c793d55125d059c"}
)

// keep keeps an answer in JSON as the example of its status, with what stands in examples for what is another one each
// time.
func (r *recorder) keep(o *operation, a *httptest.ResponseRecorder) {
	if a.Body.Len() == 0 {
		return
	}
	text := strings.NewReplacer(r.addon+"/hooks", exampleReceiver, r.addon+"/eshop", exampleSystem,
		r.s.Run.Demo.StorefrontURL, "https://shop.example.cz", r.s.BaseURL, "https://api.example.com").
		Replace(strings.TrimSpace(a.Body.String()))
	text = fields.ReplaceAllStringFunc(text, func(field string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(field, `"`), `"`)
		return `"` + name + `":"` + instead[name] + `"`
	})
	begun := id.New(exampleAt, bytes.NewReader(make([]byte, 16)))
	text = ids.ReplaceAllStringFunc(text, func(id string) string {
		if id < begun {
			return id // the demo's own
		}
		return exampleID
	})
	text = ends.ReplaceAllString(text, "$1…")
	text = shops.ReplaceAllString(text, "https://${1}tea.test")
	text = left.ReplaceAllString(text, `"remaining":{"hourly":7188,"daily":86388}`)
	text = took.ReplaceAllString(text, `"durationMs":12`)
	o.example[strconv.Itoa(a.Code)] = json.RawMessage(text)
}
