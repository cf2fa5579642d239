package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/permission"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// ErrUnauthenticated is what Config.Authenticate answers for a token that is unknown, expired or revoked.
var ErrUnauthenticated = errors.New("api: unauthenticated")

// ServeHTTP runs the chain in the contract's order of checks (section 2): token 401, active 403, limit 429, version 400,
// path 404, method 405, permission 403, size 413, type 415, JSON 400, idempotency, fields 422; then the operation. The
// answer is complete before its first byte is sent.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &Call{Caller: &Caller{}, Request: id.New(a.Now(), a.Random), Started: a.Now(), api: a, r: r}
	c.RequestID = requestID(r, c.Request)
	o := newOut()
	defer o.free()
	ctx := context.WithValue(r.Context(), callKey{}, c)
	if p := a.guarded(ctx, c, o, r.WithContext(ctx)); p != nil {
		o.problem(c, p)
	}
	a.finish(ctx, c, o)
	o.send(w, r)
	a.log(c, o, r)
}

// requestID is the caller's own X-Request-Id when it is one (contract, section 2), else ours.
func requestID(r *http.Request, ours string) string {
	s := r.Header.Get("X-Request-Id")
	if s == "" || len(s) > 64 || strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
		return ours
	}
	return s
}

// guarded is run, with a panic turned into a 500 that is logged.
func (a *API) guarded(ctx context.Context, c *Call, o *out, r *http.Request) (p *problem.Problem) {
	if guard.Do(ctx, func() error { p = a.run(ctx, c, o, r); return nil }, "requestId", c.RequestID) != nil {
		return problem.Internal()
	}
	return p
}

func (a *API) run(ctx context.Context, c *Call, o *out, r *http.Request) *problem.Problem {
	found, allow := a.find(r)
	c.op = found
	if found == nil {
		c.op = &operation{method: r.Method, path: r.URL.Path}
	}
	if p := a.admit(ctx, c, r); p != nil {
		return p
	}
	if v := r.Header.Get("Api-Version"); v != "" && v != Version && metered(r.URL.Path) {
		return &problem.Problem{Status: http.StatusBadRequest, Code: "unknown_api_version", Detail: "This Api-Version is unknown; the current one is " + Version + "."}
	}
	switch {
	case found == nil && len(allow) > 0:
		return &problem.Problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Header: http.Header{"Allow": {strings.Join(allow, ", ")}},
			Detail: "This address answers " + strings.Join(allow, ", ") + "."}
	case found == nil || !idsIn(a.mux, r):
		return problem.NotFound()
	case found.raw != nil:
		a.mux.ServeHTTP(o, r)
		return nil
	}
	if missing := found.lacks(c.Caller, r); missing != "" {
		return problem.Lacking(string(missing))
	}
	return a.operate(ctx, c, o, r)
}

// lacks is a permission that the request needs and its caller lacks.
func (o *operation) lacks(c *Caller, r *http.Request) permission.Permission {
	if !c.Has(o.Needs) {
		return o.Needs
	}
	if o.Asks == nil {
		return ""
	}
	return o.Asks(c, r.URL.Query())
}

// metered says whether a path is an access's: with a token, limits and versions.
func metered(p string) bool {
	return p == "/api-engine" || strings.HasPrefix(p, "/api-engine/") || strings.HasPrefix(p, "/basket-price-")
}

// admit knows who asks, and begins to charge them.
func (a *API) admit(ctx context.Context, c *Call, r *http.Request) *problem.Problem {
	switch p := r.URL.Path; {
	case c.op.Open:
		return a.unhurried(ctx, c)
	case p == "/operator" || strings.HasPrefix(p, "/operator/"):
		return a.operator(r)
	case metered(p):
		return a.partner(ctx, c, r)
	}
	return nil
}

// operator lets the operator pass. The token that is presented is measured, for its hash tells nothing of its length: a
// platform that was configured with the hash of an empty text lets nobody in instead of everybody.
func (a *API) operator(r *http.Request) *problem.Problem {
	token, ok := bearer(r)
	sum := sha256.Sum256([]byte(token))
	if !ok || len(token) < OperatorToken || subtle.ConstantTimeCompare(sum[:], a.Operator[:]) != 1 {
		return unauthenticated(r)
	}
	return nil
}

func (a *API) partner(ctx context.Context, c *Call, r *http.Request) *problem.Problem {
	token, ok := bearer(r)
	if !ok {
		return unauthenticated(r)
	}
	caller, err := a.Authenticate(ctx, token)
	switch {
	case errors.Is(err, ErrUnauthenticated):
		return unauthenticated(r)
	case err != nil:
		a.Log.ErrorContext(ctx, "authentication unavailable", "requestId", c.RequestID, "error", err)
		return problem.Unavailable(time.Second)
	}
	c.Caller = caller
	if !caller.Active {
		c.charge = a.begin(ctx, caller, c.Started, 0)
		return problem.Forbidden("package_inactive", "The package of this access is not active on the shop.")
	}
	c.charge = a.begin(ctx, caller, c.Started, 1)
	if c.charge.settled() {
		return c.charge.refused
	}
	return nil
}

// bearer is the token of the request's one Authorization header, whose scheme may be written in any case (RFC 9110,
// section 11.1). Without that scheme, and without anything behind it, there is none.
func bearer(r *http.Request) (token string, ok bool) {
	h := r.Header["Authorization"]
	if len(h) != 1 {
		return "", false
	}
	scheme, rest, _ := strings.Cut(h[0], " ")
	token = strings.TrimSpace(rest)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

func unauthenticated(r *http.Request) *problem.Problem {
	challenge := "Bearer"
	if r.Header.Get("Authorization") != "" {
		challenge = `Bearer error="invalid_token"`
	}
	return &problem.Problem{Status: http.StatusUnauthorized, Code: "unauthenticated", Header: http.Header{"Www-Authenticate": {challenge}},
		Detail: "Send a valid token as Authorization: Bearer <token>."}
}

// find is the operation of the request, or the methods that its path does answer.
func (a *API) find(r *http.Request) (*operation, []string) {
	if p := r.URL.Path; len(p) > maxPath || p != "/" && (path.Clean(p) != p || !utf8.ValidString(p)) {
		return nil, nil
	}
	if _, pattern := a.mux.Handler(r); pattern != "" {
		return a.operations[pattern], nil
	}
	var allow []string
	probe := *r
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		probe.Method = m
		if _, pattern := a.mux.Handler(&probe); pattern != "" {
			allow = append(allow, m)
			if m == http.MethodGet {
				allow = append(allow, http.MethodHead)
			}
		}
	}
	return nil, allow
}

// idsIn says whether what stands in the path for an id can be one: anything else is the 404 of an id that nobody has. A part
// of the path is what stands between slashes as it was sent, where %2F is none.
func idsIn(mux *http.ServeMux, r *http.Request) bool {
	_, pattern := mux.Handler(r)
	_, want, _ := strings.Cut(pattern, " ")
	parts := strings.Split(r.URL.EscapedPath(), "/")
	for i, s := range strings.Split(want, "/") {
		if !strings.HasSuffix(s, "d}") {
			continue
		}
		if i >= len(parts) {
			return false
		}
		if part, err := url.PathUnescape(parts[i]); err != nil || !id.Valid(part) {
			return false
		}
	}
	return true
}

// operate runs an operation of huma's with what its input's form allows.
func (a *API) operate(ctx context.Context, c *Call, o *out, r *http.Request) *problem.Problem {
	key, p := a.idempotency(ctx, c, r)
	if key != nil {
		defer func() { <-key.read }()
	}
	body, bad := a.readBody(c.op, r)
	if bad != nil {
		return bad
	}
	c.sent = body.value
	if p != nil {
		return p
	}
	if c.key = key; key != nil {
		kept, p := key.claim(c, r, body.raw)
		if p != nil {
			return p
		}
		if kept != nil {
			return o.replay(c, kept)
		}
	}
	if p := a.check(c, r, body.value); p != nil {
		return p
	}
	if body.plain != nil {
		r.Body, r.ContentLength = readCloser{bytes.NewReader(body.plain)}, int64(len(body.plain))
		r.Header.Set("Content-Type", "application/json") // as huma knows it, however it was spelt
	}
	a.mux.ServeHTTP(o, r)
	return a.conclude(ctx, c, o)
}

// check holds the body against its schema and the query against what the operation takes, and opens the cursor.
func (a *API) check(c *Call, r *http.Request, body any) *problem.Problem {
	k := checker{registry: a.schemas()}
	if c.op.body != nil {
		k.body(c.op.in, c.op.out, body, c.op.patch)
	}
	q := k.query(c.op.query, r.URL.RawQuery)
	a.looked.Add(k.looked)
	if c.op.TooMany != nil && slices.ContainsFunc(k.faults, tooManyItems) {
		return c.op.TooMany()
	}
	if len(k.faults) > 0 {
		slices.SortStableFunc(k.faults, func(x, y problem.Fault) int { return strings.Compare(x.Location, y.Location) })
		return problem.Invalid(k.faults...)
	}
	if q.Has("cursor") {
		return a.resume(c, r, q)
	}
	return nil
}

// tooManyItems says whether the fault is that of a batch with too many items.
func tooManyItems(f problem.Fault) bool {
	return f.Location == "body.items" && f.Code == problem.TooMany
}

// conclude is what became of the operation: its problem, or the first answer of its key, or its own answer kept.
func (a *API) conclude(ctx context.Context, c *Call, o *out) *problem.Problem {
	if c.key != nil && c.key.kept {
		return c.problem
	}
	if c.key == nil || c.problem != nil && !c.replay && c.problem.Status < 404 {
		return c.problem
	}
	if c.problem == nil && c.charge.wait(ctx) == nil {
		if err := c.key.remember(ctx, c, o); err == nil {
			return nil
		} else if !errors.Is(err, errLostKey) {
			return problem.Unavailable(time.Second)
		}
		c.replay = true
	}
	kept, p := c.key.again(ctx, a)
	switch {
	case kept != nil:
		return o.replay(c, kept)
	case c.replay:
		return p
	}
	return c.problem
}

// fail notes what a handler, or huma, found wrong.
func (c *Call) fail(ctx context.Context, err error) {
	var p *problem.Problem
	switch {
	case errors.As(err, &p):
		c.problem = p
	case errors.Is(err, errLostKey):
		c.replay, c.problem = true, problem.Conflict("idempotency_in_progress", "The first request with this Idempotency-Key is still running: try again.")
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		c.api.Log.ErrorContext(ctx, "unavailable", "requestId", c.RequestID, "error", err)
		c.problem = problem.Unavailable(time.Second)
	default:
		c.api.Log.ErrorContext(ctx, "unexpected error", "requestId", c.RequestID, "error", err)
		c.problem = problem.Internal()
	}
}

// finish turns a finished answer into what is sent: a refusal by the limit that came beside it, a 304, a brief record,
// and the headers that every answer has.
func (a *API) finish(ctx context.Context, c *Call, o *out) {
	if c.charge != nil && !c.charge.settled() {
		if p := c.charge.wait(ctx); p != nil {
			o.problem(c, p)
		}
	} else if c.charge != nil && c.charge.refused != nil && o.status < 400 {
		o.problem(c, c.charge.refused)
	}
	c.brevity(o)
	if (c.r.Method == http.MethodGet || c.r.Method == http.MethodHead) && o.status == http.StatusOK {
		o.unlessModified(c.r)
	}
	h := o.header
	h["X-Request-Id"] = []string{c.RequestID}
	h["Api-Version"] = []string{Version}
	if c.op.raw == nil && h.Get("Cache-Control") == "" {
		h["Cache-Control"] = []string{"no-store"}
	}
	if metered(c.r.URL.Path) {
		c.charge.headers(h, c.known(), c.Started)
	}
}

// known is the caller, nil when no token was accepted.
func (c *Call) known() *Caller {
	if c.charge == nil {
		return nil
	}
	return c.Caller
}

// brevity leaves id and changed of a PATCH's answer to who may not read the record (contract, section 2, "Answers").
func (c *Call) brevity(o *out) {
	if c.op.Reads == "" || c.Has(c.op.Reads) || o.status >= 300 {
		return
	}
	brief := c.brief
	if brief == nil {
		var m map[string]json.RawMessage
		if json.Unmarshal(o.body.Bytes(), &m) != nil {
			return
		}
		brief = map[string]any{"id": m["id"], "changed": m["changed"]}
	}
	o.body.Reset()
	if err := writeJSON(&o.body, brief); err != nil {
		o.problem(c, problem.Internal())
	}
}

func (a *API) log(c *Call, o *out, r *http.Request) {
	level := slog.LevelInfo
	if o.status >= 500 {
		level = slog.LevelError
	}
	if !a.Log.Enabled(r.Context(), level) {
		return
	}
	a.Log.LogAttrs(r.Context(), level, "request", slog.String("requestId", c.RequestID), slog.String("request", c.Request),
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", o.status),
		slog.Duration("took", a.Now().Sub(c.Started)), slog.String("access", c.Access), slog.Int("bytes", o.body.Len()))
}
