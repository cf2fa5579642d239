package house_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"eshop/shared/base/problem"
	"eshop/shared/base/remember"
	persons "eshop/shared/people/customer"

	"github.com/stretchr/testify/require"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/images/picture"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	shops "eshop/shared/shop"
)

// strangers is a world of all operations of THE list, without any record but a shop.
func strangers(t *testing.T) *hosttest.World {
	w := hosttest.Open(t, hosttest.Setup{Functions: doors(), Authenticate: hosttest.AuthenticateByText,
		Platform: func(p *host.Parts) {
			p.Traits, p.Watch = host.OneProcess, remember.For(p.Now, time.Hour)
		}})
	_, err := shops.Shops(w.P.ShopNames(), w.P.Accesses.DropShop).
		Create(t.Context(), w.P.Unit(), shops.Fields{Name: "Zahrada", Domain: "example.com",
			// at the host of all these requests
			Locale: "cs_CZ", Currency: "CZK", Owner: shops.Owner{Email: "o@example.cz"}})
	require.NoError(t, err)
	w.As("", "GET", "/robots.txt", nil).Is(http.StatusOK) // the shop is remembered from now on
	return w
}

// tokenOf is the token that a route takes.
func tokenOf(route string) string {
	switch {
	case strings.Contains(route, " /operator"):
		return hosttest.OperatorToken
	case strings.Contains(route, " /developer"):
		return hosttest.DeveloperToken
	}
	return shop
}

// addressed is the path of a route with an id for each of its parts that is one.
func addressed(route string) (method, path string) {
	method, path, _ = strings.Cut(route, " ")
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, "{") {
			parts[i] = imported
		}
	}
	return method, strings.Join(parts, "/")
}

// only is the body that has nothing but the value at the place.
func only(place string, value any) any {
	head, rest, nested := strings.Cut(place, ".")
	if !nested {
		if strings.HasSuffix(head, "[]") {
			return []any{value}
		}
		return value
	}
	inner := only(rest, value)
	name, _, _ := strings.Cut(rest, ".")
	var v any = object{strings.TrimSuffix(name, "[]"): inner}
	if strings.HasSuffix(head, "[]") {
		v = []any{v}
	}
	return v
}

const megabyte = 1 << 20

// nasty is what makes those sweat who look at all of it, of so many bytes: an address whose host IDNA and the normal
// forms of Unicode take long over.
func nasty(size int) string {
	return "a@" + strings.Repeat("漢", size/6) + "." + strings.Repeat("\u0301", size/4) + ".cz"
}

// digits are a number of so many bytes.
func digits(size int) string { return strings.Repeat("9", size) }

// cost is what a request took: bytes of texts that were held against more than their bound, bytes of memory (not what
// it holds at once but all of it), calls of stores.
type cost struct{ looked, memory, calls int64 }

func costOf(w *hosttest.World, r *http.Request) (hosttest.Answer, cost) {
	looked := w.API.Looked()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a := w.Serve(r)
	runtime.ReadMemStats(&after)
	return a, cost{w.API.Looked() - looked, int64(after.TotalAlloc - before.TotalAlloc), int64(w.Meter().Calls())}
}

// refused wants a 422 (of too many items a 413) that was cheap and told in few bytes, and that names the place.
func refused(t *testing.T, w *hosttest.World, r *http.Request, size int, location, code string) {
	t.Helper()
	a, c := costOf(w, r)
	require.LessOrEqual(t, len(a.Text), 32<<10, "the answer")
	require.LessOrEqual(t, c.memory, int64(20*size+megabyte), "it takes no more than its length asks for")
	require.LessOrEqual(t, c.looked, int64(100), "nothing looked at it")
	require.LessOrEqual(t, c.calls, int64(1), "the limit's counter was asked, and nothing else")
	if a.Status == http.StatusRequestEntityTooLarge {
		a.Is(http.StatusRequestEntityTooLarge, "too_many_items")
		return
	}
	a.Is(http.StatusUnprocessableEntity, "invalid")
	require.LessOrEqual(t, len(a.Body["errors"].([]any)), 100)
	require.Contains(t, a.Text, fmt.Sprintf(`"location":%q,"code":%q`, location, code))
}

func TestNoInputIsLookedAtBeyondItsBound(t *testing.T) {
	w := strangers(t)
	most := map[string]int{}
	for _, o := range w.API.Open() {
		most[o.Route] = mostOfStrangers
	}
	for _, in := range w.API.Inputs() {
		for _, p := range in.Paths {
			if strings.HasPrefix(p.Path, "query.") || in.Multipart || longest(in.Route, p) {
				continue
			}
			t.Run(in.Route+" "+p.Path, func(t *testing.T) {
				w.T = t
				for _, body := range beyond(p, cmp.Or(most[in.Route], megabyte)) {
					w.Clock.Pass(time.Second) // in which a developer makes so many requests
					method, path := addressed(in.Route)
					text := body.made(body.size)
					require.LessOrEqual(t, len(text), megabyte)
					if strings.HasSuffix(in.Route, "}/data") { // fields of any name, all of them so long
						body.location, body.code = "body", problem.TooBig
					}
					refused(t, w, w.Request(tokenOf(in.Route), method, path, text), len(text), body.location, body.code)
				}
			})
		}
	}
}

// hostile is a body of any size, the size that it is tried with, and what is wrong with it.
type hostile struct {
	made           func(size int) string
	size           int
	location, code string
}

// beyond are bodies of at most so many bytes that exceed what may stand at a place.
func beyond(p api.SchemaPath, most int) (all []hostile) {
	at := strings.ReplaceAll(p.Path, "[]", "[0]")
	with := func(size int, value func(size int) string) string {
		const mark = "\x00"
		b, _ := json.Marshal(only(p.Path, mark))
		before, behind, _ := strings.Cut(string(b), `"\u0000"`)
		return before + value(size-len(b)) + behind
	}
	size := most / 8 // of what is many and not long
	add := func(location, code string, value func(size int) string) {
		all = append(all, hostile{func(size int) string { return with(size, value) }, size, location, code})
	}
	switch p.Type {
	case "string":
		size = most - 1000
		add(at, problem.TooLong, func(size int) string { return `"` + nasty(size-10) + `"` })
	case "integer":
		add(at, problem.TooBig, digits)
	case "array":
		add(at, problem.TooMany, func(size int) string { return "[0" + strings.Repeat(",0", size/2-2) + "]" })
		add(at, problem.TooMany, func(size int) string { return "[{}" + strings.Repeat(",{}", size/3-2) + "]" })
	case "object":
		add(at+".0", problem.UnknownField, func(size int) string {
			var b strings.Builder
			for i := 0; b.Len() < size-30; i++ {
				fmt.Fprintf(&b, `"%x":0,`, i)
			}
			return "{" + b.String() + `"a b":0}`
		})
		add(at+".x", problem.UnknownField, func(size int) string {
			return `{"x":[0` + strings.Repeat(",[0]",
				size/4-4) + `]}`
		})
		size = most - 1000
		all = append(all, hostile{func(size int) string { // who looks for it part by part, among others, takes hours
			body := with(size-400, func(size int) string { return `{"` + strings.Repeat("x.", size/2-10) + `":0}` })
			for i := range 20 {
				body = fmt.Sprintf(`{"y%d":0,`, i) + body[1:]
			}
			return body
		}, size, at + strings.Repeat(".x", 100)[:200-len(at)] + "…", problem.UnknownField})
	}
	return all
}

// TestNoFormIsLookedAtBeyondItsBound is TestNoInputIsLookedAtBeyondItsBound of what people's browsers send.
func TestNoFormIsLookedAtBeyondItsBound(t *testing.T) {
	w := strangers(t)
	tried := 0
	for _, in := range w.API.Inputs() {
		if len(in.Paths) == 0 || !people(in.Route) {
			continue
		}
		forms := endless(mostOfStrangers - 1000)
		for _, p := range in.Paths {
			if !longest(in.Route, p) {
				maps.Copy(forms, filled(p, mostOfStrangers-1000))
			}
		}
		for name, form := range forms {
			tried++
			refusedForm(t, w, in.Route, name, form)
		}
	}
	require.GreaterOrEqual(t, tried, 200)
}

// longest says whether a place may have a text as long as all that a stranger may send: nothing exceeds its own bound.
func longest(route string, p api.SchemaPath) bool {
	return route == "POST /checkout" && p.Path == "body.note"
}

// endless are forms of so many bytes whose names no operation has.
func endless(size int) map[string]string {
	full := func(field func(i int) string) string {
		var b strings.Builder
		for i := 0; ; i++ {
			f := field(i)
			if b.Len()+len(f) > size {
				return b.String()
			}
			b.WriteString(f)
		}
	}
	const most = 9_000 // fields; of more than 10,000 Go's own parser reads none
	return map[string]string{
		"a name without end":         strings.Repeat("a.", size/2-1) + "=x",
		"a value without end":        "email=" + escaped(nasty(size/4)),
		"a field as often as it can": full(func(int) string { return "email=a&" }),
		"as many fields as it can":   full(func(i int) string { return fmt.Sprintf("%x&", i) }),
		"as many as it may": full(func(i int) string {
			return fmt.Sprintf("%s%x=&", strings.Repeat("a.", max(size/most/2-5, 0)), i)
		}),
		"a list that begins far away": "billingAddress.999999999999.city=a&units.999999999.unit=b&quantity.0=1",
		"an address without end":      "_to=/" + strings.Repeat("'", size-10),
		"no form at all":              full(func(int) string { return "%zz;" }),
	}
}

// filled are forms of so many bytes that fill a place, and what is below it, with more than it may have.
func filled(p api.SchemaPath, size int) map[string]string {
	name, in := strings.CutPrefix(p.Path, "body.")
	if !in {
		return nil
	}
	name = strings.ReplaceAll(name, "[]", ".0")
	below := func(field func(i int) string) string {
		var b strings.Builder
		for i := 0; i < 9_000 && b.Len() < size-200; i++ {
			fmt.Fprintf(&b, "%s.%s=a&", name, field(i))
		}
		return b.String()
	}
	return map[string]string{
		name + " without end":           name + "=" + escaped(nasty(size/4)),
		name + " of digits":             name + "=" + digits(size-100),
		name + " of quotes":             name + "=" + strings.Repeat("'", size-100), // five bytes each in HTML
		name + " of blanks":             name + "=" + strings.Repeat("+", size-100),
		name + " of nothing, again":     strings.Repeat(name+"=&", min(9_000, size/len(name+"=&"))),
		name + " deeper than anything":  name + strings.Repeat(".x", (size-100)/2) + "=a",
		name + " with unknown fields":   below(strconv.Itoa),
		name + " of places far away":    below(func(i int) string { return strconv.Itoa(math.MaxInt-i) + ".x" }),
		name + " of places beyond all":  below(func(i int) string { return strconv.Itoa(i) + digits(60) }),
		name + " of empty names, again": below(func(i int) string { return strings.Repeat(".", i%80) }),
	}
}

// escaped is a text as forms have it.
func escaped(s string) string { return url.QueryEscape(s) }

// refusedForm wants a form to be refused by a page that was cheap and is short.
func refusedForm(t *testing.T, w *hosttest.World, route, name, form string) {
	t.Helper()
	method, path := addressed(route)
	if method == http.MethodPatch {
		method, form = http.MethodPost, form+"&_method=PATCH"
	}
	require.LessOrEqual(t, len(form), mostOfStrangers, name)
	a, c := costOf(w, w.Request("", method, path, form, "Content-Type", formType))
	refusals := []int{http.StatusBadRequest, http.StatusUnprocessableEntity}
	if strings.Contains(form, "_method") { // which is not found in a form that cannot be read
		refusals = append(refusals, http.StatusMethodNotAllowed)
	}
	switch of, _, _ := strings.Cut(path, "/orders"); of {
	case "/account/sign-out": // a form of the page's own fields has none of the operation's
		refusals = append(refusals, http.StatusSeeOther)
	case "/account": // and its orders: who is not signed in is led to do that
		refusals = append(refusals, http.StatusSeeOther)
	case "/account/set-password": // without the token of a link there is no page
		refusals = append(refusals, http.StatusNotFound)
	}
	require.Contains(t, refusals, a.Status, "%s: %s", route, name)
	require.LessOrEqual(t, len(a.Text), 128<<10, "%s: %s", route, name)
	require.LessOrEqual(t, c.memory, int64(60*len(form)+4*megabyte), "%s: %s", route, name)
	require.LessOrEqual(t, c.looked, int64(300), "%s: %s", route, name)
}

// TestNoPartOfAFormIsLookedAtBeyondItsBound is TestNoInputIsLookedAtBeyondItsBound of multipart/form-data.
func TestNoPartOfAFormIsLookedAtBeyondItsBound(t *testing.T) {
	w := strangers(t)
	tried := 0
	for _, in := range w.API.Inputs() {
		for _, p := range in.Paths {
			if !in.Multipart {
				continue
			}
			tried++
			_, path := addressed(in.Route)
			name := strings.TrimPrefix(p.Path, "body.")
			switch {
			case p.Path == "body":
				r := w.Form(shop, path, []byte("x"), "x", nasty(megabyte), "y", nasty(megabyte), "z", digits(megabyte))
				refused(t, w, r, 3*megabyte, "body.x", problem.UnknownField)
			case p.Format == "binary":
				a, c := costOf(w, w.Form(shop, path, make([]byte, picture.MaxFile+1)))
				a.Is(http.StatusRequestEntityTooLarge, "body_too_large")
				require.LessOrEqual(t, c.memory, int64(8*picture.MaxFile))
				require.LessOrEqual(t, c.calls, int64(1), "the limit's counter was asked, and nothing else")
			default:
				r := w.Form(shop, path, []byte("x"), name, nasty(megabyte))
				refused(t, w, r, megabyte, p.Path, problem.TooLong)
			}
		}
	}
	require.Equal(t, 5, tried)
}

func TestNoQueryIsLookedAtBeyondItsBound(t *testing.T) {
	w := strangers(t)
	for _, in := range w.API.Inputs() {
		method, path := addressed(in.Route)
		body := ""
		if method == http.MethodPost || method == http.MethodPatch {
			body = "{}"
		}
		for _, p := range in.Paths {
			name, is := strings.CutPrefix(p.Path, "query.")
			if !is || name == "cursor" {
				continue
			}
			r := w.Request(tokenOf(in.Route), method, path+"?"+url.Values{name: {nasty(4000)}}.Encode(), body)
			a, c := costOf(w, r)
			a.Is(http.StatusUnprocessableEntity, "invalid")
			require.Contains(t, a.Text, fmt.Sprintf(`"location":%q`, p.Path))
			require.Zero(t, c.looked, "%s %s", in.Route, name)
			require.LessOrEqual(t, c.calls, int64(1))
		}
	}
}

// kindOfRows is one that imports bring, and what a row of it takes.
type kindOfRows struct {
	name   string
	parse  func(context.Context, []byte) (any, error)
	kind   record.Upserts
	places []api.SchemaPath
	base   object // a sound row
}

func TestNoColumnOfAnImportIsLookedAtBeyondItsBound(t *testing.T) {
	w := strangers(t)
	a := w.P.Frame()
	for _, k := range kindsOfRows(w, a, shop) {
		for _, p := range k.places {
			for _, body := range beyond(p, megabyte) {
				t.Run(k.name+" "+p.Path+" "+body.code, func(t *testing.T) {
					line := body.made(body.size)
					looked := a.Looked()
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					err := k.row(t.Context(), line)
					runtime.ReadMemStats(&after)
					require.True(t, problem.Is(err, "invalid"), "%v", err)
					require.LessOrEqual(t, a.Looked()-looked, int64(100), "nothing looked at it")
					require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(20*len(line)+megabyte))
				})
			}
		}
	}
}

// kindsOfRows are all that imports bring, into a shop.
func kindsOfRows(w *hosttest.World, a *api.API, shop string) []kindOfRows {
	u := w.P.Unit()
	u.Shop = shop
	people := api.FormOf(a, persons.Customers)
	goods := catalog.Forms{
		Product: api.Form[catalog.ProductNew, catalog.Product](a),
		Check: func(fields map[string]any) error {
			return api.CheckPatch[catalog.ProductNew, catalog.Product](a, fields)
		},
		Fields:  api.Form[catalog.ProductFields, catalog.Product](a),
		Variant: api.Form[catalog.VariantFields, catalog.Variant](a),
	}
	places := func(route string) []api.SchemaPath {
		for _, in := range w.API.Inputs() {
			if in.Route == route {
				return in.Paths
			}
		}
		panic("there is no " + route)
	}
	return []kindOfRows{
		{"customers", people.Parse, persons.Customers.Rows(u, people, persons.RowKey),
			places("POST /api-engine/customers"),
			object{"email": "a@example.cz", "firstName": "Jana", "lastName": "Nová"}},
		{"products", goods.Product.Parse, catalog.Catalog{Log: w.P.Log}.Rows(u, goods),
			places("POST /api-engine/products"), object{"code": "A", "name": "A",
				"priceLevels": []any{object{"level": "default", "price": "1.00"}}}},
	}
}

// row is what is wrong with a line of a file: what it says over a sound row.
func (k kindOfRows) row(ctx context.Context, line string) error {
	v, err := k.parse(ctx, []byte(line))
	if err != nil {
		return err
	}
	fields, is := v.(map[string]any)
	if !is {
		return problem.InvalidAt("", problem.WrongType, "must be an object")
	}
	row := record.Row{Fields: object{}}
	for name, sound := range k.base {
		row.Fields[name] = sound
	}
	for name, v := range fields {
		row.Fields[name] = v
	}
	k.kind.Begin()
	k.kind.Key(row)
	records, err := k.kind.Read(ctx, []record.Row{row})
	if err != nil {
		return err
	}
	_, _, err = records[0].Plan(ctx)
	return err
}

func TestAnIDInAPathIsNeverMoreThanOneKey(t *testing.T) {
	w := strangers(t)
	var asked []store.Key
	w.Main.Before(func(ops []store.Op) error {
		for _, op := range ops {
			asked = append(asked, op.Key)
		}
		return nil
	})
	ids := 0
	for _, in := range w.API.Inputs() {
		_, path, _ := strings.Cut(in.Route, " ")
		method, _ := addressed(in.Route)
		for i, part := range strings.Split(path, "/") {
			if !strings.HasPrefix(part, "{") {
				continue
			}
			require.True(t, part == "{id}" || strings.HasSuffix(part, "Id}"),
				"%s: the frame takes %s for no id", in.Route, part)
			ids++
			for _, odd := range []string{"%2F", "%2Fx", "%2f" + imported, "%23", "%23A", "%23" + imported, "%00", "%3F",
				"%252F"} {
				_, address := addressed(in.Route)
				parts := strings.Split(address, "/")
				parts[i] += odd
				w.Clock.Pass(time.Second) // in which a developer makes so many requests
				a := w.As(tokenOf(in.Route), method, strings.Join(parts, "/"), "{}")
				a.Is(http.StatusNotFound, "not_found")
				require.LessOrEqual(t, w.Meter().Calls(), 1, "%s: nothing was looked up", in.Route)
			}
		}
	}
	require.Empty(t, asked)
	require.Greater(t, ids, 40)
}
