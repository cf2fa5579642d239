package house_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/api"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
)

func init() { _ = flag.Set("rapid.nofailfile", "true") } // each folder here is a function

func TestEveryInputHasASample(t *testing.T) {
	w := open(t)
	for _, in := range w.API.Inputs() {
		if len(in.Paths) < 2 || !strings.HasPrefix(in.Paths[1].Path, "body.") {
			continue
		}
		sample := w.sample(in.Route)
		require.NotNil(t, sample, "%s: give it one", in.Route)
		sent := placesIn("body", sample)
		for _, p := range in.Paths {
			if in.Route == "POST /api-engine/products/{id}/variants" && strings.HasPrefix(p.Path, "body.items") {
				continue // several at once, instead of the fields of one
			}
			if strings.HasPrefix(p.Path, "body") && p.Path != "body.items[].quantity" { // change stands for it
				require.Contains(t, sent, p.Path, in.Route)
			}
		}
	}
}

// placesIn are the places of a body that are filled.
func placesIn(path string, v any) map[string]bool {
	all := map[string]bool{path: true}
	switch x := v.(type) {
	case object:
		for name, inner := range x {
			maps.Copy(all, placesIn(path+"."+name, inner))
		}
	case []any:
		for _, inner := range x {
			maps.Copy(all, placesIn(path+"[]", inner))
		}
	}
	return all
}

// tried is what a request would have done: its answer, and what it would have written.
type tried struct {
	status  int
	text    string
	cookies []string
	ops     []store.Op
}

// try makes the request without its writes, the dice and the numbers of orders as they were.
func (w *world) try(route string, body any) (did tried) {
	w.T.Helper()
	did.ops = w.dry(func() {
		a := w.ask(route, body)
		did.status, did.text, did.cookies = a.Status, a.Text, a.Header["Set-Cookie"]
	})
	return did
}

// dry lets do make requests without their writes, which it returns.
func (w *world) dry(do func()) (ops []store.Op) {
	w.dice.again()
	w.Main.Around(func(these []store.Op, _ func() error) error {
		ops = append(ops, these...)
		return nil
	})
	defer w.Main.Around(nil)
	do()
	return ops
}

func TestEverySpellingOfAValueMeansTheSame(t *testing.T) {
	w := open(t)
	for _, in := range w.API.Inputs() {
		sample := w.sample(in.Route)
		if sample == nil || in.Route == "POST /api-engine/tokens" { // ten a second
			continue
		}
		plain, err := json.Marshal(sample)
		require.NoError(t, err)
		spelling, first := func(t *rapid.T) any { return spelt(t, sample) }, any(string(plain))
		if in.Multipart {
			spelling = func(t *rapid.T) any { return speltParts(t, sample) }
			first = rapid.Custom(spelling).Example()
		}
		t.Run(in.Route, func(t *testing.T) {
			w.T = t
			want := w.try(in.Route, first)
			require.Less(t, want.status, 300, want.text)
			// Consent is kept by a cookie, and an index in another table.
			if in.Route != "POST /consent" && in.Route != "POST /operator/shops/{shopId}/search-index" {
				require.NotEmpty(t, want.ops, want.text)
			}
			if people(in.Route) {
				did := w.try(in.Route, typed(url.Values{}, "", sample))
				require.Equal(t, http.StatusSeeOther, did.status, did.text)
				require.Equal(t, [2]any{want.ops, want.cookies}, [2]any{did.ops, did.cookies},
					"a form means what its JSON does")
			}
			// a password takes its time, and a developer makes so many requests in a second
			if strings.HasPrefix(in.Route, "POST /account/") || in.Route == "PATCH /account" ||
				strings.Contains(in.Route, " /developer/") {
				for seed := range 5 {
					body := rapid.Custom(spelling).Example(seed)
					require.Equal(t, want, w.try(in.Route, body), body)
				}
				return
			}
			rapid.Check(t, func(t *rapid.T) {
				body := spelling(t)
				require.Equal(t, want, w.try(in.Route, body), body)
			})
		})
	}
}

// typed is an object as a form has it, whose names begin with the prefix.
func typed(form url.Values, prefix string, o object) url.Values {
	for name, v := range o {
		if inner, is := v.(object); is {
			typed(form, prefix+name+".", inner)
		} else {
			form.Set(prefix+name, fmt.Sprint(v))
		}
	}
	return form
}

// speltParts draws a spelling of an object as multipart/form-data: what parts say of themselves beside their name is
// not looked at.
func speltParts(t *rapid.T, o object) parts {
	var b strings.Builder
	boundary := rapid.StringMatching(`[a-zA-Z0-9]{8,40}`).Draw(t, "boundary")
	b.WriteString(rapid.SampledFrom([]string{"", "before\r\n"}).Draw(t, "before"))
	for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(o))).Draw(t, "order") {
		file := rapid.SampledFrom([]string{"", `; filename=a`, `; filename="../../ž.html"`}).Draw(t, "file name")
		kind := rapid.SampledFrom([]string{"", "Content-Type: text/html\r\n", "X: y\r\n"}).Draw(t, "header")
		fmt.Fprintf(&b, "--%s\r\n%sContent-Disposition: form-data; name=%q%s\r\n\r\n%s\r\n", boundary, kind, name,
			file, o[name])
	}
	return parts{boundary, b.String() + "--" + boundary + "--\r\n" +
		rapid.SampledFrom([]string{"", "behind"}).Draw(t, "behind")}
}

// spelt draws a spelling of a value as JSON.
func spelt(t *rapid.T, v any) string {
	blank := func() string { return rapid.SampledFrom([]string{"", "", "", " ", "\n", "\t \r\n"}).Draw(t, "blank") }
	var b strings.Builder
	b.WriteString(blank())
	switch x := v.(type) {
	case object:
		b.WriteString("{" + blank())
		names := slices.Sorted(maps.Keys(x))
		for i, n := range rapid.Permutation(names).Draw(t, "order") {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(blank() + speltText(t, n) + blank() + ":" + spelt(t, x[n]))
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[" + blank())
		for i, inner := range x {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(spelt(t, inner))
		}
		b.WriteString("]")
	case int:
		b.WriteString(rapid.SampledFrom([]string{fmt.Sprint(x), fmt.Sprintf("%d.0", x), fmt.Sprintf("%d0e-1", x),
			fmt.Sprintf("%dE0", x), fmt.Sprintf("%d.00e+0", x)}).Draw(t, "number"))
	default:
		plain, err := json.Marshal(v)
		require.NoError(t, err)
		var text string
		if json.Unmarshal(plain, &text) == nil && plain[0] == '"' {
			plain = []byte(speltText(t, text))
		}
		b.Write(plain)
	}
	return b.String() + blank()
}

// speltText draws a spelling of a text: any of its characters may be escaped, in either case.
func speltText(t *rapid.T, s string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	escape := rapid.SliceOfN(rapid.IntRange(0, 3), len(s), len(s)).Draw(t, "escaped")
	for i, r := range s {
		switch {
		case escape[i] == 0 || r < ' ':
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[i%2], u)
			}
		case r == '"' || r == '\\' || r == '/' && escape[i] == 1:
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// extremes are values at the ends of what a place may hold, and what lies beyond them, which no write may take half.
func extremes(t *rapid.T, p api.SchemaPath) any {
	switch {
	case p.Format == "date-time":
		return rapid.SampledFrom([]any{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "0000-12-31T23:59:59.999Z",
			"9999-12-31T23:59:59.999Z",
			"9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59-23:59",
			"1970-01-01T00:00:00Z", "1969-12-31T23:59:59.9999Z", "2026-02-29T00:00:00Z", "2026-06-30T23:59:60Z",
			"2026-11-21T24:00:00Z", "2026-11-21T02:05:12+24:00", "2026-11-21t02:05:12z"}).Draw(t, "time")
	case p.Type == "integer":
		return rapid.SampledFrom([]any{json.Number("0"), json.Number("-0"), json.Number("-1"),
			json.Number("9007199254740993"), json.Number("9223372036854775807"),
			json.Number("9223372036854775808"), json.Number("-9223372036854775808"), json.Number("1e18"), least(p),
			most(p)}).Draw(t, "number")
	case p.Type == "boolean":
		return rapid.Bool().Draw(t, "is")
	case len(p.Enum) > 0:
		return rapid.SampledFrom(p.Enum).Draw(t, "one of")
	case p.Pattern != "" && strings.Contains(p.Pattern, "[0-9]{2}"):
		return rapid.SampledFrom([]any{"0.00", "0.01", "999999999999.99", "1000000000000.00", "100.00", "100.01",
			"00.10", "1.5"}).Draw(t, "amount")
	}
	return rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{1,70}`),
		rapid.SampledFrom([]string{"", " ", "\u0000", "\u0085", "\u2028", "\ufeffa", "\U0010ffff", "a\u0301", "İ", "ﬁ",
			"ß", "%2F", "#", "/", "..", "null",
			strings.Repeat("ž", 64), strings.Repeat("ž", 255), "\u00a0a\u00a0", "a@xn--hkyrky-ptac70bc.cz", "A@Á.cz",
			"https://example.com/?a=b#c", "https://[::1]/"})).Draw(t, "text")
}

func least(p api.SchemaPath) any { return bound(p.Minimum) }
func most(p api.SchemaPath) any  { return bound(p.Maximum) }

func bound(f *float64) any {
	if f == nil {
		return json.Number("1")
	}
	return json.Number(strconv.FormatFloat(*f, 'f', -1, 64))
}

// placed is what v becomes with another value at a path; of a list its first entry is meant.
func placed(v any, path string, value any) any {
	if path == "" {
		return value
	}
	if rest, first := strings.CutPrefix(path, "[]"); first {
		list := slices.Clone(v.([]any))
		list[0] = placed(list[0], rest, value)
		return list
	}
	end := strings.IndexAny(path[1:]+".", ".[") + 1
	o, name := v.(object), path[1:end]
	return with(o, name, placed(o[name], path[end:], value))
}

// lists is the collection that shows what a POST of the route makes, the newest first; "" where there is none.
func (w *world) lists(route string) string {
	switch route {
	case "POST /api-engine/products/{id}/variants", "POST /operator/shops/{shopId}/exports":
		return ""
	case "POST /api-engine/webhook-signing-keys", "POST /operator/shops/{shopId}/accesses/{accessId}/tokens",
		"POST /developer/shops/{shopId}/accesses/{accessId}/tokens":
		return w.path(route) + "?order[created]=desc"
	}
	return w.path(route) + "?order[changed]=desc"
}

// as is a request for a path, as who may. A PATCH says nothing.
func (w *world) as(method, path string) hosttest.Answer {
	w.T.Helper()
	var body any
	if method == http.MethodPatch {
		body = object{}
	}
	return w.As(w.tokenAt(path), method, path, body)
}

// TestWhatAWriteTookEachReadAnswers writes every field of every record with values at the ends of what may be sent.
// What is refused is refused with a 4xx, and what is taken is answered ever after: by its id, in its list, and
// unchanged by a PATCH that says nothing.
func TestWhatAWriteTookEachReadAnswers(t *testing.T) {
	w := open(t)
	for _, in := range w.API.Inputs() {
		if !slices.Contains(records, in.Route) || w.sample(in.Route) == nil {
			continue
		}
		if in.Route == "POST /api-engine/cleanup-orders" {
			continue // both its fields name records: no other value of them is taken
		}
		var fields []api.SchemaPath
		for _, p := range in.Paths {
			if p.Type != "object" && p.Type != "array" &&
				(in.Route != "POST /api-engine/products/{id}/variants" || !strings.HasPrefix(p.Path, "body.items")) {
				fields = append(fields, p)
			}
		}
		t.Run(in.Route, func(t *testing.T) {
			w.T = t
			taken := 0
			rapid.Check(t, func(t *rapid.T) {
				w.round++
				p := rapid.SampledFrom(fields).Draw(t, "field")
				body := placed(w.sample(in.Route), strings.TrimPrefix(p.Path, "body"), extremes(t, p))
				w.Clock.Pass(time.Second)
				w.makesWay(in.Route)
				made := w.ask(in.Route, body)
				require.Less(t, made.Status, 500, made.Text)
				if made.Status >= 300 {
					return
				}
				taken++
				w.answers(t, in.Route, made)
			})
			if !testing.Short() { // of so few tries all may be refused
				require.Positive(t, taken)
			}
		})
	}
}

// makesWay lets another record of the route be made, of which there is one at most: a package is on a shop once, and a
// custom code has one active cleanup order.
func (w *world) makesWay(route string) {
	w.T.Helper()
	switch {
	case strings.HasSuffix(route, "/accesses"):
		pack := "POST /operator/packages"
		if strings.Contains(route, " /developer/") {
			pack = "POST /developer/packages"
		}
		w.made[pack] = w.ask(pack, w.sample(pack)).Is(201)
	case strings.HasSuffix(route, "/cleanup-orders"):
		w.as("DELETE", w.made[route].Header.Get("Location")).Is(204)
	}
}

// answers wants the record to be shown by all that shows it, and to go when it is deleted.
func (w *world) answers(t *rapid.T, route string, made hosttest.Answer) {
	if list := w.lists(route); list != "" {
		require.Contains(t, w.as("GET", list).Is(200).Each("id"), made.ID())
	}
	path := made.Header.Get("Location")
	if path == "" {
		return
	}
	read := w.as("GET", path).Is(200)
	for _, once := range []string{"token", "uploadUrl", "adjusted", "key", "quoteToken"} {
		delete(made.Body, once)
	}
	if route == "POST /basket-price-quotes" { // it answers a part
		require.Subset(t, read.Body, made.Body)
	} else {
		require.Equal(t, made.Body, read.Body)
	}
	if a := w.as("PATCH", path); a.Status != http.StatusMethodNotAllowed {
		require.Equal(t, read.Body, a.Is(200).Body)
	}
	require.Less(t, w.as("DELETE", path).Status, 500)
}

func TestARecordThatCannotBeReadIsNotItsListsFault(t *testing.T) {
	for _, route := range records {
		w := open(t)
		list := w.lists(route)
		if list == "" {
			continue
		}
		t.Run(route, func(t *testing.T) {
			w.T = t
			before := w.as("GET", list).Is(200).Each("id")
			require.NotEmpty(t, before)
			w.makesWay(route)
			var made hosttest.Answer
			ops := w.writing(func() { made = w.ask(route, w.sample(route)).Is(201) })
			require.Greater(t, len(w.as("GET", list).Is(200).Items()), len(before))
			damaged := 0
			for _, op := range ops {
				items, err := w.Main.Get(t.Context(), op.Key)
				require.NoError(t, err)
				if i := items[0]; i != nil && listed(i, made.ID()) {
					i.Doc = []byte(`{"created":"10000-01-01T00:00:00.000Z","fields":7,"id":7,"i":7}`)
					w.Put(w.Main, *i)
					damaged++
				}
			}
			require.Positive(t, damaged)
			require.ElementsMatch(t, before, w.as("GET", list).Is(200).Each("id"))
		})
	}
}

// listed says whether the item is that of the record as lists show it.
func listed(i *store.Item, id string) bool {
	shows := i.Index1.PK != "" || strings.HasPrefix(i.SK, "R#") // receivers are in no index
	return shows && strings.Contains(i.PK+i.SK+string(i.Doc), id)
}

// writing are the operations of the writes that f makes.
func (w *world) writing(f func()) (all []store.Op) {
	w.Main.Before(func(ops []store.Op) error {
		all = append(all, ops...)
		return nil
	})
	defer w.Main.Before(nil)
	f()
	return all
}
