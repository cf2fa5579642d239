package hosttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Object is a JSON object.
type Object = map[string]any

// AuthenticateByText is an authentication by tokens that say what they may do: a shop, and behind it the permissions of
// an access to it, a space before each. A token without any has them all, one with "nothing" none; an empty one is
// nobody's.
func AuthenticateByText(_ context.Context, token string) (*change.Caller, error) {
	shop, may, some := strings.Cut(token, " ")
	if shop == "" {
		return nil, change.ErrUnauthenticated
	}
	caller := &change.Caller{Access: token, Shop: shop, Website: "https://" + strings.ToLower(shop) + ".example",
		Locale: "cs_CZ", Currency: "CZK", Active: true,
		Permissions: permission.All, Limits: limit.Max, Version: events.APIVersion}
	if some {
		caller.Permissions = nil
		for _, p := range strings.Fields(may) {
			caller.Permissions = append(caller.Permissions, permission.Permission(p))
		}
	}
	return caller, nil
}

// authenticateDeveloper knows one developer.
func authenticateDeveloper(_ context.Context, token string) (*change.Caller, error) {
	if token != DeveloperToken {
		return nil, change.ErrUnauthenticated
	}
	return &change.Caller{Developer: "01KYFXV0000000000000000DEV"}, nil
}

// Request is one with a token. body is text or what becomes JSON, nothing when it is nil or ""; headers are names and
// values in turn.
func (w *World) Request(token, method, path string, body any, headers ...string) *http.Request {
	text, is := body.(string)
	if !is && body != nil {
		b, err := json.Marshal(body)
		require.NoError(w.T, err)
		text = string(b)
	}
	r := httptest.NewRequest(method, strings.ReplaceAll(path, " ", "%20"), strings.NewReader(text))
	r.Header.Set("Authorization", "Bearer "+token)
	if text != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// Form is a POST of multipart/form-data with a file, and with texts, names and values in turn.
func (w *World) Form(token, path string, file []byte, texts ...string) *http.Request {
	w.T.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "a name")
	require.NoError(w.T, err)
	_, _ = part.Write(file)
	for i := 0; i < len(texts); i += 2 {
		require.NoError(w.T, form.WriteField(texts[i], texts[i+1]))
	}
	require.NoError(w.T, form.Close())
	return w.Request(token, http.MethodPost, path, b.String(), "Content-Type", form.FormDataContentType())
}

// Serve is the answer to a request. It may be called for many at a time.
func (w *World) Serve(r *http.Request) Answer {
	w.T.Helper()
	ctx, m := store.WithMeter(r.Context())
	rec := httptest.NewRecorder()
	w.API.ServeHTTP(rec, r.WithContext(ctx))
	w.mu.Lock()
	w.meter = m
	w.mu.Unlock()
	a := Answer{T: w.T, Status: rec.Code, Header: rec.Header(), Text: rec.Body.String()}
	if a.Text != "" && strings.Contains(rec.Header().Get("Content-Type"), "json") {
		err := json.Unmarshal(rec.Body.Bytes(), &a.Body)
		if _, huge := errors.AsType[*json.UnmarshalTypeError](err); !huge { // a fault repeats any number that was sent
			require.NoError(w.T, err, a.Text)
		}
	}
	return a
}

// As is the answer to a request with a token: Request says how it is made.
func (w *World) As(token, method, path string, body any, headers ...string) Answer {
	w.T.Helper()
	return w.Serve(w.Request(token, method, path, body, headers...))
}

// Next is As, a second after the call before, whose changes are new no more.
func (w *World) Next(token, method, path string, body any, headers ...string) Answer {
	w.T.Helper()
	w.Clock.Pass(time.Second)
	w.Main.NewChanges()
	return w.As(token, method, path, body, headers...)
}

// Refused wants a problem of that status and code, and no new change.
func (w *World) Refused(a Answer, status int, code string) {
	w.T.Helper()
	a.Is(status, code)
	require.Empty(w.T, w.Main.Changes())
}

// Fault wants a 422 with just this fault, and no new change.
func (w *World) Fault(a Answer, location, code string) {
	w.T.Helper()
	a.Fault(location, code)
	require.Empty(w.T, w.Main.Changes())
}

// Together makes n calls at the same time.
func Together(n int, call func(i int) Answer) []Answer {
	answers := make([]Answer, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { answers[i] = call(i) })
	}
	group.Wait()
	return answers
}

// Statuses are how many of the answers have which status.
func Statuses(answers []Answer) map[int]int {
	n := map[int]int{}
	for _, a := range answers {
		n[a.Status]++
	}
	return n
}
