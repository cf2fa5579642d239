package lambda

import (
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	"eshop/shared/host"
)

// Namespace is where the functions' own metrics are found in CloudWatch.
const Namespace = "Eshop"

// The dimensions of the metrics. The environment is one of all, so that two environments in one account do not trigger
// each other's alarms.
const (
	InEnvironment = "Environment"
	OfFunction    = "Function"
	OfVersion     = "Version"
)

// dimensionsOf are the dimensions under which a figure is found.
func dimensionsOf(f host.Figure) [][]string {
	switch f.Of {
	case host.OfVersion:
		return [][]string{{InEnvironment, OfFunction}, {InEnvironment, OfFunction, OfVersion}}
	case host.OfEnvironment:
		return [][]string{{InEnvironment}}
	}
	return [][]string{{InEnvironment, OfFunction}}
}

// flushEvery is how often figures are written. A line for each request would cost more than all other logs of it. What
// an alarm waits for is written at the end of its event, because the next event may be long in coming.
const flushEvery = time.Minute

// maxValues is how many values of one metric a line may have (CloudWatch's limit).
const maxValues = 100

// Origin is who writes metrics.
type Origin struct{ Environment, Function, Version string }

// metrics collects figures and writes them in CloudWatch's embedded metric format: lines of the log that become
// metrics.
type metrics struct {
	out io.Writer
	of  Origin
	now func() time.Time

	mu      sync.Mutex
	figures []*figure // since the last line, in the order in which they came up
	urgent  bool      // an alarm waits for one of them
	written time.Time
}

// figure is a metric since the last line. A count has one value, the sum. Anything else has all values, so that
// CloudWatch can find percentiles.
type figure struct {
	name, unit string
	values     []float64
}

// newMetrics writes metrics of a function and an environment to out.
func newMetrics(out io.Writer, of Origin) *metrics {
	return &metrics{out: out, of: of, now: time.Now, written: time.Now()}
}

// request counts an answer by its status.
func (m *metrics) request(status int) { host.Answered(m.add, status) }

// add adds a value to a figure. It is host.Platform's Figure.
func (m *metrics) add(name, unit string, value float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.urgent = m.urgent || value > 0 && host.FigureOf(name).Rings
	figure := m.figure(name, unit)
	// The line is full, so it is written now, and the value begins the next one.
	if len(figure.values) == maxValues {
		m.write()
		figure = m.figure(name, unit)
	}
	if unit == host.Count && len(figure.values) > 0 {
		figure.values[0] += value
		return
	}
	figure.values = append(figure.values, value)
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

// tick writes the figures if an alarm waits for one of them, or if the last writing is long enough ago. It is called at
// the end of each event, because the process is frozen afterwards.
func (m *metrics) tick() {
	m.mu.Lock()
	due := m.urgent || m.now().Sub(m.written) >= flushEvery
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
	m.written, m.urgent = m.now(), false
	if len(m.figures) == 0 {
		return
	}
	type metric struct{ Name, Unit string }
	type directive struct {
		Namespace  string
		Dimensions [][]string
		Metrics    []metric
	}
	var all []directive
	line := map[string]any{InEnvironment: m.of.Environment, OfFunction: m.of.Function, OfVersion: m.of.Version}
	for _, f := range m.figures {
		under := dimensionsOf(host.FigureOf(f.name))
		i := slices.IndexFunc(all, func(d directive) bool { return reflect.DeepEqual(d.Dimensions, under) })
		if i < 0 {
			i, all = len(all), append(all, directive{Namespace: Namespace, Dimensions: under})
		}
		all[i].Metrics = append(all[i].Metrics, metric{f.name, f.unit})
		if line[f.name] = f.values; len(f.values) == 1 {
			line[f.name] = f.values[0]
		}
	}
	line["_aws"] = map[string]any{"Timestamp": m.written.UnixMilli(), "CloudWatchMetrics": all}
	m.figures = nil
	_ = json.NewEncoder(m.out).Encode(line) // a metric that cannot be written is lost, as its log line would be
}
