package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// formats is how huma reads and writes bodies: what it reads has passed strict already.
var formats = map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat}

var jsonFormat = huma.Format{Marshal: writeJSON, Unmarshal: json.Unmarshal}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// readBody reads the body of an operation that takes one: 413 above its size, 415 unless it is JSON, 400 unless the JSON
// is what RFC 8259 and the contract allow.
func (o *operation) readBody(r *http.Request) ([]byte, any, *Problem) {
	if o.body == nil {
		return nil, nil, nil
	}
	body, p := o.sized(r)
	if p != nil {
		return nil, nil, p
	}
	if len(body) == 0 && o.bodiless {
		body = []byte("{}")
	} else if len(body) > 0 && !o.takes(r.Header.Get("Content-Type")) {
		return nil, nil, &Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as application/json" + map[bool]string{true: " or application/merge-patch+json"}[o.method == http.MethodPatch] + "."}
	}
	v, err := strict(body)
	if err != nil {
		return nil, nil, malformed(err)
	}
	return body, v, nil
}

func (o *operation) sized(r *http.Request) ([]byte, *Problem) {
	tooLarge := &Problem{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Detail: "The body is larger than this operation takes (1 MiB unless its documentation says otherwise)."}
	if r.ContentLength > o.MaxBody {
		return nil, tooLarge
	}
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r.Body, o.MaxBody+1))
	if err != nil {
		return nil, &Problem{Status: http.StatusBadRequest, Code: "malformed_json", Detail: "The body ended before it was complete."}
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

// strict parses JSON and refuses what encoding/json lets pass: keys given twice, bad UTF-8, lone surrogates. Numbers stay
// as they were written.
func strict(b []byte) (any, error) {
	v := jsontext.Value(b)
	if !v.IsValid() {
		return nil, reason(b)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var out any
	err := d.Decode(&out)
	return out, err
}

// reason is why the text is not valid: the validity check alone does not tell.
func reason(b []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(b))
	for {
		if _, err := d.ReadValue(); err != nil {
			if errors.Is(err, io.EOF) {
				return errors.New("one value is expected")
			}
			return err
		}
	}
}

// complaint is what the parser says, without its package's name.
func complaint(err error) string {
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}
