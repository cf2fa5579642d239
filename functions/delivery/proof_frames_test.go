package delivery_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/egress"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/webhook"
)

// The frames of HTTP/2 that a receiver sends which believes that we speak it: its settings, and that it goes away.
const (
	settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	goAway   = "\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	frames   = settings + goAway
)

// faulty is a receiver that is at fault at one phase of a call until it is well.
type faulty struct {
	early func(net.Conn) // before a request was read
	late  func(net.Conn) // once one was
	seen  atomic.Int64   // calls: requests, or connections of a fault before the request
	well  atomic.Bool
	certs *tls.Config // nil: no TLS
	url   string
	roots *x509.CertPool
}

// listen serves until the test ends.
func (f *faulty) listen(t *testing.T, secure bool) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	f.url = "http://" + l.Addr().String()
	if secure {
		s := httptest.NewTLSServer(nil)
		t.Cleanup(s.Close)
		f.url = strings.Replace(f.url, "http", "https", 1)
		f.roots = x509.NewCertPool()
		f.roots.AddCert(s.Certificate())
		f.certs = &tls.Config{Certificates: s.TLS.Certificates, NextProtos: []string{"h2"}}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); f.talk(c) }()
		}
	}()
}

func (f *faulty) talk(raw net.Conn) {
	if !f.well.Load() && f.early != nil && f.late == nil {
		f.seen.Add(1)
		f.early(raw)
		return
	}
	c := raw
	if f.certs != nil {
		secure := tls.Server(raw, f.certs)
		defer secure.Close()
		c = secure
	}
	if !f.well.Load() && f.early != nil {
		f.seen.Add(1)
		f.early(c)
		f.late(c)
		return
	}
	for in := bufio.NewReader(c); ; {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		io.Copy(io.Discard, r.Body)
		f.seen.Add(1)
		if !f.well.Load() {
			f.late(&reset{c, raw})
			continue
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	}
}

// reset is a connection that can be reset, whatever it is wrapped in.
type reset struct {
	net.Conn
	raw net.Conn
}

// rst resets the connection.
func rst(c net.Conn) {
	if r, wrapped := c.(*reset); wrapped {
		c = r.raw
	}
	c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// says writes, and then does what is told.
func says(text string, then func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) { io.WriteString(c, text); then(c) }
}

// hears waits for something to come first.
func hears(then func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) { c.Read(make([]byte, 1)); then(c) }
}

func holds(c net.Conn) { io.Copy(io.Discard, c) }

func ends(c net.Conn) { c.Close() }

func goesOn(net.Conn) {}

// drips writes the text again and again, in time for a reader that waits for the next.
func drips(text string) func(net.Conn) {
	return func(c net.Conn) {
		for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

const (
	okLine   = "HTTP/1.1 200 OK\r\n"
	okLength = okLine + "Content-Length: 1000\r\n\r\n"
	okChunks = okLine + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
	okWhole  = okLine + "Content-Length: 0\r\n\r\n"
	okEmpty  = "HTTP/1.1 204 No Content\r\n\r\n"
)

// A fault, and what the attempt is logged as: one of these.
type fault struct {
	f     *faulty
	https bool
	as    []string
}

func late(do func(net.Conn), as ...string) fault { return fault{&faulty{late: do}, false, as} }

func (f fault) tls() fault { f.https = true; return f }

func faults() map[string]fault {
	const bad, gone, slow = webhook.BadAnswer, webhook.Reset, webhook.TimedOut
	greets := fault{&faulty{early: says(frames, goesOn), late: holds}, true, []string{bad, gone, slow}}
	large := strings.Repeat("x", 5<<20)
	return map[string]fault{
		"RST before the request":                 {&faulty{early: rst}, false, []string{gone, webhook.NotConnected}},
		"RST before the answer":                  late(rst, gone),
		"RST within the status line":             late(says("HTTP/1.1 2", rst), gone, bad),
		"RST within the headers":                 late(says(okLine+"X-A: ", rst), gone),
		"RST between headers and body":           late(says(okLength, rst), gone),
		"RST within the body":                    late(says(okLength+"x", rst), gone),
		"RST within a chunk":                     late(says(okChunks+"5\r\nhe", rst), gone),
		"RST between two chunks":                 late(says(okChunks, rst), gone),
		"RST within the TLS handshake":           {&faulty{early: hears(rst)}, true, []string{webhook.TLS}},
		"RST within TLS, before the answer":      late(rst, gone).tls(),
		"RST within TLS, within the body":        late(says(okLength+"x", rst), gone).tls(),
		"GOAWAY after the handshake":             greets,
		"GOAWAY for the answer, and silence":     late(says(frames, holds), slow, bad).tls(),
		"GOAWAY for the answer, and the end":     late(says(frames, ends), gone, bad).tls(),
		"GOAWAY within the headers":              late(says(okLine+"X-A: b\r\n"+goAway, ends), gone, bad).tls(),
		"GOAWAY within the headers, and silence": late(says(okLine+"X-A: b\r\n"+goAway, holds), slow, bad).tls(),
		"GOAWAY within the body":                 late(says(okLength+goAway, ends), gone).tls(),
		"GOAWAY within the body, and silence":    late(says(okLength+goAway, holds), slow).tls(),
		"GOAWAY for a chunk":                     late(says(okChunks+goAway, ends), gone, bad).tls(),
		"GOAWAY without TLS":                     late(says(frames, ends), gone, bad),
		"GOAWAY behind a whole answer":           late(says(okWhole+goAway, ends), "").tls(),
		"RST behind a whole answer":              late(says(okEmpty, rst), "", gone),
		"a header of 5 MiB":                      late(says(okLine+"X-A: "+large+"\r\n\r\n", holds), bad),
		"5 MiB of headers": late(says(okLine+strings.Repeat("X-A: "+large[:1000]+"\r\n",
			5200)+"\r\n", holds), bad), "5 MiB of trailers": late(says(okChunks+"0\r\nX-A: "+large+"\r\n\r\n",
			holds), bad),
		"a 103 with 5 MiB of headers": late(says("HTTP/1.1 103 Early Hints\r\nX-A: "+large+"\r\n\r\n"+okWhole,
			holds), bad), "a thousand 100s and then 200": late(says(strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n",
			10_000)+okWhole, holds), bad), "100s dripping": late(drips("HTTP/1.1 100 "+
			"Continue\r\n\r\n"), slow, bad), "a dripping status line": late(drips("H"), slow, bad),
		"dripping headers":                  late(says(okLine+"X-A: ", drips("x")), slow),
		"a dripping body":                   late(says(okLength, drips("x")), slow),
		"dripping chunks":                   late(says(okChunks, drips("1\r\nx\r\n")), slow),
		"a chunk of a size that nobody has": late(says(okChunks+"fffffffffffffffff\r\n", holds), bad),
		"a handshake that drips":            {&faulty{early: drips("\x16")}, true, []string{webhook.TLS, slow}},
		"304": late(says("HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", goesOn),
			"status 304"), "304 with a body that it may not have": late(says("HTTP/1.1 304 Not "+
			"Modified\r\nContent-Length: 9\r\n\r\n123456789", goesOn), "status 304"),
		"103 and then 304": late(says("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 304 "+
			"Not Modified\r\n\r\n", goesOn), "status 304"),
		"101 Switching Protocols to h2c and GOAWAY": late(says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: "+
			"h2c\r\nConnection: Upgrade\r\n\r\n"+frames, holds), "status 101"),
	}
}

// TestAtWhateverPhaseAReceiverFailsItsPlacesAreFreeAndAttemptsAreRequests lets three calls, more than a suspect
// receiver has places, fail side by side: were one place not free again, their next attempts would never all arrive.
func TestAtWhateverPhaseAReceiverFailsItsPlacesAreFreeAndAttemptsAreRequests(t *testing.T) {
	t.Parallel()
	for name, c := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.f.listen(t, c.https)
			o := egress.Options{Roots: c.f.roots}
			if slices.Contains(c.as, webhook.TimedOut) {
				o.Whole = soon
			}
			w := newWorld(t, func(p *host.Parts) { p.Calling = o })
			a := w.install("shop", permission.ReadCustomers)
			w.receiver(a, c.f.url)
			for i := range 3 {
				w.tell(w.change("shop", customer(fmt.Sprint(i))))
			}
			w.run()
			seen, sick := c.f.seen.Load(), 0
			require.EqualValues(t, 3, seen)
			for _, row := range w.rows(a) {
				attempts, err := webhook.AttemptsOf(&row)
				require.NoError(t, err)
				require.Len(t, attempts, 1, "attempts logged are requests seen")
				require.Contains(t, c.as, attempts[0].Error)
				if attempts[0].Error != "" {
					sick++
				}
			}
			c.f.well.Store(true)
			w.pass(30 * time.Second)
			require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 3}, w.states(a))
			require.EqualValues(t, 3+sick, c.f.seen.Load(), "one attempt more of each that failed")
		})
	}
}
