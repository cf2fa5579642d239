package configurator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
)

// Platform is the e-shop platform's API, called with the add-on's token.
type Platform struct {
	BaseURL string // without a slash at its end
	Token   string
	HTTP    *http.Client
}

// Refusal is an answer of the platform that is no success, as its problem says it (RFC 9457).
type Refusal struct {
	Status     int
	Code       string `json:"code"`
	RetryAfter string `json:"-"` // seconds; "" when the platform does not say
}

// Error names the status and the code, for the add-on's log.
func (r *Refusal) Error() string { return fmt.Sprintf("the platform refuses: %d %s", r.Status, r.Code) }

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 4 << 20

// call sends a body as JSON (nil: none), and reads the answer into `into` (nil: it is not read). An answer that is no
// success is a *Refusal.
func (p Platform) call(ctx context.Context, method, path string, body, into any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	return p.send(ctx, method, path, "application/json", &sent, into)
}

// upload sends a PNG as a form's file.
func (p Platform) upload(ctx context.Context, path string, picture []byte, into any) error {
	var sent bytes.Buffer
	form := multipart.NewWriter(&sent)
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="label.png"`}, "Content-Type": {"image/png"}})
	if err != nil {
		return err
	}
	if _, err := part.Write(picture); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	return p.send(ctx, http.MethodPost, path, form.FormDataContentType(), &sent, into)
}

// send makes one request with the token and the API version that this program was written for. It retries nothing: a
// shopper asks again.
func (p Platform) send(ctx context.Context, method, path, contentType string, body *bytes.Buffer, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, p.BaseURL+path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.Token)
	r.Header.Set("Api-Version", "2026-11-01") // what this program was written for
	if body.Len() > 0 {
		r.Header.Set("Content-Type", contentType)
	}
	answer, err := p.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		refused := &Refusal{RetryAfter: answer.Header.Get("Retry-After")}
		_ = json.Unmarshal(b, refused) // what is no problem has no code
		refused.Status = answer.StatusCode
		return refused
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(b, into)
}
