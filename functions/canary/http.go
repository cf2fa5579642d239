package canary

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// patience is how long one request may take, with its answer.
const patience = 10 * time.Second

// maxAnswer is how many bytes of an answer are read: more than any of these has.
const maxAnswer = 1 << 20

// fields of a JSON object.
type fields = map[string]any

// ask asks the API with the run's token, once. The answer is decoded into out, if that is not nil.
func (v *visit) ask(ctx context.Context, call string, body, out any, header ...string) error {
	method, path, _ := strings.Cut(call, " ")
	answer, err := v.do(ctx, method+" "+v.BaseURL+path, body,
		append(header, "Authorization", "Bearer "+v.token.Text)...)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// do makes a request as everybody does. Any status but 2xx is an error, which has nothing of what was sent. No
// connection is kept: the next run must see what a new caller sees, and on AWS the process is frozen between runs.
func (v *visit) do(ctx context.Context, call string, body any, header ...string) ([]byte, error) {
	method, address, _ := strings.Cut(call, " ")
	through := v.Outside
	if through == nil {
		fresh := http.DefaultTransport.(*http.Transport).Clone()
		fresh.DisableKeepAlives = true
		through = fresh
	}
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent, header = bytes.NewReader(b), append(header, "Content-Type", "application/json")
	}
	r, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{Transport: through, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("the answer to %s %s broke off: %w", method, r.URL.Path, err)
	}
	if got.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s %s was answered %d%s", method, r.URL.Path, got.StatusCode, problemOf(got, answer))
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
