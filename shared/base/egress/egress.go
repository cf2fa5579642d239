package egress

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// What is read of an answer, in bytes (contract, "Success and retries").
const (
	MaxHeader = 64 << 10
	MaxBody   = 16 << 10
	Shown     = 2 << 10 // of the body, in the log of deliveries
)

// Options of a Client.
type Options struct {
	Rules
	Connect time.Duration    // to find and connect a host; 0: 3 s
	TLS     time.Duration    // to shake hands; 0: 3 s
	Whole   time.Duration    // from the first step to the last byte read; 0: 10 s
	Roots   *x509.CertPool   // whose certificates are good; nil: the system's
	Now     func() time.Time // what dates in Retry-After are held against; nil: time.Now
	// Dial connects an address that was judged. Simulations have one, whose network is in memory. nil: the system
	// connects it, and the address of its socket is judged once more.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client sends webhooks. It is safe for concurrent use, and keeps connections for a few seconds for the next call.
type Client struct {
	options   Options
	transport *http.Transport
	sessions  tls.ClientSessionCache
	buffers   sync.Pool
	slots     slots
}

// Answer is what a receiver said, as far as it was read.
type Answer struct {
	Status     int           // 0: none came
	RetryAfter time.Duration // 0: not said
	Body       []byte        // at most the first MaxBody bytes, as they came: nothing is inflated
	Duration   time.Duration // of the whole call
}

// OK says whether the status is 2xx, and nothing else.
func (a Answer) OK() bool { return a.Status/100 == 2 }

// Excerpt is the first Shown bytes of the body as text.
func (a Answer) Excerpt() string {
	return strings.ToValidUTF8(string(a.Body[:min(len(a.Body), Shown)]), "\uFFFD")
}

// New makes a client.
func New(o Options) *Client {
	o.Connect = cmp.Or(o.Connect, 3*time.Second)
	o.TLS = cmp.Or(o.TLS, 3*time.Second)
	o.Whole = cmp.Or(o.Whole, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Client{options: o, sessions: tls.NewLRUClientSessionCache(256),
		buffers: sync.Pool{New: func() any { return new([MaxBody]byte) }}}
	c.transport = &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return c.dial(ctx, targetAt(address, "http"))
		},
		DialTLSContext: c.dialTLS,
		// A few bytes that inflate to gigabytes must not come in, so nothing is inflated.
		DisableCompression:     true,
		MaxResponseHeaderBytes: MaxHeader,
		MaxIdleConns:           1024,
		MaxIdleConnsPerHost:    slotsPerHost,
		IdleConnTimeout:        4 * time.Second, // shorter than servers have: they seldom close just as we send
		// An empty map switches HTTP/2 off.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	return c
}

// CloseIdle closes connections that wait for the next call. A Lambda function calls it at the end of an invocation,
// because connections do not outlive the freeze that follows.
func (c *Client) CloseIdle() { c.transport.CloseIdleConnections() }

// Post sends the body once, or not at all. A status of any kind is an Answer without an error.
//
// An error is a *Failure, and the answer then has what had come by that time. If ctx ended, the error is ctx's own, and
// nobody knows what the receiver did. Post does not wait for other calls: a caller that makes many calls waits for a
// slot first (WaitForSlot).
func (c *Client) Post(ctx context.Context, address string, header http.Header, body []byte) (Answer, error) {
	began := time.Now()
	request, err := c.request(address, header, body)
	if err != nil {
		return Answer{}, err
	}
	whole, cancel := context.WithTimeout(ctx, c.options.Whole)
	defer cancel()
	a, err := c.call(request.WithContext(whole))
	a.Duration = time.Since(began)
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return a, ctx.Err()
	}
	return a, classify(whole, err)
}

// request is the POST to an address that Rules allow. It refuses headers (like Idempotency-Key) by which Go's transport
// would take the request for idempotent and send it again by itself.
func (c *Client) request(address string, header http.Header, body []byte) (*http.Request, error) {
	if _, err := c.options.parse(address); err != nil {
		return nil, err
	}
	for name := range header {
		if strings.Contains(strings.ToLower(name), "idempotency-key") {
			return nil, fmt.Errorf("egress: with the header %s Go would send a POST twice unseen", name)
		}
	}
	request, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, refuse("this is not a URL")
	}
	if header != nil {
		request.Header = header
	}
	return request, nil
}

// call makes the round trip without http.Client: no redirect, no cookie, no referrer.
func (c *Client) call(request *http.Request) (Answer, error) {
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return Answer{}, err
	}
	defer response.Body.Close()
	answer := Answer{Status: response.StatusCode,
		RetryAfter: retryAfter(response.Header.Get("Retry-After"), c.options.Now())}
	if answer.Status < 100 {
		return Answer{}, fmt.Errorf("egress: HTTP has no status %d", answer.Status)
	}
	if answer.Status < 200 {
		return answer, nil // 101: the body is the connection itself, in another protocol
	}
	answer.Body, err = c.read(response.Body)
	if !answer.OK() {
		return answer, nil // the status says enough, however its body ends
	}
	return answer, err
}

// read is the body up to its end or MaxBody, whichever comes first.
func (c *Client) read(r io.Reader) ([]byte, error) {
	buffer := c.buffers.Get().(*[MaxBody]byte)
	defer c.buffers.Put(buffer)
	n := 0
	// What comes beyond MaxBody is not read: a receiver that talks without end is cut off.
	for n < MaxBody {
		m, err := r.Read(buffer[n:])
		n += m
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bytes.Clone(buffer[:n]), err
		}
	}
	return bytes.Clone(buffer[:n]), nil
}

// retryAfter is the wait in a Retry-After: seconds or a date (RFC 9110, section 10.2.3); 0 for anything else.
func retryAfter(value string, now time.Time) time.Duration {
	const most = 10 * 365 * 24 * time.Hour // longer than anybody waits, and short enough for a time.Duration
	n, err := strconv.ParseUint(value, 10, 63)
	if err == nil || errors.Is(err, strconv.ErrRange) { // then n is the largest there is
		return time.Duration(min(n, uint64(most/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), most)
}

// dialTLS connects and shakes hands for https.
func (c *Client) dialTLS(ctx context.Context, _, address string) (net.Conn, error) {
	raw, err := c.dial(ctx, targetAt(address, "https"))
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(address)
	// The handshake has a time of its own, so that a host that connects and then is silent counts as a failure of TLS.
	ctx, cancel := context.WithTimeout(ctx, c.options.TLS)
	defer cancel()
	conn := tls.Client(raw, &tls.Config{ServerName: strings.TrimSuffix(host, "."), RootCAs: c.options.Roots,
		MinVersion: tls.VersionTLS12, ClientSessionCache: c.sessions})
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, &Failure{Kind: TLS, err: err}
	}
	return conn, nil
}

// dial resolves the host's addresses, judges all of them, and tries one after the other until one connects. It dials an
// address that it has judged, never the name again: the name may resolve to another address a moment later.
func (c *Client) dial(ctx context.Context, t target) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Connect)
	defer cancel()
	found, err := c.options.resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	for i, a := range found {
		conn, err = c.dialAddress(ctx, t, a, len(found)-i)
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// dialAddress connects one address. Its share of the time that is left is an equal one for each of the left addresses
// still to be tried: so a first address that hangs leaves time for the next.
func (c *Client) dialAddress(ctx context.Context, t target, ip netip.Addr, left int) (net.Conn, error) {
	end, _ := ctx.Deadline()
	d := net.Dialer{
		Timeout: time.Until(end) / time.Duration(left),
		Control: func(_, address string, _ syscall.RawConn) error { return c.judgeDial(t, address) },
	}
	dial := d.DialContext
	if c.options.Dial != nil {
		dial = c.options.Dial
	}
	conn, err := dial(ctx, "tcp", netip.AddrPortFrom(ip, t.port).String())
	if failure, is := errors.AsType[*Failure](err); is {
		return nil, failure
	}
	if err != nil {
		return nil, &Failure{Kind: Connect, err: err}
	}
	return conn, nil
}

// judgeDial judges the address of a socket that is made and not connected yet. Whatever resolved the name, this is
// where the connection goes.
func (c *Client) judgeDial(t target, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("an address that cannot be read")
	}
	a := at.Addr().Unmap()
	if c.options.isPlatformAddress(a, at.Port()) && !c.options.isPlatformHost(t.host, t.port) {
		return refuse("the host is this platform's own")
	}
	return c.options.judge(a, t)
}

// classify is the Failure of an error of Go's transport. whole is the context of the call with its time.
func classify(whole context.Context, err error) *Failure {
	failure, is := errors.AsType[*Failure](err)
	switch {
	case is:
		return failure
	case whole.Err() != nil:
		return &Failure{Kind: Timeout, err: err}
	case errors.As(err, new(tls.AlertError)), errors.As(err, new(tls.RecordHeaderError)):
		return &Failure{Kind: TLS, err: err}
	case errors.As(err, new(*net.OpError)), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(err.Error(), "server closed idle connection"):
		return &Failure{Kind: Reset, err: err}
	}
	return &Failure{Kind: Malformed, err: err}
}

// FailureKind is why no answer came, or only a part of one, in the words of `lastFailure` (contract, "Receivers").
type FailureKind string

// The kinds of failure.
const (
	Timeout   FailureKind = "timeout" // the whole took too long
	Connect   FailureKind = "connect" // no name, no route, refused, or not connected in time
	TLS       FailureKind = "tls"     // no handshake, a certificate that is not good, or not in time
	Reset     FailureKind = "reset"   // the connection broke
	Address   FailureKind = "address" // an address that may not be called
	Malformed FailureKind = "answer"  // too many headers, or not HTTP
)

// Failure is a call that failed by itself, whatever the receiver would have said.
type Failure struct {
	Kind FailureKind
	text string
	err  error
}

// Error is the failure's own text, or else its kind and its cause.
func (f *Failure) Error() string {
	if f.text != "" {
		return f.text
	}
	return fmt.Sprintf("%s: %v", f.Kind, f.err)
}

// Unwrap is the error beneath.
func (f *Failure) Unwrap() error { return f.err }

// KindOf is the kind of a failure in err, "" when there is none.
func KindOf(err error) FailureKind {
	if f, is := errors.AsType[*Failure](err); is {
		return f.Kind
	}
	return ""
}

// refuse is the failure of an address that may not be called; its text may be shown to whoever gave the address.
func refuse(why string) *Failure { return &Failure{Kind: Address, text: why} }
