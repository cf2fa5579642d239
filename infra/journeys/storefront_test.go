package journeys

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shopper is a person's browser at a shop's host, with its cookies.
type shopper struct {
	t       testing.TB
	base    string
	host    string
	cookies map[string]string
}

// visits is a new visitor of the shop.
func (tn *tenant) visits() *shopper {
	tn.t.Helper()
	domain := tn.w.operate(tn.t).get("/operator/shops/" + tn.shop).text("domain")
	return &shopper{tn.t, tn.base, domain, map[string]string{}}
}

// do makes a request and keeps the cookies of its answer; redirects are not followed.
func (s *shopper) do(status int, method, path, contentType, accept, body string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	require.NoError(s.t, err)
	r.Host = s.host
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	r.Header.Set("Accept", accept)
	for name, value := range s.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	got, err := caller.Transport.RoundTrip(r)
	require.NoError(s.t, err)
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, status, got.StatusCode, "%s %s: %.600s", method, path, b)
	for _, c := range got.Cookies() {
		if s.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(s.cookies, c.Name)
		}
	}
	return answer{s.t, got.StatusCode, got.Header, b}
}

// page is a page that is there.
func (s *shopper) page(path string) string {
	s.t.Helper()
	return string(s.do(200, "GET", path, "", "text/html", "").body)
}

// json sends JSON as a script in a page does.
func (s *shopper) json(status int, method, path string, body any) answer {
	s.t.Helper()
	text, contentType := "", ""
	if body != nil {
		b, err := json.Marshal(body)
		require.NoError(s.t, err)
		text, contentType = string(b), "application/json"
	}
	return s.do(status, method, path, contentType, "*/*", text)
}

// form sends a form and is where its 303 leads.
func (s *shopper) form(path string, values url.Values) string {
	s.t.Helper()
	return s.do(303, "POST", path, "application/x-www-form-urlencoded", "text/html",
		values.Encode()).header.Get("Location")
}

// picture is a PNG.
func picture(t testing.TB) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 40, 30))))
	return b.Bytes()
}

// uploadsImage makes an image, of a quote or of products.
func (tn *tenant) uploadsImage(path string, file []byte) answer {
	tn.t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	part, err := m.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="a.png"`},
		"Content-Type": {"image/png"}})
	require.NoError(tn.t, err)
	_, _ = part.Write(file)
	require.NoError(tn.t, m.Close())
	r, err := http.NewRequest("POST", tn.base+path, &b)
	require.NoError(tn.t, err)
	r.Header.Set("Authorization", "Bearer "+tn.token)
	r.Header.Set("Content-Type", m.FormDataContentType())
	got, err := caller.Do(r)
	require.NoError(tn.t, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	require.NoError(tn.t, err)
	require.Equal(tn.t, 201, got.StatusCode, string(text))
	return answer{tn.t, got.StatusCode, got.Header, text}
}

var checkoutForm = fields{"email": "jana@example.com", "firstName": "Jana", "lastName": "Nováková",
	"phone":          "+420 601 123 456",
	"billingAddress": fields{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"},
	"delivery":       "Osobně", "payment": "Hotově"}

// storefront follows what an add-on sells, from the code that it installs to the order, and what its deactivation takes
// away (contract, "Custom codes and cleanup orders" and "Baskets and checkout").
func storefront(t *testing.T, w *world) {
	tn := w.shopWith(t, append([]string{"orders:read", "coupons:write", "quotes:write", "codes:read", "codes:write",
		"urls:write"}, everything...)...)
	goods := thing(0)
	goods["stock"] = fields{"quantity": 5}
	shown := tn.uploadsImage("/api-engine/images", picture(t)).text("url")
	goods["images"] = []fields{{"url": shown}}
	made := tn.post("/api-engine/products", goods)
	address, err := url.Parse(made.text("url"))
	require.NoError(t, err)
	a := tn.listens()

	code := tn.post("/api-engine/custom-codes",
		fields{"name": "Widget", "position": "bodyEnd", "code": "<script>window.widget=1</script>"})
	kept := tn.post("/api-engine/custom-codes", fields{"name": "Stays", "position": "head", "code": "<!-- stays -->"})
	tn.post("/api-engine/cleanup-orders", fields{"customCodeId": code.id(), "packageId": tn.pkg})
	w.counts()
	s := tn.visits()
	page := s.page(address.Path)
	require.Contains(t, page, "<script>window.widget=1</script>")
	require.Contains(t, page, "<!-- stays -->")

	picture := tn.uploadsImage("/basket-price-quote-images", picture(t))
	quote := tn.post("/basket-price-quotes",
		fields{"productId": made.id(), "unitPrice": "12.30", "note": "Pro Janu", "imageIds": []string{picture.id()}})
	token := quote.text("quoteToken")
	require.Equal(t, 200, tn.asked(picture.text("url")).status)
	require.Equal(t, "nosniff", tn.asked(picture.text("url")).header.Get("X-Content-Type-Options"))

	s.json(422, "POST", "/basket/items",
		fields{"productId": made.id(), "quantity": 1, "quoteToken": token, "unitPrice": "0.01"})
	s.json(422, "POST", "/basket/items",
		fields{"productId": made.id(), "quantity": 1, "quoteToken": token + "x"}).problem(422, "quote_invalid")
	s.json(201, "POST", "/basket/items", fields{"productId": made.id(), "quantity": 2, "quoteToken": token})
	s.json(409, "POST", "/basket/items",
		fields{"productId": made.id(), "quantity": 1, "quoteToken": token}).problem(409, "quote_used")
	require.Equal(t, "/basket", s.form("/basket/items", url.Values{"productId": {made.id()}, "quantity": {"1"}}))
	tn.post("/api-engine/discount-coupons", fields{"code": "SLEVA10", "type": "percentage", "value": "10.00"})
	s.form("/basket/coupon", url.Values{"code": {"sleva10"}})
	basket := s.json(200, "GET", "/basket", nil).fields()
	require.Equal(t, fields{"items": "123.60", "discount": "12.36", "total": "111.24"}, basket["totals"])
	require.Contains(t, s.page("/basket"), "Pro Janu")

	where := s.form("/account/register", url.Values{"email": {"jana@example.com"}, "password": {"dost dlouhé heslo"},
		"firstName": {"Jana"}, "lastName": {"Nováková"}})
	require.Equal(t, "/account?registered", where)
	me := s.json(200, "GET", "/account", nil)
	a.hears("customerCreate", me.id())

	ordered := s.json(201, "POST", "/checkout", checkoutForm)
	confirmation, err := url.Parse(ordered.text("confirmationUrl"))
	require.NoError(t, err)
	a.hears("orderChange", ordered.text("orderId"))
	a.hears("productChange", made.id())
	require.Contains(t, s.page(confirmation.Path), ordered.text("number"))
	s.json(409, "POST", "/checkout", checkoutForm).problem(409, "basket_empty")
	order := tn.get("/api-engine/orders/" + ordered.text("orderId")).fields()
	require.Equal(t, me.id(), order["customerId"])
	line := order["items"].([]any)[0].(fields)
	require.Equal(t, []any{"12.30", "Pro Janu", quote.id()}, []any{line["unitPrice"], line["note"], line["quoteId"]})
	require.Equal(t, []any{fields{"id": picture.id(), "url": picture.text("url")}}, line["images"])
	require.Equal(t, ordered.text("orderId"), tn.get("/basket-price-quotes/"+quote.id()).text("orderId"))
	require.Contains(t, string(tn.get("/api-engine/products/"+made.id()).body), `"quantity":2`)

	moved := tn.post("/api-engine/custom-urls",
		fields{"urlItem": fields{"type": "product", "id": made.id()}, "url": "Nová adresa"})
	require.Equal(t, "/"+moved.text("slug"), s.do(301, "GET", address.Path, "", "text/html", "").header.Get("Location"))
	other := w.shopWith(t, everything...)
	other.visits().do(404, "GET", "/"+moved.text("slug"), "", "text/html", "")

	w.operate(t).do(200, "POST", tn.accessPath()+"/deactivate", nil)
	w.counts()
	gone := a.hears("packageDeactivate", tn.pkg).data(t)
	require.Equal(t, []any{code.id()}, gone["removedCustomCodeIds"])
	require.Equal(t, []any{kept.id()}, gone["keptCustomCodeIds"])
	require.Equal(t, "sk_SK", gone["locale"])
	page = s.page("/" + moved.text("slug"))
	require.NotContains(t, page, "window.widget")
	require.Contains(t, page, "<!-- stays -->")
}

// asked is the answer to a GET without a token.
func (tn *tenant) asked(address string) answer {
	tn.t.Helper()
	u, err := url.Parse(address)
	require.NoError(tn.t, err)
	a, err := client{tn.t, tn.base, ""}.send("GET", u.Path, nil)
	require.NoError(tn.t, err)
	return a
}
