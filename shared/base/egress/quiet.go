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

// Quiet leads Go's standard logger into a log, which must not lead back to it, and keeps strangers' words out. Go's
// transport writes to that logger what a receiver sends unasked on an idle connection, word for word and up to 4 KiB.
//
// Of a line that package net/http writes, the log gets only the place in the source: at most one line a minute, with
// how many were left out. Lines of others come whole.
func Quiet(to *slog.Logger, now func() time.Time) {
	log.SetFlags(log.Llongfile)
	log.SetPrefix("")
	log.SetOutput(&standard{to: to, now: now})
}

// standard is what the standard logger writes to, a line at a time: the file, the line and the words.
type standard struct {
	to   *slog.Logger
	now  func() time.Time
	mu   sync.Mutex
	last time.Time // when the log last had a line of net/http's
	left int       // how many were left out since
}

// Write passes on a line of Go's own log. Of net/http's lines it leaves out the words, which may be a receiver's.
func (s *standard) Write(line []byte) (int, error) {
	at, words, cut := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
	if from := string(at); cut && !strings.Contains("/"+from, "/net/http") {
		s.to.Warn(string(words), "from", path.Base(from))
	} else if cut {
		s.withoutWords(path.Base(from))
	}
	return len(line), nil
}

// withoutWords logs the place in the source, at most once a minute.
func (s *standard) withoutWords(from string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && s.now().Sub(s.last) < time.Minute {
		s.left++
		return
	}
	s.to.Warn("net/http had something to say of a connection", "from", from, "leftOut", s.left)
	s.last, s.left = s.now(), 0
}
