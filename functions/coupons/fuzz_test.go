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
		`{"code":"there","type":"amount","value":"0.00"}`, `{"code":"THERE"}`, `{"type":"percentage","value":"0.01","minimumOrder":null}`,
		`{"validFrom":"9999-12-31T23:59:59Z","validTo":"0001-01-01T00:00:00Z"}`, `{"validTo":"2026-11-21","usageLimit":1e2}`,
		`{"code":"\u0130\u00df","type":"amount","value":"999999999999.99","usageLimit":999999999999}`, `{"used":1,"":"","code":["A"]}`,
		`{"code":"A","code":"B"}`, `null`, `[]`, `"x"`, `{`, ``, `{}{}`,
	} {
		f.Add(true, b)
		f.Add(false, b)
	}
	w := newWorld(f)
	w.made("There", "")
	one := w.made("One", `,"validFrom":"2026-11-01T00:00:00Z"`)
	f.Fuzz(func(t *testing.T, post bool, body string) {
		w.t = t
		method, at := "PATCH", one.path()
		if post {
			method, at = "POST", path
		}
		before, was := w.table.writes, w.do("GET", one.path(), "")
		r := w.do(method, at, body, "Content-Type", "application/json")
		require.Less(t, r.Code, 500, r.Body.String())
		switch {
		case r.Code >= 400:
			require.Equal(t, before, w.table.writes, r.Body.String())
			require.True(t, strings.HasPrefix(r.Header().Get("Content-Type"), "application/problem+json"))
			require.NotEmpty(t, r.body["code"])
		case post:
			require.Equal(t, r.body, w.do("GET", r.path(), "").body)
			require.Equal(t, http.StatusNoContent, w.do("DELETE", r.path(), "").Code)
		default:
			require.Equal(t, r.body, w.do("GET", at, "").body)
			require.Equal(t, r.etag() != was.etag(), w.table.writes > before, "an ETag moves with a write only")
		}
	})
}
