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

// fields of a JSON object.
type fields = map[string]any

// caller calls the platform's API with a token.
type caller struct{ url, token string }

var web = http.Client{Timeout: 30 * time.Second}

// ask makes a call and decodes its answer into out, if that is not nil. Any status but the wanted one is an error.
func (c caller) ask(ctx context.Context, want int, call string, body, out any) error {
	var method, path string
	fmt.Sscanf(call, "%s %s", &method, &path)
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := web.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	if got.StatusCode != want {
		return fmt.Errorf("%s was answered %d instead of %d: %.500s", call, got.StatusCode, want, b)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(b, out)
}
