package api

import (
	"context"
	"net/http"
	"reflect"

	"eshop/shared/problem"
)

// Behind is a context for work that a request has left behind, as an import: From finds a Call in it that is the
// caller's, with the request's own ids and nothing of HTTP. Limits and Idempotency-Keys are over by then.
func (a *API) Behind(ctx context.Context, caller *Caller, request, requestID string) context.Context {
	return context.WithValue(ctx, callKey{}, &Call{Caller: caller, Request: request, RequestID: requestID, Started: a.Now(), api: a})
}

// takes makes the frame know bodies F, answered by R, of operations that it does not serve. It is called before anything
// is checked.
func takes[F, R any](a *API) {
	registry := a.schemas()
	bounded(registry, registry.Schema(reflect.TypeFor[F](), true, ""))
	registry.Schema(reflect.TypeFor[R](), true, "")
}

// Check holds a body that came otherwise than with a request, decoded by Parse, against what F takes, as the frame does: of
// a POST, or of a PATCH. The frame knows F from an operation or from its Form.
func Check[F, R any](a *API, body any, patch bool) error {
	k := checker{registry: a.schemas()}
	k.body(a.schemaOf(reflect.TypeFor[F]()), a.schemaOf(reflect.TypeFor[R]()), body, patch)
	a.looked.Add(k.looked)
	if len(k.faults) > 0 {
		return problem.Invalid(k.faults...)
	}
	return nil
}

// Parse decodes JSON as the frame decodes a body that F takes: malformed_json when it is not valid.
func Parse[F any](ctx context.Context, a *API, b []byte) (any, error) {
	v, _, err := decode(ctx, a.schemas(), a.schemaOf(reflect.TypeFor[F]()), b)
	if err != nil && ctx.Err() == nil {
		return nil, malformed(err)
	}
	return v, err
}

func malformed(err error) *problem.Problem {
	return &problem.Problem{Status: http.StatusBadRequest, Code: "malformed_json", Detail: "The body is not valid JSON: " + complaint(err) + "."}
}

// Refuse answers a request that a handler of Handle was given with a problem.
func Refuse(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	w.(*out).problem(From(r.Context()), p)
}

// Receive registers a PUT of a body of any type and size, without a token, that is answered 204 or with the problem that
// put returns. It is outside the OpenAPI document.
func (a *API) Receive(path string, put func(r *http.Request) error) {
	a.Handle("PUT "+path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := From(r.Context())
		if err := put(r); err != nil {
			c.fail(r.Context(), err)
			Refuse(w, r, c.problem)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
}
