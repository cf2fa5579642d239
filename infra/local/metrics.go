package local

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"eshop/functions"
	"eshop/shared/host"
	bells "eshop/shared/ports/queue/memory"
)

// metrics are the platform's figures as Prometheus reads them, with those of the process and of Go.
type metrics struct {
	registry   *prometheus.Registry
	counters   map[string]prometheus.Counter
	histograms map[string]prometheus.Histogram

	owners    map[string]string // whose operation a route is
	catchAll  string            // the function that answers where no operation does
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
}

// ofHost is what metrics call the operations that only this host has: health, metrics, uploads, the demo.
const ofHost = "host"

// ofNobody is what metrics call requests by programs that no operation answers: they tell nothing of a function.
const ofNobody = "none"

// newMetrics has a counter or a histogram for each of the platform's figures, and knows which function answers where no
// operation does.
func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), counters: map[string]prometheus.Counter{},
		histograms: map[string]prometheus.Histogram{}, owners: map[string]string{}}
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "eshop_build_info",
			Help: "Always 1: its labels say what runs.", ConstLabels: buildLabels()}, func() float64 { return 1 }))
	m.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "eshop_request_duration_seconds",
		Help:    "From a request's head until its answer is ready to be sent.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15)}, []string{"function"}) // 0.5 ms to 8 s
	m.registry.MustRegister(m.durations)
	for _, f := range host.Figures {
		m.registry.MustRegister(m.figure(f))
	}
	for _, f := range functions.List {
		if f.CatchAll {
			m.catchAll = f.Name
		}
	}
	return m
}

// figure makes the metric of a figure. Requests have labels, which no figure has, so served counts them.
func (m *metrics) figure(f host.Figure) prometheus.Collector {
	switch {
	case f.Name == host.Requests:
		m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{Name: metricName(f), Help: f.Doc},
			[]string{"function", "status"})
		return m.requests
	case f.Unit == host.Count:
		m.counters[f.Name] = prometheus.NewCounter(prometheus.CounterOpts{Name: metricName(f), Help: f.Doc})
		return m.counters[f.Name]
	}
	m.histograms[f.Name] = prometheus.NewHistogram(prometheus.HistogramOpts{Name: metricName(f), Help: f.Doc,
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 10)}) // 1 ms to over 4 minutes
	return m.histograms[f.Name]
}

// own says whose operations the routes are: a function's, or the host's own.
func (m *metrics) own(owners map[string]string, routes []string) {
	for _, r := range routes {
		m.owners[r] = cmp.Or(owners[r], ofHost)
	}
}

// served is the platform's Served. An address of programs that no operation has, or none by that method, has no route,
// and any other one that nothing answers is the catch-all's. So there are never more series than functions times
// statuses, whatever strangers ask for.
func (m *metrics) served(route string, status int, took time.Duration) {
	function := ofNobody
	if route != "" {
		function = cmp.Or(m.owners[route], m.catchAll)
	}
	m.requests.WithLabelValues(function, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(function).Observe(took.Seconds())
}

// metricName is the figure's name in Prometheus: eshop_calls_delivered_total is CallsDelivered. Prometheus wants base
// units, so what CloudWatch has in milliseconds is in seconds here.
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
	return name + "_seconds"
}

// add is the platform's Figure.
func (m *metrics) add(name, _ string, value float64) {
	if c := m.counters[name]; c != nil {
		c.Add(value)
	} else if h := m.histograms[name]; h != nil {
		h.Observe(value / 1000) // of milliseconds
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
