package admin

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"eshop/shared/host/hosttest"
	"eshop/shared/job/imports"
	"eshop/shared/webhook"

	"eshop/events"
)

// hostile is a text that would be a script where it is not shown as text.
const hostile = `"><img src=x onerror=alert(1)><script>alert(1)</script>'&`

// kept are the ids of a shop's records, by the part of an address that they stand behind.
type kept map[string]string

// filled is a pattern's path with the shop's ids. Nested records lie below the shop's own, or, where outer is given,
// below that shop's.
func (k kept) filled(t testing.TB, pattern string, outer kept) string {
	t.Helper()
	_, path, _ := strings.Cut(pattern, " ")
	parts := strings.Split(path, "/")
	last := strings.LastIndex(path, "{")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		of := k
		if outer != nil && strings.Index(path, part) < last {
			of = outer
		}
		require.NotEmpty(t, of[parts[i-1]], "%s: the records of these tests have none of %s", pattern, parts[i-1])
		parts[i] = of[parts[i-1]]
	}
	return strings.Join(parts, "/")
}

// full makes a record of each kind in a shop, all with names that are hostile, and is their ids.
func (w *world) full(domain string) kept {
	w.T.Helper()
	k := kept{"people": w.admins[domain], "packages": w.accesses[domain], "api": w.accesses[domain]}
	add := func(as, path string, body any) string {
		k[as] = w.addon(domain, "POST", "/api-engine/"+path, body).ID()
		return k[as]
	}
	prices := []any{object{"level": "default", "price": "10.00"}}
	add("categories", "categories", object{"name": hostile})
	product := add("products", "products",
		object{"code": "<b>1", "name": hostile, "priceLevels": prices, "vatRate": "21.00",
			"shortDescription": hostile, "description": hostile, "manufacturer": hostile,
			"categoryIds": []any{k["categories"]},
			"images": []any{object{"url": "https://cdn.example/a.png", "alt": hostile},
				object{"url": "https://cdn.example/b.png"}}})
	// An address names an image by its place in the product. No product of these shops has an image at place 19.
	k["images"] = map[string]string{tea: "0", toys: "19"}[domain]
	add("variants", "products/"+product+"/variants", object{"code": "<b>2", "name": hostile, "priceLevels": prices,
		"parameters": []any{object{"name": hostile, "value": hostile}},
		"stock":      object{"quantity": 5, "availability": hostile}})
	add("customers", "customers", object{"email": "eva@" + domain, "firstName": hostile,
		"lastName": hostile, "company": hostile,
		"note": hostile, "phone": hostile})
	add("order-states", "order-states", object{"name": hostile, "color": "#1f9d55"})
	add("coupons", "discount-coupons", object{"code": "<B>'\"&", "type": "percentage", "value": "10.00"})
	add("orders", "orders", object{"email": "eva@" + domain, "phone": hostile, "note": hostile,
		"customerId":           k["customers"],
		"orderDeliveryPayment": object{"delivery": hostile, "payment": hostile},
		"items": []any{object{"productId": product, "variantId": k["variants"],
			"quantity": 1, "note": hostile}}})
	add("urls", "custom-urls", object{"urlItem": object{"type": "product", "id": product},
		"url": "tea-" + strings.ToLower(product)})
	add("codes", "custom-codes", object{"name": hostile, "position": "head", "code": hostile})
	k["orphans"] = k["codes"]
	add("imports", "imports", object{"type": "products", "format": "csv", "mode": "upsert"})
	add("exports", "exports", object{"type": "customers", "format": "csv"})
	// A draft is named by its type. Each of these shops has one of another type.
	k["columns"] = map[string]string{tea: "products", toys: "customers"}[domain]
	w.draft(domain, imports.Draft{Type: imports.Type(k["columns"]), File: []byte("code," + hostile + "\n" + hostile)})
	add("keys", "webhook-signing-keys", nil)
	add("receivers", "webhooks", object{"url": `https://hooks.example/?a='onload=alert(1)&b=c`,
		"events": []any{"productChange"}})
	k["tokens"] = w.operator("GET", "/operator/shops/"+w.shops[domain]+"/accesses/"+w.accesses[domain]+"/tokens",
		nil).Items()[0]["id"].(string)
	k["deliveries"] = w.delivery(domain, k["receivers"])
	return k
}

// draft keeps a file whose columns the shop's person has still to say.
func (w *world) draft(domain string, d imports.Draft) {
	w.T.Helper()
	require.NoError(w.T, imports.KeepDraft(w.T.Context(), w.P.Files, w.shops[domain], w.admins[domain], d))
}

// delivery is the id of one to a receiver of the shop's add-on.
func (w *world) delivery(domain, receiver string) string {
	w.T.Helper()
	c := events.Change{Request: w.P.NewID(), Shop: w.shops[domain], At: w.Clock.Now().UnixMilli()}
	row, _ := webhook.NewRow(c, events.Sample(events.ProductChange),
		webhook.Addressee{Access: w.accesses[domain], Package: w.pkg,
			Receiver: receiver, Version: events.APIVersion}, w.Clock.Now())
	w.Put(w.P.Pipeline, row)
	return row.SK
}

// fieldsOf are what an operation must be sent, by how its path ends, so that nothing but the record is wrong.
var fieldsOf = map[string][]string{
	"/state":       {"stateId", noID},
	"/shipment":    {"trackingNumber", "1", "trackingLink", "https://tracking.example/1"},
	"/ship":        {"stateId", noID},
	"/note":        {"note", "n"},
	"/switch":      {"active", "true"},
	"/replay":      {"from", "2026-11-21T00:00"},
	"/variants":    {"code", "V", "name", "V"},
	"/generate":    {"parameters", "Size: S, M"},
	"/permissions": {"permission", "orders:read"},
}

// formOf are the fields of the form that an operation is sent.
func formOf(pattern string) []string {
	for end, fields := range fieldsOf {
		if strings.HasSuffix(pattern, end) {
			return fields
		}
	}
	return nil
}

// TestAnotherShopsRecordsAreNotThere asks each operation about a record with that of another shop: alone, and, where it
// lies below another record, below one's own. Each page is also asked for with one's own, which is there.
func TestAnotherShopsRecordsAreNotThere(t *testing.T) { onBoth(t, anotherShopsRecords) }

func anotherShopsRecords(t *testing.T, w *world) {
	mine, theirs := w.full(tea), w.full(toys)
	ada := w.ada(tea)
	asked := 0
	for _, pattern := range w.operations() {
		if !strings.Contains(pattern, "{") {
			continue
		}
		asked++
		method, _, _ := strings.Cut(pattern, " ")
		if method == "GET" {
			stated(ada.Page(mine.filled(t, pattern, nil)).Shown(200))
		}
		writes := w.Main.Writes()
		for _, path := range []string{theirs.filled(t, pattern, nil),
			theirs.filled(t, pattern, mine), pathOf(pattern)} {
			if method == "GET" {
				ada.Page(path).Shown(404)
			} else {
				ada.Form(path, formOf(pattern)...).Shown(404)
			}
		}
		require.Equal(t, writes, w.Main.Writes(), pattern)
	}
	require.Greater(t, asked, 4)
}

var recordElement = regexp.MustCompile(`<[a-z]+ [^>]*data-id="[^>]*>`)

// stated wants each record of a page to have its state beside its id. What a deactivation removes or keeps has none of
// its own: the list that it is in says what becomes of it.
func stated(a hosttest.Answer) {
	a.T.Helper()
	for _, element := range recordElement.FindAllString(a.Text, -1) {
		if !strings.HasPrefix(element, "<li ") {
			require.Contains(a.T, element, ` data-state="`)
		}
	}
}

// TestWhatCannotBeTakenBackIsAskedOnceMore looks at all pages for forms that delete or revoke: each is folded, below a
// summary that is opened first.
func TestWhatCannotBeTakenBackIsAskedOnceMore(t *testing.T) {
	w := open(t)
	mine := w.full(tea)
	w.person(tea, "eva@tea.example", "Eva")
	w.operator("POST", "/operator/shops/"+w.shops[tea]+"/accesses/"+w.accesses[tea]+"/deactivate", nil)
	ada, seen, must := w.ada(tea), map[string]bool{}, map[string]bool{}
	kind := func(path string) string { // as /admin/urls//delete
		return regexp.MustCompile(`/(\{\w+\}|[0-9A-Z]{26}|\d+)(/|$)`).ReplaceAllString(path, "/$2")
	}
	for _, pattern := range w.operations() {
		method, path, _ := strings.Cut(pattern, " ")
		if end := path[strings.LastIndex(path, "/")+1:]; end == "delete" || end == "revoke" {
			must[kind(path)] = true
		}
		if method != "GET" {
			continue
		}
		at, err := html.Parse(strings.NewReader(ada.Page(mine.filled(t, pattern, nil)).Shown(200).Text))
		require.NoError(t, err)
		for n := range at.Descendants() {
			for _, a := range n.Attr {
				end := a.Val[strings.LastIndex(a.Val, "/")+1:]
				if n.Data != "form" || a.Key != "action" || end != "delete" && end != "revoke" {
					continue
				}
				seen[kind(a.Val)] = true
				require.True(t, slices.ContainsFunc(slices.Collect(n.Ancestors()),
					func(above *html.Node) bool { return above.Data == "details" }), "%s: %s", pattern, a.Val)
			}
		}
	}
	require.Equal(t, must, seen, "each is somewhere")
}

// TestNoNameIsAScript looks at all pages of a shop all of whose names are hostile.
func TestNoNameIsAScript(t *testing.T) {
	w := open(t)
	mine := w.full(tea)
	w.person(tea, "eva@tea.example", hostile)
	w.operator("PATCH", "/operator/shops/"+w.shops[tea], object{"name": hostile})
	w.operator("PATCH", "/operator/packages/"+w.pkg, object{"name": hostile,
		"instructions": hostile +
			"\n\n[a](javascript:alert(1)) ![b](javascript:alert(1)) <a href=\"javascript:alert(1)\">c</a>"})
	ada := w.ada(tea)
	safe := func(a hosttest.Answer) {
		t.Helper()
		for _, live := range []string{"<img src=x", "'onload", "<script>alert", `href="javascript`, `src="javascript`,
			"<b>1", "<b>2", "<B>"} {
			require.NotContains(t, a.Text, live)
		}
		require.Contains(t, a.Text, "&lt;script&gt;alert(1)", "the shop's name, for one")
	}
	for _, pattern := range w.operations() {
		if method, _, _ := strings.Cut(pattern, " "); method != "GET" {
			safe(ada.Form(pathOf(pattern), "name", hostile, "email", hostile, hostile, hostile))
			continue
		}
		safe(ada.Page(mine.filled(t, pattern, nil)))
		safe(ada.Page(mine.filled(t, pattern, nil) + "?" + escaped(hostile) + "=" + escaped(hostile)))
	}
	safe(ada.Page("/admin/" + escaped(hostile)))
	nobody := w.merchant(tea)
	safe(nobody.Page(signInPath + "?to=/" + escaped(hostile)))
	safe(nobody.Form(signInPath, "email", hostile, "password", hostile, "_to", "/"+hostile))
}
