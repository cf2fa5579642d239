package releases

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/shared/api"
	"eshop/shared/host"
)

type object = map[string]any

// ask is a request, and what it was answered.
type ask struct {
	Route  string            `json:"route"` // the pattern of the operation
	Path   string            `json:"path"`
	Host   string            `json:"host,omitempty"`
	Header map[string]string `json:"header,omitempty"`
	Body   string            `json:"body,omitempty"`

	Status int             `json:"status,omitempty"`
	ETag   string          `json:"etag,omitempty"`
	JSON   json.RawMessage `json:"json,omitempty"` // the answer; of a page none
	Has    object          `json:"has,omitempty"`  // what the answer has to have, among other things
}

// door is where requests are made: of a world, or by HTTP of a process.
type door interface {
	Do(*http.Request) (*http.Response, error)
}

// at is a process that serves at an address.
type at string

// Do makes the request by HTTP, at the host that it names.
func (a at) Do(r *http.Request) (*http.Response, error) {
	if r.Host == "" || r.Host == r.URL.Host {
		r.Host = string(a)
	}
	if err := toAdmin(a, r); err != nil {
		return nil, err
	}
	r.URL.Host = string(a)
	return client.Do(r)
}

// toAdmin sends a request for a shop's admin, which requests here have at admin. before the shop's own host, where that
// host leads for /admin.
func toAdmin(d door, r *http.Request) error {
	shop, is := strings.CutPrefix(r.Host, "admin.")
	if !is {
		return nil
	}
	leads, err := d.Do(&http.Request{Method: "GET", URL: &url.URL{Scheme: "http", Path: "/admin"}, Host: shop})
	if err != nil {
		return err
	}
	leads.Body.Close()
	to, err := leads.Location()
	if err == nil {
		r.Host = to.Host
	}
	return err
}

// client follows nothing and keeps no cookies.
var client = &http.Client{Timeout: time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// send makes the request, and returns it with its answer. Of a body the address of receiver is part.
func (a ask) send(t testing.TB, d door, receiver string) ask {
	t.Helper()
	method, _, _ := strings.Cut(a.Route, " ")
	r, err := http.NewRequest(method, "http://platform.example"+a.Path,
		strings.NewReader(strings.ReplaceAll(a.Body, "{receiver}", receiver)))
	require.NoError(t, err)
	r.Host = a.Host
	for name, value := range a.Header {
		r.Header[name] = []string{value}
	}
	got, err := d.Do(r)
	require.NoError(t, err)
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	a.Status, a.ETag, a.JSON = got.StatusCode, got.Header.Get("ETag"), nil
	if strings.Contains(got.Header.Get("Content-Type"), "json") {
		a.JSON = json.RawMessage(body)
	} else {
		a.ETag = "" // of a page: it is the program's, too
	}
	return a
}

// fields are those of the answer.
func (a ask) fields(t testing.TB) (o object) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.JSON, &o), "%s %s: %d", a.Route, a.Path, a.Status)
	return o
}

// port is what an address of this machine has behind its name: it is another one in each process.
var port = regexp.MustCompile(`(localhost|127\.0\.0\.1):[0-9]+`)

// values are the values of the answer by their paths, as "items[0].name", of all that each platform answers alike that
// has the same data and is asked the same. Cursors are sealed with a random text, and ids of requests are new. Moments
// from the time at which it is asked on are those of the asking, so all of them are one word.
func (a ask) values(t testing.TB, asked time.Time) map[string]string {
	t.Helper()
	all := map[string]string{"(status)": strconv.Itoa(a.Status), "(ETag)": a.ETag}
	if len(a.JSON) > 0 {
		var v any
		require.NoError(t, json.Unmarshal([]byte(port.ReplaceAllString(string(a.JSON), "$1")), &v))
		flatten(all, "", v, asked)
	}
	maps.DeleteFunc(all, func(path, _ string) bool { return lies(path, "nextCursor") || lies(path, "requestId") })
	return all
}

// flatten adds the value at a path, and all that is in it.
func flatten(all map[string]string, path string, v any, then time.Time) {
	switch v := v.(type) {
	case object:
		all[path] = "an object"
		for name, inner := range v {
			flatten(all, strings.TrimPrefix(path+"."+name, "."), inner, then)
		}
	case []any:
		all[path] = fmt.Sprintf("a list of %d", len(v))
		for i, inner := range v {
			flatten(all, fmt.Sprintf("%s[%d]", path, i), inner, then)
		}
	default:
		if at, err := time.Parse(time.RFC3339, fmt.Sprint(v)); err == nil && !at.Before(then) {
			v = "from then on"
		}
		text, _ := json.Marshal(v)
		all[path] = string(text)
	}
}

// index is the place of an element in a list.
var index = regexp.MustCompile(`\[[0-9]+\]`)

// lies says whether a path ends at a field or leads through it: "items[3].stock.quantity" lies in "stock.quantity", in
// "stock" and in "items.stock", but not in "items.quantity".
func lies(path, field string) bool {
	return strings.Contains("."+index.ReplaceAllString(path, "")+".", "."+field+".")
}

// unlike are the paths, without the places in lists, at which two answers to the same differ, each with the first two
// values that do, at most 60 characters of each. Fields that are left out do not count.
func unlike(before, now map[string]string, leftOut []string) (all []string) {
	either := maps.Clone(before)
	maps.Copy(either, now)
	seen := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(either)) {
		was, had := before[path]
		is, has := now[path]
		out := slices.ContainsFunc(leftOut, func(field string) bool { return lies(path, field) })
		if name := index.ReplaceAllString(path, ""); !out && !seen[name] && (was != is || had != has) {
			seen[name] = true
			all = append(all, fmt.Sprintf("%s: %.60s, now %.60s", name, cmp.Or(was, "nothing"), cmp.Or(is, "nothing")))
		}
	}
	return all
}

// has says whether the value has all that is wanted.
func has(v, want any) bool {
	w, is := want.(object)
	if !is {
		a, _ := json.Marshal(v)
		b, _ := json.Marshal(want)
		return string(a) == string(b)
	}
	o, is := v.(object)
	for name, inner := range w {
		if !is || !has(o[name], inner) {
			return false
		}
	}
	return true
}

// readings are all patterns of operations that read, of all functions. Those that read no row are left out: a file
// whose columns are asked for is an object that lasts for a day. So is the one that gives nothing without the key in
// its address: that of an export's file.
func readings() (all []string) {
	for _, f := range functions.List {
		if f.HTTP == nil {
			continue
		}
		a := api.New(api.Config{})
		f.HTTP(&host.Platform{}, a)
		for _, p := range a.Patterns() {
			path, reads := strings.CutPrefix(p, "GET ")
			own := slices.ContainsFunc([]string{"/static/", "/admin/static/", "/frontend/", "/docs", "/llms.txt",
				"/openapi.json", "/admin/imports/columns/", "/exports/", "/.well-known/"},
				func(prefix string) bool { return strings.HasPrefix(path, prefix) })
			if reads && !own {
				all = append(all, p)
			}
		}
	}
	return all
}

// fill is the pattern of a reading operation with the ids in its wildcards. ids are named by what stands before the
// wildcard, as /customers/{id}.
func fill(t testing.TB, pattern string, ids map[string]string) string {
	t.Helper()
	_, path, _ := strings.Cut(strings.TrimSuffix(pattern, "{$}"), " ")
	for strings.Contains(path, "{") {
		from, to := strings.Index(path, "{"), strings.Index(path, "}")+1
		before := strings.Split(strings.TrimSuffix(path[:from], "/"), "/")
		name := before[len(before)-1] + "/" + path[from:to]
		id, known := ids[name]
		require.True(t, known, "%s: the journey has no id for %s: it leaves a row of each kind, and asks for it",
			pattern, name)
		path = path[:from] + url.PathEscape(id) + path[to:]
	}
	return path
}
