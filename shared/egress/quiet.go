package egress

import (
	"bytes"
	"log"
	"log/slog"
	"path"
	"strings"
	"sync"
	"time"
)

// Quiet brings what is written to Go's standard logger into a log, which must not lead back to it, and keeps strangers'
// words out: Go's transport writes down there, word for word and up to 4 KiB of it, what a receiver sends unasked on a
// connection that waits for the next call. Of what package net/http says the log has the place in its source, and that
// once a minute with how much was left out; what others say it has whole.
func Quiet(to *slog.Logger, now func() time.Time) {
	log.SetFlags(log.Llongfile)
	log.SetPrefix("")
	log.SetOutput(&overheard{to: to, now: now})
}

// overheard is where the standard logger writes to, a line at a time: the file, the line and what is said.
type overheard struct {
	to   *slog.Logger
	now  func() time.Time
	mu   sync.Mutex
	said time.Time // when the log last had something of net/http's
	left int       // how much was left out since
}

func (o *overheard) Write(line []byte) (int, error) {
	at, words, cut := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
	if from := string(at); cut && !strings.Contains("/"+from, "/net/http") {
		o.to.Warn(string(words), "from", path.Base(from))
	} else if cut {
		o.hush(path.Base(from))
	}
	return len(line), nil
}

func (o *overheard) hush(from string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.said.IsZero() && o.now().Sub(o.said) < time.Minute {
		o.left++
		return
	}
	o.to.Warn("net/http had something to say of a connection", "from", from, "leftOut", o.left)
	o.said, o.left = o.now(), 0
}
