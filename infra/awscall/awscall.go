// Package awscall calls services of AWS by their own HTTP interfaces, for the small programs of the stack: their SDKs
// would be more than all else in these programs.
//
// It tries again what a service refuses for a while: a right that is granted but not known everywhere yet, too many
// calls at once, a fault of the service. So all calls must be such that doing them twice does no harm.
package awscall

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Patience is how long after its first try a call is tried again, when the caller's context does not end before that.
const Patience = time.Minute

// The pauses between tries double from the first one to the longest.
const (
	firstPause   = time.Second
	longestPause = 8 * time.Second
)

// Caller calls services with the credentials of its configuration.
type Caller struct {
	Config aws.Config
	Now    func() time.Time
	Pause  func(ctx context.Context, d time.Duration) error // waits; its error is ctx's
}

// New is a caller by the wall clock.
func New(cfg aws.Config) Caller {
	return Caller{Config: cfg, Now: time.Now, Pause: func(ctx context.Context, d time.Duration) error {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			return nil
		}
	}}
}

// Request is a call of a service. Path has the query, too.
type Request struct {
	Service, Method, Path string
	Header                http.Header
	Body                  []byte
}

// Refusal is an answer that is not 2xx.
type Refusal struct {
	Service string
	Status  int
	Type    string // how the service calls it, "ThrottlingException"; "" where it does not say
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("%s answers %d %s", r.Service, r.Status, r.Type) }

// passes says whether the same call may be answered well a little later. Services that speak JSON alone answer all
// refusals with 400, and only their names tell them apart.
func (r *Refusal) passes() bool {
	if r.Status == http.StatusForbidden || r.Status == http.StatusTooManyRequests || r.Status >= 500 {
		return true
	}
	for _, name := range []string{"AccessDenied", "Throttl", "TooManyRequests", "RequestLimitExceeded", "Unavailable"} {
		if strings.Contains(r.Type, name) {
			return true
		}
	}
	return false
}

// Do makes the call and returns the answer with its header. A refusal that does not pass within Patience, or by no
// waiting, is a *Refusal.
func (c Caller) Do(ctx context.Context, r Request) ([]byte, http.Header, error) {
	last := c.Now().Add(Patience)
	if end, is := ctx.Deadline(); is && end.Before(last) {
		last = end
	}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		answer, header, again, err := c.once(ctx, r)
		if err == nil || !again || ctx.Err() != nil || c.Now().Add(pause).After(last) {
			return answer, header, err
		}
		slog.WarnContext(ctx, "a service of AWS did not answer well and is asked again", "service", r.Service,
			"error", err, "in", pause.String())
		if c.Pause(ctx, pause) != nil {
			return nil, nil, err
		}
	}
}

// mostBytes is how much of an answer is read: Lambda's own bound.
const mostBytes = 6 << 20

// once makes the call once. again says whether an error may pass.
func (c Caller) once(ctx context.Context, r Request) (answer []byte, header http.Header, again bool, err error) {
	base := "https://" + r.Service + "." + c.Config.Region + ".amazonaws.com"
	if c.Config.BaseEndpoint != nil {
		base = *c.Config.BaseEndpoint
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, nil, false, err
	}
	if r.Header != nil {
		request.Header = r.Header.Clone()
	}
	keys, err := c.Config.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, nil, false, err
	}
	sum := sha256.Sum256(r.Body)
	if err := v4.NewSigner().SignHTTP(ctx, keys, request, hex.EncodeToString(sum[:]), r.Service, c.Config.Region,
		c.Now()); err != nil {
		return nil, nil, false, err
	}
	w, err := c.Config.HTTPClient.Do(request)
	if err != nil {
		return nil, nil, true, err
	}
	defer w.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(w.Body, mostBytes))
	if err != nil {
		return nil, nil, true, err
	}
	if w.StatusCode/100 != 2 {
		refusal := &Refusal{r.Service, w.StatusCode, kind(w.Header, answer)}
		return nil, nil, refusal.passes(), refusal
	}
	return answer, w.Header, false, nil
}

// kind is how a service calls a refusal: in a header, or as __type of the answer.
func kind(header http.Header, answer []byte) string {
	if named := header.Get("X-Amzn-Errortype"); named != "" {
		return named
	}
	var is struct {
		Type string `json:"__type"`
	}
	_ = json.Unmarshal(answer, &is) // what is no JSON does not say
	return is.Type
}
