package local

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStrangersWordsAreNotInTheLog(t *testing.T) {
	was, writer, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() { slog.SetDefault(was); log.SetOutput(writer); log.SetFlags(flags) })
	var out bytes.Buffer
	logTo(slog.New(Settings{}.handler(&out, &atomic.Bool{})))
	// net/http complains of it, and repeats it
	_ = (&http.Cookie{Name: "a", Value: "b", Domain: "a stranger's words"}).String()
	slog.Warn("ours")
	require.Regexp(t, `^\S+ level=WARN msg="net/http had something to say of a connection" `+
		`from=cookie\.go:\d+ leftOut=0\n\S+ level=WARN msg=ours\n$`, out.String())
}

func TestAnOutputThatNobodyReadsHoldsNobodyUp(t *testing.T) {
	read, write := io.Pipe()
	b := newBuffered(write)
	for i := range mostWaiting / 10 {
		fmt.Fprintf(b, "line %d of many\n", i) // more of them than wait at most
	}
	b.Close()
	var out []byte
	done := make(chan struct{})
	go func() { defer close(done); out, _ = io.ReadAll(read) }()
	b.Flush() // it is read again
	fmt.Fprintln(b, "the last")
	b.Flush()
	require.NoError(t, write.Close())
	<-done
	require.Contains(t, string(out), "line 0 of many\nline 1 of many\n")
	require.Regexp(t, `\n\d+ lines of the log were left out: nobody read it\n`, string(out))
	require.Contains(t, string(out), "the last\n")
}

// TestNoTextActsOnTheTerminal writes what a terminal or a reader would take for more than text: escapes of 7 and of 8
// bits, as a character and as a bare byte, another direction of writing, ends of lines.
func TestNoTextActsOnTheTerminal(t *testing.T) {
	for _, odd := range []string{"\x1b[2J", "\u009b2J", "\x9b2J", "\u202e", "\u2028", "\r\n", "\xff"} {
		for _, message := range []string{"request", "refused"} {
			var out bytes.Buffer
			h := Settings{}.handler(&out, &atomic.Bool{})
			r := slog.NewRecord(time.Now(), slog.LevelWarn, message, 0)
			r.AddAttrs(slog.String("path", "/čaj"+odd))
			require.NoError(t, h.Handle(t.Context(), r))
			require.NotContains(t, out.String()[:out.Len()-1], odd)
			require.Contains(t, out.String(), strconv.Quote("/čaj"+odd))
		}
	}
}

func TestRequestsOfTheStartAreLeftOutForPeople(t *testing.T) {
	var out bytes.Buffer
	quiet := &atomic.Bool{}
	l := slog.New(Settings{}.handler(&out, quiet)).With("shop", "tea")
	quiet.Store(true)
	l.Info("request")
	l.Info("webhook")
	l.Info("ready")
	quiet.Store(false)
	l.Info("request")
	require.Regexp(t, `^\S+ level=INFO msg=ready shop=tea\n\S+ level=INFO msg=request shop=tea\n$`, out.String())
}
