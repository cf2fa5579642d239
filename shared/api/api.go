package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/base/problem"
	"eshop/shared/base/remember"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/shop"
)

// OperatorToken is how many characters the operator's token has at least.
const OperatorToken = 20

// Config is what the frame is made with.
type Config struct {
	Table    store.Table // where answers under an Idempotency-Key are kept, and what commands write to
	Counters limit.Counters
	// Authenticate finds the caller of a token: ErrUnauthenticated when the token is none.
	Authenticate func(ctx context.Context, token string) (*change.Caller, error)
	// Developers is Authenticate for the tokens of developers.
	Developers func(ctx context.Context, token string) (*change.Caller, error)
	// Operators is Authenticate for the operator's tokens.
	Operators func(ctx context.Context, token string) (*change.Caller, error)
	Key       []byte // a secret of the platform's, 32 bytes: signs cursors
	Now       func() time.Time
	Random    io.Reader
	Log       *slog.Logger
	// Answered is told of each answer: the route of its operation, its status, and how long it took from the request's
	// head until it was whole. Where no operation answers, the route is one that none has. nil: nobody is told
	Answered func(route string, status int, took time.Duration)
	// is told of each request that was served though its counters could not be reached; nil: nobody is
	Uncounted func()
	BaseURL   string // without a slash at its end
	// AdminAt is the address of the admin of the shop whose storefront has a host, without a slash at its end; "" where
	// no shop has it
	AdminAt func(ctx context.Context, host string) (string, error)
	Shops   shop.Places // tell the hosts of admins from others
	// Own says whether a request's host is the platform's own, which serves no shop; nil: hosts are not told apart
	Own func(host string) bool
	// table and counters answer within microseconds: they are asked in turn, not side by side
	Near  bool
	Alone bool // no other process answers requests: who comes too often is counted here
	// Slots bound what all requests hold of what they read, until their answers are made; nil: nothing does
	Slots *store.Slots
	// Bodies bound how many bytes the bodies of all requests under way hold together; nil: nothing does
	Bodies *Room
	// Answers bound how many bytes large answers hold together while they are sent; nil: nothing does
	Answers *Room
}

// API is the frame with the operations registered so far. It is an http.Handler.
type API struct {
	Config
	mux      *http.ServeMux // finds the pattern of a request, and serves pages
	document *huma.OpenAPI  // what the documents of all versions share: no operation yet
	// descriptions make the operations of a document, each for one version, ofDevelopers those of the developers' own
	descriptions, ofDevelopers []func(Version) *huma.Operation
	operations                 map[string]*operation // by pattern: "GET /api-engine/customers/{id}"
	patterns                   []string
	notFound                   []fallback // answer people where there is no operation, the longest paths first
	secrets                    []string   // what stands before {secret} in the paths of operations: "/order/"
	known                      remember.Last[string, limit.Standing]
	seconds, minutes           perWindow
	resolved                   sync.Map // reflect.Type → *huma.Schema that is no reference
	looked                     atomic.Int64
}

// New is a frame without operations.
func New(c Config) *API {
	return &API{Config: c, mux: http.NewServeMux(), document: newDocument(), operations: map[string]*operation{},
		known: remember.NewLast[string, limit.Standing](maxKnown)}
}

// schemas are those of all types that bodies are made of.
func (a *API) schemas() huma.Registry { return a.document.Components.Schemas }

// Looked is how many bytes of texts, so far, were held against more than their bound: what checks can cost, on any
// machine.
func (a *API) Looked() int64 { return a.looked.Load() }

// Patterns are the routes registered so far, in their order. host.Function.Routes reads them for THE list.
func (a *API) Patterns() []string { return a.patterns }

// Add registers an operation. I is a struct of parameters (path and query tags), and perhaps a Body, O what answers it:
// an Answer, a Plain, an Asked, a CreatedOrFound, a Report, a Collection or None.
func Add[I, O any, A interface {
	*O
	answer
}](a *API, op Op, handle func(*Call, *I) (A, error)) {
	o := newOperation(kindData, op)
	o.readInput(a, reflect.TypeFor[I]())
	o.handle = func(c *Call) (reply, error) {
		in := new(I)
		if err := o.input.bind(reflect.ValueOf(in).Elem(), c); err != nil {
			return reply{}, err
		}
		out, err := handle(c, in)
		if err != nil {
			return reply{}, err
		}
		return out.reply(), nil
	}
	out := reflect.TypeFor[O]()
	// The schema of the answer tells read-only fields from unknown ones in what is sent.
	if body, has := out.FieldByName("Body"); has {
		o.answerSchema = a.schemas().Schema(body.Type, true, "Answer")
	}
	describe := func(v Version) *huma.Operation { return a.describe(o, v, out, any(A(new(O)))) }
	switch o.audience {
	case forOperator:
	case forDeveloper:
		a.ofDevelopers = append(a.ofDevelopers, describe)
	default:
		a.descriptions = append(a.descriptions, describe)
	}
	a.add(o, http.NotFoundHandler())
}

// Handle registers a page or another answer outside the API proper: no token, no limit, no OpenAPI.
func (a *API) Handle(pattern string, h http.Handler) {
	a.add(newOperation(kindHandler, Op{Route: pattern, Open: true}), h)
}

// HandleDocument is Handle for a document of the platform: it answers at the platform's own host alone, and any other
// host leads there.
func (a *API) HandleDocument(pattern string, h http.Handler) {
	o := newOperation(kindHandler, Op{Route: pattern, Open: true})
	o.document = true
	a.add(o, h)
}

// HandleOperator is Handle for the operator alone.
func (a *API) HandleOperator(pattern string, h http.Handler) {
	o := newOperation(kindHandler, Op{Route: pattern})
	o.audience = forOperator
	a.add(o, h)
}

// Receive registers a PUT of a body of any type and size, without a token, that is answered 204 or with the problem
// that put returns. It is outside the OpenAPI document.
func (a *API) Receive(path string, put func(r *http.Request) error) {
	o := newOperation(kindHandler, Op{Route: "PUT " + path, Open: true})
	o.streams = true
	a.add(o, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := put(r); err != nil {
			RefuseError(r, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
}

// Refuse answers a request that a handler of Handle was given with a problem, instead of whatever the handler has
// written. The answer is the call's own, so any handler may stand between the frame and who refuses.
func Refuse(r *http.Request, p *problem.Problem) {
	c := callOf(r)
	c.res.problem(c, p)
}

// RefuseError is Refuse with the problem that the error is to a caller.
func RefuseError(r *http.Request, err error) {
	Refuse(r, callOf(r).Problem(err))
}

// add makes the operation known. The mux calls h for an operation of kindHandler alone; of any other it finds the
// pattern, and the chain does the rest.
func (a *API) add(o *operation, h http.Handler) {
	a.mux.Handle(o.Route, h)
	a.operations[o.Route] = o
	if before, _, is := strings.Cut(o.path, "{secret}"); is {
		a.secrets = append(a.secrets, before)
	}
	a.patterns = append(a.patterns, o.Route)
}
