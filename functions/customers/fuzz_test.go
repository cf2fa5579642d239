package customers

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
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
		w.T = t
		before := w.Main.Writes()
		r := w.do("POST", path, body, "Content-Type", "application/json")
		w.honest(t, r, before)
		if r.Status != http.StatusCreated {
			return
		}
		require.Equal(t, r.Body, w.do("GET", at(r), "").Body)
		require.Equal(t, http.StatusNoContent, w.do("DELETE", at(r), "").Status)
	})
}

func FuzzPATCH(f *testing.F) {
	for _, b := range bodies {
		f.Add(b)
	}
	w := fuzzed(f)
	f.Fuzz(func(t *testing.T, body string) {
		w.T = t
		made := w.do("POST", path, `{"email":"fuzzed@example.cz","firstName":"J","lastName":"N","note":"n","billingAddress":{"street":"S","city":"C","zip":"1","country":"CZ"}}`)
		require.Equal(t, http.StatusCreated, made.Status, made.Text)
		before := w.Main.Writes()
		r := w.do("PATCH", at(made), body, "Content-Type", "application/merge-patch+json")
		w.honest(t, r, before)
		read := w.do("GET", at(made), "")
		if r.Status == http.StatusOK {
			require.Equal(t, r.Body, read.Body)
			require.Equal(t, r.ETag() != made.ETag(), w.Main.Writes() > before, "an ETag moves with a write only")
		} else {
			require.Equal(t, made.Body, read.Body)
		}
		require.Equal(t, http.StatusNoContent, w.do("DELETE", at(made), "").Status)
	})
}

// fuzzed is a world with a customer that is in the way.
func fuzzed(f *testing.F) *world {
	w := newWorld(f)
	w.made("there@example.cz", `,"externalId":"there"`)
	return w
}

// honest requires an answer that is no 5xx, and of a refusal that it is a problem and wrote nothing.
func (w *world) honest(t *testing.T, r hosttest.Answer, before int) {
	t.Helper()
	require.Less(t, r.Status, 500, r.Text)
	if r.Status >= 400 {
		require.Equal(t, before, w.Main.Writes(), r.Text)
		require.True(t, strings.HasPrefix(r.Header.Get("Content-Type"), "application/problem+json"))
		require.NotEmpty(t, r.Body["code"])
	}
}
