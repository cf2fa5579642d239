package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkRequests is what the frame takes for a request of each kind, its store and counters in memory.
func BenchmarkRequests(b *testing.B) {
	w := open(b)
	at := w.do("POST", notes, whole).Header().Get("Location")
	for _, of := range []struct{ name, method, path, body string }{
		{"create", "POST", notes, whole},
		{"read", "GET", at, ""},
		{"change", "PATCH", at, `{"title":"Coffee","address":{"city":"Brno"},"count":3}`},
		{"list", "GET", notes + "?itemsPerPage=2&changed[after]=2026-01-01", ""},
		{"refuse", "POST", notes, `{"title":7,"stranger":1}`},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			w := open(b)
			w.caller.Limits.Hourly, w.caller.Limits.Daily = 1<<40, 1<<40
			if location := w.do("POST", notes, whole).Header().Get("Location"); of.path == at {
				of.path = location
			}
			for b.Loop() {
				r := httptest.NewRequest(of.method, of.path, strings.NewReader(of.body))
				r.Header = http.Header{"Authorization": {"Bearer good"}, "Content-Type": {"application/json"}}
				w.api.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}

const whole = `{"title":"Tea","text":"A cup of it","price":"10.00","fee":"0.50","until":"2026-11-21T02:05:12.583Z","count":4,` +
	`"stock":100,"tags":["a","b"],"address":{"city":"Praha","zip":"11000"},"mail":"a@b.cz"}`
