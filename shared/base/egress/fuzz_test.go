package egress

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzAnswers is what a receiver may say: it is an answer within its bounds, or a failure that is known, whatever it is
// and at once when the receiver has hung up.
func FuzzAnswers(f *testing.F) {
	const head = "HTTP/1.1 200 OK\r\n"
	for _, answer := range []string{head + "Content-Length: 2\r\n\r\nok", head + "\r\nnonce", "",
		"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\n" + head + "\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n" + head + "\r\n",
		"HTTP/1.1 429 \r\nRetry-After: 18446744073709551616\r\n\r\n", "HTTP/1.1 503 \r\nRetry-After: -1\r\n\r\n",
		"HTTP/1.1 429 \r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n\r\n", "HTTP/1.1 999 \r\n\r\n",
		"HTTP/9.9 200\r\n\r\n",
		head + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		head + "Content-Encoding: gzip\r\n\r\n\x1f\x8b",
		head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
		head + "Content-Length: 99999999999\r\n\r\n" +
			strings.Repeat("x", MaxBody+1), head + "X: " + strings.Repeat("x", 70<<10) + "\r\n\r\n"} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		c := local(hearing, func(o *Options) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				go func() {
					defer there.Close()
					if _, err := http.ReadRequest(bufio.NewReader(there)); err == nil {
						say(there, answer)
					}
				}()
				return here, nil
			}
		})
		defer c.CloseIdle()
		a, err := c.Post(t.Context(), "http://127.0.0.1:8080/", nil, []byte("{}"))
		if err != nil {
			var failure *Failure
			require.ErrorAs(t, err, &failure)
			require.Contains(t, []FailureKind{Reset, Malformed}, failure.Kind, err.Error())
		}
		require.LessOrEqual(t, len(a.Body), MaxBody)
		require.True(t, 0 <= a.RetryAfter && a.RetryAfter <= 10*366*24*time.Hour, a.RetryAfter)
		if err == nil {
			require.True(t, 100 <= a.Status && a.Status <= 999, a.Status)
			require.Equal(t, a.Status/100 == 2, a.OK())
		}
	})
}
