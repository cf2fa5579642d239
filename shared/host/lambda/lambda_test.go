package lambda

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/stretchr/testify/require"

	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
	"eshop/shared/shop"
)

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// pages is a function with one page that says how long it may take.
var pages = host.Function{Name: "pages", HTTP: func(_ *host.Platform, a *api.API) {
	a.Handle("GET /hello", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		end, _ := r.Context().Deadline()
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, end.Format(time.RFC3339Nano))
	}))
}}

// serve is a server, what it writes, and a platform on which nothing is stored, unless it is away.
func serve(f host.Function, away func() error) (*server, *bytes.Buffer) {
	var out bytes.Buffer
	figures := newMetrics(&out, Origin{"test", f.Name, "7"})
	return &server{function: f, metrics: figures, open: func(ctx context.Context) (*host.Platform, error) {
		if err := away(); err != nil {
			return nil, err
		}
		return host.Assemble(ctx, host.Parts{Environment: "test",
			World: host.World{Now: time.Now, Random: zeros{}, Log: slog.New(slog.DiscardHandler),
				Figure: figures.add},
			Addresses: host.Addresses{BaseURL: "https://api.example", ReservedSlug: host.ReservedSlug(nil)}}, f)
	}}, &out
}

// there is a platform that is never away.
func there() error { return nil }

func get(path string) []byte {
	e := events.APIGatewayV2HTTPRequest{RawPath: path}
	e.RequestContext.HTTP.Method = http.MethodGet
	b, _ := json.Marshal(e)
	return b
}

func TestTheServer(t *testing.T) {
	t.Run("answers an event, in time before Lambda's own end", func(t *testing.T) {
		s, _ := serve(pages, there)
		end := time.Now().Add(time.Minute)
		ctx, cancel := context.WithDeadline(t.Context(), end)
		defer cancel()
		b, err := s.Invoke(ctx, get("/hello"))
		require.NoError(t, err)
		var r events.APIGatewayV2HTTPResponse
		require.NoError(t, json.Unmarshal(b, &r))
		require.Equal(t, 200, r.StatusCode)
		early, err := time.Parse(time.RFC3339Nano, r.Body)
		require.NoError(t, err)
		require.WithinDuration(t, end.Add(-answerReserve), early, 0)
	})
	t.Run("without its platform answers 503, and tries again at the next event", func(t *testing.T) {
		tries := 0
		s, _ := serve(pages, func() error {
			if tries++; tries < 3 {
				return errors.New("the table is away")
			}
			return nil
		})
		_, err := s.ready(t.Context())
		require.Error(t, err)
		var r events.APIGatewayV2HTTPResponse
		b, err := s.Invoke(t.Context(), get("/hello"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(b, &r))
		require.Equal(t, 503, r.StatusCode)
		require.Equal(t, "1", r.Headers["Retry-After"])
		require.Equal(t, "nosniff", r.Headers["X-Content-Type-Options"])
		require.Contains(t, r.Body, `"code":"unavailable"`)
		require.NotContains(t, r.Body, "table")
		for range 2 {
			b, err = s.Invoke(t.Context(), get("/hello"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(b, &r))
			require.Equal(t, 200, r.StatusCode)
		}
		require.Equal(t, 3, tries, "made once")
	})
	t.Run("without its platform fails a batch, which then comes again", func(t *testing.T) {
		away := errors.New("the table is away")
		s, _ := serve(host.Function{Name: "bells",
			Messages: &host.Messages{Handler: func(*host.Platform) func(context.Context,
				[]queue.Received) []queue.Received {
				return nil
			}}},
			func() error { return away })
		_, err := s.Invoke(t.Context(), []byte(`{"Records":[]}`))
		require.ErrorIs(t, err, away)
	})
	t.Run("hands a tick of the clock on, and its error back", func(t *testing.T) {
		late := errors.New("late")
		s, _ := serve(host.Function{Name: "clock",
			Tick: &host.Tick{Handler: func(*host.Platform) func(context.Context) error {
				return func(context.Context) error { return late }
			}}}, there)
		tick, err := os.ReadFile("testdata/tick.json")
		require.NoError(t, err)
		_, err = s.Invoke(t.Context(), tick)
		require.ErrorIs(t, err, late)
	})
	t.Run("behind an edge answers who comes through it, and who may call the function itself", func(t *testing.T) {
		s, _ := serve(pages, there)
		s.edge = strings.Repeat("0", 64)
		var e events.APIGatewayV2HTTPRequest
		require.NoError(t, json.Unmarshal(get("/hello"), &e))
		for id, status := range map[string]int{"": 200, "a1b2c3": 403} {
			e.RequestContext.APIID = id
			payload, err := json.Marshal(e)
			require.NoError(t, err)
			b, err := s.Invoke(t.Context(), payload)
			require.NoError(t, err)
			var r events.APIGatewayV2HTTPResponse
			require.NoError(t, json.Unmarshal(b, &r))
			require.Equal(t, status, r.StatusCode, "of the door %q", id)
		}
	})
	t.Run("a panic is its error, and the process goes on", func(t *testing.T) {
		s, _ := serve(host.Function{Name: "clock",
			Tick: &host.Tick{Handler: func(*host.Platform) func(context.Context) error {
				return func(context.Context) error { panic("somebody's data") }
			}}}, there)
		tick, err := os.ReadFile("testdata/tick.json")
		require.NoError(t, err)
		for range 2 {
			_, err = s.Invoke(t.Context(), tick)
			require.ErrorIs(t, err, guard.ErrPanic)
			require.NotContains(t, err.Error(), "data")
		}
	})
	t.Run("an event that is none of its kind is an error", func(t *testing.T) {
		s, _ := serve(pages, there)
		_, err := s.Invoke(t.Context(), []byte(`{"rawPath":7}`))
		require.Error(t, err)
	})
}

func TestMetricsAreOneLineAMinute(t *testing.T) {
	var out bytes.Buffer
	m := newMetrics(&out, Origin{"test", "customers", "7"})
	now := time.Date(2026, 11, 21, 2, 5, 0, 0, time.UTC)
	m.now = func() time.Time { return now }
	m.written = now
	m.request(200)
	m.request(204)
	m.tick()
	require.Empty(t, out.String(), "the minute is not over")
	now = now.Add(time.Minute)
	m.tick()
	require.JSONEq(t, `{"Environment":"test","Function":"customers","Version":"7","Requests":2,"Faults":0,"_aws":{"Timestamp":1795226760000,
		"CloudWatchMetrics":[{"Namespace":"Eshop","Dimensions":[["Environment","Function"]],"Metrics":[{"Name":"Requests","Unit":"Count"}]},
		{"Namespace":"Eshop","Dimensions":[["Environment","Function"],["Environment","Function","Version"]],"Metrics":[{"Name":"Faults","Unit":"Count"}]}]}}`,
		out.String())
	out.Reset()
	m.flush()
	require.Empty(t, out.String(), "nothing is counted twice")
	m.request(404)
	m.flush()
	require.Contains(t, out.String(), `"Requests":1`, "the end of the process takes the rest")
}

// TestEveryMetricIsOfItsEnvironment: two environments of an account neither ring nor stop each other.
func TestEveryMetricIsOfItsEnvironment(t *testing.T) {
	for _, f := range append(slices.Clone(host.Figures), host.FigureOf("any other")) {
		for _, dimensions := range dimensionsOf(f) {
			require.Contains(t, dimensions, "Environment", f.Name)
		}
	}
}

func TestMeasuresAreToldOneByOneAHundredALine(t *testing.T) {
	var out bytes.Buffer
	m := newMetrics(&out, Origin{"test", "delivery", "7"})
	for i := range 250 {
		m.add("Age", host.Milliseconds, float64(i))
		m.add("Delivered", host.Count, 1)
	}
	m.flush()
	lines := json.NewDecoder(&out)
	var ages []float64
	delivered := 0.0
	for lines.More() {
		var line struct {
			Age       []float64
			Delivered float64
		}
		require.NoError(t, lines.Decode(&line))
		require.LessOrEqual(t, len(line.Age), 100, "CloudWatch takes no more")
		ages, delivered = append(ages, line.Age...), delivered+line.Delivered
	}
	require.Len(t, ages, 250)
	require.Equal(t, 249.0, ages[249])
	require.Equal(t, 250.0, delivered)
}

func TestAFunctionsFiguresAreMetricsOfItsOwn(t *testing.T) {
	f := host.Function{Name: "counting", Tick: &host.Tick{Handler: func(p *host.Platform) func(context.Context) error {
		return func(context.Context) error { p.Figure("Ticks", host.Count, 1); return nil }
	}}}
	s, out := serve(f, there)
	_, err := s.Invoke(t.Context(), []byte(`{}`))
	require.NoError(t, err)
	s.metrics.flush()
	require.Contains(t, out.String(), `"Environment":"test","Function":"counting","Ticks":1,`)
}

// TestABatchThatIsNotHandledWholeIsAFault: Lambda has it for a call that ended well.
func TestABatchThatIsNotHandledWholeIsAFault(t *testing.T) {
	fails := host.Function{Name: "bells", Messages: &host.Messages{Handler: func(*host.Platform) func(context.Context,
		[]queue.Received) []queue.Received {
		return func(_ context.Context, m []queue.Received) []queue.Received { return m }
	}}}
	s, out := serve(fails, there)
	_, err := s.Invoke(t.Context(), []byte(`{"Records":[]}`))
	require.NoError(t, err)
	require.Empty(t, out.String())
	_, err = s.Invoke(t.Context(), []byte(`{"Records":[{"messageId":"1"}]}`))
	require.NoError(t, err)
	require.Contains(t, out.String(), `"Faults":1`)
}

func TestLogLinesCarryTheInvocation(t *testing.T) {
	var out bytes.Buffer
	log := logger(&out).With("a", 1).WithGroup("g")
	log.InfoContext(lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "inv-1"}),
		"hello", "b", 2)
	var line map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	require.Equal(t, "hello", line["msg"])
	require.Equal(t, "INFO", line["level"])
	require.Contains(t, line, "timestamp")
	require.Equal(t, map[string]any{"b": 2.0, "invocation": "inv-1"}, line["g"])
}

func TestTheRuntimesWordsAreInTheLogAndStrangersAreNot(t *testing.T) {
	was, writer, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() { slog.SetDefault(was); log.SetOutput(writer); log.SetFlags(flags) })
	var out bytes.Buffer
	logTo(&out)
	log.Print("the runtime's words")
	// net/http complains of it, and repeats it
	_ = (&http.Cookie{Name: "a", Value: "b", Domain: "a stranger's words"}).String()
	slog.Info("ours")
	var said []string
	for line := range bytes.Lines(out.Bytes()) {
		var l struct{ Msg string }
		require.NoError(t, json.Unmarshal(line, &l))
		said = append(said, l.Msg)
	}
	require.Equal(t, []string{"the runtime's words", "net/http had something to say of a connection", "ours"}, said)
	require.NotContains(t, out.String(), "stranger")
}

// lambdas is the environment of a Lambda, all of it.
func lambdas() map[string]string {
	return map[string]string{
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_ENDPOINT_URL": "http://127.0.0.1:1", Environment: "staging", BaseURL: "https://api.example",
		ReservedSlugs: "api-engine,docs", OperatorTokenHash: hex.EncodeToString(bytes.Repeat([]byte{7}, 32)),
		"PIPELINE_TABLE": "pipeline", "FRESH_QUEUE": "https://sqs/fresh", "RETRY_QUEUE": "https://sqs/retry",
		"MAIN_TABLE": "main", "COUNTER_TABLE": "counters", "SECRETS_KEY": "arn:aws:kms:eu-central-1:123456789012:key/1",
	}
}

// nobody reads figures.
func nobody(string, string, float64) {}

func TestThePlatformIsMadeOfTheEnvironment(t *testing.T) {
	env := lambdas()
	getenv := func(name string) string { return env[name] }
	queues := host.Function{Name: "queues", Needs: []host.Need{{Resource: host.Fresh, Does: []host.Action{host.Send}}}}

	t.Run("with what the function needs, and nothing else", func(t *testing.T) {
		p, err := open(t.Context(), queues, nobody, getenv)
		require.NoError(t, err)
		require.NotNil(t, p.Fresh)
		require.Nil(t, p.Retry)
		require.Nil(t, p.Main)
		require.ErrorContains(t, p.Callable().Check("https://api.example/hook"), "own")
		require.NoError(t, p.Callable().Check("https://0a1b2c3d4e.execute-api.eu-central-1.amazonaws.com/hook"),
			"a vendor's")
		env[DoorURL] = "https://0a1b2c3d4e.execute-api.eu-central-1.amazonaws.com"
		p, err = open(t.Context(), queues, nobody, getenv)
		require.NoError(t, err)
		require.ErrorContains(t, p.Callable().
			Check("https://0a1b2c3d4e.execute-api.eu-central-1.amazonaws.com:443/api-engine/customers"), "own")
		require.Equal(t, "staging", p.Environment)
		require.Equal(t, byte(7), p.Operator[31])
		require.True(t, p.ReservedSlug("docs"))
		require.True(t, p.ReservedSlug("basket-price-list"))
		require.False(t, p.ReservedSlug("caj"))
		require.Equal(t, shop.Places{Host: "api.example"}, p.Shops, "no name leads to a shop")
		require.NotNil(t, p.Egress)
		require.Zero(t, p.Traits)
		require.Empty(t, p.SecurityContact)
		env[SecurityContact] = "mailto:security@example.com"
		p, err = open(t.Context(), queues, nobody, getenv)
		require.NoError(t, err)
		require.Equal(t, "mailto:security@example.com", p.SecurityContact)
		env[Domain] = "shops.example"
		p, err = open(t.Context(), queues, nobody, getenv)
		require.NoError(t, err)
		tea := shop.Shop{Fields: shop.Fields{Domain: "tea.shops.example"}}
		require.Equal(t, "https://tea.admin.shops.example", p.Shops.Admin(tea))
		tea.ID, tea.Domain = "TEA", "tea.example"
		require.Equal(t, []string{"https://tea.shops.example", "https://tea.admin.shops.example"},
			[]string{p.Shops.Website(tea), p.Shops.Admin(tea)}, "nobody said that its own name leads here")
		tea.ReadyDomain = tea.Domain
		require.Equal(t, "https://tea.example", p.Shops.Website(tea))
	})
	t.Run("receivers on this machine may be called where it says so, never in production", func(t *testing.T) {
		env := lambdas()
		env[Loopback] = "true"
		getenv := func(name string) string { return env[name] }
		p, err := open(t.Context(), queues, nobody, getenv)
		require.NoError(t, err)
		require.NoError(t, p.Callable().Check("http://127.0.0.1:3000/hook"))
		env[Environment] = "production"
		_, err = open(t.Context(), queues, nobody, getenv)
		require.EqualError(t, err, "lambda: LOOPBACK is for tests, not for production")
	})
	t.Run("pages need nothing to be served, and know nobody's secret", func(t *testing.T) {
		p, err := open(t.Context(), pages, nobody, getenv)
		require.NoError(t, err)
		require.Nil(t, p.Main)
		require.Nil(t, p.Secrets)
		require.Nil(t, p.Key)
	})
	t.Run("a table that cannot be reached is an error, and the platform is made later", func(t *testing.T) {
		_, err := open(t.Context(), host.Function{Name: "tables",
			Needs: []host.Need{{Resource: host.Main, Does: []host.Action{host.Read}}}}, nobody, getenv)
		require.Error(t, err)
	})
	for _, c := range []struct{ name, variable, value, want string }{
		{"a need without its resource is named", "FRESH_QUEUE", "",
			"lambda: queues needs fresh, and FRESH_QUEUE is not set"},
		{"so is a missing address", BaseURL, "", "lambda: ENVIRONMENT and BASE_URL must be set"},
		{"a hash that is none is not repeated", OperatorTokenHash, "hunter2",
			"lambda: OPERATOR_TOKEN_HASH is no SHA-256 in hex"},
		{"credentials are Lambda's", "AWS_SECRET_ACCESS_KEY", "", "awsconf: AWS_SECRET_ACCESS_KEY is not set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			env = lambdas()
			env[c.variable] = c.value
			_, err := open(t.Context(), queues, nobody, getenv)
			require.EqualError(t, err, c.want)
		})
	}
}
