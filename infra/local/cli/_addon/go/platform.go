package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// fields is an object of JSON.
type fields = map[string]any

// refusal is an answer of the platform that is no success. Code is stable: /docs/errors explains each. Detail says what
// is wrong, and by RequestID the platform's people find the request.
type refusal struct {
	Status                  int
	Code, Detail, RequestID string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the platform refuses: %d %s: %s (request %s)", r.Status, r.Code, r.Detail, r.RequestID)
}

var client = http.Client{Timeout: 8 * time.Second}

// call calls the platform's API and decodes the answer. Without a token it calls as nobody. A body of nil is none.
func call[T any](ctx context.Context, token, method, address string, body any) (answer T, err error) {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return answer, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, address, &sent)
	if err != nil {
		return answer, err
	}
	r.Header.Set("Api-Version", "2026-11-01") // what this program was written for
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := client.Do(r)
	if err != nil {
		return answer, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(io.LimitReader(got.Body, 8<<20))
	if err != nil {
		return answer, err
	}
	if got.StatusCode >= 300 {
		refused := &refusal{}
		_ = json.Unmarshal(text, refused) // what is no problem has no code
		refused.Status = got.StatusCode
		return answer, refused
	}
	return answer, json.Unmarshal(text, &answer)
}
