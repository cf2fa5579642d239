package api

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"strings"

	"eshop/shared/problem"
)

// readBody reads the body of an operation that takes one: 413 above its size, 415 unless it is JSON, or a form where
// there is a file in it, 400 unless the JSON is what RFC 8259 and the contract allow. raw is the body as it came (of a
// form what its parts were), value as decode reads it.
func (a *API) readBody(ctx context.Context, o *operation, r *http.Request) (raw []byte, value any, err error) {
	if o.input.body == nil {
		return nil, nil, nil
	}
	if o.input.form {
		return o.readForm(r, resolve(a.schemas(), o.input.schema))
	}
	if raw, err = o.sized(r); err != nil {
		return nil, nil, err
	}
	switch {
	case len(raw) == 0 && o.input.bodiless:
		raw = []byte("{}")
	case len(raw) > 0 && !o.takes(r.Header.Get("Content-Type")):
		also := ""
		if o.method == http.MethodPatch {
			also = " or application/merge-patch+json"
		}
		return nil, nil, &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as application/json" + also + "."}
	}
	if value, err = decode(ctx, a.schemas(), o.input.schema, raw); err == nil {
		err = ctx.Err() // nobody waits for an answer
	}
	return raw, value, err
}

// believed is how many bytes of a declared length are made room for before they come: most bodies are shorter, and one
// that is announced and held back takes no more.
const believed = 4 << 10

// sized is the body, 413 when it is larger than the operation takes. Its room grows with what comes.
func (o *operation) sized(r *http.Request) ([]byte, error) {
	if r.ContentLength > o.MaxBody {
		return nil, bodyTooLarge()
	}
	var b bytes.Buffer
	b.Grow(int(min(r.ContentLength, believed)) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(r.Body, o.MaxBody+1))
	if err != nil {
		return nil, &problem.Problem{Status: http.StatusBadRequest, Code: "malformed_json",
			Detail: "The body ended before it was complete."}
	}
	if n > o.MaxBody {
		return nil, bodyTooLarge()
	}
	return b.Bytes(), nil
}

func bodyTooLarge() *problem.Problem {
	return &problem.Problem{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large",
		Detail: "The body is larger than this operation takes (1 MiB unless its documentation says otherwise)."}
}

func (o *operation) takes(contentType string) bool {
	t, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if charset, has := params["charset"]; has && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return t == "application/json" || t == "application/merge-patch+json" && o.method == http.MethodPatch
}
