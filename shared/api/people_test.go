package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/record/change"
)

// form is what these tests' forms send.
type form struct {
	Name    string   `json:"name"`
	Note    string   `json:"note,omitempty"`
	Count   int64    `json:"count,omitempty"`
	Active  bool     `json:"active,omitempty"`
	Tags    []string `json:"tags" required:"false" maxItems:"3"`
	Address *struct {
		City string `json:"city"`
		Zip  string `json:"zip,omitempty"`
	} `json:"address,omitempty"`
	Units []struct {
		Unit     string `json:"unit"`
		Quantity int64  `json:"quantity"`
	} `json:"units" required:"false" maxItems:"3"`
	Ways Named[way] `json:"ways,omitempty"`
}

type way struct {
	Name string `json:"name,omitempty"`
	On   bool   `json:"on,omitempty"`
}

// TestAFormIsTheValueThatItsJSONWouldBe has the rules of contract, "One address, two readers".
func TestAFormIsTheValueThatItsJSONWouldBe(t *testing.T) {
	a := New(Config{})
	schema := a.schemaOf(reflect.TypeFor[form]())
	for _, c := range []struct{ says, form, made, changed string }{
		{"texts stay as they are", "name=+Jana+&note=a%0D%0Ab", `{"name":" Jana ","note":"a\nb"}`, ""},
		{"an empty field is left out, or clears", "name=&note=", `{}`, `{"name":null,"note":null}`},
		{"a missing field stays", "note=x", `{"note":"x"}`, ""},
		{"names with _ are the page's", "_method=PATCH&_to=/&name=a", `{"name":"a"}`, ""},
		{"digits are numbers where there is one", "count=+7+&name=7", `{"count":7,"name":"7"}`, ""},
		{"what is no number stays a text", "count=seven", `{"count":"seven"}`, ""},
		{"of a boolean the last counts", "active=false&active=true", `{"active":true}`, ""},
		{"what is no boolean stays a text", "active=on", `{"active":"on"}`, ""},
		{"names are dotted into objects", "address.city=Brno&address.zip=", `{"address":{"city":"Brno"}}`,
			`{"address":{"city":"Brno","zip":null}}`},
		{"all of an address empty clears it", "address.city=&address.zip=", `{}`, `{"address":null}`},
		{"what a page has preset counts beside others of its object",
			"address.city=&address.zip=1&_preset.address.zip=1", `{}`, `{"address":null}`},
		{"and is sent with them", "address.city=Brno&address.zip=1&_preset.address.zip=1",
			`{"address":{"city":"Brno","zip":"1"}}`, ""},
		{"what differs from it counts alone", "address.city=&address.zip=2&_preset.address.zip=1",
			`{"address":{"zip":"2"}}`, `{"address":{"city":null,"zip":"2"}}`},
		{"a list is a name several times", "tags=a&tags=&tags=b", `{"tags":["a","b"]}`, ""},
		{"an empty one is the empty list", "tags=", `{"tags":[]}`, ""},
		{"a list by place is the whole list, in order", "units.10.unit=b&units.2.unit=a&units.2.quantity=3",
			`{"units":[{"quantity":3,"unit":"a"},{"unit":"b"}]}`, ""},
		{"an empty entry is none", "units.0.unit=&units.0.quantity=&units.1.unit=b", `{"units":[{"unit":"b"}]}`, ""},
		{"objects have names of the caller's", "ways.a.name=x&ways.b.on=false&ways.b.on=true",
			`{"ways":{"a":{"name":"x"},"b":{"on":true}}}`, ""},
		{"and are not cleared with their fields", "ways.a.name=", `{}`, `{"ways":{"a":{"name":null}}}`},
		{"an unknown name stays", "price=1&address.street.x=2&units.x=3",
			`{"address":{"street.x":"2"},"price":"1","units":"3"}`, ""},
		{"a name below what is no object stays", "name.x=1", `{"name.x":"1"}`, ""},
	} {
		values, err := url.ParseQuery(c.form)
		require.NoError(t, err)
		for patch, want := range map[bool]string{false: c.made, true: c.changed} {
			if want == "" {
				want = c.made
			}
			b, err := json.Marshal(formReader{registry: a.schemas(), patch: patch}.value(schema, values))
			require.NoError(t, err)
			require.JSONEq(t, want, string(b), "%s (patch: %v)", c.says, patch)
		}
	}
}

// TestAFieldAsItWasShownIsNotSent has what a form leaves to others: what they changed since it was shown.
func TestAFieldAsItWasShownIsNotSent(t *testing.T) {
	for _, c := range []struct{ says, form, sent string }{
		{"a form that does not say what was shown is sent", "name=a&count=6", "count=6&name=a"},
		{"a field as it was shown is not", "name=b&_shown.name=a&count=6&_shown.count=6", "name=b"},
		{"a field that was emptied is", "name=&_shown.name=a", "name="},
		{"one that was empty and is not", "note=&_shown.note=", ""},
		{"lines end as they end", "note=a%0D%0Ab&_shown.note=a%0Ab", ""},
		{"a box was shown as it is sent", "active=false&active=true&_shown.active=false&_shown.active=true", ""},
		{"one that was taken out is sent", "active=false&_shown.active=false&_shown.active=true", "active=false"},
		{"a list is one field", "tags=&tags=a&tags=b&_shown.tags=&_shown.tags=b", "tags=&tags=a&tags=b"},
		{"a list by place, too", "units.0.unit=a&units.1.unit=c&_shown.units.0.unit=a&_shown.units.1.unit=b",
			"units.0.unit=a&units.1.unit=c"},
		{"a list by place as it was shown is not sent",
			"units.0.unit=a&units.1.unit=&_shown.units.0.unit=a&_shown.units.1.unit=", ""},
		{"a field of an object is one of its own", "a.city=B&a.zip=1&_shown.a.city=A&_shown.a.zip=1", "a.city=B"},
		{"so is a name that is digits", "p.5=1&p.7=2&_shown.p.5=1&_shown.p.7=1", "p.7=2"},
	} {
		values, err := url.ParseQuery(c.form)
		require.NoError(t, err)
		sent := withoutUntouched(values)
		for name := range sent {
			if strings.HasPrefix(name, shownPrefix) {
				delete(sent, name)
			}
		}
		require.Equal(t, c.sent, sent.Encode(), c.says)
	}
}

// TestAnEmptyObjectThatIsNeededIsThere, so that each of its fields that is missing is a fault of its own.
func TestAnEmptyObjectThatIsNeededIsThere(t *testing.T) {
	a := New(Config{})
	schema := a.schemaOf(reflect.TypeFor[struct {
		Address struct {
			City string `json:"city"`
		} `json:"address"`
	}]())
	for patch, want := range map[bool]string{false: `{"address":{}}`, true: `{"address":null}`} {
		read := formReader{registry: a.schemas(), patch: patch}
		b, err := json.Marshal(read.value(schema, url.Values{"address.city": {""}}))
		require.NoError(t, err)
		require.JSONEq(t, want, string(b))
	}
}

// site is a frame with an operation for programs and people, a page, and pages for what is nowhere.
func site(t *testing.T) *API {
	a := New(Config{BaseURL: "http://x", Now: time.Now, Random: rand.NewChaCha8([32]byte{}),
		Log: slog.New(slog.DiscardHandler)})
	people := &People{
		Enter: func(c *Call) error {
			if c.HTTP().Host == "nowhere.example" {
				return problem.NotFound()
			}
			c.Caller = &change.Caller{Shop: "S"}
			c.Cookie(&http.Cookie{Name: "basket", Value: "b"})
			return nil
		},
		Show: func(c *Call, w http.ResponseWriter, o Outcome) error {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			switch {
			case o.Refused != nil:
				w.WriteHeader(o.Refused.Status)
				fmt.Fprintf(w, "refused %s, typed %q", o.Refused.Code, o.Form.Get("name"))
			case c.HTTP().Method == http.MethodGet:
				fmt.Fprintf(w, "page of %v", o.Body)
			default:
				w.Header().Set("Location", "/made")
				w.WriteHeader(http.StatusSeeOther)
			}
			return nil
		},
	}
	Add(a, Op{Route: "POST /things", ID: "makeThing", People: people},
		func(_ *Call, in *Create[form]) (*Plain[form], error) { return PlainOf(in.Body), nil })
	Add(a, Op{Route: "PATCH /things", ID: "changeThing", People: people},
		func(_ *Call, in *Create[form]) (*Plain[form], error) { return PlainOf(in.Body), nil })
	a.AddView(Op{Route: "GET /order/{secret}", People: people},
		func(c *Call) (any, error) { return c.PathValue("secret"), nil })
	a.NotFound("/", people)
	return a
}

func visit(a *API, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

func TestOneAddressHasTwoReaders(t *testing.T) {
	a := site(t)
	const page, program = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "*/*"
	for _, c := range []struct {
		says, method, target, body, contentType, accept string
		status                                          int
		answer                                          string
	}{
		{"a program's POST is JSON", "POST", "/things", `{"name":"a"}`, "application/json", page, 201, `"name":"a"`},
		{"a form gets a 303", "POST", "/things", "name=a", formType, program, 303, ""},
		{"a form may PATCH", "POST", "/things", "name=a&_method=PATCH", formType + "; charset=UTF-8", page, 303, ""},
		{"a form's faults are a page with what was typed", "POST", "/things", "name=a&price=1", formType, page, 422,
			`refused invalid, typed "a"`},
		{"a program's faults are a problem", "POST", "/things", `{"name":"a","price":1}`, "application/json", page, 422,
			`"unknown_field"`},
		{"what is no form is 400", "POST", "/things", "name=%zz", formType, page, 400, "refused malformed_json"},
		{"so is what is not UTF-8", "POST", "/things", "name=%ff", formType, page, 400, "refused malformed_json"},
		{"a form too large is 413", "POST", "/things", "name=" + strings.Repeat("a", strangersMaxBody), formType, page,
			413, "refused body_too_large"},
		{"one that is as large as may be is none", "POST", "/things", "name=a&_x=" +
			strings.Repeat("a", strangersMaxBody-10), formType, page, 303, ""},
		{"one that may mean another method is no larger", "POST", "/things",
			"_method=PATCH&name=" + strings.Repeat("a", strangersMaxBody), formType, page, 413,
			"refused body_too_large"},
		{"nor is JSON", "POST", "/things", `{"name":"` + strings.Repeat("a", strangersMaxBody) + `"}`,
			"application/json", program, 413, `"body_too_large"`},
		{"a page is a page for everybody", "GET", "/order/secret-of-it?utm_source=x", "", "", program, 200,
			"page of secret-of-it"},
		{"an unknown address is a page for people", "GET", "/a/b", "", "", page, 404, "refused not_found"},
		{"and a problem for programs", "GET", "/a/b", "", "", program, 404, `"code":"not_found"`},
		{"an odd spelling too", "GET", "/a//b", "", "", page, 404, "refused not_found"},
		{"another method is 405", "DELETE", "/things", "", "", page, 405, "refused method_not_allowed"},
		{"nobody's host is 404 first", "DELETE", "http://nowhere.example/things", "", "", page, 404,
			"refused not_found"},
		{"the API's addresses have problems for everybody", "GET", "/api-engine/x", "", "", page, 401,
			`"unauthenticated"`},
		{"a form is nothing for the API", "POST", "/api-engine/x", "a=b", formType, page, 401, `"unauthenticated"`},
	} {
		w := visit(a, c.method, c.target, c.body, "Content-Type", c.contentType, "Accept", c.accept)
		require.Equal(t, c.status, w.Code, "%s: %s", c.says, w.Body)
		require.Contains(t, w.Body.String(), c.answer, c.says)
		if !strings.Contains(c.target, "nowhere") && !strings.HasPrefix(c.target, "/api") {
			require.Equal(t, "basket=b", w.Header().Get("Set-Cookie"), c.says)
			require.Equal(t, "private, no-store", w.Header().Get("Cache-Control"), c.says)
			require.Contains(t, w.Header().Get("Vary"), "Accept, Cookie", c.says)
		}
	}
}

// TestAFormThatMayMeanAnotherMethodCountsOnce in the room of bodies, though it is read before the others.
func TestAFormThatMayMeanAnotherMethodCountsOnce(t *testing.T) {
	a := site(t)
	form := "name=a&_method=PATCH"
	a.Bodies = NewRoom(int64(len(form)), int64(len(form)))
	for range 2 {
		w := visit(a, "POST", "/things", form, "Content-Type", formType, "Accept", "text/html")
		require.Equal(t, 303, w.Code, w.Body.String())
		require.Empty(t, a.Bodies.by, "all is given back")
	}
}

func TestASecretInAPathIsNotLogged(t *testing.T) {
	a := site(t)
	a.Handle("GET /images/{secret}", http.NotFoundHandler())
	for _, target := range []string{"/order/secret-of-it", "/order/secret-of-it/", "//order/secret-of-it",
		"/order//secret-of-it", "/order/./secret-of-it", "/order/secret-of-it%2F", "/order/secret-of-it;x",
		"/%6frder/secret-of-it", "/x/../order/secret-of-it", "/ORDER/secret-of-it", "/order/secret-of-it/more",
		"/images/secret-of-it", "/images/secret-of-it/"} {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE", "OPTIONS"} {
			lines := &strings.Builder{}
			a.Log = slog.New(slog.NewTextHandler(lines, nil))
			visit(a, method, "http://x"+target, "")
			require.Contains(t, lines.String(), "/{secret}", "%s %s", method, target)
			require.NotContains(t, lines.String(), "secret-of-it", "%s %s", method, target)
		}
	}
	lines := &strings.Builder{}
	a.Log = slog.New(slog.NewTextHandler(lines, nil))
	visit(a, "GET", "/orders/of-nobody", "")
	require.Contains(t, lines.String(), "path=/orders/of-nobody")
}

// TestWhatLooksLikeASecretIsNeitherLoggedNorTold: whatever somebody types as a path, or a mail client makes of a link.
func TestWhatLooksLikeASecretIsNeitherLoggedNorTold(t *testing.T) {
	a := site(t)
	a.AddView(Op{Route: "GET /pages/{slug}", People: a.notFound[0].People}, func(c *Call) (any, error) {
		if c.PathValue("slug") == "none-"+strings.Repeat("b", 40) {
			return nil, problem.NotFound()
		}
		return "x", nil
	})
	secret := strings.Repeat("aB3_-", 8)
	for target, want := range map[string]string{
		"/account/set-password%3Ftoken=abc":       "/account/set-password",
		"/account/set-password%3Ftoken=" + secret: "/account/set-password",
		"/operator/" + secret:                     "/operator/{…}",
		"/a/whsec_AA+/BCDEF/gh=":                  "/a/{…}",
		"/api-engine/esk_" + secret + "/x":        "/api-engine/{…}/x",
		"/en/order;a/" + secret:                   "/en/order;a/{…}",
		"/a/" + secret[1:]:                        "/a/" + secret[1:],
		"/a/%61" + secret[1:] + "/č":              "/a/{…}/č",
		"/pages/none-" + strings.Repeat("b", 40):  "/pages/{…}",
		"/pages/" + secret:                        "/pages/" + secret,
	} {
		lines := &strings.Builder{}
		a.Log = slog.New(slog.NewJSONHandler(lines, nil))
		answer := visit(a, "GET", target, "", "Accept", "application/json")
		require.Contains(t, lines.String(), `"path":"`+want+`"`, target)
		if answer.Code < 400 {
			continue
		}
		var told struct{ Instance string }
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &told), target)
		told.Instance, _ = url.PathUnescape(told.Instance)
		require.Equal(t, want, told.Instance, target)
	}
	lines := &strings.Builder{}
	a.Log = slog.New(slog.NewJSONHandler(lines, nil))
	visit(a, "esk_live_"+secret, "/", "")
	require.Contains(t, lines.String(), `"method":"{…}"`, "a token that stands where the method does")
}

// TestARefusalIsNotKept: a cache may keep a 404 that says nothing of that, as of an image that comes a moment later.
func TestARefusalIsNotKept(t *testing.T) {
	a := site(t)
	a.Handle("GET /images/{secret}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Refuse(r, problem.NotFound())
	}))
	for _, target := range []string{"/images/x", "http://admin.x/images/x", "/nowhere", "/api-engine/nowhere"} {
		require.Contains(t, visit(a, "GET", target, "").Header().Get("Cache-Control"), "no-store", target)
	}
}
