package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// response is an answer under construction: an http.ResponseWriter that keeps what is written. Nothing is sent before
// all of it is there, so it can still become another answer.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
	person string // of whom the body tells, by an id; "": of nobody
	brief  any    // the body for a caller without the operation's read permission; nil: id and changed of the body
}

var responsePool = sync.Pool{New: func() any { return &response{} }}

// newResponse is an empty one. It must be freed.
func newResponse() *response {
	res := responsePool.Get().(*response)
	res.header, res.status, res.brief, res.person = make(http.Header, 16), 0, nil, ""
	res.body.Reset()
	return res
}

// maxPooled is how many bytes a response's buffer may have that the next one uses again: an answer that was larger is
// rare, and its memory better free.
const maxPooled = 1 << 20

// free gives the response's memory to the next one.
func (res *response) free() {
	if res.body.Cap() <= maxPooled {
		responsePool.Put(res)
	}
}

func (res *response) Header() http.Header { return res.header }

// WriteHeader sets the status, the first time that it is called.
func (res *response) WriteHeader(status int) {
	if res.status == 0 {
		res.status = status
	}
}

func (res *response) Write(b []byte) (int, error) { return res.body.Write(b) }

// WriteString is io.StringWriter's.
func (res *response) WriteString(s string) (int, error) { return res.body.WriteString(s) }

// answer makes the answer that of an operation.
func (res *response) answer(op *operation, r reply) error {
	if res.status = r.status; res.status == 0 {
		res.status = op.Status
	}
	res.brief = r.brief
	res.person = r.person
	if about, is := r.body.(interface{ Person() string }); is {
		res.person = about.Person()
	}
	res.set("Etag", r.etag)
	res.set("Location", r.location)
	res.set("Link", r.link)
	if r.body == nil || res.status == http.StatusNoContent {
		return nil
	}
	res.header["Content-Type"] = []string{"application/json"}
	if page, is := r.body.(interface{ writeTo(*bytes.Buffer) error }); is {
		return page.writeTo(&res.body)
	}
	return writeJSON(&res.body, r.body)
}

// set sets a header, in its canonical spelling, unless it is empty.
func (res *response) set(name, value string) {
	if value != "" {
		res.header[name] = []string{value}
	}
}

// replay makes the answer the first one under the request's key. complete is the operation's CompleteReplay; nil: the
// body was kept as it is given.
func (res *response) replay(
	c *Call, kept *keptAnswer, complete func(c *Call, body []byte) ([]byte, error),
) error {
	if kept.Reread != "" {
		if err := kept.reread(c); err != nil {
			return err
		}
	}
	body, err := kept.body()
	if err == nil && complete != nil {
		body, err = complete(c, body)
	}
	if err != nil {
		return err
	}
	clear(res.header)
	res.header["Idempotent-Replayed"] = []string{"true"}
	res.set("Etag", kept.ETag)
	res.set("Location", kept.Location)
	res.status, res.brief = kept.Status, nil
	if len(kept.Brief) > 0 {
		res.brief = kept.Brief
	}
	res.body.Reset()
	if len(body) > 0 {
		res.header["Content-Type"] = []string{"application/json"}
		res.body.Write(bytes.TrimSuffix(body, []byte("\n")))
		res.body.WriteByte('\n')
	}
	return nil
}

// empty makes the answer a 204, with the headers that it has.
func (res *response) empty() {
	res.status = http.StatusNoContent
	delete(res.header, "Content-Type")
	res.body.Reset()
}

// abridge leaves nothing of a record but its id and changed (contract, "Answers").
func (res *response) abridge() error {
	if res.brief == nil {
		var own Abridged
		if err := json.Unmarshal(res.body.Bytes(), &own); err != nil {
			return err
		}
		res.brief = own
	}
	res.body.Reset()
	return writeJSON(&res.body, res.brief)
}

// unlessModified is the 304 of a GET whose If-None-Match names what the caller has (RFC 9110, section 13.1.2).
func (res *response) unlessModified(r *http.Request) {
	tag := res.header.Get("ETag")
	if h := r.Header.Values("If-None-Match"); tag != "" && len(h) > 0 && matchesWeak(strings.Join(h, ","), tag) {
		res.status = http.StatusNotModified
		res.header.Del("Content-Type")
		res.body.Reset()
	}
}

// gzipAbove is the length in bytes from which bodies are compressed: what fits one packet is not.
const gzipAbove = 1400

var zips = sync.Pool{New: func() any { z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed); return z }}

// send writes the answer out, compressed when it is long and the caller takes that.
func (res *response) send(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	for name, v := range res.header {
		header[name] = v
	}
	body := res.body.Bytes()
	zip := len(body) > gzipAbove && header.Get("Content-Encoding") == "" && !packed(header.Get("Content-Type"))
	if zip {
		header.Add("Vary", "Accept-Encoding")
		zip = acceptsGzip(strings.Join(r.Header.Values("Accept-Encoding"), ","))
	}
	switch {
	case zip:
		header["Content-Encoding"] = []string{"gzip"}
	case res.status != http.StatusNoContent && res.status != http.StatusNotModified:
		header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(res.status)
	switch {
	case r.Method == http.MethodHead || len(body) == 0:
	case zip:
		z := zips.Get().(*gzip.Writer)
		defer zips.Put(z)
		z.Reset(w)
		z.Write(body)
		z.Close()
	default:
		w.Write(body)
	}
}

// packed says whether a type is compressed in itself.
func packed(contentType string) bool {
	return contentType == "image/png" || contentType == "image/jpeg"
}

// acceptsGzip reads Accept-Encoding: gzip named, or else *, and not with q=0.
func acceptsGzip(accept string) bool {
	any := false
	for part := range strings.SplitSeq(accept, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		q = strings.TrimPrefix(strings.ReplaceAll(q, " ", ""), "q=")
		weight, err := strconv.ParseFloat(q, 64)
		takes := q == "" || err == nil && weight > 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			return takes
		case "*":
			any = takes
		}
	}
	return any
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
