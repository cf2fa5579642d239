//go:build synth

package main

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions"
)

// failures are what may go wrong, as it shows in metrics of an hour or more, and the alarms that ring then, and no
// other. Of an alarm of several functions it is said which of them.
var failures = []struct {
	name  string
	hours int // 0: one
	shows func(w world)
	rings []string
}{
	{"all is well", 50, func(world) {}, nil},

	// functions
	{"one with a call in five minutes ends each in an error", 0, func(w world) {
		w.called("operator", every(5), 1, 0)
	}, []string{"Failing operator"}},
	{"one with a call in five minutes answers each with 5xx", 0, func(w world) {
		w.called("operator", every(5), 0, 1)
	}, []string{"Failing operator"}},
	{"one with a call in seven minutes ends each in an error", 0, func(w world) {
		w.called("tokens", every(7), 1, 0)
	}, []string{"Failing tokens"}},
	{"one with two calls a minute ends each in an error", 0, func(w world) {
		w.called("quotes", func(int) float64 { return 2 }, 1, 0)
	}, []string{"Failing quotes"}},
	{"one does not even begin, so it has no figures", 0, func(w world) {
		w.called("exports", every(5), 1, 0)
		delete(w, "Faults exports")
	}, []string{"Failing exports"}},
	{"one under load fails one call in twenty", 0, func(w world) {
		w.called("storefront", func(int) float64 { return 2000 }, 0, 0.05)
	}, []string{"Failing storefront"}},
	{"one under load fails one call in a thousand", 0, func(w world) {
		w.called("storefront", func(int) float64 { return 2000 }, 0, 0.001)
	}, nil},
	{"one with a call in five minutes fails once", 0, func(w world) {
		w.called("operator", every(5), 0, 0)
		w["Errors operator"] = only(25, w["Errors operator"], 1)
	}, nil},
	{"a batch of changes is not handled whole, again and again", 0, func(w world) {
		w.called("batcher", every(1), 0, 1)
		w["IteratorAge batcher"] = always(300_000)
	}, []string{"BatcherLate", "Failing batcher"}},
	{"no upload can be read", 0, func(w world) { w.called("importer", every(4), 1, 0) }, []string{"Failing importer"}},
	{"the sweeper fails at each run", 0, func(w world) { w.called("sweeper", every(1), 1, 0) },
		[]string{"Failing sweeper"}},
	{"the sweeper's clock is gone", 0, func(w world) { w.called("sweeper", nil, 0, 0) }, []string{"SweeperStill"}},
	{"the canary fails", 0, func(w world) { w.called("canary", every(5), 1, 0) }, []string{"CanaryFails"}},
	{"the canary fails once", 0, func(w world) { w["Errors canary"] = only(25, w["Errors canary"], 1) }, nil},
	{"the canary does not run", 0, func(w world) { w.called("canary", nil, 0, 0) }, []string{"CanaryStill"}},

	// what callers see
	{"a tenth of the answers are 5xx", 0, func(w world) { w["5xx"] = always(10) }, []string{"ServerErrors"}},
	{"all answers are 5xx for five minutes", 0, func(w world) {
		w["5xx"] = func(minute int) []float64 { return []float64{map[bool]float64{true: 100}[minute/5 == 4]} }
	}, []string{"ServerErrors"}},
	{"one answer in a hundred is 5xx", 0, func(w world) { w["5xx"] = always(1) }, nil},
	{"everybody is refused: the edge's secret is another", 0, func(w world) { w["4xx"] = always(100) },
		[]string{"ClientErrors"}},
	{"everybody of a few is refused", 0, func(w world) { w["Count"], w["4xx"] = always(8), always(8) }, nil},
	{"somebody searches for holes for ten minutes", 0, func(w world) {
		w["4xx"] = func(minute int) []float64 { return []float64{map[bool]float64{true: 90}[minute/10 == 3]} }
	}, nil},
	{"no name leads here any more", 0, func(w world) { delete(w, "Count"); delete(w, "4xx"); delete(w, "5xx") },
		[]string{"NoRequests"}},
	{"the firewall turns everybody away", 0, func(w world) {
		w["BlockedRequests"] = always(100)
		delete(w, "AllowedRequests")
	}, []string{"FirewallBlocks"}},
	{"the firewall turns half away", 0, func(w world) { w["BlockedRequests"] = always(100) }, nil},
	{"answers are slow", 0, func(w world) { w["Latency"] = always(80, 3000) }, []string{"SlowAnswers"}},
	{"nobody can be counted", 0, func(w world) { w["UncountedRequests"] = always(1) },
		[]string{"CountersUnreachable"}},

	// changes and webhooks
	{"changes wait", 0, func(w world) { w["IteratorAge indexer"] = always(100_000) }, []string{"IndexerLate"}},
	{"first attempts wait", 0, func(w world) { w["ApproximateAgeOfOldestMessage Fresh"] = always(100) },
		[]string{"FreshLate"}},
	{"retries wait", 0, func(w world) { w["ApproximateAgeOfOldestMessage Retry"] = always(1000) },
		[]string{"RetryLate"}},
	{"a bell is a dead letter", 0, func(w world) { w["ApproximateNumberOfMessagesVisible RetryDead"] = always(1) },
		[]string{"DeadLetters"}},
	{"a change is given up", 0, func(w world) {
		w["OnFailureDestinationDeliveredEventCount BatcherFunctionStream"] = only(30, nil, 1)
	}, []string{"Unheard"}},
	{"a change is given up, and the bucket does not take it", 0, func(w world) {
		w["DroppedEventCount IndexerFunctionStream"] = only(30, nil, 1)
	}, []string{"Unheard"}},
	{"no webhook goes out", 0, func(w world) {
		w["AttemptsFailed delivery"] = always(30)
		delete(w, "CallsDelivered delivery")
	}, []string{"WebhooksFail"}},
	{"a receiver fails, and others are well", 0, func(w world) { w["AttemptsFailed delivery"] = always(60) }, nil},
	{"the only receiver of a quiet night fails", 0, func(w world) {
		w["AttemptsFailed delivery"] = always(2)
		delete(w, "CallsDelivered delivery")
	}, nil},

	// what the platform stands on
	{"reads of an index are turned away", 0, func(w world) { w["ReadThrottleEvents gsi2 Pipeline"] = always(1) },
		[]string{"ReadsThrottled"}},
	{"writes of a table are turned away", 0, func(w world) { w["WriteThrottleEvents Counters"] = always(1) },
		[]string{"WritesThrottled"}},
	{"the account's functions are nearly all busy", 0, func(w world) { w["ClaimedAccountConcurrency"] = always(2500) },
		[]string{"AccountConcurrency"}},
	{"a copy fails", 0, func(w world) { w["NumberOfCopyJobsFailed Eshop-production"] = only(30, nil, 1) },
		[]string{"CopiesFailed"}},
	{"no copies are made any more", 50, func(w world) { delete(w, "NumberOfCopyJobsCompleted Eshop-production") },
		[]string{"CopiesStopped"}},
	{"the entry is gone by which the certificate is renewed", 50, func(w world) { w["DaysToExpiry"] = always(20) },
		[]string{"CertificateEnds"}},
	{"a new version fails one call in ten", 0, func(w world) {
		w["Invocations operator new"], w["Errors operator new"] = always(10), always(1)
	}, []string{"OperatorNewVersion"}},
	{"a new version answers one call in ten with 5xx", 0, func(w world) {
		w["Invocations quotes new"], w["Faults quotes new"] = always(10), always(1)
	}, []string{"QuotesNewVersion"}},
}

// TestEachFailureRingsItsAlarm, whether CloudWatch's math takes a missing value for 0, as its page says, or for none.
func TestEachFailureRingsItsAlarm(t *testing.T) {
	alarms := bells(made.whole)
	rung := map[string]bool{}
	for _, f := range failures {
		for _, zero := range []bool{true, false} {
			t.Run(f.name, func(t *testing.T) {
				w := well(alarms)
				f.shows(w)
				rings := w.ringing(alarms, 60*max(1, f.hours), zero)
				for _, ring := range rings {
					rung[ring] = true
				}
				want := slices.Clone(f.rings)
				for i, ring := range want {
					if kind, function, of := strings.Cut(ring, " "); of {
						found := slices.IndexFunc(alarms, func(b bell) bool {
							return strings.HasPrefix(b.name, kind) && b.watches("Errors "+function)
						})
						require.GreaterOrEqual(t, found, 0, ring)
						want[i] = alarms[found].name
						require.Contains(t, alarms[found].at("AlarmDescription"), function, "it says which they are")
					}
				}
				require.ElementsMatch(t, want, rings)
			})
		}
	}
	for _, b := range alarms {
		if !strings.HasPrefix(b.name, "Failing") && !strings.HasSuffix(b.name, "NewVersion") { // see the next test
			require.True(t, rung[b.name], "nothing that may go wrong rings %s", b.name)
		}
	}
}

// TestAFunctionThatFewCallMayNotFailForEver, whichever it is of the list.
func TestAFunctionThatFewCallMayNotFailForEver(t *testing.T) {
	alarms := bells(made.whole)
	for _, f := range functions.List {
		for _, errors := range []float64{0, 1} {
			if errors == 0 && !answers(f) {
				continue
			}
			w := well(alarms)
			w.called(f.Name, every(5), errors, 1-errors)
			rings := slices.DeleteFunc(w.ringing(alarms, 60, true), func(name string) bool {
				return name == title(f.Name)+"Still" // it runs once a minute
			})
			require.Len(t, rings, 1, f.Name)
			require.Regexp(t, "^Failing|^CanaryFails$", rings[0], f.Name)
		}
		if inSteps(f) {
			w := well(alarms)
			w["Invocations "+f.Name+" new"], w["Errors "+f.Name+" new"] = always(1), always(1)
			require.Equal(t, []string{title(f.Name) + "NewVersion"}, w.ringing(alarms, 60, true))
		}
	}
}

// world is what the metrics have: the values of each in each minute.
type world map[string]func(minute int) []float64

// well are the metrics of a platform that is well, as far as alarms look at them.
func well(alarms []bell) world {
	w := world{"Count": always(100), "4xx": always(5), "5xx": always(0), "Latency": always(40, 80),
		"ClaimedAccountConcurrency": always(50), "AttemptsFailed delivery": always(1),
		"CallsDelivered delivery": always(30), "BlockedRequests": always(1), "AllowedRequests": always(100),
		"DaysToExpiry": always(60), "NumberOfCopyJobsCompleted Eshop-production": every2(24*60, 90)}
	for _, f := range functions.List {
		w.called(f.Name, every(1), 0, 0)
	}
	w.called("canary", every(5), 0, 0)
	for _, b := range alarms {
		for _, m := range b.metrics {
			if name, _, _ := strings.Cut(m.key, " "); w[m.key] == nil && slices.Contains([]string{"IteratorAge",
				"ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible"}, name) {
				w[m.key] = always(0)
			}
		}
	}
	return w
}

// called says of a function how many calls it has in a minute, and the shares of them that end in errors and are
// answered with 5xx.
func (w world) called(function string, calls func(minute int) float64, errors, faults float64) {
	of := func(share float64) func(int) []float64 {
		return func(minute int) []float64 {
			if calls == nil || calls(minute) == 0 {
				return nil
			}
			return []float64{share * calls(minute)}
		}
	}
	w["Invocations "+function], w["Errors "+function], w["Faults "+function] = of(1), of(errors), of(faults)
}

// every is one call in so many minutes.
func every(n int) func(int) float64 {
	return func(minute int) float64 { return map[bool]float64{true: 1}[minute%n == 0] }
}

// every2 is a 1 in so many minutes, at the same one each time.
func every2(n, at int) func(int) []float64 {
	return func(minute int) []float64 {
		if minute%n == at {
			return []float64{1}
		}
		return nil
	}
}

// always are the same values in each minute.
func always(values ...float64) func(int) []float64 { return func(int) []float64 { return values } }

// only is a value in one minute, and in all others what was before.
func only(at int, before func(int) []float64, value float64) func(int) []float64 {
	return func(minute int) []float64 {
		switch {
		case minute == at:
			return []float64{value}
		case before == nil:
			return nil
		}
		return before(minute)
	}
}

// bell is an alarm as CloudWatch reads it.
type bell struct {
	part
	name    string
	metrics map[string]stat // by the names in the expression; of an alarm without one, by ""
	formula node
}

// stat is a metric with its statistic.
type stat struct {
	key, statistic string
	period         int // minutes
}

// bells are all alarms of an installation.
func bells(i installation) (all []bell) {
	c := cloudOf(i)
	for _, p := range c.all("AWS::CloudWatch::Alarm") {
		b := bell{part: p, name: p.id[:len(p.id)-8], metrics: map[string]stat{}}
		read := func(m map[string]any, statistic, period any) stat {
			return stat{c.key(p, m), statistic.(string), int(period.(float64)) / 60}
		}
		several, _ := p.at("Metrics").([]any)
		for _, m := range several {
			m := m.(map[string]any)
			if of, is := m["MetricStat"].(map[string]any); is {
				b.metrics[m["Id"].(string)] = read(of["Metric"].(map[string]any), of["Stat"], of["Period"])
			} else {
				b.formula = parsed(m["Expression"].(string))
			}
		}
		if several == nil {
			statistic := p.at("Statistic")
			if statistic == nil {
				statistic = p.at("ExtendedStatistic")
			}
			b.metrics[""] = read(p.Properties, statistic, p.at("Period"))
			b.formula = node{name: ""}
		}
		all = append(all, b)
	}
	return all
}

// key is a metric's name with that of whatever it is of.
func (c cloud) key(p part, m map[string]any) string {
	words, version := []string{m["MetricName"].(string)}, ""
	dimensions, _ := m["Dimensions"].([]any)
	for _, d := range dimensions {
		d := d.(map[string]any)
		of, is := d["Value"].(string)
		switch d["Name"] {
		case "Environment", "ApiId", "Stage", "WebACL", "Rule", "CertificateArn", "Resource":
			continue
		case "Version", "ExecutedVersion":
			version = " new"
			continue
		default:
			if !is {
				on := c.refers(p.stack, d["Value"])[0]
				if of = on.id[:len(on.id)-8]; on.Type == "AWS::Lambda::Function" {
					of = strings.ToLower(strings.TrimSuffix(of, "Function"))
				}
			}
		}
		words = append(words, of)
	}
	return strings.Join(words, " ") + version
}

// watches says whether the alarm looks at a metric.
func (b bell) watches(key string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(b.metrics)), func(m stat) bool { return m.key == key })
}

// ringing are the alarms that ring at some time within so many minutes.
func (w world) ringing(alarms []bell, within int, zero bool) (names []string) {
	for _, b := range alarms {
		if w.ring(b, within, zero) {
			names = append(names, b.name)
		}
	}
	return names
}

// ring says whether the alarm rings: whether, at the end of a period, enough of the last ones are as they may not be.
func (w world) ring(b bell, within int, zero bool) bool {
	period := 0
	for _, m := range b.metrics {
		period = m.period
	}
	of := int(b.at("EvaluationPeriods").(float64))
	needs := of
	if n, is := b.at("DatapointsToAlarm").(float64); is {
		needs = int(n)
	}
	var bad []bool
	for from := 0; from+period <= within; from += period {
		got := b.formula.value(zero, func(name string) value {
			return w.statistic(b.metrics[name], from)
		})
		bad = append(bad, b.breaches(got))
		count := 0
		for _, is := range bad[max(0, len(bad)-of):] {
			if is {
				count++
			}
		}
		if len(bad) >= of && count >= needs {
			return true
		}
	}
	return false
}

// breaches says whether a value is one that the alarm waits for.
func (b bell) breaches(got value) bool {
	threshold := b.at("Threshold").(float64)
	switch {
	case !got.is:
		return b.at("TreatMissingData") == "breaching"
	case b.at("ComparisonOperator") == "LessThanThreshold":
		return got.v < threshold
	}
	return got.v >= threshold
}

// statistic is a metric's in the period that begins at a minute.
func (w world) statistic(m stat, from int) value {
	var all []float64
	for minute := from; minute < from+m.period && w[m.key] != nil; minute++ {
		all = append(all, w[m.key](minute)...)
	}
	if len(all) == 0 {
		return value{}
	}
	total := 0.0
	for _, v := range all {
		total += v
	}
	switch m.statistic {
	case "Sum":
		return value{v: total, is: true}
	case "Minimum":
		return value{v: slices.Min(all), is: true}
	case "Maximum", "p99": // of so few values
		return value{v: slices.Max(all), is: true}
	}
	panic("no such statistic here: " + m.statistic)
}

// value is one of a series at some time, if it has one; or a number of the expression, which is at all times.
type value struct {
	v          float64
	is, number bool
}

// node is an expression of CloudWatch's math: a metric's name, or what is done to others. A number is its own name.
type node struct {
	name string
	of   []node
}

// value is what the expression is. CloudWatch's page on math has the rules: what is divided by 0 is dropped, and so is
// an IF whose condition is missing, or is false and has nothing for that; one that is true and has nothing is 0.
// For operators a missing value is 0 beside one that is there, if zero, or else nothing.
func (n node) value(zero bool, get func(string) value) value {
	if n.of == nil {
		if v, err := strconv.ParseFloat(n.name, 64); err == nil {
			return value{v, true, true}
		}
		return get(n.name)
	}
	var of []value
	for _, o := range n.of {
		of = append(of, o.value(zero, get))
	}
	switch n.name {
	case "IF":
		if !of[0].is {
			return value{}
		}
		if of[0].v != 0 {
			return value{v: of[1].v, is: true}
		}
		return value{v: of[2].v, is: of[2].is}
	case "FILL":
		if !of[0].is {
			return value{v: of[1].v, is: true}
		}
		return of[0]
	case "SUM":
		total := value{}
		for _, v := range of {
			total.v, total.is = total.v+v.v, total.is || v.is
		}
		return total
	}
	a, b := of[0], of[1]
	got := value{is: a.is && b.is, number: a.number && b.number}
	if zero && !a.number && !b.number {
		got.is = a.is || b.is
	}
	truth := func(is bool) float64 { return map[bool]float64{true: 1}[is] }
	switch n.name {
	case "+":
		got.v = a.v + b.v
	case "*":
		got.v = a.v * b.v
	case "/":
		if got.v = a.v / b.v; math.IsNaN(got.v) || math.IsInf(got.v, 0) {
			return value{}
		}
	case ">=":
		got.v = truth(a.v >= b.v)
	default:
		panic("no such operator here: " + n.name)
	}
	return got
}

// token matches what an expression is made of.
var token = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9.]+|>=|[-+*/(),\[\]]`)

// parsed is an expression that is read.
func parsed(expression string) node {
	left := token.FindAllString(expression, -1)
	next := func(words ...string) bool {
		if len(left) > 0 && slices.Contains(words, left[0]) {
			left = left[1:]
			return true
		}
		return false
	}
	var level func(n int) node
	one := func() node {
		word := left[0]
		left = left[1:]
		if word == "(" {
			inner := level(0)
			next(")")
			return inner
		}
		n := node{name: word}
		if next("(") {
			next("[")
			for n.of = append(n.of, level(0)); next(","); {
				n.of = append(n.of, level(0))
			}
			next("]")
			next(")")
		}
		return n
	}
	operators := [][]string{{">="}, {"+"}, {"*", "/"}}
	level = func(n int) node {
		if n == len(operators) {
			return one()
		}
		a := level(n + 1)
		for len(left) > 0 && slices.Contains(operators[n], left[0]) {
			word := left[0]
			left = left[1:]
			a = node{word, []node{a, level(n + 1)}}
		}
		return a
	}
	whole := level(0)
	if len(left) > 0 {
		panic("what is " + strings.Join(left, " ") + " in " + expression)
	}
	return whole
}
