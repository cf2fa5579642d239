package local

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

func TestHealthIsGoodOnceEverythingIsServed(t *testing.T) {
	s := &Server{API: hosttest.Open(t, hosttest.Setup{}).API}
	s.API.Handle("GET /healthz", http.HandlerFunc(s.health))
	ask := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.API.ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
		return w
	}
	early := ask()
	require.Equal(t, 503, early.Code)
	require.Equal(t, "application/problem+json", early.Header().Get("Content-Type"))
	require.Equal(t, "1", early.Header().Get("Retry-After"))
	s.served.Store(true)
	require.Equal(t, 200, ask().Code)
	require.JSONEq(t, `{"status":"ok"}`, ask().Body.String())
}
