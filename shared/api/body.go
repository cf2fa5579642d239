package api

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"eshop/shared/problem"

	"github.com/danielgtaylor/huma/v2"
	fast "github.com/go-json-experiment/json/v1"
)

// formats is how huma reads and writes bodies: what it reads has passed decode already. It is read as encoding/json does, in a
// third of the time where types within types read themselves.
var formats = map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat}

var jsonFormat = huma.Format{Marshal: writeJSON, Unmarshal: unmarshal}

// unmarshal reads JSON into v, which has the defaults of its type (Defaults) where the JSON says nothing.
func unmarshal(b []byte, v any) error {
	if d, has := v.(interface{ Defaults() }); has {
		d.Defaults()
	}
	return fast.Unmarshal(b, v)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// sent is a body that was read.
type sent struct {
	raw   []byte // as it came: what an Idempotency-Key is compared by
	plain []byte // what the operation reads: raw, with its whole numbers written as integers
	value any    // as decode reads it
}

// readBody reads the body of an operation that takes one: 413 above its size, 415 unless it is JSON, 400 unless the JSON
// is what RFC 8259 and the contract allow.
func (a *API) readBody(o *operation, r *http.Request) (sent, *problem.Problem) {
	if o.body == nil {
		return sent{}, nil
	}
	body, p := o.sized(r)
	if p != nil {
		return sent{}, p
	}
	if len(body) == 0 && o.bodiless {
		body = []byte("{}")
	} else if len(body) > 0 && !o.takes(r.Header.Get("Content-Type")) {
		return sent{}, &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as application/json" + map[bool]string{true: " or application/merge-patch+json"}[o.method == http.MethodPatch] + "."}
	}
	v, rewrote, err := decode(r.Context(), a.schemas(), o.in, body)
	switch {
	case r.Context().Err() != nil:
		return sent{}, problem.Unavailable(time.Second)
	case err != nil:
		return sent{}, malformed(err)
	}
	plain := body
	if rewrote {
		if plain, err = json.Marshal(v); err != nil {
			return sent{}, problem.Internal()
		}
	}
	return sent{body, plain, v}, nil
}

// believed is how many bytes of a declared length are made room for before they come: most bodies are shorter, and one
// that is announced and held back takes no more.
const believed = 4 << 10

// sized is the body, 413 when it is larger than the operation takes. Its room grows with what comes.
func (o *operation) sized(r *http.Request) ([]byte, *problem.Problem) {
	tooLarge := &problem.Problem{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Detail: "The body is larger than this operation takes (1 MiB unless its documentation says otherwise)."}
	if r.ContentLength > o.MaxBody {
		return nil, tooLarge
	}
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(min(r.ContentLength, believed)) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r.Body, o.MaxBody+1))
	if err != nil {
		return nil, &problem.Problem{Status: http.StatusBadRequest, Code: "malformed_json", Detail: "The body ended before it was complete."}
	}
	if n > o.MaxBody {
		return nil, tooLarge
	}
	return b.Bytes(), nil
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
