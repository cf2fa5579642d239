package canary

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"time"
)

// patience is how long one request may take, with its answer.
const patience = 10 * time.Second

// maxAnswer is how many bytes of an answer are read: more than any of these has.
const maxAnswer = 1 << 20

// fields of a JSON object.
type fields = map[string]any

// program asks the API with the canary's token.
func (v *visit) program() asker {
	return asker{http: v.client(nil), header: http.Header{"Authorization": {"Bearer " + v.own.Token}}}
}

// client calls the platform as everybody does. No connection is kept: the next run must see what a new caller sees, and
// on AWS the process is frozen between runs.
func (r *runner) client(cookies http.CookieJar) *http.Client {
	through := r.Outside
	if through == nil {
		fresh := http.DefaultTransport.(*http.Transport).Clone()
		fresh.DisableKeepAlives = true
		through = fresh
	}
	return &http.Client{Transport: through, Timeout: patience, Jar: cookies,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// shopper is a visitor of the storefront whom nobody knows yet.
func (v *visit) shopper() asker {
	cookies, _ := cookiejar.New(nil) // it never fails
	return asker{http: v.client(cookies), header: http.Header{}}
}

// asker asks the platform.
type asker struct {
	http   *http.Client
	header http.Header
}

// ask makes a call, a method and an address, once. Any status but the wanted one is an error, which has nothing of what
// was sent. The answer is decoded into out, if that is not nil.
func (a asker) ask(ctx context.Context, want int, call string, body, out any) error {
	answer, err := a.do(ctx, want, call, body)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// do is ask with the answer as it came.
func (a asker) do(ctx context.Context, want int, call string, body any) ([]byte, error) {
	method, address, _ := strings.Cut(call, " ")
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return nil, err
	}
	r.Header = a.header.Clone()
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := a.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("the answer to %s %s broke off: %w", method, r.URL.Path, err)
	}
	if got.StatusCode != want {
		return nil, fmt.Errorf("%s %s was answered %d instead of %d%s", method, r.URL.Path, got.StatusCode, want,
			problemOf(got, answer))
	}
	return answer, nil
}

// problemOf is what is to be said of a problem: its code, and the id by which the request is in the platform's log.
func problemOf(got *http.Response, answer []byte) string {
	var p struct{ Code string }
	if json.Unmarshal(answer, &p) != nil || p.Code == "" {
		return ""
	}
	return fmt.Sprintf(" (%s, requestId %s)", p.Code, got.Header.Get("X-Request-Id"))
}
