package lambda

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
)

// late is how long a figure takes to be seen by an alarm. CloudWatch needs less.
const late = 2 * time.Minute

// cloud is what CloudWatch knows of a version: its calls, which Lambda tells of, and its faults, which are in the lines
// of the log that its processes write.
type cloud struct {
	calls, faults map[int64]float64 // by minute
}

// read takes the figures out of what a process has written, as the embedded metric format has them.
func (c cloud) read(t *testing.T, written *bytes.Buffer) {
	for lines := json.NewDecoder(written); lines.More(); {
		var line struct {
			Version string
			Faults  float64
			AWS     struct{ Timestamp int64 } `json:"_aws"`
		}
		require.NoError(t, lines.Decode(&line))
		require.Equal(t, "8", line.Version)
		c.faults[line.AWS.Timestamp/60_000] += line.Faults
	}
}

// rings is the alarm's expression over the window that ends at a minute, of what is seen by then.
func (c cloud) rings(minute int64, f host.Function) bool {
	calls, failures := 0.0, 0.0
	for m := minute - int64(RolloutWindow/time.Minute); m < minute; m++ {
		calls, failures = calls+c.calls[m], failures+c.faults[m]
	}
	return failures*100 >= calls*RolloutPercent && failures >= float64(RolloutFailures(f))
}

// takenBack plays a deployment of a version whose function has so many calls a minute, of which the version fails one
// in so many (0: none), on as many processes as its share of calls keeps busy. It says whether its alarm ends it.
func takenBack(t *testing.T, f host.Function, perMinute float64, oneIn int, luck *rand.Rand) bool {
	start := time.Date(2026, 11, 21, 2, 5, 12, 0, time.UTC)
	now := start
	seen := cloud{map[int64]float64{}, map[int64]float64{}}
	var out bytes.Buffer
	processes := make([]*metrics, 1+int(perMinute/10_000))
	for i := range processes {
		processes[i] = newMetrics(&out, Origin{"test", f.Name, "8"})
		processes[i].now, processes[i].written = func() time.Time { return now }, start
	}
	pause := time.Duration(float64(time.Minute) / (perMinute * RolloutShare / 100))
	minute, rang := start.Unix()/60, false
	for now.Before(start.Add(RolloutBake)) {
		now = now.Add(time.Duration(luck.ExpFloat64() * float64(pause)))
		seen.calls[now.Unix()/60]++
		status := 200
		if oneIn > 0 && luck.IntN(oneIn) == 0 {
			status = 500
		}
		process := processes[luck.IntN(len(processes))]
		process.request(status)
		process.tick()
		seen.read(t, &out)
		for ; minute < min(now.Unix(), start.Add(RolloutBake).Unix())/60; minute++ {
			rang = rang || seen.rings(minute-int64(late/time.Minute), f)
		}
	}
	return rang
}

// TestAVersionThatFailsIsTakenBackAndAHealthyOneIsNot plays deployments through, with calls and faults at random, and
// the alarm as the stack has it. What a version writes is what its processes write.
func TestAVersionThatFailsIsTakenBackAndAHealthyOneIsNot(t *testing.T) {
	pages := host.Function{Name: "pages"}
	seldom := host.Function{Name: "clock", Tick: &host.Tick{}}
	for _, c := range []struct {
		name      string
		function  host.Function
		perMinute float64
		oneIn     int // calls of which one fails; 0: none does
		times     int
		back      bool
	}{
		{"every call of ten a minute fails", pages, 10, 1, 500, true},
		{"every call of thirty a minute fails", pages, 30, 1, 200, true},
		{"one in two of sixty a minute fails", pages, 60, 2, 200, true},
		{"one in fifty of a thousand a minute fails", pages, 1_000, 50, 100, true},
		{"one in fifty of ten thousand a minute fails", pages, 10_000, 50, 20, true},
		{"one in fifty of a hundred thousand a minute fails", pages, 100_000, 50, 2, true},
		{"every call of ten a minute by a clock fails", seldom, 10, 1, 200, true},
		{"nothing of one a minute fails", pages, 1, 0, 200, false},
		{"nothing of a thousand a minute fails", pages, 1_000, 0, 50, false},
		{"one in ten thousand of ten a minute fails, as tables do", pages, 10, 10_000, 500, false},
		{"one in ten thousand of a hundred a minute fails", pages, 100, 10_000, 200, false},
		{"one in ten thousand of a thousand a minute fails", pages, 1_000, 10_000, 100, false},
		{"one in ten thousand of a hundred thousand a minute fails", pages, 100_000, 10_000, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i := range c.times {
				luck := rand.New(rand.NewPCG(uint64(i), math.Float64bits(c.perMinute)))
				require.Equal(t, c.back, takenBack(t, c.function, c.perMinute, c.oneIn, luck),
					"deployment "+strconv.Itoa(i))
			}
		})
	}
}

// TestAnAlarmDoesNotWaitForTheNextEvent: a process that is called once an hour tells of its fault at once.
func TestAnAlarmDoesNotWaitForTheNextEvent(t *testing.T) {
	for name, told := range map[string]func(m *metrics){
		"an answer of 5xx":     func(m *metrics) { m.request(503) },
		"an uncounted request": func(m *metrics) { m.add("UncountedRequests", host.Count, 1) },
	} {
		var out bytes.Buffer
		m := newMetrics(&out, Origin{"test", "customers", "8"})
		m.request(200)
		m.tick()
		require.Empty(t, out.String(), "the minute is not over")
		told(m)
		m.tick()
		require.NotEmpty(t, out.String(), name)
		out.Reset()
		m.request(200)
		m.tick()
		require.Empty(t, out.String(), "there is no hurry any more")
	}
}
