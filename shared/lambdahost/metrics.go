package lambdahost

import (
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"

	"eshop/shared/host"
)

// Namespace is where the functions' own metrics are found in CloudWatch, each under its Function.
const Namespace = "Eshop"

// The metrics: answers given, and those of them that were our fault (5xx).
const (
	Requests = "Requests"
	Faults   = "Faults"
)

// every is how often figures are written. A line for each request would cost more than all its other logs.
const every = time.Minute

// maxValues is how many values of one metric a line may have (CloudWatch's limit).
const maxValues = 100

// metrics collects figures and writes them in CloudWatch's embedded metric format: lines of the log that become
// metrics.
type metrics struct {
	out      io.Writer
	function string
	now      func() time.Time

	mu      sync.Mutex
	figures []*figure // since the last line, in the order in which they came up
	written time.Time
}

// figure is a metric since the last line. Of a count it has one value, the sum; of anything else all values, so that
// CloudWatch can tell percentiles.
type figure struct {
	name, unit string
	values     []float64
}

func newMetrics(out io.Writer, function string) *metrics {
	return &metrics{out: out, function: function, now: time.Now, written: time.Now()}
}

// request counts an answer by its status.
func (m *metrics) request(status int) {
	fault := 0.0
	if status >= 500 {
		fault = 1
	}
	m.add(Requests, host.Count, 1)
	m.add(Faults, host.Count, fault)
}

// add adds a value to a figure. It is host.Platform's Figure.
func (m *metrics) add(name, unit string, value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.figure(name, unit)
	if len(f.values) == maxValues {
		m.write()
		f = m.figure(name, unit)
	}
	if unit == host.Count && len(f.values) > 0 {
		f.values[0] += value
		return
	}
	f.values = append(f.values, value)
}

// figure is the figure of that name, which it begins when there is none. The lock is held.
func (m *metrics) figure(name, unit string) *figure {
	i := slices.IndexFunc(m.figures, func(f *figure) bool { return f.name == name })
	if i < 0 {
		i = len(m.figures)
		m.figures = append(m.figures, &figure{name: name, unit: unit})
	}
	return m.figures[i]
}

// tick writes the figures when the last writing is long enough ago. It is called at the end of each event: the process
// is frozen afterwards.
func (m *metrics) tick() {
	m.mu.Lock()
	due := m.now().Sub(m.written) >= every
	m.mu.Unlock()
	if due {
		m.flush()
	}
}

// flush writes the figures, if there are any, and begins anew.
func (m *metrics) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.write()
}

// write writes all figures in one line, and begins anew. The lock is held.
func (m *metrics) write() {
	m.written = m.now()
	if len(m.figures) == 0 {
		return
	}
	type metric struct{ Name, Unit string }
	var all []metric
	line := map[string]any{"Function": m.function}
	for _, f := range m.figures {
		all = append(all, metric{f.name, f.unit})
		if line[f.name] = f.values; len(f.values) == 1 {
			line[f.name] = f.values[0]
		}
	}
	line["_aws"] = map[string]any{"Timestamp": m.written.UnixMilli(),
		"CloudWatchMetrics": []any{map[string]any{"Namespace": Namespace, "Dimensions": [][]string{{"Function"}},
			"Metrics": all}}}
	m.figures = nil
	_ = json.NewEncoder(m.out).Encode(line) // a metric that cannot be written is lost, as its log line would be
}
