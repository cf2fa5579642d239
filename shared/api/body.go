package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"eshop/shared/problem"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// formats is how huma reads and writes bodies: what it reads has passed strict already.
var formats = map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat}

var jsonFormat = huma.Format{Marshal: writeJSON, Unmarshal: decode}

// decode reads JSON into v, which has the defaults of its type (Defaults) where the JSON says nothing.
func decode(b []byte, v any) error {
	if d, has := v.(interface{ Defaults() }); has {
		d.Defaults()
	}
	return json.Unmarshal(b, v)
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
	value any
}

// readBody reads the body of an operation that takes one: 413 above its size, 415 unless it is JSON, 400 unless the JSON
// is what RFC 8259 and the contract allow.
func (o *operation) readBody(r *http.Request) (sent, *Problem) {
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
		return sent{}, &Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as application/json" + map[bool]string{true: " or application/merge-patch+json"}[o.method == http.MethodPatch] + "."}
	}
	v, err := strict(body)
	if err != nil {
		return sent{}, malformed(err)
	}
	plain := body
	if integers(&v) {
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
func (o *operation) sized(r *http.Request) ([]byte, *Problem) {
	tooLarge := &Problem{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Detail: "The body is larger than this operation takes (1 MiB unless its documentation says otherwise)."}
	if r.ContentLength > o.MaxBody {
		return nil, tooLarge
	}
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(min(r.ContentLength, believed)) + bytes.MinRead)
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

// integers writes whole numbers as integers are written, 5.0 and 1e2 as 5 and 100: JSON Schema, and so the OpenAPI
// document, makes no difference between them. It says whether there were any.
func integers(v *any) (found bool) {
	switch x := (*v).(type) {
	case map[string]any:
		for name, inner := range x {
			if integers(&inner) {
				x[name], found = inner, true
			}
		}
	case []any:
		for i := range x {
			found = integers(&x[i]) || found
		}
	case json.Number:
		if n, is := whole(x.String()); is {
			*v, found = json.Number(n), true
		}
	}
	return found
}

// whole is a number of at most 30 characters that has a point or an exponent and still is an integer, without them.
func whole(n string) (string, bool) {
	const most = 30
	if !strings.ContainsAny(n, ".eE") || len(n) > most {
		return "", false
	}
	if _, exponent, has := strings.Cut(strings.ToLower(n), "e"); has {
		if e, err := strconv.Atoi(exponent); err != nil || max(e, -e) > most {
			return "", false
		}
	}
	r, ok := new(big.Rat).SetString(n)
	if !ok || !r.IsInt() {
		return "", false
	}
	return r.Num().String(), true
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
