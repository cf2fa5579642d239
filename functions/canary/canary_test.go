package canary

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/canary"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/signature"
	"eshop/shared/store"
)

// stub is a platform as the canary sees it: each request has an answer, which a test may spoil. Journeys
// (infra/journeys) run the canary on the real one.
type stub struct {
	*hosttest.World
	key     signature.Key
	answers map[string]string // "201 {…}" by method and path
	asked   []string
	log     bytes.Buffer
	figures map[string][]float64
	signed  func() (signature.Key, string) // by what a webhook is signed, and its body
	run     func(context.Context) error
}

const webhookBody = `{"id":"W","event":"productChange","data":{"products":[{"id":"P","variantIds":[]}]}}`

func newStub(t *testing.T) *stub {
	s := &stub{figures: map[string][]float64{}, key: signature.New(hosttest.Random())}
	s.signed = func() (signature.Key, string) { return s.key, webhookBody }
	s.World = hosttest.Open(t, hosttest.Setup{Platform: func(p *host.Platform) {
		p.Canary, p.Outside, p.BaseURL = "canary.example", s, "https://api.example"
		p.Log = slog.New(slog.NewTextHandler(&s.log, nil))
		p.Figure = func(name, _ string, value float64) { s.figures[name] = append(s.figures[name], value) }
	}})
	s.answers = map[string]string{
		"GET /api-engine/order-states":          `200 {"items":[{"id":"N","key":"new"},{"id":"C","key":"cancelled"}]}`,
		"POST /api-engine/products":             `201 {"id":"P"}`,
		"POST /api-engine/webhook-signing-keys": `201 {"key":"` + s.key.Text() + `"}`,
		"POST /api-engine/webhooks":             `201 {"id":"R"}`,
		"GET /api-engine/webhooks/R":            `200 {"url":"` + s.receiver() + `","state":"enabled"}`,
		"PATCH /api-engine/products/P":          `200 {"url":"https://canary.example/seed"}`,
		"GET /seed":                             `200 <h1>` + productName + `</h1>`,
		"POST /basket/items":                    `201 {}`,
		"POST /checkout":                        `201 {"orderId":"O","number":"2026000001"}`,
		"GET /api-engine/orders/O":              `200 {"number":"2026000001"}`,
		"PATCH /api-engine/orders/O":            `200 {}`,
	}
	s.run = Function.Tick.Handler(s.P)
	return s
}

// receiver is the address of the canary's receiver.
func (s *stub) receiver() string {
	key, err := host.SecretKey(s.T.Context(), s.P.Main, s.P.Secrets)
	require.NoError(s.T, err)
	return canary.Address(s.P.BaseURL, key)
}

// RoundTrip answers a request. A change of the product is heard of at once.
func (s *stub) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	what := r.Method + " " + r.URL.Path
	s.asked = append(s.asked, what)
	storefront := r.URL.Host == "canary.example"
	require.Equal(s.T, storefront, r.Header.Get("Authorization") == "", "its token is for the API alone")
	var status int
	answer, body, _ := strings.Cut(s.answers[what], " ")
	_, err := fmt.Sscan(answer, &status)
	require.NoError(s.T, err, what)
	if what == "PATCH /api-engine/products/P" && s.signed != nil {
		key, hook := s.signed()
		at := s.P.Wall().Unix()
		heard := canary.Heard{Signature: signature.Hex(key, at, []byte(hook)), Timestamp: at,
			Body: []byte(hook)}
		trace := events.TraceOf(r.Header.Get("Traceparent"))
		require.NoError(s.T, heard.Keep(r.Context(), s.P.Main, trace, s.P.Now()))
	}
	w := httptest.NewRecorder()
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return w.Result(), nil
}

// ready is a stub whose canary has its shop.
func ready(t *testing.T) *stub {
	s := newStub(t)
	require.NoError(t, s.run(t.Context()))
	s.asked = nil
	s.log.Reset()
	clear(s.figures)
	return s
}

func TestWithoutADomainThereIsNoCanary(t *testing.T) {
	s := newStub(t)
	s.P.Canary = ""
	writes := s.Main.Writes()
	require.NoError(t, s.run(t.Context()))
	require.Empty(t, s.asked)
	require.Equal(t, writes, s.Main.Writes())
	require.Empty(t, s.figures)
}

func TestARunThatIsWellIsLoggedStepByStepAndCounted(t *testing.T) {
	s := ready(t)
	require.NoError(t, s.run(t.Context()))
	for _, step := range steps {
		require.Contains(t, s.log.String(), "step="+step.name+" took=")
	}
	require.NotContains(t, s.log.String(), "ERROR")
	require.Equal(t, []float64{0}, s.figures[host.CanaryFailures])
	require.Len(t, s.figures[host.CanaryHeard], 1)
}

func TestARunEndsAtTheStepThatFails(t *testing.T) {
	for _, x := range []struct {
		step, spoil, answer, says string
	}{
		{"receiver", "GET /api-engine/webhooks/R", `403 {"code":"package_inactive"}`,
			"403 instead of 200 (package_inactive"},
		{"change", "PATCH /api-engine/products/P", `503 {"code":"unavailable"}`, "503 instead of 200 (unavailable"},
		{"change", "PATCH /api-engine/products/P", `200 not JSON`, "invalid character"},
		{"change", "PATCH /api-engine/products/P", `200 {}`, "no address"},
		{"page", "GET /seed", `404 no such shop`, "GET /seed was answered 404 instead of 200"},
		{"page", "GET /seed", `200 another page`, "has not its name"},
		{"basket", "POST /basket/items", `429 {"code":"too_many_tries"}`, "too_many_tries"},
		{"checkout", "POST /checkout", `409 {"code":"insufficient_stock"}`, "insufficient_stock"},
		{"order", "GET /api-engine/orders/O", `200 {"number":"another"}`, `has number "another"`},
		{"cancel", "PATCH /api-engine/orders/O", `500 {}`, "500 instead of 200"},
	} {
		t.Run(x.step+" "+x.answer, func(t *testing.T) {
			s := ready(t)
			was := s.answers[x.spoil]
			s.answers[x.spoil] = x.answer
			err := s.run(t.Context())
			require.ErrorContains(t, err, "the canary failed at "+x.step+": ")
			require.ErrorContains(t, err, x.says)
			require.Contains(t, s.log.String(), `level=ERROR msg="the canary failed" step=`+x.step+" ")
			require.NotContains(t, s.log.String(), "esk_")
			require.Equal(t, []float64{1}, s.figures[host.CanaryFailures])
			require.Equal(t, x.spoil, s.asked[len(s.asked)-1], "nothing is asked again, or further")
			s.answers[x.spoil] = was
			require.NoError(t, s.run(t.Context()), "the next run is as if nothing had been")
		})
	}
}

func TestAWebhookIsHeldAgainstTheKeyAndTheChange(t *testing.T) {
	other := signature.New(hosttest.RandomOf("another"))
	for says, signed := range map[string]func(s *stub) (signature.Key, string){
		"is not signed with the access's key": func(*stub) (signature.Key, string) { return other, webhookBody },
		"not of the product alone": func(s *stub) (signature.Key, string) {
			return s.key, strings.Replace(webhookBody, `"P"`, `"Q"`, 1)
		},
		"is a productDelete": func(s *stub) (signature.Key, string) {
			return s.key, strings.Replace(webhookBody, "productChange", "productDelete", 1)
		},
	} {
		t.Run(says, func(t *testing.T) {
			s := ready(t)
			s.signed = func() (signature.Key, string) { return signed(s) }
			err := s.run(t.Context())
			require.ErrorContains(t, err, "the canary failed at webhook: ")
			require.ErrorContains(t, err, says)
		})
	}
}

func TestAReceiverThatWasGivenUpIsOpenedAgain(t *testing.T) {
	for state, opens := range map[string]string{
		`"url":"URL","state":"unverified"`:           "POST /api-engine/webhooks/R/ping",
		`"url":"URL","state":"failing"`:              "POST /api-engine/webhooks/R/enable",
		`"url":"URL","state":"disabled"`:             "POST /api-engine/webhooks/R/enable",
		`"url":"https://was.here","state":"enabled"`: "PATCH /api-engine/webhooks/R",
	} {
		s := ready(t)
		s.answers["GET /api-engine/webhooks/R"] = "200 {" + strings.Replace(state, "URL", s.receiver(), 1) + "}"
		s.answers[opens] = "500 {}"
		require.ErrorContains(t, s.run(t.Context()), "the canary failed at receiver: ")
		require.Equal(t, opens, s.asked[len(s.asked)-1], state)
	}
}

func TestWhatWasMadeIsNotMadeAgain(t *testing.T) {
	s := newStub(t)
	for _, late := range []string{"POST /api-engine/webhook-signing-keys", "POST /api-engine/webhooks"} {
		was := s.answers[late]
		s.answers[late] = "503 {}"
		require.Error(t, s.run(t.Context()))
		s.answers[late] = was
	}
	require.NoError(t, s.run(t.Context()))
	times := map[string]int{}
	for _, what := range s.asked {
		times[what]++
	}
	require.Equal(t, []int{1, 2, 2}, []int{times["POST /api-engine/products"],
		times["POST /api-engine/webhook-signing-keys"], times["POST /api-engine/webhooks"]},
		"each but those that failed")
}

func TestARunThatEndedBehindItsShopIsGoneOnWith(t *testing.T) {
	s := newStub(t)
	s.Main.Before(func(ops []store.Op) error {
		if strings.HasPrefix(ops[0].Key.PK, "PKG#") {
			return store.ErrUnavailable
		}
		return nil
	})
	require.ErrorContains(t, s.run(t.Context()), "the canary failed at shop: ")
	s.Main.Before(nil)
	require.NoError(t, s.run(t.Context()))
	require.NoError(t, s.run(t.Context()), "with the shop that there was")
}

func TestForAnotherDomainThereIsAnotherShop(t *testing.T) {
	s := ready(t)
	first, err := canary.ReadOwn(t.Context(), s.P.Main, s.P.Secrets)
	require.NoError(t, err)
	s.P.Canary = "canary2.example"
	require.NoError(t, s.run(t.Context()))
	second, err := canary.ReadOwn(t.Context(), s.P.Main, s.P.Secrets)
	require.NoError(t, err)
	require.NotEqual(t, first.Shop, second.Shop)
	require.Equal(t, "canary2.example", second.Domain)
	s.P.Canary = "canary.example"
	require.ErrorContains(t, s.run(t.Context()), "the canary failed at shop: ", "the domain is the first one's")
}

func TestAStopIsNoFailure(t *testing.T) {
	s := ready(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.Error(t, s.run(ctx))
	require.Empty(t, s.figures)
	require.NotContains(t, s.log.String(), "ERROR")
}

func TestWhatIsSaidOfAnAnswerIsItsCode(t *testing.T) {
	got := &http.Response{Header: http.Header{"X-Request-Id": {"r1"}}}
	body, err := json.Marshal(fields{"code": "invalid", "detail": "esk_live_x"})
	require.NoError(t, err)
	require.Equal(t, " (invalid, requestId r1)", problemOf(got, body))
	require.Empty(t, problemOf(got, []byte("<html>")))
}
