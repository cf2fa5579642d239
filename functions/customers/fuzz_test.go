package customers

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bodies are where the fuzzers begin: what is right, and what each check is for.
var bodies = []string{
	`{"email":"jana@example.cz","firstName":"Jana","lastName":"Nováková"` + whole + `}`,
	`{"email":"there@example.cz","firstName":"J","lastName":"N"}`,
	`{"email":"j@n.cz","firstName":"J","lastName":"N","externalId":"there"}`,
	`{"email":null,"billingAddress":{"zip":null},"phone":null}`,
	`{"billingAddress":{"city":"Brno"},"deliveryAddress":null}`,
	`{"email":"jana@example.cz","email":"petr@example.cz"}`,
	`{"firstName":" ","lastName":"\ud800","note":"\u0000"}`,
	`{"firstName":["J"],"lastName":{"N":1},"phone":1e400,"note":true}`,
	`{"id":"1","created":0,"":"","a.b":[[[[]]]]}`,
	"{\"firstName\":\"\xff\"}", `null`, `[]`, `"x"`, `{`, ``, `{}{}`,
}

func FuzzPOST(f *testing.F) {
	for _, b := range bodies {
		f.Add(b)
	}
	w := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		w.t = t
		before := w.table.writes
		r := w.do("POST", path, body, "Content-Type", "application/json")
		w.honest(t, r, before)
		if r.Code != http.StatusCreated {
			return
		}
		require.Equal(t, r.body, w.do("GET", r.path(), "").body)
		require.Equal(t, http.StatusNoContent, w.do("DELETE", r.path(), "").Code)
	})
}

func FuzzPATCH(f *testing.F) {
	for _, b := range bodies {
		f.Add(b)
	}
	w := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		w.t = t
		made := w.do("POST", path, `{"email":"fuzzed@example.cz","firstName":"J","lastName":"N","note":"n","billingAddress":{"street":"S","city":"C","zip":"1","country":"CZ"}}`)
		require.Equal(t, http.StatusCreated, made.Code, made.Body.String())
		before := w.table.writes
		r := w.do("PATCH", made.path(), body, "Content-Type", "application/merge-patch+json")
		w.honest(t, r, before)
		read := w.do("GET", made.path(), "")
		if r.Code == http.StatusOK {
			require.Equal(t, r.body, read.body)
			require.Equal(t, r.etag() != made.etag(), w.table.writes > before, "an ETag moves with a write only")
		} else {
			require.Equal(t, made.body, read.body)
		}
		require.Equal(t, http.StatusNoContent, w.do("DELETE", made.path(), "").Code)
	})
}

// fuzzed is a world with a customer that is in the way.
func fuzzed(f *testing.F) *world {
	w := newWorld(f)
	w.made("there@example.cz", `,"externalId":"there"`)
	return w
}

// honest requires an answer that is no 5xx, and of a refusal that it is a problem and wrote nothing.
func (w *world) honest(t *testing.T, r reply, before int) {
	t.Helper()
	require.Less(t, r.Code, 500, r.Body.String())
	if r.Code >= 400 {
		require.Equal(t, before, w.table.writes, r.Body.String())
		require.True(t, strings.HasPrefix(r.Header().Get("Content-Type"), "application/problem+json"))
		require.NotEmpty(t, r.body["code"])
	}
}
