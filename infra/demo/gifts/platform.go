package gifts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"time"
)

// fields is an object of JSON.
type fields = map[string]any

// Refusal is an answer of the platform that is no success. Code is stable: /docs/errors explains each. Detail says what
// is wrong, and by RequestID the platform's people find the request.
type Refusal struct {
	Status                  int
	Code, Detail, RequestID string
}

// Error passes on what the platform says.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the platform refuses: %d %s: %s (request %s)", r.Status, r.Code, r.Detail, r.RequestID)
}

var client = http.Client{Timeout: 8 * time.Second}

// call calls the platform's API and decodes the answer. Without a token it calls as nobody. A body of nil is none.
func call[T any](ctx context.Context, token, method, address string, body any) (answer T, err error) {
	if body == nil {
		return send[T](ctx, token, method, address, "", nil)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return answer, err
	}
	return send[T](ctx, token, method, address, "application/json", text)
}

// upload sends a picture to the platform's API, as a form's file.
func upload[T any](ctx context.Context, token, address string, picture []byte) (answer T, err error) {
	var sent bytes.Buffer
	form := multipart.NewWriter(&sent)
	file, err := form.CreateFormFile("file", "label.png")
	if err != nil {
		return answer, err
	}
	if _, err := file.Write(picture); err != nil {
		return answer, err
	}
	if err := form.Close(); err != nil {
		return answer, err
	}
	return send[T](ctx, token, http.MethodPost, address, form.FormDataContentType(), sent.Bytes())
}

// send makes one request.
func send[T any](ctx context.Context, token, method, address, kind string, body []byte) (answer T, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	r.Header.Set("Api-Version", "2026-11-01") // what this program was written for
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
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
		refused := &Refusal{}
		_ = json.Unmarshal(text, refused) // what is no problem has no code
		refused.Status = got.StatusCode
		return answer, refused
	}
	return answer, json.Unmarshal(text, &answer)
}
