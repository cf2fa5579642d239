// Package api is the frame that every operation runs in, as one chain that none can forget (contract, sections 2 and 3):
// tokens, limits, versions, routes, permissions, sizes and types, strict JSON, Idempotency-Key, the check of fields,
// conditional requests, problems, paging. An operation is a typed function; where a value comes from and what is allowed
// is a tag of its input, and the OpenAPI document falls out.
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
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"eshop/shared/limit"
	"eshop/shared/permission"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// Version is the API version that is current (contract, section 2, "Versioning").
const Version = "2026-11-01"

// OperatorToken is how many characters the operator's token has at least (contract, section 8).
const OperatorToken = 20

// Config is what the frame is made with.
type Config struct {
	Table    store.Table // where answers under an Idempotency-Key are kept, and what Call.Write writes to
	Counters limit.Counters
	// Authenticate finds the caller of a token: ErrUnauthenticated when the token is none.
	Authenticate func(ctx context.Context, token string) (*Caller, error)
	Operator     [32]byte // SHA-256 of the operator's token; zero: nobody has one
	Key          []byte   // a secret of the platform's, 32 bytes: signs cursors
	Now          func() time.Time
	Random       io.Reader
	Log          *slog.Logger
	BaseURL      string // without a slash at its end
	Environment  string
	Inline       bool // table and counters answer within microseconds: they are asked in turn, not side by side
}

// API is the frame with the operations registered so far. It is an http.Handler.
type API struct {
	Config
	mux        *http.ServeMux
	huma       huma.API
	operations map[string]*operation // by pattern: "GET /api-engine/customers/{id}"
	patterns   []string
	known      standings
	rush       rush
	shapes     sync.Map // reflect.Type → *huma.Schema, resolved
	looked     atomic.Int64
}

// New is a frame without operations.
func New(c Config) *API {
	a := &API{Config: c, mux: http.NewServeMux(), operations: map[string]*operation{}}
	a.huma = humago.New(a.mux, huma.Config{
		OpenAPI: &huma.OpenAPI{OpenAPI: "3.1.0", Info: &huma.Info{Title: "E-shop platform API", Version: Version},
			Components: &huma.Components{Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName)}},
		Formats:       formats,
		DefaultFormat: "application/json",
	})
	return a
}

// OpenAPI is the document of all operations registered so far, the operator's left out.
func (a *API) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// schemas are those of all types that bodies are made of.
func (a *API) schemas() huma.Registry { return a.huma.OpenAPI().Components.Schemas }

// Looked is how many bytes of texts, so far, were held against more than their bound: what checks can cost, on any machine.
func (a *API) Looked() int64 { return a.looked.Load() }

// Patterns are the routes registered so far, in their order: THE list's reader of them.
func (a *API) Patterns() []string { return a.patterns }

// Op describes an operation.
type Op struct {
	Route   string                                              // "PATCH /api-engine/customers/{id}": the ServeMux pattern and the OpenAPI path at once
	ID      string                                              // the OpenAPI operationId: "changeCustomer"
	Summary string                                              // one sentence
	Doc     string                                              // more of it, Markdown
	Tag     string                                              // the resource: "Customers"
	Needs   permission.Permission                               // "": any token of an active access
	Asks    func(c *Caller, q url.Values) permission.Permission // beside Needs: what this query needs and the caller lacks; "" nothing
	Reads   permission.Permission                               // of a PATCH: who lacks it is answered id and changed only
	Open    bool                                                // no token needed
	Rate    int64                                               // of an Open one: requests a second of each address, then 429; 0: as many as come
	Status  int                                                 // of success; 0: 201 for POST, 204 for DELETE, else 200
	MaxBody int64                                               // bytes; 0: 1 MiB
	TooMany func() *problem.Problem                             // the 413 of more items than the body takes; nil: they are a 422 as any other fault
	Query   []Param                                             // parameters beside those of the input
	Refuses []int                                               // statuses of problems that only this operation has: 410
	Once    []string                                            // top-level fields of the answer that are shown only once: a replay leaves them out
}

// operation is an Op as the chain needs it.
type operation struct {
	Op
	method, path string
	body         reflect.Type // of the input's Body; nil: the operation takes none
	patch        bool
	in, out      *huma.Schema // of the bodies, for the check of fields
	query        map[string]parameter
	tagged       bool         // its answers have an entity tag
	bodiless     bool         // a POST whose body may be left out: nothing in it is required
	raw          http.Handler // of Handle: outside huma
}

// operator says whether the operation is the platform operator's.
func (o *operation) operator() bool { return strings.HasPrefix(o.path, "/operator") }

const defaultMaxBody = 1 << 20

// Add registers an operation. I is a struct of parameters and Body as huma reads it (path, query and header tags), O an
// Answer, a Plain, a Collection, None, or any struct with a Body.
func Add[I, O any](a *API, op Op, handle func(context.Context, *I) (*O, error)) {
	o := a.describe(op, reflect.TypeFor[I](), reflect.TypeFor[O]())
	h := huma.Operation{
		OperationID: op.ID, Method: o.method, Path: o.path, Summary: op.Summary, Description: op.Doc,
		Tags: []string{op.Tag}, DefaultStatus: o.Status, Hidden: o.operator(), SkipValidateBody: true,
		MaxBodyBytes: -1, BodyReadTimeout: -1,
	}
	if !op.Open {
		h.Security = []map[string][]string{{"token": {}}}
	}
	for _, p := range op.Query {
		p.add(o, &h)
	}
	a.document(o, &h)
	h.Responses = further[O](op.Refuses)
	huma.Register(a.huma, h, func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			From(ctx).fail(ctx, err)
			return nil, nil
		}
		return out, nil
	})
	a.add(o)
}

// Handle registers a page or another answer outside the API proper: no token, no limit, no OpenAPI.
func (a *API) Handle(pattern string, h http.Handler) {
	method, path, _ := strings.Cut(pattern, " ")
	a.mux.Handle(pattern, h)
	a.add(&operation{Op: Op{Route: pattern, Open: true, MaxBody: defaultMaxBody}, method: method, path: path, raw: h})
}

func (a *API) add(o *operation) {
	a.operations[o.Route] = o
	a.patterns = append(a.patterns, o.Route)
}

func (a *API) describe(op Op, in, out reflect.Type) *operation {
	method, path, ok := strings.Cut(op.Route, " ")
	if !ok {
		panic("api: a route is \"METHOD /path\", not " + op.Route)
	}
	o := &operation{Op: op, method: method, path: path, query: map[string]parameter{}}
	if o.Status == 0 {
		o.Status = map[string]int{http.MethodPost: 201, http.MethodDelete: 204}[method]
	}
	if o.Status == 0 {
		o.Status = 200
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	registry := a.schemas()
	_, o.tagged = out.FieldByName("ETag")
	if f, has := out.FieldByName("Body"); has {
		o.out = registry.Schema(f.Type, true, "Answer")
	}
	if f, has := in.FieldByName("Body"); has {
		o.body = f.Type
		if p, is := reflect.New(f.Type).Interface().(interface{ fields() reflect.Type }); is {
			o.patch, o.body = true, p.fields()
		}
		o.in = bounded(registry, registry.Schema(o.body, true, "Body"))
		k := checker{registry: registry}
		s := k.resolve(o.in)
		o.bodiless = method == http.MethodPost && s.Type == huma.TypeObject && len(s.Required) == 0
	}
	queries(registry, in, o.query)
	return o
}

// queries collects the names of the query parameters that an input takes.
func queries(registry huma.Registry, t reflect.Type, into map[string]parameter) {
	for i := range t.NumField() {
		f := t.Field(i)
		if q := f.Tag.Get("query"); q != "" {
			name, _, _ := strings.Cut(q, ",")
			into[name] = parameter{schema: bounded(registry, huma.SchemaFromField(registry, f, "")),
				moment: strings.HasSuffix(name, "after]") || strings.HasSuffix(name, "before]")}
		}
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			queries(registry, f.Type, into)
		}
	}
}

// parameter is what a query parameter may be: what its tags say, or a moment.
type parameter struct {
	schema *huma.Schema
	moment bool
}
