package local

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eshop/shared/egress"
	"eshop/shared/guard"
)

// logTo makes this the log of the process, which has no stranger's words of what Go's own packages say.
func logTo(l *slog.Logger) {
	slog.SetDefault(l)
	egress.Quiet(l, time.Now)
}

// readable writes the log for people: a request is one line of time, method, path, status, duration and request id;
// everything else is time, level, message and attributes.
type readable struct {
	w     io.Writer
	attrs []slog.Attr
	quiet *atomic.Bool // requests are left out: those that the start makes itself
}

func (h *readable) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

func (h *readable) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &readable{w: h.w, attrs: append(append([]slog.Attr{}, h.attrs...), attrs...), quiet: h.quiet}
}

func (h *readable) WithGroup(string) slog.Handler { return h }

func (h *readable) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "request" && h.quiet.Load() {
		return nil
	}
	var b []byte
	b = r.Time.AppendFormat(b, "15:04:05.000 ")
	if r.Message == "request" {
		b = request(b, r)
	} else {
		b = plain(b, r, h.attrs)
	}
	_, err := h.w.Write(append(b, '\n'))
	return err
}

// request is the access log's line.
func request(b []byte, r slog.Record) []byte {
	var method, path, id string
	var status int64
	var took time.Duration
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "method":
			method = a.Value.String()
		case "path":
			path = a.Value.String()
		case "requestId":
			id = a.Value.String()
		case "status":
			status = a.Value.Int64()
		case "took":
			took = a.Value.Duration()
		}
		return true
	})
	return fmt.Appendf(b, "%d %-6s %s  %.1f ms  %s", status, method, clean(path), float64(took.Microseconds())/1000, id)
}

func plain(b []byte, r slog.Record, attrs []slog.Attr) []byte {
	b = append(b, strings.ToLower(r.Level.String())+": "+clean(r.Message)...)
	one := func(a slog.Attr) bool {
		b = fmt.Appendf(b, " %s=%s", a.Key, clean(a.Value.String()))
		return true
	}
	for _, a := range attrs {
		one(a)
	}
	r.Attrs(one)
	return b
}

// clean keeps a line a line: what came from outside cannot forge another.
func clean(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return s
	}
	return fmt.Sprintf("%q", s)
}

// buffered writes at most every 50 ms, and at Close.
type buffered struct {
	mu    sync.Mutex
	w     *bufio.Writer
	armed bool
}

func newBuffered(w io.Writer) *buffered { return &buffered{w: bufio.NewWriterSize(w, 64<<10)} }

func (b *buffered) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.armed {
		b.armed = true
		guard.After(context.Background(), 50*time.Millisecond, b.Flush)
	}
	return b.w.Write(p)
}

// Flush writes out what waits. An output that is gone is no reason to stop serving.
func (b *buffered) Flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.armed = false
	_ = b.w.Flush()
}
