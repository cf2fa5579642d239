package coupons

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzBodies(f *testing.F) {
	for _, b := range []string{
		`{"code":"LÉTO","type":"percentage","value":"10.00"` + wholeOne + `}`,
		`{"code":"there","type":"amount","value":"0.00"}`, `{"code":"THERE"}`,
		`{"type":"percentage","value":"0.01","minimumOrder":null}`,
		`{"validFrom":"9999-12-31T23:59:59Z","validTo":"0001-01-01T00:00:00Z"}`,
		`{"validTo":"2026-11-21","usageLimit":1e2}`,
		`{"code":"\u0130\u00df","type":"amount","value":"999999999999.99","usageLimit":999999999999}`,
		`{"used":1,"":"","code":["A"]}`,
		`{"code":"A","code":"B"}`, `null`, `[]`, `"x"`, `{`, ``, `{}{}`,
	} {
		f.Add(true, b)
		f.Add(false, b)
	}
	w := newWorld(f)
	w.made("There", "")
	one := at(w.made("One", `,"validFrom":"2026-11-01T00:00:00Z"`))
	f.Fuzz(func(t *testing.T, post bool, body string) {
		w.T = t
		method, target := "PATCH", one
		if post {
			method, target = "POST", path
		}
		before, was := w.Main.Writes(), w.do("GET", one, "")
		r := w.do(method, target, body, "Content-Type", "application/json")
		require.Less(t, r.Status, 500, r.Text)
		switch {
		case r.Status >= 400:
			require.Equal(t, before, w.Main.Writes(), r.Text)
			require.True(t, strings.HasPrefix(r.Header.Get("Content-Type"), "application/problem+json"))
			require.NotEmpty(t, r.Body["code"])
		case post:
			require.Equal(t, r.Body, w.do("GET", at(r), "").Body)
			require.Equal(t, http.StatusNoContent, w.do("DELETE", at(r), "").Status)
		default:
			require.Equal(t, r.Body, w.do("GET", target, "").Body)
			require.Equal(t, r.ETag() != was.ETag(), w.Main.Writes() > before, "an ETag moves with a write only")
		}
	})
}
