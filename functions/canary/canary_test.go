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
	"eshop/functions/operator"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/webhook/canaryhook"
	"eshop/shared/webhook/signature"
	"eshop/shared/webhook/signingkey"
)

// stub is a platform as the canary sees it: each request has an answer, which a test may spoil. Journeys
// (infra/journeys) run the canary on the real one.
type stub struct {
	*hosttest.World
	key     signature.Key
	url     string            // of the receiver
	answers map[string]string // "201 {…}" by method and path
	asked   []string
	token   string // of the last request
	log     bytes.Buffer
	figures map[string][]float64
	signed  func() (signature.Key, string) // by what a webhook is signed, and its body
	run     func(context.Context) error
}

const webhookBody = `{"id":"W","event":"productChange","data":{"products":[{"id":"P","variantIds":[]}]}}`

// newStub is a platform on which all is well, with a shop and a package that its settings name.
func newStub(t *testing.T) *stub {
	s := &stub{figures: map[string][]float64{}}
	s.signed = func() (signature.Key, string) { return s.key, webhookBody }
	s.World = hosttest.Open(t, hosttest.Setup{Functions: []host.Function{operator.Function},
		Platform: func(p *host.Parts) {
			p.Outside, p.BaseURL = s, "https://api.example"
			p.Log = slog.New(slog.NewTextHandler(&s.log, nil))
			p.Figure = func(name, _ string, value float64) { s.figures[name] = append(s.figures[name], value) }
		}})
	does := func(path string, body fields) string {
		return s.As(hosttest.OperatorToken, "POST", "/operator/"+path, body).Is(201).ID()
	}
	shop := does("shops", fields{"name": "Shop", "domain": "canary.example", "locale": "cs_CZ", "currency": "CZK",
		"owner": fields{"email": "jana@example.cz"}})
	pkg := does("packages", fields{"code": "canary", "name": "P", "instructions": "",
		"permissions": []string{"products:read", "products:write"}})
	access := does("shops/"+shop+"/accesses", fields{"packageId": pkg})
	s.P.Canary = shop + "/" + pkg
	u := s.P.Unit()
	u.Shop = shop
	made, err := signingkey.Make(t.Context(), u, s.P.Signing, access)
	require.NoError(t, err)
	s.key, err = signature.Parse(made.Key)
	require.NoError(t, err)
	platform, err := host.SecretKey(t.Context(), s.P.Main, s.P.Secrets)
	require.NoError(t, err)
	s.url = canaryhook.Address(s.P.BaseURL, platform)
	s.answers = map[string]string{
		"GET /api-engine/products":     `200 {"items":[{"id":"P"}]}`,
		"GET /api-engine/webhooks":     s.receivers(s.url, "enabled"),
		"PATCH /api-engine/products/P": `200 {"url":"https://canary.example/seed"}`,
		"GET /seed":                    `200 <h1>` + productName + `</h1>`,
	}
	s.run = Function.Tick.Handler(s.P)
	s.log.Reset()
	clear(s.figures)
	return s
}

// receivers is the answer to a list of receivers: there are two, and one is the canary's.
func (s *stub) receivers(url, state string) string {
	return `200 {"items":[{"id":"Q","url":"https://other.example/","state":"failing"},` +
		`{"id":"R","url":"` + url + `","state":"` + state + `"}]}`
}

// RoundTrip answers a request. A change of the product is heard of at once.
func (s *stub) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	what := r.Method + " " + r.URL.Path
	s.asked = append(s.asked, what)
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	require.Equal(s.T, r.URL.Host == "canary.example", token == "", "its token is for the API alone")
	if token != "" {
		s.token = token
	}
	var status int
	answer, body, _ := strings.Cut(s.answers[what], " ")
	_, err := fmt.Sscan(answer, &status)
	require.NoError(s.T, err, what)
	if what == "PATCH /api-engine/products/P" {
		key, hook := s.signed()
		at := s.P.Wall().Unix()
		heard := canaryhook.Heard{Signature: signature.Hex(key, at, []byte(hook)), Timestamp: at, Body: []byte(hook)}
		trace := events.TraceOf(r.Header.Get("Traceparent"))
		require.NoError(s.T, heard.Keep(r.Context(), s.P.Main, trace, s.P.Now()))
	}
	w := httptest.NewRecorder()
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return w.Result(), nil
}

func TestWithoutNamesThereIsNoCanary(t *testing.T) {
	s := newStub(t)
	s.P.Canary = ""
	writes := s.Main.Writes()
	require.NoError(t, s.run(t.Context()))
	require.Empty(t, s.asked)
	require.Equal(t, writes, s.Main.Writes())
	require.Empty(t, s.figures)
}

func TestAPackageThatIsNotOnTheShopIsSaid(t *testing.T) {
	s := newStub(t)
	shop, _, _ := strings.Cut(s.P.Canary, "/")
	s.P.Canary = shop + "/01KYFXV0000000000000000000"
	require.ErrorContains(t, s.run(t.Context()), "the canary failed at access: the package ")
	require.Equal(t, []float64{1}, s.figures[host.CanaryFailures])
}

func TestARunThatIsWellIsLoggedStepByStepAndCounted(t *testing.T) {
	s := newStub(t)
	require.NoError(t, s.run(t.Context()))
	for _, step := range steps {
		require.Contains(t, s.log.String(), "step="+step.name+" took=")
	}
	require.NotContains(t, s.log.String(), "ERROR")
	require.Equal(t, []float64{0}, s.figures[host.CanaryFailures])
	require.Len(t, s.figures[host.CanaryHeard], 1)
}

func TestARunsTokenIsGoodForTheRunAlone(t *testing.T) {
	s := newStub(t)
	require.NoError(t, s.run(t.Context()))
	_, err := s.P.Accesses.Authenticate(t.Context(), s.token)
	require.Error(t, err)
	first := s.token
	s.answers["GET /api-engine/products"] = "500 {}"
	require.Error(t, s.run(t.Context()))
	require.NotEqual(t, first, s.token)
	_, err = s.P.Accesses.Authenticate(t.Context(), s.token)
	require.Error(t, err, "nor is that of a run that fails")
}

func TestARunEndsAtTheStepThatFails(t *testing.T) {
	for _, x := range []struct {
		step, spoil, answer, says string
	}{
		{"product", "GET /api-engine/products", `403 {"code":"package_inactive"}`,
			"403 (package_inactive"},
		{"receiver", "GET /api-engine/webhooks", `403 {"code":"forbidden"}`, "403 (forbidden"},
		{"change", "PATCH /api-engine/products/P", `503 {"code":"unavailable"}`, "503 (unavailable"},
		{"change", "PATCH /api-engine/products/P", `200 not JSON`, "invalid character"},
		{"page", "GET /seed", `404 no such shop`, "GET /seed was answered 404"},
		{"page", "GET /seed", `200 another page`, "has not its name"},
	} {
		t.Run(x.step+" "+x.answer, func(t *testing.T) {
			s := newStub(t)
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
		"is not signed with a key of the access": func(*stub) (signature.Key, string) { return other, webhookBody },
		"not of the product alone": func(s *stub) (signature.Key, string) {
			return s.key, strings.Replace(webhookBody, `"P"`, `"Q"`, 1)
		},
		"is a productDelete": func(s *stub) (signature.Key, string) {
			return s.key, strings.Replace(webhookBody, "productChange", "productDelete", 1)
		},
	} {
		t.Run(says, func(t *testing.T) {
			s := newStub(t)
			s.signed = func() (signature.Key, string) { return signed(s) }
			err := s.run(t.Context())
			require.ErrorContains(t, err, "the canary failed at webhook: ")
			require.ErrorContains(t, err, says)
		})
	}
}

func TestAReceiverThatWasGivenUpIsOpenedAgain(t *testing.T) {
	for state, opens := range map[string]string{
		"unverified": "POST /api-engine/webhooks/R/ping",
		"failing":    "POST /api-engine/webhooks/R/enable",
		"disabled":   "POST /api-engine/webhooks/R/enable",
		"moved":      "PATCH /api-engine/webhooks/R",
		"gone":       "POST /api-engine/webhooks",
	} {
		s := newStub(t)
		switch state {
		case "gone":
			s.answers["GET /api-engine/webhooks"] = `200 {"items":[]}`
		case "moved":
			former := "https://was.example" + canaryhook.Path + "?key="
			s.answers["GET /api-engine/webhooks"] = s.receivers(former, "enabled")
		default:
			s.answers["GET /api-engine/webhooks"] = s.receivers(s.url, state)
		}
		s.answers[opens] = "500 {}"
		require.ErrorContains(t, s.run(t.Context()), "the canary failed at receiver: ")
		require.Equal(t, opens, s.asked[len(s.asked)-1], state)
	}
}

func TestAStopIsNoFailure(t *testing.T) {
	s := newStub(t)
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
