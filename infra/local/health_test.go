package local

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealthIsGoodOnceEverythingIsServed(t *testing.T) {
	s := &Server{}
	ask := func() (int, string) {
		w := httptest.NewRecorder()
		s.health(w, nil)
		return w.Code, w.Body.String()
	}
	status, _ := ask()
	require.Equal(t, 503, status)
	s.served.Store(true)
	status, body := ask()
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"status":"ok"}`, body)
}
