package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"eshop/infra/local"
	secretfile "eshop/shared/ports/secret/file"
)

// client asks a platform's API with a token.
type client struct {
	url, token string
	http       http.Client
	at         time.Time // the platform's time, by its last answer
	request    string    // what is sent as X-Request-Id; "" nothing
	renew      string    // what to do about a token that is refused; "" nothing is said
	// again waits until a request that failed so can be made once more, after so many tries; nil: none is. A POST
	// that may be repeated has an Idempotency-Key.
	again func(ctx context.Context, failed error, tries int) bool
}

// connect makes a client of the platform that the flags or the environment name, else of a profile that is named, else
// of the platform that runs on this machine, which it finds by run.json, else of the usual profile. variable is the
// environment's name for the token.
//
// A token of run.json or of a profile is sent to that platform's address only. With another --url the caller must name
// a token, too.
func connect(opts options, variable string) (*client, error) {
	address := strings.TrimSuffix(cmp.Or(opts.url, opts.Getenv("ESHOP_URL")), "/")
	if address != "" && !isAddress(address) {
		return nil, fmt.Errorf("--url %q is no platform's address: it begins with http:// or https:// and has a host, "+
			"like http://127.0.0.1:8080", address)
	}
	login, named := "eshop login", cmp.Or(opts.profile, opts.Getenv("ESHOP_PROFILE"))
	if named != "" {
		login += " --profile " + named
	}
	token := cmp.Or(opts.token, opts.Getenv(variable))
	if address == "" || token == "" {
		known, err := opts.known()
		if err != nil && (address == "" || named != "") {
			return nil, err
		}
		if address = cmp.Or(address, known.URL); address == known.URL {
			token = cmp.Or(token, known.Tokens[variable])
		}
	}
	if token == "" {
		return nil, fmt.Errorf("%s needs a token of %s: set %s, or run %s", address, whose[variable], variable, login)
	}
	c := newClient(address, token)
	c.renew = fmt.Sprintf("set %s to a valid token of %s, or run %s", variable, whose[variable], login)
	return c, nil
}

// whose says in words of whom a token is, by its name in the environment.
var whose = map[string]string{ofAccess: "your access", ofDeveloper: "a developer", ofOperator: "the operator"}

// newClient is a client of the platform at an address.
func newClient(address, token string) *client {
	return &client{url: address, token: token, http: http.Client{Timeout: 30 * time.Second, CheckRedirect: stay}}
}

// known is the platform that nobody has to name: of the profile that is named, the one that runs here, or that of the
// usual profile. If there is none, it says why.
func (o options) known() (profile, error) {
	all, err := o.profiles()
	if err != nil {
		return profile{}, err
	}
	if name := cmp.Or(o.profile, o.Getenv("ESHOP_PROFILE")); name != "" {
		p, has := all[name]
		if !has {
			return p, fmt.Errorf("there is no profile %s: eshop login --profile %s makes it", name, name)
		}
		return p, nil
	}
	file := filepath.Join(cmp.Or(o.Getenv("DATA"), ".data"), "run.json")
	text, err := secretfile.Read(file)
	switch p, has := all[usual]; {
	case err != nil && has:
		return p, nil
	case errors.Is(err, fs.ErrNotExist):
		return p, fmt.Errorf("no platform runs here (%s): start one by eshop serve, or name one by --url, or by "+
			"a --profile that eshop login made", file)
	case err != nil:
		return p, fmt.Errorf("the platform that runs here cannot be asked: %w", plainly(err))
	}
	var run local.Run
	if err := json.Unmarshal(text, &run); err != nil {
		return profile{}, fmt.Errorf("%s is no file of a platform's: %w", file, err)
	}
	p := profile{URL: run.BaseURL, Tokens: map[string]string{ofOperator: run.OperatorToken}}
	if run.Demo != nil {
		p.Tokens[ofAccess] = run.Demo.Token
	}
	return p, nil
}

// stay follows no redirect: the token is for the platform that was named, and not for whomever it leads to.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// object is a JSON object.
type object = map[string]any

// ask calls the API and decodes the answer. An answer that is no success becomes an error that says what the platform
// has against the call.
func ask[T any](ctx context.Context, c *client, method, path string, body any) (answer T, err error) {
	var sent []byte
	if body != nil {
		if sent, err = json.Marshal(body); err != nil {
			return answer, err
		}
	}
	text, err := c.call(ctx, method, path, sent)
	if err != nil || len(text) == 0 {
		return answer, err
	}
	return answer, json.Unmarshal(text, &answer)
}

// call calls the API and returns the answer's body, also beside an error when the answer is no success.
func (c *client) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	return c.send(ctx, method, path, "application/json", body)
}

// send is call with a body of a type.
func (c *client) send(ctx context.Context, method, path, contentType string, body []byte) (text []byte, err error) {
	header := http.Header{}
	set := func(name, value string, is bool) {
		if is {
			header.Set(name, value)
		}
	}
	set("Authorization", "Bearer "+c.token, c.token != "")
	set("X-Request-Id", c.request, c.request != "")
	set("Content-Type", contentType, body != nil)
	set("Idempotency-Key", rand.Text(), c.again != nil && method == http.MethodPost)
	for tries := 0; ; tries++ {
		text, err = c.once(ctx, method, path, header, body)
		if err == nil || c.again == nil || !c.again(ctx, err, tries) {
			return text, err
		}
	}
}

// once makes a request once.
func (c *client) once(ctx context.Context, method, path string, header http.Header, body []byte) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		sent = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, sent)
	if err != nil {
		return nil, err
	}
	r.Header = header
	got, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreached(err)
	}
	defer got.Body.Close()
	if c.at, err = http.ParseTime(got.Header.Get("Date")); err != nil {
		c.at = time.Now()
	}
	// A platform's largest page is 4 MB.
	text, err := io.ReadAll(io.LimitReader(got.Body, 8<<20))
	if err == nil && got.StatusCode >= 300 {
		err = c.refused(got, text)
	}
	return text, err
}

// unreached says that no answer came, and why.
func (c *client) unreached(err error) error {
	if of, is := errors.AsType[*url.Error](err); is {
		err = of.Err // what was called is not of interest, but where
	}
	return fmt.Errorf("no platform answers at %s: %s", c.url, plainly(err))
}

// refused is the error of an answer that is no success: the address that it leads to, or its problem in words.
func (c *client) refused(got *http.Response, body []byte) error {
	if to := got.Header.Get("Location"); got.StatusCode < 400 && to != "" {
		return fmt.Errorf("%s leads to %s (%d), where the token is not sent: name the platform's own address by --url",
			c.url, to, got.StatusCode)
	}
	r := &refusal{status: got.StatusCode}
	_ = json.Unmarshal(body, r)                               // without a problem in it only the status is known
	seconds, _ := strconv.Atoi(got.Header.Get("Retry-After")) // one that has none is 0
	r.after = time.Duration(seconds) * time.Second
	if r.status == http.StatusUnauthorized && c.renew != "" {
		return fmt.Errorf("%s: %w", c.renew, r)
	}
	return r
}

// refusal is a problem that the platform has answered.
type refusal struct {
	status       int
	after        time.Duration // when it can be asked again; 0: it was not said
	Code, Detail string
	Errors       []struct{ Location, Message string }
}

// Error is the problem in a line, or, where there are several faults, each in a line of its own.
func (r *refusal) Error() string {
	if r.Code == "" {
		return fmt.Sprintf("%d %s", r.status, http.StatusText(r.status))
	}
	if len(r.Errors) < 2 {
		return fmt.Sprintf("%d %s: %s", r.status, r.Code, r.Detail)
	}
	all := fmt.Sprintf("%d %s:", r.status, r.Code)
	for _, f := range r.Errors {
		all += "\n  " + f.Location + " " + f.Message
	}
	return all
}

// unlessThere is an error in these words, where it says that what was asked for is not there.
func unlessThere(err error, words string) error {
	if refused, is := errors.AsType[*refusal](err); is && refused.status == http.StatusNotFound {
		return errors.New(words)
	}
	return err
}

// page is a page of a collection.
type page[T any] struct {
	Items      []T
	NextCursor string
}

// list is a whole collection, asked for page by page. The path has a query.
func list[T any](ctx context.Context, c *client, path string) (all []T, err error) {
	err = walk(ctx, c, path, func(items []T) error { all = append(all, items...); return nil })
	return all, err
}

// walk hands on a collection page by page, until each says that it is an error.
func walk[T any](ctx context.Context, c *client, path string, each func([]T) error) error {
	for next := path; ; {
		got, err := ask[page[T]](ctx, c, "GET", next, nil)
		if err == nil {
			err = each(got.Items)
		}
		if err != nil || got.NextCursor == "" {
			return err
		}
		next = path + "&cursor=" + url.QueryEscape(got.NextCursor)
	}
}
