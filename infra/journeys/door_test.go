package journeys

import (
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	awsevents "github.com/aws/aws-lambda-go/events"

	"eshop/shared/host"
)

// door is an API Gateway HTTP API: it finds the function by the first segments of the path, makes the event (payload
// format 2.0) and answers what the function does.
type door struct {
	url    string
	routes map[string]httpFunction
	rest   httpFunction // of $default
}

// httpFunction is a Lambda behind the door.
type httpFunction func(context.Context, awsevents.APIGatewayV2HTTPRequest) (awsevents.APIGatewayV2HTTPResponse, error)

func newDoor(t *testing.T) *door {
	d := &door{routes: map[string]httpFunction{}}
	s := httptest.NewServer(d)
	t.Cleanup(s.Close)
	d.url = s.URL
	return d
}

// open leads the function's routes, and all below them, to it.
func (d *door) open(f host.Function, call httpFunction) {
	call = throughJSON(call)
	for _, r := range f.Routes() {
		d.routes[r] = call
	}
	if f.CatchAll {
		d.rest = call
	}
}

// route is the longest route that leads to the path.
func (d *door) route(path string) (httpFunction, string) {
	for at := strings.TrimSuffix(path, "/"); at != ""; at = at[:strings.LastIndexByte(at, '/')] {
		if f, there := d.routes[at]; there {
			return f, "ANY " + at
		}
	}
	if f, there := d.routes["/"]; there && path == "/" {
		return f, "ANY /"
	}
	return d.rest, "$default"
}

// integration is how long the door waits for a function.
const integration = 30 * time.Second

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10<<20))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge)
		return
	}
	f, key := d.route(r.URL.Path)
	// a Lambda does not hear its caller hang up
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), integration)
	defer cancel()
	out, err := f(ctx, event(r, body, key))
	if err != nil {
		refuse(w, http.StatusInternalServerError)
		return
	}
	reply(w, out)
}

// refuse is the door's own error.
func refuse(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"message":"`+http.StatusText(status)+`"}`)
}

// event is the request as a function gets it: header names in lower case, several of one joined, cookies apart, a body
// that is no text in base64, the path decoded.
func event(r *http.Request, body []byte, route string) awsevents.APIGatewayV2HTTPRequest {
	e := awsevents.APIGatewayV2HTTPRequest{Version: "2.0", RouteKey: route, RawPath: r.URL.Path,
		RawQueryString: r.URL.RawQuery,
		Headers:        map[string]string{"host": r.Host}, Body: string(body)}
	for name, values := range r.Header {
		if name == "Cookie" {
			e.Cookies = strings.Split(strings.Join(values, "; "), "; ")
			continue
		}
		e.Headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	if !utf8.Valid(body) {
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	source, _, _ := net.SplitHostPort(r.RemoteAddr)
	e.RequestContext = awsevents.APIGatewayV2HTTPRequestContext{RouteKey: route, Stage: "$default", DomainName: r.Host,
		TimeEpoch: time.Now().UnixMilli(),
		HTTP: awsevents.APIGatewayV2HTTPRequestContextHTTPDescription{Method: r.Method, Path: r.URL.Path,
			Protocol: r.Proto, SourceIP: source, UserAgent: r.UserAgent()}}
	return e
}

// reply is the function's answer to the caller.
func reply(w http.ResponseWriter, out awsevents.APIGatewayV2HTTPResponse) {
	body := []byte(out.Body)
	if out.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(out.Body); err != nil {
			refuse(w, http.StatusInternalServerError)
			return
		}
	}
	for name, value := range out.Headers {
		w.Header().Set(name, value)
	}
	for _, c := range out.Cookies {
		w.Header().Add("Set-Cookie", c)
	}
	w.WriteHeader(out.StatusCode)
	_, _ = w.Write(body) // a caller that is gone
}
