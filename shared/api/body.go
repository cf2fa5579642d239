package api

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"eshop/shared/base/problem"
)

// readBody reads the body as the operation takes it: a form, files or JSON. raw is the body as it came (with files,
// what its parts were), value as decode reads it. For an operation that takes no body both are nil.
func (a *API) readBody(c *Call) (raw []byte, value any, err error) {
	op, r := c.op, c.r
	switch {
	case op.kind == kindView: // of an address that no operation has, too
		return nil, nil, nil
	case op.People != nil && isForm(r):
		return a.readForm(c)
	case op.input.schema == nil:
		return nil, nil, nil
	case op.kind == kindPage && r.ContentLength == 0: // an empty form, and no JSON that is missing
		return a.readForm(c)
	case op.input.multipart:
		raw, value, err = op.readFiles(r, resolve(a.schemas(), op.input.schema))
		if op.People != nil && err == nil {
			value = a.formWithFiles(c, value.(map[string]any))
		}
		return raw, value, err
	}
	return a.readJSON(c)
}

// readJSON reads a body of JSON: 413 above its size, 415 unless it is uncompressed JSON, 400 unless it is what RFC 8259
// and the contract allow. It also reads what is sent to a POST that takes no body, so that it can be refused.
func (a *API) readJSON(c *Call) (raw []byte, value any, err error) {
	op, r := c.op, c.r
	if raw, err = sized(r, op.MaxBody); err != nil {
		return nil, nil, err
	}
	switch {
	case len(raw) == 0 && op.input.bodiless:
		raw = []byte("{}")
	case len(raw) > 0 && encoded(r):
		return nil, nil, noEncoding()
	case len(raw) > 0 && !op.acceptsType(r.Header.Get("Content-Type")):
		also := ""
		if op.method == http.MethodPatch {
			also = " or application/merge-patch+json"
		}
		return nil, nil, &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as application/json" + also + ", in UTF-8 and with no other charset."}
	}
	if value, err = decode(c, a.schemas(), op.input.schema, raw); err == nil {
		err = c.Err() // nobody waits for an answer
	}
	if value == nil && op.input.body == nil {
		value = map[string]any{} // null, as programs write nothing
	}
	return raw, value, err
}

// encoded says whether the body is compressed, or otherwise encoded as a whole.
func encoded(r *http.Request) bool {
	for _, coding := range strings.Split(strings.Join(r.Header.Values("Content-Encoding"), ","), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return true
		}
	}
	return false
}

// noEncoding is the 415 of a compressed body: few bytes of one can become any number.
func noEncoding() *problem.Problem {
	return &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
		Header: http.Header{"Accept-Encoding": {"identity"}},
		Detail: "Bodies must not be compressed: send it as it is, without Content-Encoding."}
}

// formWithFiles is the body of a page's form with files: its texts as those of a form without files, and the files.
func (a *API) formWithFiles(c *Call, parts map[string]any) map[string]any {
	c.form = url.Values{}
	for name, v := range parts {
		if texts, is := v.([]string); is {
			c.form[name] = texts
			delete(parts, name)
		}
	}
	read := formReader{registry: a.schemas(), patch: c.op.input.patch}
	maps.Copy(parts, read.value(c.op.input.schema, c.Form()))
	return parts
}

// readForm reads the body of a form, as the value that its JSON would be.
func (a *API) readForm(c *Call) (raw []byte, value any, err error) {
	if c.formErr != nil {
		return nil, nil, c.formErr
	}
	if raw, err = sized(c.r, min(c.op.MaxBody, defaultMaxBody)); err != nil {
		return nil, nil, err
	}
	form, err := url.ParseQuery(string(raw))
	for _, values := range form {
		for _, v := range values {
			if !utf8.ValidString(v) {
				err = errors.New("a value is not UTF-8")
			}
		}
	}
	if err != nil {
		return nil, nil, &problem.Problem{Status: http.StatusBadRequest, Code: "malformed_json",
			Detail: "The body is not that of a form in UTF-8."}
	}
	c.form = form
	read := formReader{registry: a.schemas(), patch: c.op.input.patch}
	return raw, read.value(cmp.Or(c.op.input.schema, noFields), c.Form()), nil
}

// maxReserved is how many bytes of a declared length get room before they come. Most bodies are shorter, and a body
// that is announced and held back takes no more than that.
const maxReserved = 4 << 10

// sized is the body; 413 if it has more than most bytes. Its room grows with what comes.
func sized(r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most {
		return nil, tooLarge("body", most)
	}
	var buffer bytes.Buffer
	buffer.Grow(int(min(r.ContentLength, maxReserved)) + bytes.MinRead)
	// One byte more than is allowed tells a body that is too large from one that just fits.
	n, err := buffer.ReadFrom(io.LimitReader(r.Body, most+1))
	switch {
	case errors.Is(err, errBodiesFull):
		return nil, problem.Unavailable(time.Second)
	case err != nil:
		return nil, &problem.Problem{Status: http.StatusBadRequest, Code: "malformed_json",
			Detail: "The body ended before it was complete."}
	}
	if n > most {
		return nil, tooLarge("body", most)
	}
	return buffer.Bytes(), nil
}

// tooLarge is the 413 of a body, or of a file in it, above the operation's bound in bytes.
func tooLarge(what string, most int64) *problem.Problem {
	bound := fmt.Sprintf("%d KiB", most>>10)
	if most >= 1<<20 {
		bound = fmt.Sprintf("%d MiB", most>>20)
	}
	return &problem.Problem{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large",
		Detail: "The " + what + " is larger than " + bound + ", the most that this operation takes."}
}

// acceptsType says whether a Content-Type is JSON in UTF-8, as the operation's method takes it.
func (o *operation) acceptsType(contentType string) bool {
	t, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if charset, has := params["charset"]; has && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return t == "application/json" || t == "application/merge-patch+json" && o.method == http.MethodPatch
}
