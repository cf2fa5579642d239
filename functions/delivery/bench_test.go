package delivery_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/batcher"
	"eshop/functions/delivery"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/memory"
	"eshop/shared/webhook/signingkey"
)

// cpu is what this process has used, its receiver included.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPipeline queues b.N changes for one signed receiver, 500 a batch as the feed brings them, and then drains
// them.
func BenchmarkPipeline(b *testing.B) {
	var got atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	defer server.Close()
	settings := queue.Settings{Visibility: time.Minute}
	fresh, retry := memory.New(settings, nil, 1_000_000), memory.New(settings, nil, 0)
	w := newWorld(b, func(p *host.Parts) { p.Fresh, p.Retry, p.Now = fresh, retry, time.Now })
	p := w.p
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, server.URL)
	w.key(a, vector, signingkey.Primary)

	batch, deliver := batcher.Function.Feed.Handler(p), delivery.Function.Messages.Handler(p)
	changes := make([]events.Change, b.N)
	for i := range changes {
		changes[i] = events.Change{Request: fmt.Sprintf("01M7XXKEG7%016d", i), Shop: "shop", At: time.Now().UnixMilli(),
			Records: []events.Record{customer("01M7XXKEG7ZVFRE0EM6N6D5N1T")}}
	}
	b.ResetTimer()
	began, used := time.Now(), cpu()
	for i := 0; i < b.N; i += 500 {
		_, err := batch(b.Context(), changes[i:min(b.N, i+500)])
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "changes/s")
	b.ReportMetric((cpu()-used).Seconds()*1e4/float64(b.N), "CPU-s/10k-changes")

	began, used = time.Now(), cpu()
	slots := make(chan struct{}, 8)
	var pumps sync.WaitGroup
	for got.Load() < int64(b.N) {
		slots <- struct{}{}
		messages, _ := fresh.Receive(b.Context(), 64, 10*time.Millisecond)
		pumps.Go(func() {
			defer func() { <-slots }()
			require.Empty(b, deliver(b.Context(), messages))
			_ = fresh.Delete(b.Context(), messages...)
		})
	}
	pumps.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "deliveries/s")
	b.ReportMetric((cpu()-used).Seconds()*1e4/float64(b.N), "CPU-s/10k-deliveries")
	require.EqualValues(b, b.N, got.Load())
}
