package local

import (
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"eshop/shared/host"
	bells "eshop/shared/queue/memory"
)

// metrics are the platform's figures as Prometheus reads them, with those of the process and of Go.
type metrics struct {
	registry   *prometheus.Registry
	counters   map[string]prometheus.Counter
	histograms map[string]prometheus.Histogram
}

// newMetrics has a counter or a histogram for each of the platform's figures. Histograms have ten buckets, each four
// times as wide as the one before: from 1 ms to over 4 minutes.
func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), counters: map[string]prometheus.Counter{},
		histograms: map[string]prometheus.Histogram{}}
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, f := range host.Figures {
		if f.Unit == host.Count {
			c := prometheus.NewCounter(prometheus.CounterOpts{Name: metricName(f), Help: f.Doc})
			m.registry.MustRegister(c)
			m.counters[f.Name] = c
			// A count has no distribution.
			continue
		}
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: metricName(f), Help: f.Doc,
			Buckets: prometheus.ExponentialBuckets(1, 4, 10)}) // 1 ms to over 4 minutes
		m.registry.MustRegister(h)
		m.histograms[f.Name] = h
	}
	return m
}

// metricName is the figure's name in Prometheus: eshop_calls_delivered_total is CallsDelivered.
func metricName(f host.Figure) string {
	var b strings.Builder
	b.WriteString("eshop")
	for _, r := range f.Name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	name := strings.ToLower(b.String())
	if f.Unit == host.Count {
		return name + "_total"
	}
	return name + "_" + strings.ToLower(f.Unit)
}

// add is the platform's Figure.
func (m *metrics) add(name, _ string, value float64) {
	if c := m.counters[name]; c != nil {
		c.Add(value)
	} else if h := m.histograms[name]; h != nil {
		h.Observe(value)
	}
}

// queue shows how many messages wait in a queue: those to be handled now, and those whose time has not come.
func (m *metrics) queue(name string, q *bells.Queue) {
	for state, count := range map[string]func() float64{
		"ready":   func() float64 { n, _, _ := q.Depth(); return float64(n) },
		"delayed": func() float64 { _, n, _ := q.Depth(); return float64(n) },
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "eshop_queue_messages",
			Help:        "Messages that wait in a queue: ready now, or delayed.",
			ConstLabels: prometheus.Labels{"queue": name, "state": state}}, count))
	}
}

// handler answers the figures in Prometheus' format.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
