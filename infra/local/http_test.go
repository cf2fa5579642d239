package local

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// behind runs a test against a door, in simulated time.
func behind(t *testing.T, h http.HandlerFunc, test func(t *testing.T, p *hosttest.Pipes)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := hosttest.NewPipes()
		door := serveHTTP(context.Background(), p, h, slog.New(slog.DiscardHandler))
		// net/http lingers for half of it before it closes after a body that it did not read
		defer time.Sleep(time.Second)
		defer door.Close()
		test(t, p)
	})
}

// say sends a text, whole.
func say(t *testing.T, c net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
}

// ended waits until the connection is closed, and returns how long that took.
func ended(t *testing.T, c io.Reader) time.Duration {
	t.Helper()
	began := time.Now()
	_, err := io.Copy(io.Discard, c)
	require.NoError(t, err)
	return time.Since(began)
}

// takes reads the body of a request, and answers 400 when it does not come whole.
func takes(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
}

// post is the begin of a request with a body.
const post = "POST /api-engine/customers HTTP/1.1\r\nHost: a\r\n"

func TestARequestThatDoesNotComeIsEnded(t *testing.T) {
	for name, x := range map[string]struct {
		sent string
		want time.Duration
	}{
		"nothing comes":         {"", headWithin},
		"half a head":           {post + "X-", headWithin},
		"a head without a body": {post + "Content-Length: 1048576\r\n\r\n", bodyWithin},
		"half a body":           {post + "Content-Length: 10\r\n\r\n{\"a\":", bodyWithin},
		"a chunk of many":       {post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", bodyWithin},
		"a body nobody asks for": {"POST /uploads/none HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{}",
			bodyWithin},
	} {
		t.Run(name, func(t *testing.T) {
			behind(t, takes, func(t *testing.T, p *hosttest.Pipes) {
				c := p.Dial()
				if x.sent != "" {
					say(t, c, x.sent)
				}
				require.Equal(t, x.want, ended(t, c).Truncate(time.Second))
			})
		})
	}
	t.Run("piece by piece is no faster", func(t *testing.T) {
		behind(t, takes, func(t *testing.T, p *hosttest.Pipes) {
			c, began := p.Dial(), time.Now()
			say(t, c, post+"Content-Length: 1048576\r\n\r\n")
			go func() {
				for err := error(nil); err == nil; _, err = io.WriteString(c, " ") {
					time.Sleep(time.Second)
				}
			}()
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			require.Equal(t, 400, answer.StatusCode)
			require.True(t, answer.Close)
			require.Equal(t, bodyWithin, time.Since(began))
			require.NoError(t, c.Close())
		})
	})
}

func TestAConnectionWithoutRequestsIsClosed(t *testing.T) {
	behind(t, takes, func(t *testing.T, p *hosttest.Pipes) {
		c := p.Dial()
		for range 3 {
			say(t, c, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			require.Equal(t, 200, answer.StatusCode)
			time.Sleep(keptFor - time.Second)
		}
		require.Equal(t, time.Second, ended(t, c))
	})
}

func TestAnAnswerThatNobodyTakesIsEnded(t *testing.T) {
	over := make(chan time.Duration, 1)
	answers := func(w http.ResponseWriter, _ *http.Request) {
		began := time.Now()
		_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		over <- time.Since(began)
	}
	behind(t, answers, func(t *testing.T, p *hosttest.Pipes) {
		c := p.Dial()
		say(t, c, "GET /docs HTTP/1.1\r\nHost: a\r\n\r\n")
		synctest.Wait()
		time.Sleep(takenWithin)
		synctest.Wait()
		require.Equal(t, takenWithin, <-over)
		require.Zero(t, ended(t, c))
	})
}

func TestAnUploadHasAsLongAsItMoves(t *testing.T) {
	const piece = bodyWithin - time.Second
	receives := func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if n < 20 {
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		require.NoError(t, err)
		w.WriteHeader(http.StatusNoContent)
	}
	for pieces, want := range map[int]int{20: http.StatusNoContent, 10: http.StatusServiceUnavailable} {
		behind(t, receives, func(t *testing.T, p *hosttest.Pipes) {
			c := p.Dial()
			say(t, c, "PUT "+uploads+"/file HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n")
			for range pieces {
				time.Sleep(piece)
				say(t, c, "x")
			}
			stood := time.Now()
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			require.Equal(t, want, answer.StatusCode)
			if pieces < 20 {
				require.Equal(t, bodyWithin, time.Since(stood), "it stands still")
			}
			require.NoError(t, c.Close())
		})
	}
}

// asks sends a GET, and returns the status of its answer.
func asks(t *testing.T, c net.Conn, path string) int {
	t.Helper()
	say(t, c, "GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	require.NoError(t, err)
	synctest.Wait()
	return answer.StatusCode
}

// TestNobodyKeepsOthersOutByHoldingAllConnections: whatever those do that hold them, health is answered.
func TestNobodyKeepsOthersOutByHoldingAllConnections(t *testing.T) {
	for name, x := range map[string]struct {
		hold    func(t *testing.T, c net.Conn)
		after   time.Duration
		status  int  // of what the next one asks for
		evicted bool // the first of those that hold was closed for it
	}{
		"idle":        {func(t *testing.T, c net.Conn) { require.Equal(t, 200, asks(t, c, "/")) }, 0, 200, true},
		"half a head": {func(t *testing.T, c net.Conn) { say(t, c, post) }, slowAfter, 200, true},
		"half a head, a moment ago": {func(t *testing.T, c net.Conn) { say(t, c, post) }, slowAfter - time.Millisecond,
			503, false},
		"half a body": {func(t *testing.T, c net.Conn) { say(t, c, post+"Content-Length: 10\r\n\r\n{") },
			slowAfter, 200, true},
		"half a body, a moment ago": {func(t *testing.T, c net.Conn) {
			say(t, c, post+"Content-Length: 10\r\n\r\n{")
		}, slowAfter - time.Millisecond, 503, false},
		"an answer that is not taken": {func(t *testing.T, c net.Conn) {
			say(t, c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		}, slowAfter, 200, true},
	} {
		t.Run(name, func(t *testing.T) {
			behind(t, takes, func(t *testing.T, p *hosttest.Pipes) {
				open := make([]net.Conn, connections)
				for i := range open {
					open[i] = p.Dial()
					x.hold(t, open[i])
					time.Sleep(time.Microsecond) // so that there is a longest
				}
				time.Sleep(x.after - connections*time.Microsecond)
				synctest.Wait()
				next := p.Dial()
				require.Equal(t, x.status, asks(t, next, "/"))
				require.Equal(t, 200, asks(t, p.Dial(), "/healthz"))
				_ = open[0].SetReadDeadline(time.Now().Add(time.Millisecond)) // of a pipe that is closed this fails
				_, err := open[0].Read(make([]byte, 1))
				require.Equal(t, x.evicted, errors.Is(err, io.EOF), err)
				require.NoError(t, open[2].SetReadDeadline(time.Now().Add(time.Millisecond)))
				_, err = open[2].Read(make([]byte, 1))
				require.NotErrorIs(t, err, io.EOF, "one for one, and the longest first")
				if x.status == 503 {
					require.Zero(t, ended(t, next), "a spare one ends with its answer")
				}
				for range 2 * spares { // they take each other's place, and health has one
					p.Dial()
				}
				require.Equal(t, 200, asks(t, p.Dial(), "/readyz"))
				for _, c := range open {
					_ = c.Close()
				}
			})
		})
	}
}

// TestWhoSendsTooMuchReadsWhy: the rest of a body that nobody reads is taken, so that the connection is not reset while
// its client still sends.
func TestWhoSendsTooMuchReadsWhy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	door := serveHTTP(context.Background(), l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}), slog.New(slog.DiscardHandler))
	defer door.Close()
	for _, length := range []string{"Content-Length: 16777216\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n1000000\r\n"} {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		say(t, c, post+length+strings.Repeat("x", 16<<20))
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, 413, answer.StatusCode)
		require.NoError(t, c.Close())
	}
}

// TestWhoHoldsSomethingBackIsNoTraffic: what can wait waits for whole requests that are being answered, and for no
// others.
func TestWhoHoldsSomethingBackIsNoTraffic(t *testing.T) {
	var held traffic
	answering := make(chan chan struct{})
	h := held.counting(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		let := make(chan struct{})
		answering <- let
		<-let
		_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			require.ErrorIs(t, err, io.ErrClosedPipe)
		}
	}))
	behind(t, h.ServeHTTP, func(t *testing.T, p *hosttest.Pipes) {
		c := p.Dial()
		say(t, c, post+"Content-Length: 4\r\n\r\n{")
		synctest.Wait()
		began := time.Now()
		require.False(t, held.calm(t.Context()), "a body that does not come")
		require.Zero(t, time.Since(began))
		say(t, c, `  }`)
		let := <-answering
		require.True(t, held.calm(t.Context()))
		require.Equal(t, maxWait, time.Since(began), "a whole request that is being answered")
		close(let)
		synctest.Wait()
		began = time.Now()
		require.True(t, held.calm(t.Context()))
		require.Equal(t, minWait, time.Since(began), "an answer that nobody takes holds nothing up")
		time.Sleep(quietAfter + 1)
		require.False(t, held.calm(t.Context()))
		require.NoError(t, c.Close())
	})
}

func TestAFileMayBeLongInComingToTheDisk(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		require.NoError(t, err)
		time.Sleep(10 * takenWithin)
		require.NoError(t, r.Context().Err())
		w.WriteHeader(http.StatusNoContent)
	}
	behind(t, slow, func(t *testing.T, p *hosttest.Pipes) {
		c := p.Dial()
		say(t, c, "PUT "+uploads+"/file HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, 204, answer.StatusCode)
		require.NoError(t, c.Close())
	})
}

// A query longer than any that is taken reaches the API, which refuses it with a problem: net/http would answer a bare
// 431 and cut the connection.
func TestAQueryThatIsTooLongReachesTheAPI(t *testing.T) {
	seen := 0
	h := func(_ http.ResponseWriter, r *http.Request) { seen = len(r.URL.RawQuery) }
	behind(t, h, func(t *testing.T, p *hosttest.Pipes) {
		c := p.Dial()
		say(t, c, "GET /?cursor="+strings.Repeat("a", 100<<10)+" HTTP/1.1\r\nHost: x\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, 200, r.StatusCode)
		require.Equal(t, len("cursor=")+100<<10, seen)
	})
}

// TestAStopLetsIdleConnectionsBringALastRequest: one that was closed at once would often be so in the moment in which
// its client sends a request.
func TestAStopLetsIdleConnectionsBringALastRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := hosttest.NewPipes()
		door := serveHTTP(t.Context(), p, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
			slog.New(slog.DiscardHandler))
		asked := func(c net.Conn, r *bufio.Reader) (closes bool) {
			say(t, c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			got, err := http.ReadResponse(r, nil)
			require.NoError(t, err)
			return got.Close
		}
		soon, never := p.Dial(), p.Dial()
		fromSoon, fromNever := bufio.NewReader(soon), bufio.NewReader(never)
		require.False(t, asked(soon, fromSoon))
		require.False(t, asked(never, fromNever))
		began, done := time.Now(), make(chan error)
		go func() { done <- door.close(t.Context(), time.Second) }()
		time.Sleep(900 * time.Millisecond)
		require.True(t, asked(soon, fromSoon), "it says that it is the last")
		_, err := fromSoon.ReadByte()
		require.ErrorIs(t, err, io.EOF)
		_, err = fromNever.ReadByte()
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, <-done)
		require.Equal(t, time.Second, time.Since(began))
	})
}
