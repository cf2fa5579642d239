package functions_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"eshop/shared/problem"
)

// TestNoNumberOrTruthValueIsClearedByNull walks all that operations take: a null that is taken would be 0 or false, of
// which its sender knows nothing. Where null has a meaning of its own, the document says so.
func TestNoNumberOrTruthValueIsClearedByNull(t *testing.T) {
	w := open(t)
	refused, cleared := 0, 0
	for _, in := range w.API.Inputs() {
		for _, p := range in.Paths {
			kind := p.Type == huma.TypeBoolean || p.Type == huma.TypeInteger || p.Type == huma.TypeNumber
			if !kind || !strings.HasPrefix(p.Path, "body.") || in.Multipart {
				continue
			}
			t.Run(in.Route+" "+p.Path, func(t *testing.T) {
				w.T = t
				body := w.nulled(in.Route, p.Path)
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
				at := strings.ReplaceAll(p.Path, "[]", "[0]")
				require.True(t, slices.ContainsFunc(said.Errors, func(f problem.Fault) bool {
					return f.Location == at && f.Code == problem.Required
				}), did.text)
				require.Empty(t, did.ops)
			})
		}
	}
	require.Greater(t, refused, 30)
	require.GreaterOrEqual(t, cleared, 4, "the limit of a coupon's uses, and the limits of an access")
}

// nulled is the sample of a route with null at a path of its body: body.items[].quantity is that of the first item.
func (w *world) nulled(route, path string) object {
	body := w.copied(w.sample(route))
	if _, several := body["items"]; !several && strings.HasPrefix(path, "body.items[]") {
		body = object{"items": []any{body}} // of what takes one or several
	}
	at := body
	steps := strings.Split(strings.TrimPrefix(path, "body."), ".")
	for _, step := range steps[:len(steps)-1] {
		name, inList := strings.CutSuffix(step, "[]")
		inner := at[name]
		if inList {
			inner = inner.([]any)[0]
		}
		at = inner.(object)
	}
	at[steps[len(steps)-1]] = nil
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
