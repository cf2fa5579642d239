package local

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"eshop/shared/base/egress"
	"eshop/shared/base/guard"
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
	// It quotes texts that have invisible characters. So no text from outside can look like a line of its own, or be
	// taken for a command by a terminal.
	return forPeople{slog.NewTextHandler(w, nil), quiet}
}

// forPeople leaves out requests and attempts while quiet is true.
type forPeople struct {
	slog.Handler
	quiet *atomic.Bool
}

// WithAttrs is the handler whose lines have these attributes, too.
func (h forPeople) WithAttrs(attrs []slog.Attr) slog.Handler {
	return forPeople{h.Handler.WithAttrs(attrs), h.quiet}
}

// Handle writes one record as one line.
func (h forPeople) Handle(ctx context.Context, r slog.Record) error {
	if (r.Message == "request" || r.Message == "webhook") && h.quiet.Load() {
		return nil
	}
	return h.Handler.Handle(ctx, r)
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
