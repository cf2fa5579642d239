package delivery_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/host"
)

// TestEachAttemptHasALine, up to so many a second; what had none is counted in the next one.
func TestEachAttemptHasALine(t *testing.T) {
	var out bytes.Buffer
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}
	w := newWorld(t, func(p *host.Parts) {
		p.Attempts = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: noTime}))
	})
	s := serve(t, status(500))
	a := w.install("s", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.tell(w.change("s", customer("c")))
	w.run()
	id := s.got()[0].Get("X-Webhook-Id")
	require.Regexp(t, `^level=INFO msg=webhook event=\S+ webhook=`+id+` receiver=`+r.ID+` attempt=1 status=500 failure="status 500" state=waiting nextIn=1?\ds\n$`,
		out.String())
	require.NotContains(t, out.String(), s.URL)

	s.answer(nil)
	w.pass(time.Minute)
	require.Contains(t, out.String(), "attempt=2 status=200 state=delivered\n")

	out.Reset()
	for range 205 {
		w.tell(w.change("s", customer("c")))
	}
	w.run()
	require.Equal(t, 200, strings.Count(out.String(), "\n"))
	w.clock.Pass(time.Second)
	w.tell(w.change("s", customer("c")))
	w.run()
	require.Contains(t, out.String(), "state=delivered leftOut=5\n")
}
