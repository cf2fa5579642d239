package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	library "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// fields of a JSON object.
type fields = map[string]any

// caller calls the platform's API with a token.
type caller struct{ url, token string }

var web = http.Client{Timeout: 30 * time.Second}

// ask makes a call and decodes its answer into out, if that is not nil. Any status but the wanted one is an error.
func (c caller) ask(ctx context.Context, want int, call string, body, out any) error {
	method, path, _ := strings.Cut(call, " ")
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, &sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
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

// customer makes a customer of the shop and waits for the webhook about it.
func (d *day) customer(ctx context.Context) error {
	var made struct{ ID string }
	if err := d.addon.ask(ctx, 201, "POST /api-engine/customers", fields{"firstName": "Jana", "lastName": "Nováková",
		"email": fmt.Sprintf("jana.%d@shop.example", time.Now().UnixNano())}, &made); err != nil {
		return err
	}
	return d.hear(ctx, "customerCreate", made.ID)
}

// hear waits for a webhook of the event about a record, and holds its signature against the access's key, as an add-on
// does with a Standard Webhooks library. It forgets what else comes: each step hears what it has made.
func (d *day) hear(ctx context.Context, event, about string) error {
	key, err := library.NewWebhook(d.key)
	if err != nil {
		return err
	}
	return eventually(ctx, func() (string, error) {
		missing := "the webhook " + event + " about " + about
		text, err := message(ctx, d.heard)
		if text == "" {
			return missing, err
		}
		var heard struct {
			Headers map[string]string
			Body    string
		}
		if err := json.Unmarshal([]byte(text), &heard); err != nil {
			return "", err
		}
		headers := http.Header{}
		for name, value := range heard.Headers {
			headers.Set(name, value)
		}
		if headers.Get("X-Webhook-Event") != event || !strings.Contains(heard.Body, about) {
			return missing, nil
		}
		return "", key.Verify([]byte(heard.Body), headers)
	})
}
