package journeys

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoReceiverMayBeThisAPI(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{"in the one process": oneProcess(t),
		"in Lambda": inLambda(t, straight())} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tn := w.shopWith(t, everything...)
			_, port, err := net.SplitHostPort(strings.TrimPrefix(w.url, "http://"))
			require.NoError(t, err)
			a := tn.listens()
			for _, host := range []string{"127.0.0.1", "localhost", "LocalHost.", "api.localhost", "[::1]", "127.9.9.9",
				"127.1", "2130706433",
				"0x7f000001", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]"} {
				for _, path := range []string{"", "/", "/api-engine/webhooks", "/demo/receiver", "/operator/shops"} {
					own := fields{"url": "http://" + host + ":" + port + path}
					tn.do(422, "POST", "/api-engine/webhooks", own).problem(422, "invalid")
					tn.do(422, "PATCH", "/api-engine/webhooks/"+a.id, own).problem(422, "invalid")
					w.operate(t).do(422, "PATCH", "/operator/packages/"+tn.pkg,
						fields{"systemUrl": own["url"]}).problem(422, "invalid")
				}
			}
			require.Equal(t, a.url, tn.receiver(a).text("url"))
			require.Len(t, tn.get("/api-engine/webhooks").items("items"), 1)
		})
	}
}

// TestAReceiverWhoseAddressBecameOursIsNotCalled moves the platform to where a verified receiver was: what the rules
// refused at registration they refuse at the dial, and the platform does not hear itself.
func TestAReceiverWhoseAddressBecameOursIsNotCalled(t *testing.T) {
	t.Parallel()
	const loop = "/api-engine/the-loop"
	data := t.TempDir()
	p := begin(t, command(t, data, "DEMO=0"), data)
	tn := p.world().shopWith(t, everything...)
	a, redirecting := &listener{t: t, come: make(chan struct{})}, tn.listens()
	here := httptest.NewServer(a)
	a.url = here.URL
	a.id = tn.post("/api-engine/webhooks", fields{"url": a.url + loop}).id()
	tn.enabled(a)
	p.stop(syscall.SIGTERM)
	addr := strings.TrimPrefix(a.url, "http://")
	here.Close()
	redirecting.answers(func(w http.ResponseWriter, _ call) {
		w.Header().Set("Location", a.url+loop)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})

	p = begin(t, command(t, data, "DEMO=0", "ADDR="+addr), data)
	tn = tn.in(p)
	require.Equal(t, a.url, tn.base, "the platform is where the receiver was")
	tn.customer()
	tn.shows(a, "lastFailure", "address")
	tn.shows(redirecting, "lastFailure", "status 307")
	made := tn.get("/api-engine/webhook-deliveries?event=customerCreate&receiverId=" + a.id).items("items")
	require.Len(t, made, 1)
	var attempts []fields
	eventually(t, patience, func() bool { // the receiver is told of before its delivery
		attempts = tn.get("/api-engine/webhook-deliveries/" + made[0]["id"].(string)).items("attempts")
		return len(attempts) > 0
	}, "the attempt's result")
	require.Equal(t, []any{"address", nil}, []any{attempts[0]["error"], attempts[0]["status"]}, "no socket, no answer")
	p.stop(syscall.SIGTERM)
	require.NotContains(t, p.out.String(), loop, "no request of its own has come")
}
