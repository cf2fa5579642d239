package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"eshop/infra/local"
	secretfile "eshop/shared/secret/file"
)

// client asks a platform's API with a token.
type client struct {
	url, token string
	http       http.Client
	at         time.Time // the platform's time, by its last answer
}

// connect makes a client of the platform that the options or the environment name, or else of the one that runs on this
// machine, which it finds by run.json. variable is the environment's name for the token.
//
// A token of run.json is sent to that platform's address only. With another --url the caller must name a token, too.
func connect(o options, variable string) (*client, error) {
	address := cmp.Or(o.url, o.Getenv("ESHOP_URL"))
	if address != "" && !isAddress(address) {
		return nil, fmt.Errorf("--url %q is no platform's address: it begins with http:// or https:// and has a host, "+
			"like http://127.0.0.1:8080", address)
	}
	c := &client{url: strings.TrimSuffix(address, "/"), token: cmp.Or(o.token, o.Getenv(variable)),
		http: http.Client{Timeout: 30 * time.Second, CheckRedirect: stay}}
	if c.url != "" && c.token != "" {
		return c, nil
	}
	file := filepath.Join(cmp.Or(o.Getenv("DATA"), ".data"), "run.json")
	text, err := secretfile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("no platform runs here (%s): start one with make run, or name one by --url and a "+
			"token by %s", file, variable)
	}
	var run local.Run
	if err := json.Unmarshal(text, &run); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if c.url == "" {
		c.url = run.BaseURL
	}
	switch {
	case c.token != "" || c.url != run.BaseURL:
	case variable == ofOperator:
		c.token = run.OperatorToken
	case run.Demo != nil:
		c.token = run.Demo.Token
	}
	if c.token == "" {
		return nil, errors.New("a token is needed: set " + variable)
	}
	return c, nil
}

// stay follows no redirect: the token is for the platform that was named, and not for whomever it leads to.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// object is a JSON object.
type object = map[string]any

// ask calls the API and decodes the answer. An answer that is no success becomes an error that says what the platform
// has against the call.
func ask[T any](ctx context.Context, c *client, method, path string, body any) (answer T, err error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return answer, err
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, sent)
	if err != nil {
		return answer, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := c.http.Do(r)
	if err != nil {
		return answer, c.unreached(err)
	}
	defer got.Body.Close()
	if c.at, err = http.ParseTime(got.Header.Get("Date")); err != nil {
		c.at = time.Now()
	}
	// A platform's largest page is 4 MB.
	text, err := io.ReadAll(io.LimitReader(got.Body, 8<<20))
	if err != nil {
		return answer, err
	}
	if got.StatusCode >= 300 {
		return answer, c.refused(got, text)
	}
	if len(text) == 0 {
		return answer, nil
	}
	return answer, json.Unmarshal(text, &answer)
}

// unreached says that no answer came, and why.
func (c *client) unreached(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err // what was called is not of interest, but where
	}
	return fmt.Errorf("no platform answers at %s: %w", c.url, err)
}

// refused is the error of an answer that is no success: the address that it leads to, or its problem in words.
func (c *client) refused(got *http.Response, body []byte) error {
	if to := got.Header.Get("Location"); got.StatusCode < 400 && to != "" {
		return fmt.Errorf("%s leads to %s (%d), where the token is not sent: name the platform's own address by --url",
			c.url, to, got.StatusCode)
	}
	return refusalOf(got.StatusCode, body)
}

// refusal is a problem that the platform has answered.
type refusal struct {
	status       int
	Code, Detail string
	Errors       []struct{ Location, Message string }
}

// refusalOf is the problem in an answer's body. A body that holds none leaves the status alone.
func refusalOf(status int, body []byte) *refusal {
	r := &refusal{status: status}
	_ = json.Unmarshal(body, r)
	return r
}

// Error is the problem in a line, or, where there are several faults, each in a line of its own.
func (r *refusal) Error() string {
	if len(r.Errors) < 2 {
		return fmt.Sprintf("%d %s: %s", r.status, r.Code, r.Detail)
	}
	all := fmt.Sprintf("%d %s:", r.status, r.Code)
	for _, f := range r.Errors {
		all += "\n  " + f.Location + " " + f.Message
	}
	return all
}

// page is a page of a collection.
type page[T any] struct {
	Items      []T
	NextCursor string
}
