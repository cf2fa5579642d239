package api

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/base/problem"
	"eshop/shared/record"
)

// FormOf is how rows of an import are read: as bodies of a kind's POST and PATCH, with the same checks.
func FormOf[R, F any](a *API, _ *record.Kind[R, F]) record.Form[F] { return Form[F, R](a) }

// Form is FormOf for records R that are no record.Kind, and their fields F. It is called before the first request.
func Form[F, R any](a *API) record.Form[F] {
	// Rows get the same bounds as bodies. This writes to the schema, so it must be done before the first request.
	schema := bounded(a.schemas(), a.schemaOf(reflect.TypeFor[F]()))
	shown := a.schemaOf(reflect.TypeFor[R]())
	return record.Form[F]{
		Parse: func(ctx context.Context, line []byte) (any, error) {
			body, err := decode(ctx, a.schemas(), schema, line)
			if err == nil {
				dropMade(a.schemas(), schema, shown, body)
			}
			return body, err
		},
		New: func(fields map[string]any) (f F, err error) {
			if err := checkFields[F, R](a, fields, asWhole); err != nil {
				return f, err
			}
			return f, Fill(&f, fields)
		},
		Patch: func(fields map[string]any, current F) (F, error) {
			if err := CheckPatch[F, R](a, fields); err != nil {
				return current, err
			}
			return Patch[F]{fields}.apply(a, current)
		},
	}
}

// dropMade takes out of a row what only answers have: an export's rows are records as answers show them, and bring what
// the platform makes.
func dropMade(registry huma.Registry, in, shown *huma.Schema, v any) {
	in, shown = resolve(registry, in), resolve(registry, shown)
	if in == nil || shown == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			if in.Properties[name] == nil && shown.Properties[name] != nil {
				delete(v, name)
			} else if in.Properties[name] != nil {
				dropMade(registry, in.Properties[name], shown.Properties[name], x)
			}
		}
	case []any:
		for _, x := range v {
			dropMade(registry, in.Items, shown.Items, x)
		}
	}
}

// CheckPatch checks a body that came otherwise than in a request (Form.Parse has decoded it) against what F takes, as
// the frame checks a PATCH's. R is the record that answers show.
func CheckPatch[F, R any](a *API, body any) error { return checkFields[F, R](a, body, asPatch) }

// checkFields checks a body against the schema of fields F. R is the record that answers show, by which read-only
// fields are told from unknown ones.
func checkFields[F, R any](a *API, body any, as reading) error {
	k := checker{registry: a.schemas()}
	k.body(a.schemaOf(reflect.TypeFor[F]()), a.schemaOf(reflect.TypeFor[R]()), body, as)
	a.looked.Add(k.looked)
	if len(k.faults) > 0 {
		return problem.Invalid(k.faults...)
	}
	return nil
}

// schemaOf is the type's schema, itself and not a reference to it.
func (a *API) schemaOf(t reflect.Type) *huma.Schema {
	known, ok := a.resolved.Load(t)
	if !ok {
		known, _ = a.resolved.LoadOrStore(t, resolve(a.schemas(), a.schemas().Schema(t, true, "")))
	}
	return known.(*huma.Schema)
}
