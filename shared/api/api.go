package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/change"
	"eshop/shared/limit"
	"eshop/shared/permission"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// OperatorToken is how many characters the operator's token has at least (contract, section 8).
const OperatorToken = 20

// Config is what the frame is made with.
type Config struct {
	Table    store.Table // where answers under an Idempotency-Key are kept, and what Call.Write writes to
	Counters limit.Counters
	// Authenticate finds the caller of a token: ErrUnauthenticated when the token is none.
	Authenticate func(ctx context.Context, token string) (*change.Caller, error)
	Operator     [32]byte // SHA-256 of the operator's token; zero: nobody has one
	Key          []byte   // a secret of the platform's, 32 bytes: signs cursors
	Now          func() time.Time
	Random       io.Reader
	Log          *slog.Logger
	Answered     func(status int) // is told of each answer; nil: nobody is
	Uncounted    func()           // is told of each request that was served though its counters could not be reached; nil: nobody is
	BaseURL      string           // without a slash at its end
	Near         bool             // table and counters answer within microseconds: they are asked in turn, not side by side
	Alone        bool             // no other process answers requests: who comes too often is counted here
}

// API is the frame with the operations registered so far. It is an http.Handler.
type API struct {
	Config
	mux        *http.ServeMux // finds the pattern of a request, and serves pages
	document   *huma.OpenAPI
	operations map[string]*operation // by pattern: "GET /api-engine/customers/{id}"
	patterns   []string
	elsewhere  []below // answer people where there is no operation
	known      lastKnown
	open       perSecond
	resolved   sync.Map // reflect.Type → *huma.Schema that is no reference
	looked     atomic.Int64
}

// New is a frame without operations.
func New(c Config) *API {
	return &API{Config: c, mux: http.NewServeMux(), document: newDocument(), operations: map[string]*operation{}}
}

// OpenAPI is the document of all operations registered so far, the operator's left out.
func (a *API) OpenAPI() *huma.OpenAPI { return a.document }

// schemas are those of all types that bodies are made of.
func (a *API) schemas() huma.Registry { return a.document.Components.Schemas }

// Looked is how many bytes of texts, so far, were held against more than their bound: what checks can cost, on any
// machine.
func (a *API) Looked() int64 { return a.looked.Load() }

// Patterns are the routes registered so far, in their order: THE list's reader of them.
func (a *API) Patterns() []string { return a.patterns }

// Op describes an operation.
type Op struct {
	Route   string // "PATCH /api-engine/customers/{id}": the ServeMux pattern and the OpenAPI path at once
	ID      string // the OpenAPI operationId: "changeCustomer"
	Summary string // one sentence
	Doc     string // more of it, Markdown
	Tag     string // the resource: "Customers"
	Status  int    // of success; 0: 201 for POST, 204 for DELETE, else 200
	Query   []Param

	Needs permission.Permission // "": any token of an active access
	Reads permission.Permission // of a PATCH: who lacks it is answered id and changed only
	// Asks is, beside Needs, the permission that this query needs and the caller lacks; "" none.
	Asks func(c *change.Caller, q url.Values) permission.Permission
	Open bool  // no token is needed
	Rate int64 // of an Open one: requests a second of each address, then 429; 0: any number

	MaxBody int64                   // bytes; 0: 1 MiB
	TooMany func() *problem.Problem // the 413 of more items than the body takes; nil: a 422 as of any other fault
	Refuses []int                   // statuses of problems that only this operation has: 410
	Matches bool                    // of a POST: it changes a record that has an ETag, for which If-Match may ask
	Once    []string                // top-level fields of the answer that are not kept: a replay leaves them out

	// Again gives a replayed body what Once keeps out of the store and can be derived again.
	Again func(body []byte) ([]byte, error)
	// NeverKept is an operation whose answer is not given again, whatever Idempotency-Key comes with it: it begins or ends
	// what a cookie holds, which a kept answer could not.
	NeverKept bool

	People *People // of an operation that people's browsers may ask for, too; it is Open by that
	Secret bool    // its path holds a secret: log lines show the route instead
}

// operation is an Op as the chain needs it.
type operation struct {
	Op
	method, path string
	ids          []int // which parts of the path are ids
	input        input
	answerSchema *huma.Schema // of the answer's body, for the check of fields
	page         http.Handler // of Handle: answers instead of handle
	only         bool         // of Page and AddPage: there is nothing but a page
	operators    bool         // of HandleOperator
	checked      bool         // of AddPage: whoever asks gets a page, and what it takes is checked
	handle       func(context.Context, *Call) (reply, error)
}

const defaultMaxBody = 1 << 20

// Add registers an operation. I is a struct of parameters (path and query tags), and perhaps a Body, O what answers it:
// an Answer, a Plain, a Placed, a Report, a Collection or None.
func Add[I, O any, A interface {
	*O
	answer
}](a *API, op Op, handle func(context.Context, *I) (A, error)) {
	o := newOperation(op)
	o.take(a, reflect.TypeFor[I]())
	o.handle = func(ctx context.Context, c *Call) (reply, error) {
		in := new(I)
		if err := o.input.bind(reflect.ValueOf(in).Elem(), c); err != nil {
			return reply{}, err
		}
		out, err := handle(ctx, in)
		if err != nil {
			return reply{}, err
		}
		return out.reply(), nil
	}
	a.describe(o, reflect.TypeFor[O](), any(A(new(O))))
	a.add(o, http.NotFoundHandler())
}

// Handle registers a page or another answer outside the API proper: no token, no limit, no OpenAPI.
func (a *API) Handle(pattern string, h http.Handler) {
	o := newOperation(Op{Route: pattern, Open: true})
	o.page = h
	a.add(o, h)
}

// HandleOperator is Handle for the operator alone.
func (a *API) HandleOperator(pattern string, h http.Handler) {
	o := newOperation(Op{Route: pattern})
	o.page, o.operators = h, true
	a.add(o, h)
}

// Receive registers a PUT of a body of any type and size, without a token, that is answered 204 or with the problem
// that put returns. It is outside the OpenAPI document.
func (a *API) Receive(path string, put func(r *http.Request) error) {
	a.Handle("PUT "+path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := put(r); err != nil {
			RefuseError(w, r, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
}

// Refuse answers a request that a handler of Handle was given with a problem.
func Refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	w.(*out).problem(From(r.Context()), p)
}

// RefuseError is Refuse with the problem that the error is to a caller.
func RefuseError(w http.ResponseWriter, r *http.Request, err error) {
	Refuse(w, r, From(r.Context()).problem(r.Context(), err))
}

// newOperation is an operation with the defaults of what its Op leaves open.
func newOperation(op Op) *operation {
	method, path, ok := strings.Cut(op.Route, " ")
	if !ok {
		panic("api: a route is \"METHOD /path\", not " + op.Route)
	}
	o := &operation{Op: op, method: method, path: path}
	o.Open = o.Open || o.People != nil
	switch {
	case o.Status != 0:
	case method == http.MethodPost:
		o.Status = http.StatusCreated
	case method == http.MethodDelete:
		o.Status = http.StatusNoContent
	default:
		o.Status = http.StatusOK
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	for i, part := range strings.Split(path, "/") {
		if strings.HasSuffix(part, "d}") { // {id}, {shopId}
			o.ids = append(o.ids, i)
		}
	}
	return o
}

// take reads what the operation takes.
func (o *operation) take(a *API, t reflect.Type) {
	o.input = newInput(a.schemas(), t, o)
	for _, p := range o.Query {
		o.input.query[p.Name] = parameter{schema: p.schema()}
	}
}

// add makes the operation known. Of one that is no page the mux only finds the pattern.
func (a *API) add(o *operation, h http.Handler) {
	a.mux.Handle(o.Route, h)
	a.operations[o.Route] = o
	a.patterns = append(a.patterns, o.Route)
}

// operator says whether the operation is the platform operator's.
func (o *operation) operator() bool { return operators(o.path) }

// operators says whether a path is the platform operator's.
func operators(path string) bool { return path == "/operator" || strings.HasPrefix(path, "/operator/") }
