package delivery_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/egress"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/webhook"
)

func TestARedirectToAPageIsOneRequestAndAFailure(t *testing.T) {
	for _, code := range []int{301, 302, 303, 304, 307, 308} {
		w, page := newWorld(t), serve(t, nil)
		s := serve(t, func(rw http.ResponseWriter, _ hit) {
			rw.Header().Set("Location", page.URL)
			rw.WriteHeader(code)
		})
		a := w.install("shop", permission.ReadCustomers)
		w.receiver(a, s.URL)
		w.tell(w.change("shop", customer("c")))
		w.run()
		require.Len(t, s.got(), 1)
		require.Empty(t, page.got())
		row, attempts := w.row(a)
		require.Equal(t, webhook.Waiting, row.State)
		require.Len(t, attempts, 1)
		require.Equal(t, fmt.Sprint("status ", code), attempts[0].Error)
	}
}

func gzipped(t *testing.T, plain io.Reader) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.Copy(z, plain)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAGzipBombOfFiftyKilobytesGrowsNothing(t *testing.T) {
	bomb := gzipped(t, io.LimitReader(zeros{}, 50<<20))
	require.Greater(t, len(bomb), 50_000)
	w := newWorld(t)
	s := serve(t, func(rw http.ResponseWriter, _ hit) {
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Write(bomb)
	})
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("warm")))
	w.run()
	w.tell(w.change("shop", customer("c")))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.run()
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "all that was allocated meanwhile")
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 2}, w.states(a))
}

func TestTwoHundredWithAnEmptyGzipBodyIsASuccess(t *testing.T) {
	for name, body := range map[string][]byte{"of no bytes": nil, "of nothing, compressed": gzipped(t, http.NoBody)} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := serve(t, func(rw http.ResponseWriter, _ hit) {
				rw.Header().Set("Content-Encoding", "gzip")
				rw.Write(body)
			})
			a := w.install("shop", permission.ReadCustomers)
			w.receiver(a, s.URL)
			w.tell(w.change("shop", customer("c")))
			w.run()
			require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1}, w.states(a))
			require.Len(t, s.got(), 1)
		})
	}
}

// raw is a receiver that does with each connection, after its request was read, what it is told.
func raw(t *testing.T, do func(net.Conn)) (url string, requests *atomic.Int64) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	requests = &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := c.Read(make([]byte, 64<<10)); err != nil {
					return
				}
				requests.Add(1)
				do(c)
			}()
		}
	}()
	return "http://" + l.Addr().String(), requests
}

// endless writes a part again and again until the other side has had enough.
func endless(first, part string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, first)
		for {
			if _, err := io.WriteString(c, part); err != nil {
				return
			}
		}
	}
}

// cut writes a beginning and resets the connection.
func cut(first string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, first)
		c.(*net.TCPConn).SetLinger(0)
	}
}

// silent writes a beginning and no more.
func silent(first string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, first)
		io.Copy(io.Discard, c)
	}
}

// soon ends the attempts at receivers that never would: so late that each has arrived by then on a busy machine, too,
// where it takes a second to connect and to shake hands.
const soon = 5 * time.Second

func TestWhateverAReceiverDoesItsAttemptEndsInTimeAndIsLoggedAsWhatItWas(t *testing.T) {
	t.Parallel()
	ok := "HTTP/1.1 200 OK\r\n"
	for name, c := range map[string]struct {
		do    func(net.Conn)
		error string
	}{
		"a dripping body":    {drip(ok + "Content-Length: 1000\r\n\r\n"), webhook.TimedOut},
		"dripping headers":   {drip(ok + "X-Long: "), webhook.TimedOut},
		"no answer":          {silent(""), webhook.TimedOut},
		"half an answer":     {silent(ok), webhook.TimedOut},
		"an endless body":    {endless(ok+"\r\n", "x"), ""},
		"endless headers":    {endless(ok, "X-More: x\r\n"), webhook.BadAnswer},
		"one endless header": {endless(ok+"X-Long: ", "xxxxxxxx"), webhook.BadAnswer},
		"a flood of 103": {endless("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
			webhook.BadAnswer},
		"a flood of 100":             {endless("", "HTTP/1.1 100 Continue\r\n\r\n"), webhook.BadAnswer},
		"what is not HTTP":           {silent("SSH-2.0-OpenSSH_9.6\r\n\r\n"), webhook.BadAnswer},
		"a reset before the answer":  {cut(""), webhook.Reset},
		"a reset within the headers": {cut(ok + "X: "), webhook.Reset},
		"a reset within the body":    {cut(ok + "Content-Length: 1000\r\n\r\nx"), webhook.Reset},
		"an end before the answer":   {func(net.Conn) {}, webhook.Reset},
		"304":                        {silent("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"), "status 304"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := time.Hour // what is not ended by its time is ended by another bound
			if c.error == webhook.TimedOut {
				whole = soon
			}
			w := newWorld(t, func(p *host.Parts) {
				p.Calling = egress.Options{Whole: whole}
			})
			url, requests := raw(t, c.do)
			a := w.install("shop", permission.ReadCustomers)
			r := w.receiver(a, url)
			w.tell(w.change("shop", customer("c")))
			w.run() // which ends as the attempt does: most of these receivers never would
			_, attempts := w.row(a)
			require.EqualValues(t, len(attempts), requests.Load(), "attempts logged are requests seen")
			require.Len(t, attempts, 1)
			require.Equal(t, c.error, attempts[0].Error)
			require.Equal(t, c.error, w.health(r).LastFailure)
			require.Equal(t, c.error == "", w.states(a)[webhook.Delivered] == 1)
		})
	}
}

// drip writes a byte at a time, each in time for a reader that waits for the next.
func drip(first string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, first)
		for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
		}
	}
}

func TestADeadAndAHangingReceiverKeepNobodyWaiting(t *testing.T) {
	fresh, retry := queues(0)
	w := newWorld(t, inMemory(fresh, retry))
	hang := make(chan struct{}) // closed as the test ends: until then the one that hangs does not answer
	dead, hanging := serve(t, status(500)), serve(t, func(http.ResponseWriter, hit) { <-hang })
	w.receiver(w.install("shop", permission.ReadCustomers), dead.URL)
	w.receiver(w.install("shop", permission.ReadCustomers), hanging.URL)
	var well []*shop
	for range 8 {
		s := serve(t, nil)
		well = append(well, s)
		w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	}
	w.pumped(fresh, retry)
	defer close(hang)
	for i := range 60 {
		w.tell(w.change("shop", customer(fmt.Sprint(i))))
		for _, s := range well {
			require.Eventually(t, func() bool { return len(s.got()) == i+1 }, 2*time.Minute, time.Millisecond,
				"the healthy have event %d while the sick have it before them still", i)
		}
	}
	require.NotEmpty(t, dead.got())
	require.NotEmpty(t, hanging.got())
	require.LessOrEqual(t, len(hanging.got()), 16)
}
