package egress

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// short are the times of a client in a test that waits for them to end; heard is one in which the head of an answer has
// come by then, also on a busy machine.
const short, heard = 150 * time.Millisecond, 5 * time.Second

func local(change ...func(*Options)) *Client {
	o := Options{Rules: Rules{AllowLoopback: true}}
	for _, c := range change {
		c(&o)
	}
	return New(o)
}

func hasty(o *Options) { o.Whole = short }

func hearing(o *Options) { o.Whole = heard }

func post(t *testing.T, c *Client, address string) (Answer, error) {
	t.Helper()
	t.Cleanup(c.CloseIdle)
	return c.Post(t.Context(), address, http.Header{"Content-Type": {"application/json"}}, []byte(`{"id":"01"}`))
}

func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// raw is a server of bytes: talk has the connection once the request's head was read.
func raw(t *testing.T, talk func(c *net.TCPConn)) string {
	l := listen(t, "127.0.0.1:0")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					talk(c.(*net.TCPConn))
				}
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

func listen(t *testing.T, address string) net.Listener {
	l, err := net.Listen("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func say(c net.Conn, s string) { _, _ = io.WriteString(c, s) }

// drip sends s again and again until the other side is gone.
func drip(c net.Conn, s string) {
	for {
		if _, err := io.WriteString(c, s); err != nil {
			return
		}
	}
}

// hold keeps the connection until the other side is gone.
func hold(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func TestAPostArrivesAsItWasSent(t *testing.T) {
	var got *http.Request
	var body []byte
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "thanks")
	})
	c := local()
	for range 2 {
		a, err := post(t, c, u+"/hook?x=1")
		require.NoError(t, err)
		require.True(t, a.OK())
		require.Equal(t, 202, a.Status)
		require.Equal(t, 7*time.Second, a.RetryAfter)
		require.Equal(t, "thanks", string(a.Body))
		require.Positive(t, a.Duration)
	}
	require.Equal(t, "POST /hook?x=1", got.Method+" "+got.RequestURI)
	require.Equal(t, `{"id":"01"}`, string(body))
	require.Equal(t, int64(11), got.ContentLength)
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	require.Empty(t, got.Header.Get("Cookie"))
	require.Empty(t, got.Header.Get("Accept-Encoding"))
}

func TestTheStatusDecides(t *testing.T) {
	for status, ok := range map[int]bool{200: true, 201: true, 202: true, 204: true, 299: true, 300: false, 304: false,
		400: false, 410: false, 429: false, 500: false, 503: false} {
		a, err := post(t, local(), serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		require.NoError(t, err)
		require.Equal(t, status, a.Status)
		require.Equal(t, ok, a.OK(), "%d", status)
		require.Empty(t, a.Body)
	}
}

func TestSwitchingProtocolsIsNoSuccess(t *testing.T) {
	t.Parallel()
	a, err := post(t, local(hearing), raw(t, func(c *net.TCPConn) {
		say(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
		hold(c)
	}))
	require.NoError(t, err)
	require.False(t, a.OK())
}

func TestARedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var calls atomic.Int32
		u := serve(t, func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			http.Redirect(w, r, "/elsewhere", status)
		})
		a, err := post(t, local(), u)
		require.NoError(t, err)
		require.Equal(t, status, a.Status)
		require.Equal(t, int32(1), calls.Load())
	}
}

func TestTheEnvironmentsProxyIsNotAsked(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("ALL_PROXY", "http://127.0.0.1:1")
	require.Nil(t, local().transport.Proxy)
	_, err := post(t, local(), serve(t, func(http.ResponseWriter, *http.Request) {}))
	require.NoError(t, err)
}

func TestNothingIsInflatedAndNoMoreThanSixteenKiBRead(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 8<<20))
	require.NoError(t, z.Close())
	u := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	a, err := post(t, local(), u)
	require.NoError(t, err)
	require.Equal(t, bomb.Bytes()[:len(a.Body)], a.Body, "as it came")
	require.LessOrEqual(t, len(a.Body), MaxBody)
}

func TestAnEndlessBodyCountsWithItsFirstSixteenKiB(t *testing.T) {
	a, err := post(t, local(), raw(t, func(c *net.TCPConn) {
		say(c, "HTTP/1.1 200 OK\r\n\r\n")
		drip(c, strings.Repeat("x", 1000))
	}))
	require.NoError(t, err)
	require.Len(t, a.Body, MaxBody)
	require.Len(t, a.Excerpt(), Shown)
}

func TestTheExcerptIsText(t *testing.T) {
	require.Equal(t, "a\uFFFDb", Answer{Body: []byte("a\xffb")}.Excerpt())
	require.Empty(t, Answer{}.Excerpt())
}

func TestABodyThatDoesNotEndInTimeFailsATwoHundred(t *testing.T) {
	t.Parallel()
	slow := func(status string) (Answer, error) {
		return post(t, local(hearing), raw(t, func(c *net.TCPConn) {
			say(c, "HTTP/1.1 "+status+"\r\nContent-Length: 100\r\nRetry-After: 30\r\n\r\nbegun")
			hold(c)
		}))
	}
	a, err := slow("200 OK")
	require.Equal(t, Timeout, KindOf(err))
	require.Equal(t, 200, a.Status)
	require.Equal(t, "begun", string(a.Body))
	require.GreaterOrEqual(t, a.Duration, heard)
	a, err = slow("503 Busy")
	require.NoError(t, err, "what it said is known")
	require.Equal(t, 503, a.Status)
	require.Equal(t, 30*time.Second, a.RetryAfter)
}

func TestABodyCutBeforeItsEndIsNoSuccess(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\n",
	} {
		_, err := post(t, local(), raw(t, func(c *net.TCPConn) { say(c, answer) }))
		require.Equal(t, Reset, KindOf(err), answer)
	}
}

func TestHeadersThatDoNotComeInTimeAreATimeout(t *testing.T) {
	for _, begun := range []string{"", "HTTP/1.1 200 OK\r\nA: b\r\n", "HTTP/1.1 100 Continue\r\n\r\n"} {
		a, err := post(t, local(hasty), raw(t, func(c *net.TCPConn) { say(c, begun); hold(c) }))
		require.Equal(t, Timeout, KindOf(err))
		require.Zero(t, a.Status)
	}
}

func TestEndlessHeadersAndWhatIsNotHTTPAreNoAnswer(t *testing.T) {
	for name, talk := range map[string]func(c *net.TCPConn){
		"one long header":    func(c *net.TCPConn) { say(c, "HTTP/1.1 200 OK\r\nA: "); drip(c, "aaaaaaaa") },
		"many headers":       func(c *net.TCPConn) { say(c, "HTTP/1.1 200 OK\r\n"); drip(c, "A: b\r\n") },
		"endless 1xx":        func(c *net.TCPConn) { drip(c, "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n") },
		"another protocol":   func(c *net.TCPConn) { say(c, "220 mail.example.cz ESMTP\r\n"); hold(c) },
		"a malformed header": func(c *net.TCPConn) { say(c, "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"); hold(c) },
		"a malformed length": func(c *net.TCPConn) { say(c, "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"); hold(c) },
		"two different lengths": func(c *net.TCPConn) {
			say(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
			hold(c)
		},
	} {
		_, err := post(t, local(), raw(t, talk))
		require.Equal(t, Malformed, KindOf(err), "%s: %v", name, err)
	}
	_, err := post(t, local(), raw(t, func(c *net.TCPConn) {
		say(c, "HTTP/1.1 204 No Content\r\nA: "+strings.Repeat("a", 60<<10)+"\r\n\r\n")
	}))
	require.NoError(t, err, "60 KiB of headers are fine")
}

func TestABrokenConnectionIsAReset(t *testing.T) {
	for name, talk := range map[string]func(c *net.TCPConn){
		"reset":                   func(c *net.TCPConn) { _ = c.SetLinger(0) },
		"closed":                  func(*net.TCPConn) {},
		"closed amid the headers": func(c *net.TCPConn) { say(c, "HTTP/1.1 200 OK\r\nA: b\r\n") },
	} {
		_, err := post(t, local(), raw(t, talk))
		require.Equal(t, Reset, KindOf(err), "%s: %v", name, err)
	}
}

func TestNobodyThereIsConnect(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	u := "http://" + l.Addr().String() + "/"
	require.NoError(t, l.Close())
	_, err := post(t, local(), u)
	require.Equal(t, Connect, KindOf(err))
	c := New(Options{Rules: Rules{Resolver: names{}}})
	_, err = post(t, c, "https://unknown.example.cz/")
	require.Equal(t, Connect, KindOf(err))
}

// stuck is a name server that never answers.
type stuck struct{}

func (stuck) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTheConnectTimeIncludesTheNameServer(t *testing.T) {
	c := New(Options{Rules: Rules{Resolver: stuck{}}, Connect: short})
	_, err := post(t, c, "https://slow.example.cz/")
	require.Equal(t, Connect, KindOf(err))
}

func TestTLSIsVerifiedAndHasItsOwnTime(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	known := names{"example.com": always("127.0.0.1"), "other.example.cz": always("127.0.0.1")}
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	trusting := local(func(o *Options) { o.Roots, o.Resolver = pool, known })
	a, err := post(t, trusting, "https://example.com:"+port)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1", string(a.Body))
	_, err = post(t, trusting, "https://other.example.cz:"+port)
	require.Equal(t, TLS, KindOf(err), "another's certificate")
	_, err = post(t, local(func(o *Options) { o.Resolver = known }), "https://example.com:"+port)
	require.Equal(t, TLS, KindOf(err), "nobody's certificate")
	_, err = post(t, local(), strings.Replace(serve(t, nil), "http", "https", 1))
	require.Equal(t, TLS, KindOf(err), "no TLS at all")

	mute := listen(t, "127.0.0.1:0")
	began := time.Now()
	_, err = post(t, local(func(o *Options) { o.TLS = short }), "https://"+mute.Addr().String())
	require.Equal(t, TLS, KindOf(err), "no handshake")
	require.Less(t, time.Since(began), 3*time.Second)
}

// counted listens on all of loopback's port and counts who connects.
func counted(t *testing.T) (port string, connects *atomic.Int32) {
	connects = &atomic.Int32{}
	first := listen(t, "127.0.0.1:0")
	_, port, _ = net.SplitHostPort(first.Addr().String())
	for _, l := range append([]net.Listener{first}, perhaps("[::1]:"+port)...) {
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				connects.Add(1)
				_ = c.Close()
			}
		}()
	}
	return port, connects
}

func perhaps(address string) []net.Listener {
	if l, err := net.Listen("tcp", address); err == nil {
		return []net.Listener{l}
	}
	return nil
}

func TestNoSpellingOfLoopbackIsConnected(t *testing.T) {
	port, connects := counted(t)
	for _, host := range []string{
		"127.0.0.1", "localhost", "x.localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "0.0.0.0", "[::]", "127.1", "2130706433", "0x7f000001", "0177.0.0.1",
		"①②⑦.0.0.1", "127。0。0。1", "１２７.0.0.1", "localhost.", "127.0.0.1.", "8.8.8.8@127.0.0.1", "a:b@localhost",
	} {
		for _, scheme := range []string{"https://", "http://"} {
			_, err := post(t, New(Options{}), scheme+host+":"+port+"/")
			require.Equal(t, Address, KindOf(err), host)
		}
	}
	require.Zero(t, connects.Load())
}

func TestNoAnswerOfANameServerLeadsInside(t *testing.T) {
	port, connects := counted(t)
	for _, answer := range [][]string{
		{"127.0.0.1"}, {"::1"}, {"0.0.0.0"}, {"::"}, {"::ffff:127.0.0.1"}, {"64:ff9b::7f00:1"}, {"2002:7f00:1::1"},
		{"169.254.169.254"},
		{"fd00:ec2::254"}, {"10.0.0.1"}, {"192.0.2.1", "127.0.0.1"}, {"8.8.8.8", "127.0.0.1"}, {"127.0.0.1", "8.8.8.8"},
	} {
		c := New(Options{Rules: Rules{Resolver: names{"r.example.cz": always(answer...)}}})
		_, err := post(t, c, "https://r.example.cz:"+port+"/")
		require.Equal(t, Address, KindOf(err), "%v", answer)
	}
	require.Zero(t, connects.Load())
}

func TestANameThatMovesInsideAfterItsCheckIsNotConnected(t *testing.T) {
	port, connects := counted(t)
	r := Rules{Resolver: names{"r.example.cz": {{"8.8.8.8"}, {"127.0.0.1"}}}}
	u := "https://r.example.cz:" + port + "/"
	require.NoError(t, r.CheckResolves(t.Context(), u))
	_, err := post(t, New(Options{Rules: r}), u)
	require.Equal(t, Address, KindOf(err))
	require.Zero(t, connects.Load())
}

func TestTheDialItselfRefuses(t *testing.T) {
	port, connects := counted(t)
	c := New(Options{})
	_, p := split("x:" + port)
	for _, a := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := c.dialAddress(ctx, target{host: "r.example.cz", port: p}, netip.MustParseAddr(a), 1)
		cancel()
		require.Equal(t, Address, KindOf(err), a)
	}
	require.Zero(t, connects.Load())
}

func TestThePlatformIsNotConnectedSaveForItsDemo(t *testing.T) {
	var paths []string
	u := serve(t, func(_ http.ResponseWriter, r *http.Request) { paths = append(paths, r.URL.Path) })
	own := strings.TrimPrefix(u, "http://")
	_, port, _ := net.SplitHostPort(own)
	c := local(func(o *Options) {
		o.PlatformHosts, o.CallablePaths = []string{own}, []string{"/demo/receiver"}
		o.Resolver = names{"r.example.cz": always("127.0.0.1")}
	})
	_, err := post(t, c, u+"/demo/receiver")
	require.NoError(t, err)
	for _, other := range []string{u + "/api-engine/status", "http://localhost:" + port + "/x",
		"https://r.example.cz:" + port + "/demo/receiver"} {
		_, err = post(t, c, other)
		require.Equal(t, Address, KindOf(err), other)
	}
	require.Equal(t, []string{"/demo/receiver"}, paths)
}

func TestAPostIsNeverSentTwiceUnseen(t *testing.T) {
	var calls atomic.Int32
	u := raw(t, func(c *net.TCPConn) {
		calls.Add(1)
		say(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		// the kept connection breaks under the second POST
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			calls.Add(1)
			_ = c.SetLinger(0)
		}
	})
	c := local()
	_, err := post(t, c, u)
	require.NoError(t, err)
	_, err = post(t, c, u)
	require.Equal(t, Reset, KindOf(err))
	require.Equal(t, int32(2), calls.Load())
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "x-idempotency-key"} {
		_, err = c.Post(t.Context(), u, http.Header{name: {"k"}}, nil)
		require.Error(t, err)
	}
	require.Equal(t, int32(2), calls.Load())
}

func TestTheCallersEndIsNotTheReceiversFault(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	u := raw(t, func(c *net.TCPConn) { cancel(); hold(c) })
	_, err := local().Post(ctx, u, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, KindOf(err))
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "1": time.Second, "86400": 24 * time.Hour, "-1": 0, "1.5": 0, "soon": 0, "+5": 0,
		"Sat, 21 Nov 2026 12:00:30 GMT": 30 * time.Second, "Sat, 21 Nov 2026 11:00:00 GMT": 0,
		"9223372036854775807": 10 * 365 * 24 * time.Hour, "99999999999999999999": 10 * 365 * 24 * time.Hour,
	} {
		require.Equal(t, want, retryAfter(value, now), value)
	}
}

func TestConnectionsAreKeptAndCanBeClosed(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	u := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.RemoteAddr] = true
	})
	c := local()
	for range 5 {
		_, err := post(t, c, u)
		require.NoError(t, err)
	}
	require.Len(t, seen, 1)
	c.CloseIdle()
	_, err := post(t, c, u)
	require.NoError(t, err)
	require.Len(t, seen, 2)
}

// Receivers of one host have as many connections as calls are in flight, and those are used again.
func TestNoConnectionIsClosedWhileOthersAreOpened(t *testing.T) {
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		_, _ = io.WriteString(w, "ok")
	}))
	s.Config.ConnState = func(_ net.Conn, now http.ConnState) {
		if now == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := local()
	c.transport.IdleConnTimeout = 0 // on a busy machine a call may wait for longer than that for its turn
	t.Cleanup(c.CloseIdle)
	var calls sync.WaitGroup
	for range 160 {
		calls.Go(func() {
			for range 40 {
				_, err := c.Post(t.Context(), s.URL, nil, []byte("{}"))
				assert.NoError(t, err)
			}
		})
	}
	calls.Wait()
	require.LessOrEqual(t, opened.Load(), int64(slotsPerHost))
}

func TestAFailureNeverTellsTheURL(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	u := "http://" + l.Addr().String() + "/hook?token=hidden"
	require.NoError(t, l.Close())
	_, err := post(t, local(), u)
	require.NotContains(t, err.Error(), "hidden")
	require.Error(t, errors.Unwrap(err))
	_, err = post(t, New(Options{}), u)
	require.NotContains(t, fmt.Sprint(err), "hidden")
}

func BenchmarkPost(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer s.Close()
	c := local()
	defer c.CloseIdle()
	body := bytes.Repeat([]byte("x"), 400)
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Post(context.Background(), s.URL, nil, body); err != nil {
				b.Error(err)
			}
		}
	})
}
