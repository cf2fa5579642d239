package egress

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// quietly brings the standard logger's lines into the returned log, on a clock that the test moves, until the test
// ends.
func quietly(t *testing.T) (lines *page, pass func(time.Duration)) {
	was, flags, prefix := log.Writer(), log.Flags(), log.Prefix()
	t.Cleanup(func() { log.SetOutput(was); log.SetFlags(flags); log.SetPrefix(prefix) })
	lines = &page{}
	var passed atomic.Int64
	drop := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	Quiet(slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{ReplaceAttr: drop})), func() time.Time {
		return time.Unix(1795226712, passed.Load())
	})
	return lines, func(d time.Duration) { passed.Add(int64(d)) }
}

// page is what was written to a log.
type page struct {
	mu sync.Mutex
	bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Buffer.Write(b)
}

func (p *page) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.String()
}

func TestWhatAReceiverSendsUnaskedIsInNoLog(t *testing.T) {
	lines, pass := quietly(t)
	answered, closed := make(chan struct{}), make(chan struct{})
	address := raw(t, func(c *net.TCPConn) {
		say(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		<-answered
		say(c, "HTTP/1.1 200 OK\r\nX-Words: theirs\r\n\r\nlevel=ERROR msg=\"a forged line\"\n")
		_, _ = io.Copy(io.Discard, c)
		closed <- struct{}{}
	})
	c := local()
	unasked := func() {
		t.Helper()
		a, err := post(t, c, address)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.Status)
		answered <- struct{}{}
		select {
		case <-closed: // the transport has seen it
		case <-time.After(3 * time.Second): // less than an idle connection lives anyway
			require.FailNow(t, "the connection lives on")
		}
	}
	for range 3 {
		unasked()
	}
	pass(time.Minute)
	unasked()
	require.Equal(t, `level=WARN msg="net/http had something to say of a connection" from=transport.go leftOut=0
level=WARN msg="net/http had something to say of a connection" from=transport.go leftOut=2
`, regexp.MustCompile(`transport\.go:\d+`).ReplaceAllString(lines.text(), "transport.go"))
}

func TestWhatOthersSayToTheStandardLoggerIsInTheLog(t *testing.T) {
	lines, _ := quietly(t)
	log.Printf("the runtime: %s", "something went wrong")
	require.Regexp(t, `^level=WARN msg="the runtime: something went wrong" from=quiet_test\.go:\d+\n$`, lines.text())
}
