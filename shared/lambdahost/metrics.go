package lambdahost

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Namespace is where the functions' own metrics are found in CloudWatch, each under its Function.
const Namespace = "Eshop"

// The metrics: answers given, and those of them that were our fault (5xx).
const (
	Requests = "Requests"
	Faults   = "Faults"
)

// every is how often counts are written: a line a request would cost more than all the rest of its logs.
const every = time.Minute

// metrics counts, and writes the counts as CloudWatch's embedded metric format: lines of the log that become metrics.
type metrics struct {
	out      io.Writer
	function string
	now      func() time.Time

	mu      sync.Mutex
	counts  map[string]int64
	written time.Time
}

func newMetrics(out io.Writer, function string) *metrics {
	return &metrics{out: out, function: function, now: time.Now, counts: map[string]int64{}, written: time.Now()}
}

// request counts an answer by its status.
func (m *metrics) request(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[Requests]++
	if status >= 500 {
		m.counts[Faults]++
	}
}

// tick writes the counts when the last writing is long enough ago. It is called at the end of each event: the process is
// frozen afterwards.
func (m *metrics) tick() {
	m.mu.Lock()
	due := m.now().Sub(m.written) >= every
	m.mu.Unlock()
	if due {
		m.flush()
	}
}

// flush writes the counts, if there are any, and begins anew.
func (m *metrics) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.written = m.now()
	if len(m.counts) == 0 {
		return
	}
	type metric struct{ Name, Unit string }
	all := []metric{{Requests, "Count"}, {Faults, "Count"}}
	line := map[string]any{"Function": m.function, Requests: m.counts[Requests], Faults: m.counts[Faults], "_aws": map[string]any{
		"Timestamp":         m.written.UnixMilli(),
		"CloudWatchMetrics": []any{map[string]any{"Namespace": Namespace, "Dimensions": [][]string{{"Function"}}, "Metrics": all}},
	}}
	clear(m.counts)
	_ = json.NewEncoder(m.out).Encode(line) // a metric that cannot be written is lost, as its log line would be
}
