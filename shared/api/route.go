package api

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"eshop/events"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
)

// find gives the call its operation. If the address has none, that is a fallback, and allow are the methods that the
// path does answer.
func (a *API) find(c *Call) (allow []string) {
	c.op = a.fallbackAt(c.r.URL.Path)
	if p := c.r.URL.Path; len(p) > maxPath || p != "/" && (path.Clean(p) != p || !utf8.ValidString(p)) {
		return nil
	}
	if o := a.at(c.r); o != nil {
		c.op = o
		return nil
	}
	// 405 must name the methods that would have been answered (Allow).
	probe := *c.r
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		probe.Method = m
		if a.at(&probe) != nil {
			allow = append(allow, m)
			if m == http.MethodGet {
				allow = append(allow, http.MethodHead)
			}
		}
	}
	return allow
}

// at is the operation at the request's address; nil if there is none. An address of programs (/api-engine and so on) is
// never taken for a slug of a storefront.
func (a *API) at(r *http.Request) *operation {
	_, pattern := a.mux.Handler(r)
	o := a.operations[pattern]
	if o != nil && o.audience == forPeople && areaOf(r.URL.Path) != forAnyone {
		return nil
	}
	return o
}

// routed refuses an unknown version, and an address that no operation answers. allow are the methods that it does
// answer.
func (a *API) routed(c *Call, allow []string) error {
	if asked, is := c.r.Header["Api-Version"]; is && c.op.area == forAccesses && !knownVersion(asked) {
		return &problem.Problem{Status: http.StatusBadRequest, Code: "unknown_api_version",
			Detail: "This Api-Version is unknown; known are " + strings.Join(versionNames(), " and ") + "."}
	}
	if len(allow) > 0 {
		methods := strings.Join(allow, ", ")
		return &problem.Problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
			Header: http.Header{"Allow": {methods}}, Detail: "This address answers " + methods + "."}
	}
	if c.op.kind == kindNone {
		return problem.NoPath()
	}
	if !c.split() {
		return problem.NotFound()
	}
	return nil
}

// knownVersion says whether the values of an Api-Version header are one version that is served.
func knownVersion(asked []string) bool {
	return len(asked) == 1 && slices.Contains(versionNames(), asked[0])
}

// version is the API version of the answer: the version that the request asks for, else its access's. An access whose
// version has ended gets the oldest that is served.
func (c *Call) version() Version {
	name := cmp.Or(c.Version, events.APIVersion)
	if asked := c.r.Header["Api-Version"]; c.op.area == forAccesses && knownVersion(asked) {
		name = asked[0]
	}
	return versionOf(name)
}

// split reads the parts of the path. They stand between slashes as they were sent, so %2F is none. It is false if a
// part that stands for an id cannot be one: such a request is answered as if nobody had that id.
func (c *Call) split() bool {
	if c.op.kind == kindHandler || !strings.Contains(c.op.path, "{") {
		return true
	}
	c.path = strings.Split(c.r.URL.EscapedPath(), "/")
	for i := range c.path {
		part, err := url.PathUnescape(c.path[i])
		if err != nil || slices.Contains(c.op.ids, i) && !id.Valid(part) {
			return false
		}
		c.path[i] = part
	}
	return true
}

// NotFound registers what answers people at addresses that no operation has, outside of the API and the operator's. It
// is for everything below a path; of several the longest counts, and "/" is for the rest. Its page shows a 404 or a
// 405.
func (a *API) NotFound(path string, people *People) {
	o := viewOf(Op{Route: "GET /", People: people},
		func(*Call) (any, error) { return nil, problem.NotFound() })
	a.notFound = append(a.notFound, fallback{path, o})
	slices.SortFunc(a.notFound, func(x, y fallback) int { return len(y.path) - len(x.path) })
}

// fallback is what answers below a path, where no operation does.
type fallback struct {
	path string
	*operation
}

// fallbackAt is the operation that says what became of a request to an address that no operation has.
func (a *API) fallbackAt(path string) *operation {
	area := areaOf(path)
	if area == forAnyone {
		for _, f := range a.notFound {
			if f.path == "/" || path == f.path || strings.HasPrefix(path, f.path+"/") {
				return f.operation
			}
		}
	}
	return nowhere[area]
}
