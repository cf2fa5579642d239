package house_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/docs/openapi"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
)

// collection is a path of THE list where records are made, listed and read. This file holds, for each of them and for
// those of a new door, what all collections promise. What one promises alone is in its door's tests.
//
// A sample is the body that a route of the world takes. Samples of one round have the same values, so a promise that
// wants new values goes on to the next round (c.round++), and one that wants a record's own values again goes back.
type collection struct {
	*world
	path    string
	has     map[string]bool // its routes without its path: "PATCH /{id}"
	filters []string        // its parameters that are no other collection's
	unique  []string        // the fields of which a value is one record's
	needs   map[string]string
	mine    []string // the ids of the records that make has made since the last clear
}

// published are the collections whose changes add-ons are told, each with the kind of its records.
var published = map[string]events.RecordKind{"/api-engine/customers": events.Customers,
	"/api-engine/products": events.Products, "/api-engine/categories": events.Categories,
	"/api-engine/custom-urls": events.URLs, "/api-engine/orders": events.Orders,
	"/api-engine/order-states": events.States, "/api-engine/discount-coupons": events.Coupons}

// readable are the collections whose deleted records can still be read by their id.
var readable = []string{"/api-engine/order-states", "/api-engine/cleanup-orders", "/basket-price-quotes"}

// heldFor is, by collection, for how long a unique value that a record has given up is nobody else's.
var heldFor = map[string]time.Duration{"/operator/shops": 30 * 24 * time.Hour}

// shownOnce are the fields that only the answer has that makes a record.
var shownOnce = []string{"token", "quoteToken", "adjusted", "uploadUrl", "uploadExpiresAt"}

// before is, by collection, what has to be made anew before each of its records, because a second record needs another.
var before = map[string]string{
	"/api-engine/cleanup-orders": "POST /api-engine/custom-codes",
	"/api-engine/custom-urls":    "POST /api-engine/products",               // the URL that was active would change
	"/api-engine/orders":         "POST /api-engine/products/{id}/variants", // there are five pieces of each
}

func TestEachCollectionKeepsWhatAllPromise(t *testing.T) {
	promises := []struct {
		name string
		held func(*collection)
	}{
		{"is read as it was made", (*collection).isReadAsMade},
		{"is told", (*collection).isTold},
		{"is listed by its change", (*collection).isListed},
		{"is found by its filters", (*collection).isFiltered},
		{"has its unique values for itself", (*collection).isUnique},
		{"is changed where it differs", (*collection).isChanged},
		{"is changed in the version that was meant", (*collection).isMatched},
		{"keeps what two say at the same time", (*collection).isContested},
		{"is another shop's to nobody", (*collection).isOneShops},
		{"needs its permissions", (*collection).needsPermissions},
		{"is made once under a key", (*collection).isMadeOnce},
		{"refuses what is the platform's to say", (*collection).refuses},
		{"stays as it is when the store fails", (*collection).staysWhenTheStoreFails},
		{"is gone when it is deleted", (*collection).isDeleted},
	}
	w := open(t)
	all := collections(w)
	require.Len(t, published, len(events.Subjects))
	uniques := 0
	for _, path := range all {
		t.Run(path, func(t *testing.T) {
			w.T = t
			c := collectionOf(w, path)
			uniques += len(c.unique)
			for _, p := range promises {
				t.Run(p.name, func(t *testing.T) {
					c.T = t
					p.held(c)
					c.clear()
				})
			}
		})
	}
	require.GreaterOrEqual(t, len(all), 13)
	require.GreaterOrEqual(t, uniques, 7, "as the operations' texts name them")
}

// collections are the paths of THE list's operations by which a record is made, and read by its id.
func collections(w *world) (all []string) {
	routes := map[string]bool{}
	for _, in := range w.API.Inputs() {
		routes[in.Route] = true
	}
	for _, in := range w.API.Inputs() {
		path, makes := strings.CutPrefix(in.Route, "POST ")
		if makes && routes["GET "+path+"/{id}"] && path != "/basket-price-quotes" { // made of a token, read without it
			all = append(all, path)
		}
	}
	return all
}

var takenCode = regexp.MustCompile("`([a-z_]+)_taken`")

func collectionOf(w *world, path string) *collection {
	c := &collection{world: w, path: path, has: map[string]bool{}, needs: map[string]string{}}
	var d document
	require.NoError(w.T, json.Unmarshal(openapi.Document(c.API, api.Newest()), &d.object))
	for _, in := range c.API.Inputs() {
		method, at, _ := strings.Cut(in.Route, " ")
		below, ours := strings.CutPrefix(at, path)
		if !ours || below != "" && below != "/{id}" {
			continue
		}
		route := method + " " + below
		c.has[route] = true
		c.needs[route], _ = d.at("paths", at, strings.ToLower(method), "x-permission").(string)
		if route == "GET " {
			for _, p := range in.Paths {
				name := strings.TrimPrefix(p.Path, "query.")
				if !strings.Contains(name, "[") && name != "cursor" && name != "itemsPerPage" {
					c.filters = append(c.filters, name)
				}
			}
		}
	}
	text, _ := d.at("paths", path, "post", "description").(string)
	switch path {
	case "/operator/shops":
		text = "`domain_taken`"
	case "/developer/shops":
		text = "`domain_taken`"
	case "/operator/packages", "/developer/packages":
		text = "`code_taken`"
	}
	for _, code := range takenCode.FindAllStringSubmatch(text, -1) {
		if field := strings.ReplaceAll(code[1], "_id", "Id"); c.sent()[field] != nil {
			c.unique = append(c.unique, field)
		}
	}
	return c
}

func (c *collection) sent() object          { return c.sample("POST " + c.path) }
func (c *collection) at(id string) string   { return c.path + "/" + id }
func (c *collection) operators() bool       { return c.tokenAt(c.path) != c.token }
func (c *collection) told() []events.Record { return toldOf(c.Main.Changes()) }
func (c *collection) changes() bool         { return c.has["PATCH /{id}"] }

// deletes says whether an operation deletes one at once. A test shop is closed first: functions/developer tests that.
func (c *collection) deletes() bool { return c.has["DELETE /{id}"] && c.path != "/developer/shops" }

func (c *collection) patch() object                  { return c.sample("PATCH " + c.path + "/{id}") }
func (c *collection) read(id string) hosttest.Answer { c.T.Helper(); return c.do("GET", c.at(id), nil) }

func toldOf(changes []events.Change) (all []events.Record) {
	for _, change := range changes {
		all = append(all, change.Records...)
	}
	return all
}

// do sends a request a second after the last one, as whoever the collection belongs to.
func (c *collection) do(method, path string, body any, headers ...string) hosttest.Answer {
	c.T.Helper()
	c.leaveRoom(c.path)
	return c.Next(c.accessToken(), method, path, body, headers...)
}

// accessToken is the token of the collection's owner: the operator, a developer or the shop's access.
func (c *collection) accessToken() string {
	return c.tokenAt(c.path)
}

// make makes a record that has nothing in common with the others.
func (c *collection) make(headers ...string) hosttest.Answer {
	c.T.Helper()
	c.round++
	if route, is := before[c.path]; is {
		c.world.made[route] = c.ask(route, c.sample(route)).Is(201)
	}
	a := c.do("POST", c.path, c.sent(), headers...).Is(201)
	c.mine = append(c.mine, a.ID())
	return a
}

// clear deletes what was made.
func (c *collection) clear() {
	for _, id := range c.mine {
		if c.deletes() {
			c.do("DELETE", c.at(id), nil)
		}
	}
	c.mine = nil
}

// ids are those of the records that were made, as a query lists them.
func (c *collection) ids(query string) []string {
	c.T.Helper()
	return slices.DeleteFunc(c.do("GET", c.path+query+"&itemsPerPage=250", nil).Each("id"),
		func(id string) bool { return !slices.Contains(c.mine, id) })
}

// refusesAll checks that each operation on the record is refused with the status and code, and that nobody is told.
func (c *collection) refusesAll(id string, status int, code string) {
	c.T.Helper()
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		if c.has[method+" /{id}"] {
			c.Refused(c.do(method, c.at(id), map[string]any{"PATCH": object{}}[method]), status, code)
		}
	}
}

func (c *collection) isReadAsMade() {
	made := c.make()
	require.Equal(c.T, c.at(made.ID()), made.Header.Get("Location"))
	require.Equal(c.T, made.Get("created"), made.Get("changed"))
	read := c.read(made.ID()).Is(200)
	shown := maps.Clone(made.Body)
	for _, field := range shownOnce {
		delete(shown, field)
	}
	require.Equal(c.T, shown, read.Body)
	require.Equal(c.T, made.ETag(), read.ETag())
	c.do("GET", c.at(made.ID()), nil, "If-None-Match", made.ETag()).Is(http.StatusNotModified)
}

// wasTold checks what the last request has published: one change at this moment, in which the record stands once, as
// made, changed or deleted. Of a collection that is not published the record must not stand in any.
func (c *collection) wasTold(id, version string, did events.Did) {
	c.T.Helper()
	kind, is := published[c.path]
	if !is {
		require.False(c.T, slices.ContainsFunc(c.told(), func(r events.Record) bool { return r.ID == id }))
		return
	}
	require.Len(c.T, c.Main.Changes(), 1)
	change := c.Main.Changes()[0]
	require.Equal(c.T, []any{c.world.made["POST /operator/shops"].ID(), c.Clock.Now().UnixMilli(), "mine"},
		[]any{change.Shop, change.At, change.ClientRequest})
	ours := slices.DeleteFunc(slices.Clone(change.Records), func(r events.Record) bool { return r.ID != id })
	require.Len(c.T, ours, 1)
	require.Equal(c.T, []any{kind, did}, []any{ours[0].Kind, ours[0].Did})
	if version != "" {
		require.Equal(c.T, version, ours[0].Version)
	}
}

func (c *collection) isTold() {
	mine := []string{"X-Request-Id", "mine"}
	made := c.make(mine...)
	c.wasTold(made.ID(), made.Version(), events.Created)
	if c.changes() {
		changed := c.do("PATCH", c.at(made.ID()), c.patch(), mine...).Is(200)
		c.wasTold(made.ID(), changed.Version(), events.Changed)
	}
	if c.deletes() {
		c.do("DELETE", c.at(made.ID()), nil, mine...).Is(204)
		c.wasTold(made.ID(), "", events.Deleted)
	}
}

func (c *collection) isListed() {
	x, y, z := c.make(), c.make(), c.make()
	three := []string{x.ID(), y.ID(), z.ID()}
	require.Equal(c.T, three, c.ids("?"))
	all := c.do("GET", c.path+"?itemsPerPage=250", nil).Each("id")
	var walked []string
	page := c.do("GET", c.path+"?itemsPerPage=2", nil)
	for walked = page.Each("id"); page.Body["nextCursor"] != nil; walked = append(walked, page.Each("id")...) {
		require.Len(c.T, page.Items(), 2)
		require.Contains(c.T, page.Header.Get("Link"), `rel="next"`)
		page = c.do("GET", c.path+"?itemsPerPage=2&cursor="+page.Get("nextCursor"), nil)
	}
	require.Equal(c.T, all, walked)
	require.Equal(c.T, []string{z.ID(), y.ID(), x.ID()}, c.ids("?order[changed]=desc"))
	require.Equal(c.T, three, c.ids("?changed[after]="+x.Get("changed")))
	require.Equal(c.T, three[1:], c.ids("?changed[strictly_after]="+x.Get("changed")))
	require.Equal(c.T, three[:2], c.ids("?changed[after]="+x.Get("changed")+"&changed[before]="+y.Get("changed")))
	require.Equal(c.T, three[:1],
		c.ids("?changed[after]="+x.Get("changed")+"&changed[strictly_before]="+y.Get("changed")))
	if c.changes() {
		c.round -= 2 // x's own: its unique values stay its own
		c.do("PATCH", c.at(x.ID()), c.patch()).Is(200)
		c.round += 2
		require.Equal(c.T, []string{y.ID(), z.ID(), x.ID()}, c.ids("?changed[strictly_after]="+x.Get("changed")))
	}
	c.Fault(c.do("GET", c.path+"?nobody=1", nil), "query.nobody", "unknown_field")
	c.Fault(c.do("GET", c.path+"?changed[after]=now", nil), "query.changed[after]", "bad_format")
}

// isFiltered tries each parameter of the list that has the name of one of the record's texts.
func (c *collection) isFiltered() {
	one, other := c.make(), c.make()
	c.Index()
	for _, f := range c.filters {
		value, is := one.Body[f].(string)
		if !is {
			continue
		}
		query := "?" + f + "=" + url.QueryEscape(value)
		found := c.do("GET", c.path+query, nil)
		require.Contains(c.T, found.Each("id"), one.ID())
		for _, has := range found.Each(f) {
			require.Equal(c.T, value, has)
		}
		require.Empty(c.T, c.ids(query+"&changed[after]=2100-01-01"))
		c.Fault(c.do("GET", c.path+"?"+f+"=", nil), "query."+f, "bad_format")
		if slices.Contains(c.unique, f) {
			require.Equal(c.T, []string{one.ID()}, found.Each("id"))
			require.Empty(c.T, c.ids("?"+f+"=nobody"))
		}
		for _, g := range c.unique {
			if g != f && slices.Contains(c.filters, g) {
				require.Equal(c.T, []string{one.ID()}, c.ids(query+"&"+g+"="+url.QueryEscape(one.Get(g))))
				require.Empty(c.T, c.ids(query+"&"+g+"="+url.QueryEscape(other.Get(g))))
			}
		}
	}
}

func (c *collection) isUnique() {
	for _, f := range c.unique {
		code := strings.ReplaceAll(f, "Id", "_id") + "_taken"
		first, second := c.make(), c.make()
		c.round++
		taken := with(c.sent(), f, first.Get(f))
		c.Refused(c.do("POST", c.path, taken), 409, code)
		c.Refused(c.do("PATCH", c.at(second.ID()), object{f: first.Get(f)}), 409, code)
		free := c.sent()[f]
		c.round++
		c.do("PATCH", c.at(first.ID()), object{f: c.sent()[f]}).Is(200)
		c.round--
		if heldFor[c.path] > 0 {
			c.Refused(c.do("PATCH", c.at(second.ID()), object{f: first.Get(f)}), 409, code)
			c.Clock.Pass(heldFor[c.path])
		}
		c.do("PATCH", c.at(second.ID()), object{f: first.Get(f)}).Is(200)
		taken[f] = free
		answers := hosttest.Together(8, func(int) hosttest.Answer { return c.ask("POST "+c.path, taken) })
		require.Equal(c.T, map[int]int{201: 1, 409: 7}, hosttest.Statuses(answers))
		c.round++
		if c.deletes() {
			c.do("DELETE", c.at(first.ID()), nil).Is(204)
			require.NotEqual(c.T, first.ID(), c.do("POST", c.path, c.sent()).Is(201).ID())
		}
	}
}

func (c *collection) isChanged() {
	if !c.changes() {
		return
	}
	made := c.make()
	at := c.at(made.ID())
	changed := c.do("PATCH", at, c.patch(), "Content-Type", "application/merge-patch+json").Is(200)
	require.NotEqual(c.T, made.ETag(), changed.ETag())
	require.Greater(c.T, changed.Get("changed"), made.Get("changed"))
	require.Equal(c.T, made.Get("created"), changed.Get("created"))
	read := c.read(made.ID())
	require.Equal(c.T, changed.Body, read.Body)
	require.Equal(c.T, changed.ETag(), read.ETag())
	writes := c.Main.Writes()
	for _, same := range []object{{}, c.patch()} {
		again := c.do("PATCH", at, same).Is(200)
		require.Equal(c.T, changed.Body, again.Body)
		require.Equal(c.T, changed.ETag(), again.ETag())
		require.Empty(c.T, c.Main.Changes())
	}
	require.Equal(c.T, writes, c.Main.Writes())
}

func (c *collection) isMatched() {
	for _, method := range []string{"PATCH", "DELETE"} {
		if !c.has[method+" /{id}"] {
			continue
		}
		made := c.make()
		at, body := c.at(made.ID()), map[string]any{"PATCH": c.patch()}[method]
		c.Refused(c.do(method, at, body, "If-Match", `"other"`), 412, "version_conflict")
		meant := made.ETag()
		if c.changes() {
			c.meanwhile("PATCH", at, c.patch())
			c.Refused(c.do(method, at, body, "If-Match", meant), 412, "version_conflict")
			meant = c.read(made.ID()).ETag()
			c.Refused(c.do(method, at, body, "If-Match", made.ETag()), 412, "version_conflict")
		}
		require.Less(c.T, c.do(method, at, body, "If-Match", meant).Status, 300)
	}
}

// meanwhile lets another request in between the next request's reading and its writing. What the other one publishes is
// dropped, so that it does not count as the next one's.
func (c *collection) meanwhile(method, path string, body any) {
	c.T.Helper()
	c.Main.Meanwhile(func() {
		a := c.As(c.accessToken(), method, path, body)
		require.Less(c.T, a.Status, 300, a.Text)
		c.Main.NewChanges()
	})
}

// isContested tries two requests at the same time: the second finds the record changed, and begins anew.
func (c *collection) isContested() {
	if c.changes() && c.deletes() && !slices.Contains(readable, c.path) {
		gone := c.make()
		c.meanwhile("DELETE", c.at(gone.ID()), nil)
		c.Refused(c.do("PATCH", c.at(gone.ID()), c.patch()), 404, "not_found")
	}
	for _, f := range c.unique {
		made := c.make()
		first := c.patch()
		delete(first, f)
		c.meanwhile("PATCH", c.at(made.ID()), first)
		c.round++
		both := c.do("PATCH", c.at(made.ID()), object{f: c.sent()[f]}).Is(200)
		require.NotEqual(c.T, made.Get(f), both.Get(f))
		require.Equal(c.T, both.ETag(), c.do("PATCH", c.at(made.ID()), first).Is(200).ETag(), "it has both")
	}
}

// stranger is the token of another shop's access, which has every permission there.
func (c *collection) stranger() string {
	c.round++
	made := func(route string, body object) hosttest.Answer {
		c.T.Helper()
		return c.As(hosttest.OperatorToken, "POST", route, body).Is(201)
	}
	shop := made("/operator/shops", c.sample("POST /operator/shops"))
	pack := made("/operator/packages", c.sample("POST /operator/packages"))
	return made("/operator/shops/"+shop.ID()+"/accesses", object{"packageId": pack.ID()}).Get("token")
}

func (c *collection) isOneShops() {
	if c.operators() {
		return
	}
	own, stranger := c.token, c.stranger()
	made := c.make()
	sent := c.sent()
	c.token = stranger
	defer func() { c.token = own }()
	c.refusesAll(made.ID(), 404, "not_found")
	require.Empty(c.T, c.ids("?"))
	for _, f := range c.unique {
		require.Empty(c.T, c.ids("?"+f+"="+url.QueryEscape(made.Get(f))))
	}
	if len(c.unique) > 0 {
		delete(sent, "categoryIds")
		c.do("POST", c.path, sent).Is(201)
	}
	c.token = own
	require.Equal(c.T, made.ETag(), c.read(made.ID()).ETag())
}

// may gives the access just these permissions.
func (c *collection) may(permissions ...permission.Permission) {
	c.T.Helper()
	c.ask("PATCH /operator/shops/{shopId}/accesses/{accessId}", object{"permissions": toAny(permissions)}).Is(200)
}

func (c *collection) needsPermissions() {
	if c.operators() {
		return
	}
	made := c.make()
	defer c.may(permission.All...)
	for _, route := range []string{"GET ", "GET /{id}", "POST ", "PATCH /{id}", "DELETE /{id}"} {
		if !c.has[route] {
			continue
		}
		method, below, _ := strings.Cut(route, " ")
		at, needed := c.path+strings.ReplaceAll(below, "{id}", made.ID()), permission.Permission(c.needs[route])
		if needed == "" {
			require.Contains(c.T, []string{"/api-engine/exports", "/api-engine/imports",
				"/api-engine/webhooks"}, c.path)
			continue
		}
		var body any
		if method == "POST" || method == "PATCH" {
			body = c.sample(method + " " + c.path + below)
		}
		c.may(slices.DeleteFunc(slices.Clone(permission.All),
			func(p permission.Permission) bool { return p == needed })...)
		refused := c.do(method, at, body)
		c.Refused(refused, 403, "insufficient_permission")
		require.EqualValues(c.T, needed, refused.Get("permission"))
		c.may(needed)
		if method == "POST" {
			c.may(permission.All...)
			c.round++
			continue
		}
		a := c.do(method, at, body)
		require.Less(c.T, a.Status, 300, a.Text)
		if method == "PATCH" {
			require.Equal(c.T, []string{"changed", "id"}, slices.Sorted(maps.Keys(a.Body)), "it may not be read")
		}
	}
}

func (c *collection) isMadeOnce() {
	key := []string{"Idempotency-Key", c.path}
	first := c.make(key...)
	again := c.do("POST", c.path, c.sent(), key...).Is(201)
	require.Equal(c.T, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(c.T, first.ID(), again.ID())
	for field, v := range again.Body {
		require.Equal(c.T, first.Body[field], v)
	}
	require.Equal(c.T, first.ETag(), again.ETag())
	require.Equal(c.T, first.Header.Get("Location"), again.Header.Get("Location"))
	require.Equal(c.T, []string{first.ID()}, c.ids("?changed[after]="+first.Get("changed")))
	if c.changes() {
		at := c.at(first.ID())
		changed := c.do("PATCH", at, c.patch(), "Idempotency-Key", c.path+"/p").Is(200)
		c.round++
		c.do("PATCH", at, c.patch()).Is(200)
		c.round--
		require.Equal(c.T, changed.Body, c.do("PATCH", at, c.patch(), "Idempotency-Key", c.path+"/p").Is(200).Body)
	}
}

func (c *collection) refuses() {
	c.round++
	for _, field := range []string{"id", "created", "changed"} {
		c.Fault(c.do("POST", c.path, with(c.sent(), field, "x")), "body."+field, "read_only")
		if c.changes() {
			c.Fault(c.do("PATCH", c.at("01HZZZZZZZZZZZZZZZZZZZZZZZ"), object{field: "x"}), "body."+field, "read_only")
		}
	}
	c.Fault(c.do("POST", c.path, with(c.sent(), "nobody", "x")), "body.nobody", "unknown_field")
	for _, id := range []string{"01HZZZZZZZZZZZZZZZZZZZZZZZ", "odd", "A", "LIVE"} {
		c.refusesAll(id, 404, "not_found")
	}
}

func (c *collection) staysWhenTheStoreFails() {
	made := c.make()
	all := c.ids("?")
	c.Main.Before(func([]store.Op) error { return store.ErrUnavailable })
	requests := map[string]any{"PATCH": c.patch(), "DELETE": nil}
	c.round++
	answers := []hosttest.Answer{c.do("POST", c.path, c.sent())}
	for method, body := range requests {
		if c.has[method+" /{id}"] {
			answers = append(answers, c.do(method, c.at(made.ID()), body))
		}
	}
	for _, a := range answers {
		c.Refused(a, 503, "unavailable")
		require.Equal(c.T, "1", a.Header.Get("Retry-After"))
	}
	c.Main.Before(nil)
	require.Equal(c.T, made.ETag(), c.read(made.ID()).ETag())
	require.Equal(c.T, all, c.ids("?"))
}

func (c *collection) isDeleted() {
	if !c.deletes() {
		return
	}
	var written []store.Op
	c.Main.Before(func(ops []store.Op) error {
		written = append(written, ops...)
		return nil
	})
	made := c.make()
	c.Main.Before(nil)
	own := slices.IndexFunc(written, func(op store.Op) bool {
		return op.Item.Version == made.Version() && strings.HasSuffix(op.Item.Index1.SK, made.ID())
	})
	require.Empty(c.T, c.do("DELETE", c.at(made.ID()), nil, "If-Match", made.ETag()).Is(204).Text)
	if slices.Contains(readable, c.path) {
		read := c.read(made.ID()).Is(200)
		require.NotEqual(c.T, made.ETag(), read.ETag())
		c.do("DELETE", c.at(made.ID()), nil).Is(204)
		require.Empty(c.T, c.told(), "it was deleted")
		require.Equal(c.T, read.ETag(), c.read(made.ID()).ETag())
		return
	}
	ends := c.Clock.Now().Add(30 * 24 * time.Hour).Unix()
	c.refusesAll(made.ID(), 404, "not_found")
	require.Empty(c.T, c.ids("?"))
	for _, f := range c.filters {
		if value, is := made.Body[f].(string); is {
			require.Empty(c.T, c.ids("?"+f+"="+url.QueryEscape(value)))
		}
	}
	items, err := c.Main.Get(c.T.Context(), written[own].Key)
	require.NoError(c.T, err)
	if left := items[0]; left != nil {
		require.Equal(c.T, []any{ends, 0, store.Key{}}, []any{left.Expires, len(left.Doc), left.Index1},
			"nothing of it stays, and that for 30 days")
	}
}
