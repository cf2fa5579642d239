package local

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// asked sends a request through and returns once it is being answered; let lets it end.
func asked(t *traffic, path string) (let func()) {
	begun, over, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	h := t.counting(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(begun); <-over }))
	go func() {
		defer close(ended)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}()
	<-begun
	return func() { close(over); <-ended }
}

func TestWhatCanWaitLetsRequestsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var traffic traffic
		began := time.Now()
		require.False(t, traffic.calm(t.Context()), "nobody asks for anything")
		require.Zero(t, time.Since(began))

		let := asked(&traffic, "/api-engine/products")
		time.AfterFunc(4900*time.Microsecond, let)
		require.True(t, traffic.calm(t.Context()))
		require.Equal(t, 5*time.Millisecond, time.Since(began), "as long as the request takes")

		began, let = time.Now(), asked(&traffic, "/api-engine/products")
		require.True(t, traffic.calm(t.Context()))
		require.Equal(t, maxWait, time.Since(began), "it gets on under a load without end")
		began = time.Now()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.True(t, traffic.calm(ended))
		require.Equal(t, minWait, time.Since(began), "nor does it hold up the stop")
		let()

		began = time.Now()
		require.True(t, traffic.calm(t.Context()), "who asked just now asks again")
		require.Equal(t, minWait, time.Since(began))
		time.Sleep(quietAfter + 1)
		for _, path := range []string{uploads + "/S1/file", "/api-engine/imports/1"} {
			let = asked(&traffic, path)
			require.False(t, traffic.calm(t.Context()), path)
			let()
		}
	})
}
