package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"eshop/shared/webhook"
)

// mostLines is how many attempts a second have a line each, so that a burst does not drown the log; more of them are
// counted, and the next line says how many had none.
const mostLines = 200

// lines counts the lines of a second.
type lines struct {
	mu      sync.Mutex
	second  int64
	written int
	leftOut int
}

// next says whether another line may be written now, and how many attempts had none since the last line.
func (l *lines) next(now time.Time) (leftOut int, may bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Unix() != l.second {
		l.second, l.written = now.Unix(), 0
	}
	if l.written == mostLines {
		l.leftOut++
		return 0, false
	}
	l.written++
	leftOut, l.leftOut = l.leftOut, 0
	return leftOut, true
}

// logAttempt writes the line of an attempt that was made: its event and receiver, what became of it, and how long until
// the next one. It names no address and nothing of the bodies.
func (c *courier) logAttempt(ctx context.Context, end webhook.Conclusion, did outcome) {
	if c.Attempts == nil || !did.Sent() {
		return
	}
	r := end.Before
	leftOut, may := c.lines.next(did.End)
	if !may {
		return
	}
	line := []slog.Attr{slog.String("event", string(r.Event)), slog.String("webhook", r.ID),
		slog.String("receiver", r.Receiver), slog.Int("attempt", r.Made+1)}
	if did.Answer.Status != 0 {
		line = append(line, slog.Int("status", did.Answer.Status))
	}
	if did.Failure != "" {
		line = append(line, slog.String("failure", did.Failure))
	}
	line = append(line, slog.Duration("took", did.Answer.Duration.Round(time.Millisecond/10)),
		slog.String("state", string(end.After.State)))
	if end.Wait > 0 {
		line = append(line, slog.Duration("nextIn", end.Wait.Round(time.Second)))
	}
	if r.Test {
		line = append(line, slog.Bool("test", true))
	}
	if leftOut > 0 {
		line = append(line, slog.Int("leftOut", leftOut))
	}
	c.Attempts.LogAttrs(ctx, slog.LevelInfo, "webhook", line...)
}
