package local

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"eshop/shared/egress"
	"eshop/shared/guard"
)

// logTo makes l the log of the whole process, also for Go's own packages. Of their lines it leaves out what strangers
// have sent.
func logTo(l *slog.Logger) {
	slog.SetDefault(l)
	egress.Quiet(l, time.Now)
}

// handler writes the log as the settings say. While quiet, it leaves out requests and attempts for people: they are
// those of the start itself.
func (s Settings) handler(w io.Writer, quiet *atomic.Bool) slog.Handler {
	if s.JSON {
		return slog.NewJSONHandler(w, nil)
	}
	return &consoleHandler{w: w, quiet: quiet}
}

// consoleHandler writes the log for people, a line for each record. A request is its time, status, method, path,
// duration and id; everything else its time, level, message and attributes.
type consoleHandler struct {
	w     io.Writer
	attrs []slog.Attr
	quiet *atomic.Bool // while true, requests and attempts are left out: they are those of the start itself
}

// Enabled shows information and whatever is worse.
func (h *consoleHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

// WithAttrs is the handler whose lines have these attributes, too.
func (h *consoleHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &consoleHandler{w: h.w, attrs: append(append([]slog.Attr{}, h.attrs...), attrs...), quiet: h.quiet}
}

// WithGroup changes nothing: lines for people have no groups.
func (h *consoleHandler) WithGroup(string) slog.Handler { return h }

// Handle writes one record as one line.
func (h *consoleHandler) Handle(_ context.Context, r slog.Record) error {
	if (r.Message == "request" || r.Message == "webhook") && h.quiet.Load() {
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

// request appends the line of a request.
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

// plain appends the line of any other record.
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

// clean quotes a text that has invisible characters. So no text from outside can look like a line of its own, or be
// taken for a command by a terminal.
func clean(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	return fmt.Sprintf("%q", s)
}

// buffered collects what is written, and writes it out 50 ms after the first of it, or at Flush. A writer never waits
// for the output. If nobody reads the output and 1 MiB waits already, lines are left out, and a line says how many.
type buffered struct {
	writing sync.Mutex // holds whoever writes to w, so that lines stay in their order
	w       io.Writer

	mu      sync.Mutex
	waiting []byte
	left    int  // lines left out
	timed   bool // a Flush will come by itself
}

// mostWaiting is how many bytes of lines wait for the output at most.
const mostWaiting = 1 << 20

// newBuffered buffers what goes to w.
func newBuffered(w io.Writer) *buffered { return &buffered{w: w} }

// Write never fails and never waits.
func (b *buffered) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// A full output must not hold up requests. Lines are lost instead, and counted.
	if len(b.waiting)+len(p) > mostWaiting {
		b.left++
		return len(p), nil
	}
	b.waiting = append(b.waiting, p...)
	if !b.timed {
		b.timed = true
		guard.After(context.Background(), 50*time.Millisecond, b.Flush)
	}
	return len(p), nil
}

// Flush writes out what waits. An output that is gone is no reason to stop serving.
func (b *buffered) Flush() {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.mu.Lock()
	out, left := b.waiting, b.left
	b.waiting, b.left, b.timed = nil, 0, false
	b.mu.Unlock()
	if left > 0 {
		out = fmt.Appendf(out, "%d lines of the log were left out: nobody read it\n", left)
	}
	_, _ = b.w.Write(out)
}

// Close is the last Flush. It waits a second for an output that nobody reads, so that a stop has an end.
func (b *buffered) Close() {
	done := make(chan struct{})
	guard.Go(context.Background(), func() { defer close(done); b.Flush() })
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}
