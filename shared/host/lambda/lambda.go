package lambda

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"eshop/shared/base/guard"
	"eshop/shared/host"
)

// How long things may take.
const (
	// to make the platform at the start: Lambda ends an initialisation after 10 s
	openTimeout   = 8 * time.Second
	answerReserve = 500 * time.Millisecond // of the function's timeout, for the answer to a call that took too long
)

// Serve runs the function until Lambda ends the process. It makes the platform before the first event. If that fails,
// each event tries it again.
func Serve(f host.Function) {
	logTo(os.Stdout)
	of := Origin{Environment: os.Getenv(Environment), Function: f.Name, Version: lambdacontext.FunctionVersion}
	figures := newMetrics(os.Stdout, of)
	server := &server{function: f, metrics: figures, edge: os.Getenv(EdgeSecretHashes),
		open: func(ctx context.Context) (*host.Platform, error) {
			return open(ctx, f, figures.add, os.Getenv)
		}}
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	if _, err := server.ready(ctx); err != nil {
		slog.Error("not ready yet", "error", err)
	}
	cancel()
	// At SIGTERM the last figures are written: the process does not come back.
	lambda.StartWithOptions(server, lambda.WithEnableSIGTERM(server.metrics.flush))
}

// invoke handles one event of Lambda's, JSON to JSON.
type invoke func(ctx context.Context, payload []byte) ([]byte, error)

// server is a function as Lambda calls it, one event at a time.
type server struct {
	function host.Function
	metrics  *metrics
	edge     string // EdgeSecretHashes
	open     func(context.Context) (*host.Platform, error)

	mu       sync.Mutex
	platform *host.Platform
	invoke   invoke // nil until the platform is there
}

// Invoke handles one event and ends in time to answer: the function sees its deadline a little early. A panic becomes
// Invoke's error, and the process goes on. Lambda's own library would log the panic's value, and end the process.
func (s *server) Invoke(ctx context.Context, payload []byte) (out []byte, err error) {
	defer guard.Caught(ctx, &err)
	if end, has := ctx.Deadline(); has {
		// What is left behind the early end is for the answer, which Lambda would cut off.
		early, cancel := context.WithDeadline(ctx, end.Add(-answerReserve))
		defer cancel()
		ctx = early
	}
	defer s.metrics.tick()
	run, err := s.ready(ctx)
	if err != nil {
		return s.unready(ctx, err)
	}
	defer s.platform.Egress.CloseIdle() // a connection that is kept while the process is frozen is dead when it thaws
	return run(ctx, payload)
}

// ready is the function on its platform, which it makes unless an earlier call has.
func (s *server) ready(ctx context.Context) (invoke, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.invoke != nil {
		return s.invoke, nil
	}
	p, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	s.platform, s.invoke = p, invoker(s.function, p, s.metrics, s.edge)
	return s.invoke, nil
}

// unready is the answer of a function whose platform could not be made. A caller of the API is asked to try again. A
// queue, a stream or the clock gets an error, after which Lambda tries again.
func (s *server) unready(ctx context.Context, err error) ([]byte, error) {
	slog.ErrorContext(ctx, "not ready", "error", err)
	if s.function.HTTP == nil {
		return nil, err
	}
	a := &answer{}
	a.problem(http.StatusServiceUnavailable, "unavailable", "The service is unavailable for a moment: try again.")
	a.sent.Set("Retry-After", "1")
	s.metrics.request(a.status)
	return json.Marshal(a.response())
}

// invoker is the function on the platform, behind the translation of the events that trigger it. A request without an
// API's id came through no door: whoever its role lets call the function, like the rehearsal, need not come through the
// edge.
func invoker(function host.Function, p *host.Platform, metrics *metrics, edge string) invoke {
	switch {
	case function.HTTP != nil:
		direct, through := HTTP(p.API), HTTP(throughEdge(edge, p.API))
		return typed(func(ctx context.Context,
			e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
			if e.RequestContext.APIID == "" {
				return direct(ctx, e)
			}
			return through(ctx, e)
		})
	case function.Feed != nil:
		return typed(countPartial(metrics, Feed(function.Feed.Handler(p)),
			func(r events.DynamoDBEventResponse) bool { return len(r.BatchItemFailures) == 0 }))
	case function.Messages != nil:
		return typed(countPartial(metrics, Messages(function.Messages.Handler(p)),
			func(r events.SQSEventResponse) bool { return len(r.BatchItemFailures) == 0 }))
	case function.Upload != nil:
		return typed(Upload(function.Upload.Handler(p)))
	case function.Tick != nil:
		return typed(Tick(function.Tick.Handler(p)))
	}
	panic("lambda: nothing triggers " + function.Name)
}

// Tick runs a function at an event of the clock.
func Tick(run func(context.Context) error) func(context.Context, events.EventBridgeEvent) (struct{}, error) {
	return func(ctx context.Context, _ events.EventBridgeEvent) (struct{}, error) {
		return struct{}{}, run(ctx)
	}
}

// Upload runs a function at EventBridge's event of an object that was put into the bucket.
func Upload(run func(ctx context.Context, key string) error) func(
	context.Context, events.EventBridgeEvent,
) (struct{}, error) {
	return func(ctx context.Context, e events.EventBridgeEvent) (struct{}, error) {
		var detail struct{ Object struct{ Key string } }
		if err := json.Unmarshal(e.Detail, &detail); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, run(ctx, detail.Object.Key)
	}
}

// typed is a handler of one type of event, from JSON to JSON.
func typed[E, R any](h func(context.Context, E) (R, error)) invoke {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var e E
		if err := json.Unmarshal(payload, &e); err != nil {
			return nil, err
		}
		r, err := h(ctx, e)
		if err != nil {
			return nil, err
		}
		return json.Marshal(r)
	}
}

// countPartial counts each batch of which something was not handled as a fault: Lambda takes it for a call without an
// error.
func countPartial[E, R any](m *metrics, h func(context.Context, E) (R, error), handled func(R) bool) func(
	context.Context, E,
) (R, error) {
	return func(ctx context.Context, e E) (R, error) {
		r, err := h(ctx, e)
		if err == nil && !handled(r) {
			m.add(host.Faults, host.Count, 1)
		}
		return r, err
	}
}
