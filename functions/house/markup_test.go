package house_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"eshop/events"
	"eshop/functions/storefront"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/page/stylesheet"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	shops "eshop/shared/shop"
	hooks "eshop/shared/webhook"
)

// mild is a text that is nothing but text; hostileTexts are something else where they are not shown as text: in an
// element, an attribute, an address, a style, a script, a comment or a template.
const mild = "mild"

var hostileTexts = []string{
	`"><script>alert(1)</script>`,
	`"'></style></title></textarea></script><img src=x><!--`,
	`');}</style><script>{{7*7}}`,
	`" onfocus="x' onfocus='x onfocus=alert(1) `,
	`javascript:alert(1)//`,
	`data:text/html,<script>alert(1)</script>`,
	`https://example.com/"onload="x`,
	"\u202egnp.exe",
}

// markup is HTML by what it promises, and put into the shop's pages as it is: no other text may act on a page.
var markup = map[string]bool{
	"POST /api-engine/custom-codes body.code":       true,
	"PATCH /api-engine/custom-codes/{id} body.code": true,
}

// worded is a world in which each field that takes the text holds it, followed by a number of its own.
type worded struct {
	*world
	text   string
	inputs map[string]api.OperationInput
	places map[string]string // by the numbers: the operation and the field
}

// word opens a world whose records were made with the text in each field that takes it.
func word(t *testing.T, text string) *worded {
	w := &worded{world: open(t), text: text, inputs: map[string]api.OperationInput{}, places: map[string]string{}}
	for _, in := range w.API.Inputs() {
		w.inputs[in.Route] = in
	}
	w.cookies = nil
	for _, route := range slices.Concat(records, []string{"POST /account/register", "POST /basket/items",
		"POST /basket/coupon"}) {
		w.write(route)
	}
	w.order(w.body("POST /api-engine/orders"))
	w.verify()
	w.deliver()
	w.dress()
	return w
}

// deliver makes a delivery to the receiver.
func (w *worded) deliver() {
	w.T.Helper()
	access := w.made["POST /operator/shops/{shopId}/accesses"]
	c := events.Change{Request: w.P.NewID(), Shop: access.Get("shopId"), At: w.Clock.Now().UnixMilli()}
	row, _ := hooks.NewRow(c, events.Sample(events.ProductChange), hooks.Addressee{Access: access.ID(),
		Package: access.Get("packageId"), Receiver: w.made["POST /api-engine/webhooks"].ID(),
		Version: events.APIVersion}, w.Clock.Now())
	w.Put(w.P.Pipeline, row)
	w.made["POST /api-engine/webhook-deliveries"] = hosttest.Answer{T: w.T, Body: object{"id": row.SK}}
}

// dress writes the text into what people say of their shop in the admin.
func (w *worded) dress() {
	w.T.Helper()
	text := field.Text(w.text)
	way := shops.WayFields{Name: field.Line(w.text), On: true, Note: text}
	w.Put(w.P.Main, store.Item{Key: shops.FaceKey(w.made["POST /operator/shops"].ID()), Version: "1",
		Doc: record.Document(shops.Face{Accent: field.Color(w.text), Welcome: text, Contact: text, Terms: text,
			Privacy: text, Ways: shops.Ways{Delivery: shops.WayList{{Key: "w", WayFields: way}},
				Payment: shops.WayList{{Key: "w", WayFields: way}}}})})
	w.Clock.Pass(time.Minute) // the shop is remembered for half of it
}

// write does the operation with the text in each field that takes it, and keeps what came of it.
func (w *worded) write(route string) {
	w.T.Helper()
	w.Clock.Pass(time.Minute)
	w.round++
	if route == "POST /basket-price-quotes" {
		w.image()
	}
	a := w.ask(route, w.body(route))
	require.Less(w.T, a.Status, 300, "%s: %s", route, a.Text)
	if strings.HasPrefix(route, "POST ") && a.Body != nil && route != "POST /basket/coupon" {
		w.made[route] = a
	}
	switch route {
	case "POST /operator/shops/{shopId}/accesses":
		w.token = a.Get("token")
	case "PATCH /operator/shops/{id}": // it may have another domain
		w.made["POST /operator/shops"] = a
	}
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		w.cookies = append(slices.DeleteFunc(w.cookies, func(had *http.Cookie) bool { return had.Name == c.Name }), c)
	}
}

// body is the sample of the operation with the text in each field that takes it. A field for a value takes none of the
// hostile ones.
func (w *worded) body(route string) object {
	w.T.Helper()
	body := shownAgain(w.sample(route))
	if w.made["POST /checkout"].Body != nil {
		delete(body, "quoteToken") // it was used
	}
	for _, p := range w.inputs[route].Paths {
		place := route + " " + p.Path
		if p.Type != huma.TypeString || len(p.Enum) > 0 || markup[place] || strings.HasSuffix(place, "assword") ||
			!strings.HasPrefix(p.Path, "body.") || !placesIn("body", body)[p.Path] {
			continue
		}
		number := "m" + strconv.Itoa(1000+len(w.places))
		with := placed(body, strings.TrimPrefix(p.Path, "body"), w.text+number).(object)
		if !w.takes(route, with) {
			continue
		}
		if w.text != mild {
			require.Empty(w.T, valued(p), "%s takes %q", place, w.text)
		}
		body, w.places[number] = with, place
	}
	return body
}

// shownAgain is the sample with records that stay on the pages.
func shownAgain(sample object) object {
	if _, is := sample["active"].(bool); is {
		sample = with(sample, "active", true)
	}
	if items, is := sample["items"].([]any); is && len(items) > 0 {
		if first, is := items[0].(object); is {
			sample = with(sample, "items", []any{shownAgain(first)})
		}
	}
	return sample
}

// valued says which value is meant in a place, by its schema; "": a text is.
func valued(p api.SchemaPath) string {
	if p.Format == "" && (p.Pattern == "" || p.Pattern == field.NoControl) {
		return ""
	}
	return "a value: " + p.Format + p.Pattern
}

// takes says whether the operation takes the body. Nothing is written.
func (w *worded) takes(route string, body object) bool {
	w.T.Helper()
	w.Main.Around(func([]store.Op, func() error) error { return nil })
	defer w.Main.Around(nil)
	a := w.ask(route, body)
	require.Less(w.T, a.Status, 500, "%s: %v", route, body)
	return a.Status < 300 && (!strings.Contains(route, "/batch/") || a.At("changed") == 1.0)
}

// change does each PATCH of the records that are shown.
func (w *worded) change() {
	w.T.Helper()
	for _, route := range slices.Sorted(maps.Keys(w.inputs)) {
		if strings.HasPrefix(route, "PATCH ") && !strings.HasSuffix(route, "/{accessId}") &&
			!strings.HasPrefix(route, "PATCH /account") && w.sample(route) != nil {
			w.write(route)
		}
	}
}

// recordsOf are the records that a part of an address of the shop or its admin stands before.
var recordsOf = map[string]string{
	"people": "POST /operator/shops/{shopId}/admins", "packages": "POST /operator/shops/{shopId}/accesses",
	"api":    "POST /operator/shops/{shopId}/accesses",
	"tokens": "POST /operator/shops/{shopId}/accesses/{accessId}/tokens", "products": "POST /api-engine/products",
	"variants": "POST /api-engine/products/{id}/variants", "categories": "POST /api-engine/categories",
	"customers": "POST /api-engine/customers", "orders": "POST /api-engine/orders",
	"coupons": "POST /api-engine/discount-coupons", "order-states": "POST /api-engine/order-states",
	"urls": "POST /api-engine/custom-urls", "codes": "POST /api-engine/custom-codes",
	"orphans": "POST /api-engine/custom-codes", "imports": "POST /api-engine/imports",
	"exports": "POST /api-engine/exports",
	"keys":    "POST /api-engine/webhook-signing-keys", "receivers": "POST /api-engine/webhooks",
	"deliveries": "POST /api-engine/webhook-deliveries",
}

// pages are the pages of the shop and of its admin on which records are shown, by their routes.
func (w *worded) pages() map[string]hosttest.Answer {
	w.T.Helper()
	domain := w.made["POST /operator/shops"].Get("domain")
	shopper, ada := w.Visitor(domain), w.signedIn(w.AdminOf(domain))
	for _, c := range w.cookies {
		shopper.Cookies[c.Name] = c.Value
	}
	shop := api.New(api.Config{})
	storefront.Function.HTTP(&host.Platform{}, shop)
	ofShop := shop.Patterns()
	all := map[string]hosttest.Answer{"GET /sitemap.xml?part=0": shopper.Page("/sitemap.xml?part=0")}
	for _, route := range w.API.Patterns() {
		path, reads := strings.CutPrefix(route, "GET ")
		switch {
		case !reads || strings.Contains(path, "/static/"):
		case path == "/admin/imports/columns/{type}":
			all[route] = w.drafted(ada)
		case ofAdmin(path):
			all[route] = ada.Page(w.filled(path))
		case path == "/{slug}":
			for _, of := range []string{"products", "categories"} {
				is := w.as("GET", "/api-engine/"+of+"/"+w.made["POST /api-engine/"+of].ID()).Is(http.StatusOK)
				all[route+" of "+of] = shopper.Page(is.Get("url"))
			}
		case path == "/order/{secret}":
			if made := w.made["POST /checkout"]; made.Body != nil {
				address := made.Get("confirmationUrl")
				all[route] = shopper.Page(address[strings.Index(address, "/order/"):])
			}
		case slices.Contains(ofShop, route):
			all[route] = shopper.Page(w.filled(strings.TrimSuffix(path, "{$}")))
		}
	}
	return all
}

// drafted is the page that asks what the columns of a file are, with the world's text as a name and a value.
func (w *worded) drafted(ada *hosttest.Browser) hosttest.Answer {
	w.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range map[string]string{"type": "products", "format": "csv"} {
		require.NoError(w.T, form.WriteField(name, value))
	}
	file, err := form.CreateFormFile("file", "goods.csv")
	require.NoError(w.T, err)
	require.NoError(w.T, csv.NewWriter(file).WriteAll([][]string{{"code", w.text}, {"A", w.text}}))
	require.NoError(w.T, form.Close())
	sent := ada.Ask("POST", "/admin/imports", form.FormDataContentType(), body.String(), "Accept", hosttest.PageType,
		"Sec-Fetch-Site", "same-origin")
	return ada.Page(sent.Is(http.StatusSeeOther).Header.Get("Location"))
}

// filled is a path of the shop or its admin with the ids of the world's records.
func (w *worded) filled(path string) string {
	w.T.Helper()
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			made, has := w.made["POST "+strings.Join(parts[:i], "/")]
			if !has {
				made, has = w.made[recordsOf[parts[i-1]]]
			}
			require.True(w.T, has, "%s: say what stands behind %s", path, parts[i-1])
			parts[i] = made.ID()
		}
	}
	return strings.Join(parts, "/")
}

// signedIn is the browser of somebody who runs the shop.
func (w *worded) signedIn(host string) *hosttest.Browser {
	w.T.Helper()
	const password = "correct horse battery"
	u := w.P.Unit()
	u.Shop = w.made["POST /operator/shops"].ID()
	email := fmt.Sprintf("ada%d@example.cz", len(w.places))
	_, link, err := staff.Make(w.T.Context(), u, staff.Fields{Email: field.Email(email), Name: "Ada"})
	require.NoError(w.T, err)
	b := w.Visitor(host)
	w.Clock.Pass(time.Minute)
	b.Form("/admin/set-password?token="+link, "password", password).Is(http.StatusSeeOther)
	b.Form("/admin/sign-in", "email", email, "password", password).Leads(http.StatusSeeOther, "/admin")
	return b
}

// built is what a page is made of, its texts left out: how often there is each element with such attributes, and the
// scripts and styles in it.
type built struct {
	elements map[string]int
	acting   map[string]bool
}

// linking are the attributes that a browser follows.
var linking = []string{"href", "src", "action", "formaction", "srcset", "poster", "data", "ping", "xlink:href"}

// scheme is that of an address as a browser reads it, which leaves out spaces and controls.
var scheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.\-]*:`)

// buildOf reads a page, and wants no address in it to be anything but a place to go to.
func buildOf(t *testing.T, name, page string) built {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	b := built{elements: map[string]int{}, acting: map[string]bool{}}
	for n := range root.Descendants() {
		switch n.Type {
		case html.CommentNode:
			b.acting["comment "+n.Data] = true
		case html.ElementNode:
			names := []string{n.Data}
			for _, a := range n.Attr {
				names = append(names, a.Key)
				require.False(t, strings.HasPrefix(a.Key, "on"), "%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
				if a.Key == "style" {
					b.acting["style "+a.Val] = true
				}
				if slices.Contains(linking, a.Key) && a.Val != stylesheet.Icon {
					requirePlace(t, name+": "+n.Data+" "+a.Key, a.Val)
				}
			}
			slices.Sort(names[1:])
			b.elements[strings.Join(names, " ")]++
			if n.Data == "script" || n.Data == "style" {
				b.read(t, name, n)
			}
		}
	}
	return b
}

// read reads a script or a style. What is data to a script is JSON, whatever stands in it.
func (b built) read(t *testing.T, name string, n *html.Node) {
	t.Helper()
	text := ""
	if n.FirstChild != nil {
		text = n.FirstChild.Data
	}
	isData := func(a html.Attribute) bool { return a.Key == "type" && strings.HasSuffix(a.Val, "json") }
	if slices.ContainsFunc(n.Attr, isData) {
		require.True(t, json.Valid([]byte(text)), "%s: %s", name, text)
		return
	}
	b.acting[n.Data+" "+text] = true
}

// requirePlace wants an address to be on the same site or one of HTTP, a mailbox or a telephone.
func requirePlace(t *testing.T, at, address string) {
	t.Helper()
	address = strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, address)
	require.Contains(t, []string{"", "http:", "https:", "mailto:", "tel:"},
		strings.ToLower(scheme.FindString(address)), "%s=%q", at, address)
	u, err := url.Parse(address)
	require.NoError(t, err, at)
	require.NotContains(t, u.Host, `"`, at)
}

// TestNoTextOfARecordActsOnAPage writes hostile texts into every field of every operation that takes them, and loads
// the pages of the shop and of its admin: each is built as it is of mild texts.
func TestNoTextOfARecordActsOnAPage(t *testing.T) {
	calm := word(t, mild)
	want := calm.shown(t)
	require.Greater(t, len(want), 90, "pages")
	require.Greater(t, len(calm.places), 140, "fields that take a text")
	for _, text := range hostileTexts {
		t.Run(text, func(t *testing.T) {
			w := word(t, text)
			for name, is := range w.shown(t) {
				// Markdown makes elements, and leaves out those in it.
				markdown := slices.Contains([]string{"instructions", "contact", "terms", "privacy", "checkout"},
					path.Base(name))
				for what := range is.acting {
					if (markdown || path.Base(name) == "delivery-note") && what == "comment  raw HTML omitted " {
						continue
					}
					require.True(t, want[name].acting[what], "%s has the %s", name, what)
				}
				if !markdown {
					require.Equal(t, want[name].elements, is.elements, name)
				}
			}
			require.Greater(t, len(w.places), 140, "fields that take it")
		})
	}
}

// TestNoFieldTakesAControlCharacter: what a page shows as nothing acts on a terminal, and ends a text in a log.
func TestNoFieldTakesAControlCharacter(t *testing.T) {
	for _, text := range []string{"\x1b[31m", "a\x00b", "a\u0085b"} {
		w := word(t, text)
		w.change()
		require.Empty(t, w.places, "%q", text)
	}
}

// templateRan is what becomes of {{7*7}} before a place's number, if somebody takes a text for a template.
const templateRan = "49m1"

// shown are the pages by their names, before and after an order is made and each record is changed.
func (w *worded) shown(t *testing.T) map[string]built {
	t.Helper()
	w.T = t
	all, seen := map[string]built{}, map[string]bool{}
	look := func(when string) {
		for route, a := range w.pages() {
			name := when + " " + route
			status := http.StatusOK
			if strings.HasSuffix(route, "/set-password") { // whose link is wrong
				status = http.StatusNotFound
			}
			require.Equal(t, status, a.Status, "%s: %s", name, a.Text)
			require.NotContains(t, a.Text, templateRan, "%s: a template was filled in", name)
			for number := range w.places {
				seen[number] = seen[number] || strings.Contains(a.Text, number)
			}
			if strings.Contains(route, "sitemap") {
				requireXML(t, name, a.Text)
				continue
			}
			all[name] = buildOf(t, name, a.Text)
		}
	}
	look("made:")
	w.write("POST /checkout")
	w.write("POST /basket/items") // the basket is empty since
	w.change()
	look("changed:")
	shown := 0
	for number := range w.places {
		if seen[number] {
			shown++
		}
	}
	require.GreaterOrEqual(t, shown*2, len(w.places), "fields whose text a page shows")
	return all
}

// requireXML wants the text to be one document.
func requireXML(t *testing.T, name, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else {
			require.NoError(t, err, name)
		}
	}
}
