package lambda

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"eshop/shared/api"
	"eshop/shared/base/guard"
)

// HTTP serves the events of an API Gateway HTTP API (payload format 2.0) with a handler of net/http. It never answers
// with an error: a handler's panic is logged and becomes a 500, with nothing of the panic in it.
func HTTP(h http.Handler) func(
	context.Context, events.APIGatewayV2HTTPRequest,
) (events.APIGatewayV2HTTPResponse, error) {
	return func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		a := &answer{header: http.Header{}}
		r, err := request(ctx, e)
		if err != nil {
			a.problem(http.StatusBadRequest, "malformed_json", "The body cannot be read.")
			return a.response(), nil
		}
		a.serve(h, r)
		return a.response(), nil
	}
}

// request is the event as net/http would have read it.
func request(ctx context.Context, event events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	body, err := bodyOf(event)
	if err != nil {
		return nil, err
	}
	u := &url.URL{Path: pathOf(event), RawQuery: event.RawQueryString}
	r := &http.Request{
		Method: event.RequestContext.HTTP.Method, URL: u, RequestURI: u.RequestURI(), Header: headersOf(event),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody, ContentLength: int64(len(body)),
		Host: event.RequestContext.DomainName, RemoteAddr: net.JoinHostPort(event.RequestContext.HTTP.SourceIP, "0"),
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	r.Header.Del("Host") // as net/http has it
	if len(body) > 0 {
		r.Body = readCloser{bytes.NewReader(body)}
	}
	return r.WithContext(ctx), nil
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// pathOf is the path without the stage, which a named stage puts in front. HTTP APIs decode rawPath, in spite of its
// name, so it is not decoded again.
func pathOf(e events.APIGatewayV2HTTPRequest) string {
	path := e.RawPath
	if stage := e.RequestContext.Stage; stage != "" && stage != "$default" {
		// Only a whole segment is the stage: "/prod" of "/products" is none.
		if rest, cut := strings.CutPrefix(path, "/"+stage); cut && (rest == "" || rest[0] == '/') {
			path = rest
		}
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

// headersOf keeps each header as one value, as it came. The front door has joined several of one name by commas, which
// cannot be told from a comma in a value. So two Authorization headers come as one that is no good token.
func headersOf(e events.APIGatewayV2HTTPRequest) http.Header {
	h := make(http.Header, len(e.Headers)+1)
	for name, value := range e.Headers {
		h[http.CanonicalHeaderKey(name)] = []string{value}
	}
	if len(e.Cookies) > 0 {
		h["Cookie"] = []string{strings.Join(e.Cookies, "; ")}
	}
	return h
}

// bodyOf is the request's body. API Gateway hands it over as text, or as base64 if it is none.
func bodyOf(e events.APIGatewayV2HTTPRequest) ([]byte, error) {
	if e.IsBase64Encoded {
		return base64.StdEncoding.DecodeString(e.Body)
	}
	return []byte(e.Body), nil
}

// answer is the http.ResponseWriter that keeps what a handler answers.
type answer struct {
	header http.Header
	sent   http.Header // the header as it was when the status was written
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

// WriteHeader sets the status, the first time that it is called. An informational status (1xx) is passed over: Lambda
// answers once.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 { // a 1xx cannot be sent ahead of the answer here
		a.status, a.sent = status, a.header.Clone()
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// serve runs the handler, whose panic becomes a 500.
func (a *answer) serve(h http.Handler, r *http.Request) {
	if guard.Do(r.Context(), func() error { h.ServeHTTP(a, r); return nil }) != nil {
		a.problem(http.StatusInternalServerError, "internal", "Something went wrong here.")
	}
	a.WriteHeader(http.StatusOK)
}

// problem replaces whatever the answer was.
func (a *answer) problem(status int, code, detail string) {
	// A half-written answer of the handler must not show through.
	a.header, a.status = http.Header{}, 0
	a.body.Reset()
	writeProblem(a, status, code, detail)
}

// writeProblem answers with a problem of which nothing needs to be escaped.
func writeProblem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Strict-Transport-Security", api.StrictTransport) // AWS has no other way here than https
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"type":"about:blank","title":"`+http.StatusText(status)+`","status":`+
		strconv.Itoa(status)+`,"code":"`+code+`","detail":"`+detail+`"}`)
}

// response is the answer as API Gateway takes it: cookies apart, several values of any other header joined by commas,
// and a body that is not UTF-8 (like every compressed one) in base64.
func (a *answer) response() events.APIGatewayV2HTTPResponse {
	out := events.APIGatewayV2HTTPResponse{
		StatusCode: a.status, Headers: make(map[string]string, len(a.sent)), Cookies: a.sent["Set-Cookie"],
	}
	for name, values := range a.sent {
		if name != "Set-Cookie" {
			out.Headers[name] = strings.Join(values, ", ")
		}
	}
	if b := a.body.Bytes(); utf8.Valid(b) {
		out.Body = string(b)
	} else {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(b), true
	}
	return out
}
