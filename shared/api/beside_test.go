package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/ports/limit"
)

// hurried are counters that answer when the request's time is over.
type hurried struct{ limit.Counters }

func (hurried) Charge(ctx context.Context, _ string, l limit.Limits, cost int64, _ time.Time) (limit.Standing, error) {
	<-ctx.Done()
	return limit.Standing{Hourly: l.Hourly - cost, Daily: l.Daily - cost}, nil
}

// TestAChargeThatIsUnderWayWhenTheRequestEndsIsNotRead is for the race detector: the charge's goroutine writes what it
// was answered while the request, whose time is over, is answered.
func TestAChargeThatIsUnderWayWhenTheRequestEndsIsNotRead(t *testing.T) {
	w := open(t)
	w.api.Near, w.api.Counters = false, hurried{}
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		r := httptest.NewRequest("GET", "/api-engine/notes", nil).WithContext(ctx)
		r.Header.Set("Authorization", "Bearer good")
		answer := httptest.NewRecorder()
		go cancel()
		w.api.ServeHTTP(answer, r)
		for _, name := range api.LimitHeaders {
			require.NotEmpty(t, answer.Header()[name])
		}
	}
}

func TestAHandlerCanRefuseBehindAnyOther(t *testing.T) {
	w := open(t)
	w.api.Handle("GET /wrapped", wrapping(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = rw.Write([]byte("half an answer"))
		api.Refuse(r, problem.NotFound())
	}))
	answer := httptest.NewRecorder()
	w.api.ServeHTTP(answer, httptest.NewRequest("GET", "/wrapped", nil))
	require.Equal(t, 404, answer.Code)
	require.Contains(t, answer.Body.String(), `"code":"not_found"`)
	require.NotContains(t, answer.Body.String(), "half")
}

// wrapping gives the handler a writer of its own around the one it would have.
func wrapping(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h(struct{ http.ResponseWriter }{w}, r) })
}
