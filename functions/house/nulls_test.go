package house_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"eshop/shared/api"
	"eshop/shared/base/problem"
)

// TestNoNumberOrTruthValueIsClearedByNull walks all that operations take: a null that is taken would be 0 or false, of
// which its sender knows nothing, and so would the null of an object that holds one, or of an entry of a list. Where
// null has a meaning of its own, the document says so.
func TestNoNumberOrTruthValueIsClearedByNull(t *testing.T) {
	w := open(t)
	refused, cleared := 0, 0
	for _, in := range w.API.Inputs() {
		for _, p := range in.Paths {
			if !kept(p, in.Paths) || in.Multipart {
				continue
			}
			t.Run(in.Route+" "+p.Path, func(t *testing.T) {
				w.T = t
				body := w.nulled(w.sample(in.Route), p.Path)
				did := w.try(in.Route, body)
				if p.Nullable {
					cleared++
					require.Less(t, did.status, http.StatusMultipleChoices, did.text)
					return
				}
				refused++
				require.Equal(t, http.StatusUnprocessableEntity, did.status, did.text)
				var said struct{ Errors []problem.Fault }
				require.NoError(t, json.Unmarshal([]byte(did.text), &said))
				requireNoNull(t, said.Errors, p.Path)
				require.Empty(t, did.ops)
			})
		}
	}
	require.Greater(t, refused, 50)
	require.GreaterOrEqual(t, cleared, 4, "the limit of a coupon's uses, and the limits of an access")
}

func TestNoLineOfAnImportClearsANumberOrTruthValueByNull(t *testing.T) {
	w := open(t)
	refused := 0
	for _, k := range kindsOfRows(w.World, w.P.Frame(), w.made["POST /operator/shops"].ID()) {
		for _, p := range k.places {
			for round, of := range []string{"one that is there", "a new one"} {
				if !kept(p, k.places) || p.Nullable {
					continue
				}
				t.Run(k.name+" "+p.Path+" of "+of, func(t *testing.T) {
					w.T, w.round = t, round
					line, err := json.Marshal(w.nulled(w.sample("POST /api-engine/"+k.name), p.Path))
					require.NoError(t, err)
					refused++
					said, is := problem.As(k.row(t.Context(), string(line)))
					require.True(t, is, "%s", line)
					requireNoNull(t, said.Errors, p.Path)
				})
			}
		}
	}
	require.Greater(t, refused, 20)
}

// kept says whether null at a place of a body would be taken for something that it is not: of a number or truth value,
// of an object that holds one, of an entry of a list.
func kept(p api.SchemaPath, all []api.SchemaPath) bool {
	if !strings.HasPrefix(p.Path, "body.") {
		return false
	}
	switch p.Type {
	case huma.TypeBoolean, huma.TypeInteger, huma.TypeNumber:
		return true
	case huma.TypeObject:
		return strings.HasSuffix(p.Path, "[]") || slices.ContainsFunc(all, func(inner api.SchemaPath) bool {
			name, within := strings.CutPrefix(inner.Path, p.Path+".")
			return within && !strings.Contains(name, "[]") && !inner.Nullable && kept(inner, all)
		})
	}
	return strings.HasSuffix(p.Path, "[]")
}

// requireNoNull wants a fault that a place cannot be null.
func requireNoNull(t *testing.T, faults []problem.Fault, path string) {
	at, code := strings.ReplaceAll(path, "[]", "[0]"), problem.Required
	if strings.HasSuffix(path, "[]") {
		code = problem.WrongType
	}
	require.True(t, slices.ContainsFunc(faults, func(f problem.Fault) bool {
		return f.Location == at && f.Code == code
	}), "%s: %v", at, faults)
}

// nulled is a body with null at a path: body.items[].quantity is that of the first item.
func (w *world) nulled(of object, path string) object {
	body := w.copied(of)
	if _, several := body["items"]; !several && strings.HasPrefix(path, "body.items[]") {
		body = object{"items": []any{body}} // of what takes one or several
	}
	at := body
	steps := strings.Split(strings.TrimPrefix(path, "body."), ".")
	for i, step := range steps {
		name, inList := strings.CutSuffix(step, "[]")
		switch last := i == len(steps)-1; {
		case last && inList:
			at[name].([]any)[0] = nil
		case last:
			at[name] = nil
		case inList:
			at = at[name].([]any)[0].(object)
		default:
			at = at[name].(object)
		}
	}
	return body
}

// copied is a body that shares nothing with o.
func (w *world) copied(o object) object {
	text, err := json.Marshal(o)
	require.NoError(w.T, err)
	var c object
	require.NoError(w.T, json.Unmarshal(text, &c))
	return c
}
