//go:build synth

package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions"
)

// allAlarms are those of both stacks that have some, of an installation with all that can be said of one.
func allAlarms() map[string]resource {
	all := read(made.whole.services).all("AWS::CloudWatch::Alarm")
	maps.Copy(all, read(made.whole.monitoring).all("AWS::CloudWatch::Alarm"))
	return all
}

// TestTheServicesHaveNoAlarmsButThoseThatADeploymentReads: all others are in a stack of their own, whose references do
// not keep a function from being taken out of the services.
func TestTheServicesHaveNoAlarmsButThoseThatADeploymentReads(t *testing.T) {
	read := text(made.services.all("AWS::CodeDeploy::DeploymentGroup"))
	for id := range made.services.all("AWS::CloudWatch::Alarm") {
		require.Contains(t, read, `{"Ref":"`+id+`"}`)
	}
	require.Empty(t, made.services.all("AWS::CloudWatch::Dashboard"))
	require.NotContains(t, text(made.monitoring.Resources), `"Fn::ImportValue":"Eshop-test:`)
	require.Contains(t, text(made.monitoring.Resources), `"Fn::GetStackOutput":{"OutputName":`)
}

// TestTheBillHasAllThatStands counts the metrics that alarms look at, which AWS charges for one by one.
func TestTheBillHasAllThatStands(t *testing.T) {
	metrics := 0
	for _, a := range allAlarms() {
		several, _ := a.at("Metrics").([]any)
		if several == nil {
			metrics++
		}
		for _, m := range several {
			if strings.Contains(text(m), `"MetricStat"`) {
				metrics++
			}
		}
	}
	require.Equal(t, 190, metrics, "as infra/cost/prices.go has them")
	require.EqualValues(t, 5000, rate, "as infra/cost/prices.go has it")
}

// dimensions are names and values as a template has them.
func dimensions(pairs ...string) []any {
	var all []any
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, map[string]any{"Name": pairs[i], "Value": pairs[i+1]})
	}
	return all
}

func TestSomebodyIsTold(t *testing.T) {
	var metrics []string
	for id, a := range allAlarms() {
		require.Len(t, a.at("AlarmActions"), 1, id)
		metrics = append(metrics, text(a.at("MetricName")))
	}
	for _, m := range []string{"5xx", "Latency", "IteratorAge", "ApproximateAgeOfOldestMessage",
		"ApproximateNumberOfMessagesVisible", "Throttles", "Errors"} {
		require.Contains(t, metrics, `"`+m+`"`)
	}
	require.Len(t, made.monitoring.all("AWS::CloudWatch::Dashboard"), 1)
	board := strings.ReplaceAll(text(made.monitoring.one(t, "AWS::CloudWatch::Dashboard",
		"Dashboard").Properties), `\`, "")
	for _, f := range []string{"batcher", "delivery"} {
		require.Contains(t, board, `"CallsParked","Environment","test","Function","`+f+`"`,
			"parked as it was queued, and at an attempt")
	}
	for _, f := range listed {
		if f.HTTP != nil || f.Feed != nil || f.Messages != nil {
			faults := made.monitoring.one(t, "AWS::CloudWatch::Alarm", title(f.Name)+"Faults")
			require.Equal(t, dimensions("Environment", "test", "Function", f.Name), faults.at("Dimensions"))
		}
	}
	uncounted := made.monitoring.one(t, "AWS::CloudWatch::Alarm", "CountersUnreachable")
	require.Equal(t, dimensions("Environment", "test"), uncounted.at("Dimensions"))
}

func TestWhatStandsStillOrIsTurnedAwayRings(t *testing.T) {
	alarm := func(name string) resource { return made.monitoring.one(t, "AWS::CloudWatch::Alarm", name) }
	for _, f := range listed {
		if f.Tick != nil {
			still := alarm(title(f.Name) + "Still")
			require.Equal(t, "breaching", still.at("TreatMissingData"), "a clock that is gone has no figures")
			require.Equal(t, "LessThanThreshold", still.at("ComparisonOperator"))
			require.Equal(t, "Invocations", still.at("MetricName"))
		}
		if f.Upload != nil {
			require.EqualValues(t, 1, alarm(title(f.Name)+"Errors").at("Threshold"), "files come seldom")
			require.EqualValues(t, 1, alarm(title(f.Name)+"Errors").at("EvaluationPeriods"))
		}
	}
	for name, metrics := range map[string]int{"Main": 6, "Pipeline": 6, "Counters": 2} {
		a := alarm(name + "Throttled")
		require.Len(t, a.at("Metrics"), metrics+1, "a table and its indexes, and their sum")
		require.Contains(t, text(a.at("Metrics")), "ReadThrottleEvents")
		require.Contains(t, text(a.at("Metrics")), "WriteThrottleEvents")
	}
	require.EqualValues(t, 8, alarm("AccountConcurrency").at("Threshold"), "of a new account")
	full := fileOf(t, made.whole.monitoring)
	require.EqualValues(t, 2400, full.one(t, "AWS::CloudWatch::Alarm", "AccountConcurrency").at("Threshold"))
	budget := full.all("AWS::Budgets::Budget")["Budget"]
	require.EqualValues(t, 750, budget.at("Budget", "BudgetLimit", "Amount"))
	require.Equal(t, []any{"user:environment$production"}, budget.at("Budget", "CostFilters", "TagKeyValue"))
	require.Contains(t, text(budget.at("NotificationsWithSubscribers")), "ops@example.com")
	require.Empty(t, made.monitoring.all("AWS::Budgets::Budget"), "there is nobody to tell")
}

// TestTheGuideSaysWhatToDoAtEachAlarm, and of no alarm that there is not.
func TestTheGuideSaysWhatToDoAtEachAlarm(t *testing.T) {
	guide, err := os.ReadFile("../../functions/docs/operations.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(guide), "\n## Alarms\n")
	said := map[string]bool{}
	for row := range strings.SplitSeq(table, "\n") {
		if cells := strings.Split(row, "|"); len(cells) == 5 && strings.Contains(cells[1], "`") {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				said[name[1]] = true
			}
			require.Greater(t, len(cells[3]), 20, "%s: what to do", cells[1])
		}
	}
	there := map[string]bool{}
	for id, a := range allAlarms() {
		name := id[:len(id)-8]
		for _, f := range functions.List {
			if kind, its := strings.CutPrefix(name, title(f.Name)); its &&
				slices.Contains([]string{"Throttles", "Errors", "Faults", "Still", "NewVersion"}, kind) {
				name = "<Function>" + kind
			}
		}
		there[name] = true
		require.Contains(t, a.at("AlarmDescription"), "/docs/operations")
	}
	require.Equal(t, there, said)
}

func TestARunOfTheClockThatFailsRings(t *testing.T) {
	for _, f := range listed {
		if f.Tick != nil {
			require.EqualValues(t, 1, made.monitoring.one(t, "AWS::CloudWatch::Alarm",
				title(f.Name)+"Errors").at("Threshold"), "it runs once a minute")
		}
	}
}
