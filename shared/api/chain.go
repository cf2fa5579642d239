package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/record/change"
)

// ServeHTTP answers a request. The answer is complete before its first byte is sent, so a failure at any point can
// still become a problem of its own. A panic is a 500 of this request, and the process goes on.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &Call{Caller: &change.Caller{}, Request: id.New(a.Now(), a.Random), Started: a.Now(), api: a}
	c.RequestID = requestID(r, c.Request)
	ctx, made := a.Slots.Reader(context.WithValue(r.Context(), callKey{}, c))
	c.Context, c.r = ctx, r.WithContext(ctx)
	res := newResponse()
	defer res.free()
	c.res = res
	defer made()
	defer c.body.release()
	// guard turns a panic into an error, so that it ends this request only.
	err := guard.Do(c, func() error { return a.chain(c, res) }, "requestId", c.RequestID)
	switch {
	case errors.Is(err, guard.ErrPanic): // guard has logged it
		c.refuse(res, problem.Internal())
	case err != nil:
		c.refuse(res, c.Problem(err))
	}
	sent, fits := c.countAnswer(res)
	defer sent()
	if !fits {
		c.refuse(res, problem.Unavailable(time.Second))
	}
	a.finish(c, res)
	// Whatever made it of the end of the request's context.
	if res.status == http.StatusServiceUnavailable && c.HungUp() {
		res.status = statusHungUp
	}
	// What the request held of its reads is given back before the answer goes out: a slow client holds no slot.
	made()
	if a.Answered != nil {
		a.Answered(c.op.Route, res.status, a.Now().Sub(c.Started))
	}
	res.send(w, r)
	a.log(c, res, r)
}

// refuse makes the answer a problem; for a browser that asks for a page and waits for it, a page that says so.
func (c *Call) refuse(res *response, p *problem.Problem) {
	if c.WantsPage() && !c.HungUp() {
		res.show(c, Outcome{Refused: p})
	} else {
		res.problem(c, p)
	}
}

// chain is what every request goes through, in the promised order (contract, "Order of checks"). Its error is why there
// is no answer.
func (a *API) chain(c *Call, res *response) error {
	a.overrideMethod(c)
	allow := a.find(c)
	if led, err := a.atOrigin(c, res); led || err != nil { // 404, or a redirect to the admin
		return err
	}
	if err := a.admit(c); err != nil { // 401, 403 of a package that is not active, 429
		return err
	}
	if err := a.routed(c, allow); err != nil { // 400 of a version, 404, 405
		return err
	}
	if c.op.kind == kindHandler {
		if !c.op.streams {
			c.countBody()
		}
		a.mux.ServeHTTP(res, c.r)
		if c.body.full { // 503, whatever the handler made of what it could read
			return problem.Unavailable(time.Second)
		}
		return nil
	}
	return a.serve(c, res)
}

// serve does the operation for a caller who was admitted. The order of its steps is promised (contract, "Order of
// checks"): permission, size, type, JSON, the key of an earlier answer, the input's faults, and then the operation
// itself.
func (a *API) serve(c *Call, res *response) (err error) {
	if err = c.permitted(); err != nil { // 403
		return err
	}
	key, badKey := a.idempotency(c) // the contract has faults of the body before those of the key
	if key != nil {
		defer func() { <-key.read }() // the look-up goes on beside this, and must not outlive the request
	}
	c.countBody()
	var raw []byte
	if raw, c.sent, err = a.readBody(c); err != nil { // 413, 415, 400
		return err
	}
	if badKey != nil { // 422
		return badKey
	}
	if key != nil {
		if first, err := key.first(c.r, raw); err != nil { // 422, 503
			return err
		} else if first != nil {
			return res.replay(c, first, c.op.CompleteReplay)
		}
	}
	if err = a.checkInput(c); err != nil { // 422
		return err
	}
	c.key = key
	reply, err := c.op.handle(c)
	if err == nil && c.asksData() {
		reply.body, err = c.withData(reply.body)
	}
	switch {
	case err != nil:
	case c.op.kind.onlyPages() || c.WantsPage():
		res.show(c, Outcome{Body: reply.body})
	default:
		err = res.answer(c.op, reply)
	}
	a.audit(c, res, err == nil)
	if key != nil {
		err = key.conclude(c, res, err)
	}
	return err
}

// requestID is the caller's own X-Request-Id if it is a good one (contract, "Request ids"), else ours. A bad one is not
// refused: it is only for logs.
func requestID(r *http.Request, ours string) string {
	id := r.Header.Get("X-Request-Id")
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	if id == "" || len(id) > 64 || strings.Trim(id, allowed) != "" {
		return ours
	}
	return id
}

// finish completes what is sent: the limit's refusal, if the charge ran beside the request; a brief record for a caller
// who may not read it; a 304; and the headers that every answer has.
func (a *API) finish(c *Call, res *response) {
	res.WriteHeader(http.StatusOK) // of a handler that has said nothing of it
	if c.charge != nil && (res.status < 400 || !c.charge.answered()) {
		if p := c.charge.wait(c); p != nil {
			res.problem(c, p)
		}
	}
	if c.op.Reads != "" && !c.Has(c.op.Reads) && res.status < 300 {
		if err := c.version().withhold(res); err != nil {
			res.problem(c, c.Problem(err))
		}
	}
	// The ETag of a record says nothing of the data beside it.
	if (c.r.Method == http.MethodGet || c.r.Method == http.MethodHead) && !c.asksData() {
		res.unlessModified(c.r)
	}
	if len(c.cookies) > 0 {
		res.header["Set-Cookie"] = c.cookies
	}
	res.header["X-Request-Id"] = []string{c.RequestID}
	res.header["X-Content-Type-Options"] = []string{"nosniff"} // a browser takes no body for another type than it says
	a.KeepSecure(res.header)
	// Written as slices and not by Set, which would spell the names anew for each answer.
	version := c.version()
	res.header["Api-Version"] = []string{version.Name}
	if (c.op.kind != kindHandler || res.status >= 400) && res.header.Get("Cache-Control") == "" {
		res.header["Cache-Control"] = []string{"no-store"}
		if c.op.People != nil { // what people are shown is theirs, and there may be two answers at one address
			res.header["Cache-Control"] = []string{"private, no-store"}
			res.header["Vary"] = []string{"Accept, Cookie"}
		}
	}
	if c.op.area == forAccesses {
		c.charge.headers(res.header, c.Started)
		for _, header := range version.Ending() {
			res.header[header.Name] = []string{header.Value}
		}
	}
}

// StrictTransport makes a browser ask a host by https alone for a year (contract, "The platform's own host").
const StrictTransport = "max-age=31536000"

// KeepSecure gives an answer StrictTransport, if the platform is at https.
func (a *API) KeepSecure(h http.Header) {
	if strings.HasPrefix(a.BaseURL, "https://") {
		h["Strict-Transport-Security"] = []string{StrictTransport}
	}
}

// logged is a path as log lines and problems have it: without the secret of an operation's {secret}. A path that no
// operation answers may hold a secret, too: an order's page under another method, or with a slash too many. So the
// path's beginning alone decides. Anywhere else a secretRun is {…}, whatever it is, and what follows a ? is cut off:
// mail clients write the ? of a link as %3F, and its token is then a part of the path.
func (a *API) logged(p string) string {
	spelt := strings.ToLower(path.Clean("/" + p))
	for _, before := range a.secrets {
		if strings.HasPrefix(spelt, before) {
			return before + "{secret}"
		}
	}
	p, _, _ = strings.Cut(p, "?")
	return masked(p)
}

// masked is a text with {…} in the place of each secretRun. Most paths have none, and the expression is a tenth of a
// read's processor time: so it is asked only where a run is long enough.
func masked(text string) string {
	run := 0
	for i := 0; i < len(text) && run < secretLength; i++ {
		if run++; !inSecret(text[i]) {
			run = 0
		}
	}
	if run < secretLength && !strings.Contains(text, "whsec_") {
		return text
	}
	return secretRun.ReplaceAllString(text, hidden)
}

func inSecret(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
}

// secretRun is what may be a secret in a path: every token and link of the platform has 40 or more of these letters,
// and no path of an operation has, but for the slug of a storefront's page. A signing key may have a slash in its
// base64, so all behind its beginning goes. hidden stands in its place.
var secretRun = regexp.MustCompile(`whsec_.*|[A-Za-z0-9_-]{` + strconv.Itoa(secretLength) + `,}`)

const secretLength = 40

const hidden = "{…}"

// loggedOf is logged of a call's path. The slug of a page that was found is no secret, however long it is.
func (a *API) loggedOf(c *Call, status int) string {
	if status < 400 && c.op.slug {
		return c.r.URL.Path
	}
	return a.logged(c.r.URL.Path)
}

// instance is the call's path as a problem has it: logged, escaped.
func (c *Call) instance() string {
	parts := strings.Split(c.api.logged(c.r.URL.Path), hidden)
	for i, p := range parts {
		parts[i] = (&url.URL{Path: p}).EscapedPath()
	}
	if len(parts) == 1 && parts[0] == (&url.URL{Path: c.r.URL.Path}).EscapedPath() {
		return cut(c.r.URL.EscapedPath(), maxPath) // spelt as it was sent
	}
	return cut(strings.Join(parts, hidden), maxPath)
}

// log writes the one line that each request has. It names no token, key or body. It says nothing twice: request, the
// platform's own id, is there where requestId is the caller's, and access, developer or operator where the request has
// one.
func (a *API) log(c *Call, res *response, r *http.Request) {
	level := slog.LevelInfo
	switch {
	case res.status == http.StatusServiceUnavailable:
		level = slog.LevelWarn // why is an error's own line, or a bound's that strangers may reach
	case res.status >= 500:
		level = slog.LevelError
	}
	if !a.Log.Enabled(r.Context(), level) {
		return
	}
	line := append(make([]slog.Attr, 0, 8), slog.String("requestId", c.RequestID))
	if c.Request != c.RequestID {
		line = append(line, slog.String("request", c.Request))
	}
	line = append(line, slog.String("method", masked(r.Method)),
		slog.String("path", a.loggedOf(c, res.status)), slog.Int("status", res.status),
		slog.Duration("took", a.Now().Sub(c.Started)))
	if c.Access != "" {
		line = append(line, slog.String("access", c.Access))
	}
	if c.Developer != "" {
		line = append(line, slog.String("developer", c.Developer))
	}
	if c.Operator != "" {
		line = append(line, slog.String("operator", c.Operator))
	}
	a.Log.LogAttrs(r.Context(), level, "request", append(line, slog.Int("bytes", res.body.Len()))...)
}
