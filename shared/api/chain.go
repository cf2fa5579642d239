package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/guard"
	"eshop/shared/id"
	"eshop/shared/problem"
)

// ServeHTTP answers a request. The answer is complete before its first byte is sent.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &Call{Caller: &change.Caller{}, Request: id.New(a.Now(), a.Random), Started: a.Now(), api: a}
	c.RequestID = requestID(r, c.Request)
	ctx := context.WithValue(r.Context(), callKey{}, c)
	c.r = r.WithContext(ctx)
	o := newOut()
	defer o.free()
	err := guard.Do(ctx, func() error { return a.chain(ctx, c, o) }, "requestId", c.RequestID)
	switch {
	case errors.Is(err, guard.ErrPanic): // guard has logged it
		c.refuse(ctx, o, problem.Internal())
	case err != nil:
		c.refuse(ctx, o, c.problem(ctx, err))
	}
	a.finish(ctx, c, o)
	if a.Answered != nil {
		a.Answered(o.status)
	}
	o.send(w, r)
	a.log(c, o, r)
}

// refuse makes the answer a problem: to who asks for a page, a page that says so.
func (c *Call) refuse(ctx context.Context, o *out, p *problem.Problem) {
	if c.WantsPage() {
		o.show(ctx, c, Outcome{Refused: p})
	} else {
		o.problem(c, p)
	}
}

// chain is what every request goes through, in the contract's order of checks (section 2). Its error is why there is no
// answer.
func (a *API) chain(ctx context.Context, c *Call, o *out) error {
	c.override()
	allow := a.find(c)
	if err := a.admit(ctx, c); err != nil { // 401, 403 of a package that is not active, 429
		return err
	}
	if err := a.routed(c, allow); err != nil { // 400 of a version, 404, 405
		return err
	}
	if c.op.kind == kindHandler {
		a.mux.ServeHTTP(o, c.r)
		return nil
	}
	return a.serve(ctx, c, o)
}

// serve does the operation for a caller who was admitted.
func (a *API) serve(ctx context.Context, c *Call, o *out) (err error) {
	if err = c.permitted(); err != nil { // 403
		return err
	}
	key, badKey := a.idempotency(ctx, c)
	if key != nil {
		defer func() { <-key.read }()
	}
	var raw []byte
	if raw, c.sent, err = a.readBody(ctx, c); err != nil { // 413, 415, 400
		return err
	}
	if badKey != nil { // 422
		return badKey
	}
	if key != nil {
		if first, err := key.first(c.r, raw); err != nil { // 422, 503
			return err
		} else if first != nil {
			return o.replay(first, c.op.Again)
		}
	}
	if err = a.check(c); err != nil { // 422
		return err
	}
	c.key = key
	reply, err := c.op.handle(ctx, c)
	switch {
	case err != nil:
	case c.op.kind.onlyPages() || c.WantsPage():
		o.show(ctx, c, Outcome{Body: reply.body})
	default:
		err = o.answer(c.op, reply)
	}
	if key != nil {
		err = key.conclude(ctx, c, o, err)
	}
	return err
}

// requestID is the caller's own X-Request-Id when it is one (contract, section 2), else ours.
func requestID(r *http.Request, ours string) string {
	s := r.Header.Get("X-Request-Id")
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	if s == "" || len(s) > 64 || strings.Trim(s, allowed) != "" {
		return ours
	}
	return s
}

// find finds the call's operation. Where there is none, allow are the methods that the path does answer.
func (a *API) find(c *Call) (allow []string) {
	c.op = a.fallback(c.r.URL.Path)
	if p := c.r.URL.Path; len(p) > maxPath || p != "/" && (path.Clean(p) != p || !utf8.ValidString(p)) {
		return nil
	}
	if o := a.at(c.r); o != nil {
		c.op = o
		return nil
	}
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

// at is the operation at the request's address; nil: none. An address of programs is no slug of a storefront.
func (a *API) at(r *http.Request) *operation {
	_, pattern := a.mux.Handler(r)
	o := a.operations[pattern]
	if o != nil && o.audience == forPeople && ofPrograms(r.URL.Path) {
		return nil
	}
	return o
}

// admit knows who asks, and begins to charge them.
func (a *API) admit(ctx context.Context, c *Call) error {
	switch c.op.audience {
	case forPeople:
		return c.op.People.Enter(ctx, c)
	case forAccesses:
		return a.admitAccess(ctx, c)
	case forOperator:
		return a.admitOperator(c.r)
	default:
		return a.admitAddress(ctx, c)
	}
}

// admitOperator lets the operator in. The token that is presented is measured, for its hash tells nothing of its
// length: a platform that was configured with the hash of an empty text lets nobody in instead of everybody.
func (a *API) admitOperator(r *http.Request) error {
	if !Operates(r, a.Operator) {
		return unauthenticated(r)
	}
	return nil
}

// Operates says whether a request brings the operator's token, of which this is the SHA-256.
func Operates(r *http.Request, operator [32]byte) bool {
	token, ok := bearer(r)
	sum := sha256.Sum256([]byte(token))
	return ok && len(token) >= OperatorToken && subtle.ConstantTimeCompare(sum[:], operator[:]) == 1
}

// admitAccess lets an access of an active package in. The charge may still be under way when it returns.
func (a *API) admitAccess(ctx context.Context, c *Call) error {
	token, ok := bearer(c.r)
	if !ok {
		return unauthenticated(c.r)
	}
	caller, err := a.Authenticate(ctx, token)
	switch {
	case errors.Is(err, change.ErrUnauthenticated):
		return unauthenticated(c.r)
	case err != nil:
		a.Log.ErrorContext(ctx, "authentication unavailable", "requestId", c.RequestID, "error", err)
		return problem.Unavailable(time.Second)
	}
	c.Caller = caller
	if !caller.Active {
		c.charge = a.begin(ctx, caller, c.Started, 0)
		if p := c.charge.wait(ctx); p != nil {
			return p
		}
		return problem.Forbidden("package_inactive", "The package of this access is not active on the shop.")
	}
	c.charge = a.begin(ctx, caller, c.Started, 1)
	if c.charge.answered() && c.charge.refused != nil {
		return c.charge.refused
	}
	return nil
}

// bearer is the token of the request's one Authorization header, whose scheme may be written in any case (RFC 9110,
// section 11.1). Without that scheme, or without anything after it, there is none.
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
	return &problem.Problem{Status: http.StatusUnauthorized, Code: "unauthenticated",
		Header: http.Header{"Www-Authenticate": {challenge}},
		Detail: "Send a valid token as Authorization: Bearer <token>."}
}

// routed refuses a version that is unknown and an address that no operation answers. allow are the methods that it does
// answer.
func (a *API) routed(c *Call, allow []string) error {
	if v := c.r.Header.Get("Api-Version"); v != "" && v != events.APIVersion && metered(c.r.URL.Path) {
		return &problem.Problem{Status: http.StatusBadRequest, Code: "unknown_api_version",
			Detail: "This Api-Version is unknown; the current one is " + events.APIVersion + "."}
	}
	if len(allow) > 0 {
		methods := strings.Join(allow, ", ")
		return &problem.Problem{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
			Header: http.Header{"Allow": {methods}}, Detail: "This address answers " + methods + "."}
	}
	if c.op.kind == kindNone || !c.split() {
		return problem.NotFound()
	}
	return nil
}

// split reads the parts of the path, which are what stands between slashes as it was sent, where %2F is none. It is
// false when what stands for an id can be none: that is answered as an id that nobody has.
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

// permitted refuses a caller who lacks a permission that the request needs.
func (c *Call) permitted() error {
	missing := c.op.Needs
	if c.Has(missing) {
		missing = ""
		if c.op.Asks != nil {
			missing = c.op.Asks(c.Caller, c.r.URL.Query())
		}
	}
	if missing != "" {
		return problem.Lacking(string(missing))
	}
	return nil
}

// check holds the body against its schema and the query against what the operation takes, and opens the cursor.
func (a *API) check(c *Call) error {
	k := checker{registry: a.schemas()}
	switch in := &c.op.input; {
	case c.op.kind == kindView:
		return nil
	case in.schema == nil && c.form == nil:
	case in.schema == nil: // the form of a DELETE
		k.newBody(noFields, nil, c.sent)
	case in.patch:
		k.patchBody(in.schema, c.op.answerSchema, c.sent)
	default:
		k.newBody(in.schema, c.op.answerSchema, c.sent)
	}
	if c.op.kind.checksQuery(c.WantsPage()) {
		c.query = k.query(c.op.input.query, c.r.URL.RawQuery)
	}
	a.looked.Add(k.looked)
	if c.op.TooMany != nil && slices.ContainsFunc(k.faults, tooManyItems) {
		return c.op.TooMany()
	}
	if len(k.faults) > 0 {
		slices.SortStableFunc(k.faults, func(x, y problem.Fault) int { return strings.Compare(x.Location, y.Location) })
		return problem.Invalid(k.faults...)
	}
	if c.query.Has("cursor") {
		return a.resume(c)
	}
	return nil
}

// tooManyItems says whether the fault is that of a batch with too many items.
func tooManyItems(f problem.Fault) bool {
	return f.Location == "body.items" && f.Code == problem.TooMany
}

// finish completes what is sent: a refusal by the limit that came beside it, a 304, a brief record, and the headers
// that every answer has.
func (a *API) finish(ctx context.Context, c *Call, o *out) {
	if c.charge != nil && (o.status < 400 || !c.charge.answered()) {
		if p := c.charge.wait(ctx); p != nil {
			o.problem(c, p)
		}
	}
	if c.op.Reads != "" && !c.Has(c.op.Reads) && o.status < 300 {
		if err := o.abbreviate(); err != nil {
			o.problem(c, c.problem(ctx, err))
		}
	}
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead {
		o.unlessModified(c.r)
	}
	if len(c.cookies) > 0 {
		o.header["Set-Cookie"] = c.cookies
	}
	o.header["X-Request-Id"] = []string{c.RequestID}
	o.header["Api-Version"] = []string{events.APIVersion}
	if c.op.kind != kindHandler && o.header.Get("Cache-Control") == "" {
		o.header["Cache-Control"] = []string{"no-store"}
		if c.op.People != nil { // what people are shown is theirs, and there may be two answers at one address
			o.header["Cache-Control"] = []string{"private, no-store"}
			o.header["Vary"] = []string{"Accept, Cookie"}
		}
	}
	if metered(c.r.URL.Path) {
		c.charge.headers(o.header, c.Started)
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
	path := r.URL.Path
	if c.op.Secret {
		path = c.op.path
	}
	a.Log.LogAttrs(r.Context(), level, "request",
		slog.String("requestId", c.RequestID), slog.String("request", c.Request),
		slog.String("method", r.Method), slog.String("path", path), slog.Int("status", o.status),
		slog.Duration("took", a.Now().Sub(c.Started)), slog.String("access", c.Access), slog.Int("bytes", o.body.Len()))
}
