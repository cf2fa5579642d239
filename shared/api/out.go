package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"eshop/shared/problem"

	"github.com/danielgtaylor/huma/v2"
)

// out is an answer under construction. It is a http.ResponseWriter that keeps what is written.
type out struct {
	header http.Header
	status int
	body   bytes.Buffer
}

var outs = sync.Pool{New: func() any { return &out{} }}

func newOut() *out {
	o := outs.Get().(*out)
	o.header, o.status = make(http.Header, 16), 0
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

// problem makes the answer that problem, whatever it was.
func (o *out) problem(c *Call, p *problem.Problem) {
	for name := range o.header {
		delete(o.header, name)
	}
	for name, v := range p.Header {
		o.header[name] = v
	}
	o.header["Content-Type"] = []string{"application/problem+json"}
	o.status = p.Status
	o.body.Reset()
	m := map[string]any{"type": c.api.BaseURL + "/docs/errors#" + p.Code, "title": http.StatusText(p.Status), "status": p.Status,
		"detail": p.Detail, "instance": cut(c.r.URL.EscapedPath(), maxPath), "code": p.Code, "requestId": c.RequestID}
	if len(p.Errors) > 0 {
		m["errors"] = c.told(p.Errors)
	}
	for name, v := range p.More {
		m[name] = v
	}
	if err := writeJSON(&o.body, m); err != nil {
		c.api.Log.Error("a problem that cannot be written", "requestId", c.RequestID, "error", err)
	}
}

// replay makes the answer the first one under the request's key.
func (o *out) replay(c *Call, kept *keptAnswer) *problem.Problem {
	body, err := kept.body()
	if err != nil {
		return problem.Internal()
	}
	o.header["Idempotent-Replayed"] = []string{"true"}
	if kept.ETag != "" {
		o.header.Set("ETag", kept.ETag)
	}
	if kept.Location != "" {
		o.header.Set("Location", kept.Location)
	}
	o.status = kept.Status
	o.body.Reset()
	if len(body) > 0 {
		o.header["Content-Type"] = []string{"application/json"}
		o.body.Write(bytes.TrimSuffix(body, []byte("\n")))
		o.body.WriteByte('\n')
	}
	return nil
}

// unlessModified is the 304 of a GET whose If-None-Match names what the caller has (RFC 9110, section 13.1.2).
func (o *out) unlessModified(r *http.Request) {
	tag := o.header.Get("ETag")
	if h := r.Header.Values("If-None-Match"); tag != "" && len(h) > 0 && matches(strings.Join(h, ","), tag, true) {
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
	if len(body) > gzipAbove && h.Get("Content-Encoding") == "" {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(strings.Join(r.Header.Values("Accept-Encoding"), ",")) {
			h["Content-Encoding"] = []string{"gzip"}
			o.zipped(w, r, body)
			return
		}
	}
	if o.status != http.StatusNoContent && o.status != http.StatusNotModified {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(o.status)
	if r.Method != http.MethodHead && len(body) > 0 {
		w.Write(body)
	}
}

func (o *out) zipped(w http.ResponseWriter, r *http.Request, body []byte) {
	w.WriteHeader(o.status)
	if r.Method == http.MethodHead {
		return
	}
	z := zips.Get().(*gzip.Writer)
	defer zips.Put(z)
	z.Reset(w)
	z.Write(body)
	z.Close()
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

type readCloser struct{ io.Reader }

func (readCloser) Close() error { return nil }

func init() {
	huma.NewErrorWithContext = fromHuma
	huma.DefaultArrayNullable = false // answers show an empty list as []
}

// fromHuma is what huma finds wrong with parameters, in the contract's codes. It is noted in the call; what huma writes
// of it is replaced by the chain.
func fromHuma(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	c, is := ctx.Context().Value(callKey{}).(*Call)
	if !is {
		return &problem.Problem{Status: status, Code: "invalid", Detail: message}
	}
	var faults []problem.Fault
	for _, err := range errs {
		if d, is := err.(huma.ErrorDetailer); is {
			e := d.ErrorDetail()
			faults = append(faults, problem.Fault{Location: e.Location, Code: paramCode(e.Message), Message: e.Message})
		}
	}
	if status == http.StatusUnprocessableEntity && len(faults) > 0 {
		c.problem = problem.Invalid(faults...)
		return c.problem
	}
	c.fail(ctx.Context(), &unexpected{message, errs})
	return c.problem
}

// paramCode is the contract's code for a message of huma's about a parameter.
func paramCode(message string) string {
	switch {
	case strings.Contains(message, "expected number >="):
		return problem.TooSmall
	case strings.Contains(message, "expected number <="):
		return problem.TooBig
	case strings.Contains(message, "expected length <="):
		return problem.TooLong
	case strings.Contains(message, "required"):
		return problem.Required
	case strings.Contains(message, "invalid integer"), strings.Contains(message, "invalid boolean"):
		return problem.WrongType
	}
	return problem.BadFormat
}

// unexpected is an error of huma's that no input can cause.
type unexpected struct {
	message string
	errs    []error
}

func (u *unexpected) Error() string { return "api: huma: " + u.message }

func (u *unexpected) Unwrap() []error { return u.errs }
