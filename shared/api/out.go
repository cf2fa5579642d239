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

// out is an answer under construction. It is a http.ResponseWriter that keeps what is written.
type out struct {
	header http.Header
	status int
	body   bytes.Buffer
	brief  any // the body for a caller without the operation's read permission; nil: id and changed of the body
}

var outs = sync.Pool{New: func() any { return &out{} }}

func newOut() *out {
	o := outs.Get().(*out)
	o.header, o.status, o.brief = make(http.Header, 16), 0, nil
	o.body.Reset()
	return o
}

// free gives the answer's memory back, unless it grew so large that it should not be kept.
func (o *out) free() {
	if o.body.Cap() <= 1<<20 {
		outs.Put(o)
	}
}

func (o *out) Header() http.Header { return o.header }

func (o *out) WriteHeader(status int) {
	if o.status == 0 {
		o.status = status
	}
}

func (o *out) Write(b []byte) (int, error) {
	o.WriteHeader(http.StatusOK)
	return o.body.Write(b)
}

// WriteString is io.StringWriter's.
func (o *out) WriteString(s string) (int, error) {
	o.WriteHeader(http.StatusOK)
	return o.body.WriteString(s)
}

// answer makes the answer that of an operation.
func (o *out) answer(op *operation, r reply) error {
	if o.status = r.status; o.status == 0 {
		o.status = op.Status
	}
	o.brief = r.brief
	o.set("Etag", r.etag)
	o.set("Location", r.location)
	o.set("Link", r.link)
	if r.body == nil || o.status == http.StatusNoContent {
		return nil
	}
	o.header["Content-Type"] = []string{"application/json"}
	return writeJSON(&o.body, r.body)
}

// set sets a header, in its canonical spelling, unless it is empty.
func (o *out) set(name, value string) {
	if value != "" {
		o.header[name] = []string{value}
	}
}

// replay makes the answer the first one under the request's key. again completes its body where that was not kept
// whole; nil: there is nothing to complete.
func (o *out) replay(kept *keptAnswer, again func(body []byte) ([]byte, error)) error {
	body, err := kept.body()
	if err == nil && again != nil {
		body, err = again(body)
	}
	if err != nil {
		return err
	}
	clear(o.header)
	o.header["Idempotent-Replayed"] = []string{"true"}
	o.set("Etag", kept.ETag)
	o.set("Location", kept.Location)
	o.status, o.brief = kept.Status, nil
	if len(kept.Brief) > 0 {
		o.brief = kept.Brief
	}
	o.body.Reset()
	if len(body) > 0 {
		o.header["Content-Type"] = []string{"application/json"}
		o.body.Write(bytes.TrimSuffix(body, []byte("\n")))
		o.body.WriteByte('\n')
	}
	return nil
}

// abbreviate leaves id and changed of a PATCH's answer (contract, section 2, "Answers").
func (o *out) abbreviate() error {
	if o.brief == nil {
		var own brief
		if err := json.Unmarshal(o.body.Bytes(), &own); err != nil {
			return err
		}
		o.brief = own
	}
	o.body.Reset()
	return writeJSON(&o.body, o.brief)
}

// unlessModified is the 304 of a GET whose If-None-Match names what the caller has (RFC 9110, section 13.1.2).
func (o *out) unlessModified(r *http.Request) {
	tag := o.header.Get("ETag")
	if h := r.Header.Values("If-None-Match"); tag != "" && len(h) > 0 && matchesWeak(strings.Join(h, ","), tag) {
		o.status = http.StatusNotModified
		o.header.Del("Content-Type")
		o.body.Reset()
	}
}

// gzipAbove is the length in bytes from which bodies are compressed: what fits one packet is not.
const gzipAbove = 1400

var zips = sync.Pool{New: func() any { z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed); return z }}

// send writes the answer out, compressed when it is long and the caller takes that.
func (o *out) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, v := range o.header {
		h[name] = v
	}
	if o.status == 0 {
		o.status = http.StatusOK
	}
	body := o.body.Bytes()
	zip := len(body) > gzipAbove && h.Get("Content-Encoding") == "" && !packed(h.Get("Content-Type"))
	if zip {
		h.Add("Vary", "Accept-Encoding")
		zip = acceptsGzip(strings.Join(r.Header.Values("Accept-Encoding"), ","))
	}
	switch {
	case zip:
		h["Content-Encoding"] = []string{"gzip"}
	case o.status != http.StatusNoContent && o.status != http.StatusNotModified:
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(o.status)
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
