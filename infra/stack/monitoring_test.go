//go:build synth

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/jsii-runtime-go"
	"github.com/stretchr/testify/require"
)

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

// TestTheBillHasAllThatStands counts the metrics that alarms look at, which AWS charges for one by one. No alarm has
// more than CloudWatch takes.
func TestTheBillHasAllThatStands(t *testing.T) {
	metrics := 0
	for _, b := range bells(made.whole) {
		metrics += len(b.metrics)
		require.LessOrEqual(t, len(b.metrics), 10, b.name)
	}
	require.Equal(t, 200, metrics, "as infra/cost/prices.go has them")
	require.EqualValues(t, 5000, rate, "as infra/cost/prices.go has it")
}

// TestSomebodyIsWokenOrReadsOfIt: of an alarm that wakes is told, too, that it is over.
func TestSomebodyIsWokenOrReadsOfIt(t *testing.T) {
	c := cloudOf(made.whole)
	for topic, address := range map[string]string{"Alarms": "ops@example.com", "Notices": "team@example.com"} {
		count := 0
		for _, s := range c.all("AWS::SNS::Subscription") {
			if on := c.one(s, "TopicArn"); on.id[:len(on.id)-8] == topic {
				require.Equal(t, address, s.at("Endpoint"), s)
				count++
			}
		}
		require.Equal(t, 2, count, "one of each region")
	}
	wakes := 0
	for _, b := range bells(made.whole) {
		tells := c.refers(b.stack, b.at("AlarmActions"))
		require.Len(t, tells, 1, b.name)
		if over := c.refers(b.stack, b.at("OKActions")); over != nil {
			wakes++
			require.Equal(t, tells, over, b.name)
		}
		kind := map[bool]string{true: "Alarms", false: "Notices"}[b.at("OKActions") != nil]
		require.True(t, strings.HasPrefix(tells[0].id, kind), "%s tells %s", b.name, tells[0])
		region := map[bool]string{true: "Edge", false: ""}[strings.HasSuffix(b.stack, "Edge")]
		require.Contains(t, tells[0].stack, region, "%s tells another region", b.name)
	}
	require.LessOrEqual(t, wakes, 22)
}

// TestTheGuideSaysWhatToDoAtEachAlarm, where the alarm's message sends its reader, and of no alarm that there is not.
func TestTheGuideSaysWhatToDoAtEachAlarm(t *testing.T) {
	guide, err := os.ReadFile("../../functions/docs/operations.md")
	require.NoError(t, err)
	_, guideOfAlarms, _ := strings.Cut(string(guide), "\n## Alarms\n")
	_, wakes, _ := strings.Cut(guideOfAlarms, "\n### What wakes\n")
	wakes, reads, _ := strings.Cut(wakes, "\n### What is read\n")
	said := map[string]bool{} // whether it wakes
	for _, table := range []string{wakes, reads} {
		for row := range strings.SplitSeq(table, "\n") {
			if cells := strings.Split(row, "|"); len(cells) == 5 && strings.Contains(cells[1], "`") {
				for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
					said[name[1]] = table == wakes
				}
				require.Greater(t, len(cells[3]), 20, "%s: what to do", cells[1])
			}
		}
	}
	there := map[string]bool{}
	leads := regexp.MustCompile(`\. What to do: (\S+) in /docs/operations#alarms$`)
	for _, b := range bells(made.whole) {
		row := leads.FindStringSubmatch(b.at("AlarmDescription").(string))
		require.NotNil(t, row, b.name)
		there[row[1]] = b.at("OKActions") != nil
		if b.name != row[1] {
			require.Regexp(t, strings.Replace(row[1], "<Function>", `\w+`, 1), b.name)
		}
	}
	require.Equal(t, there, said)
}

func TestTheDashboardHasTwelveGraphs(t *testing.T) {
	for _, i := range []installation{made.alone, made.whole} {
		boards := read(i.monitoring).all("AWS::CloudWatch::Dashboard")
		require.Len(t, boards, 1)
		board := ""
		for _, b := range boards {
			board = strings.ReplaceAll(text(b.Properties), `\`, "")
		}
		require.Equal(t, 12, strings.Count(board, `"width":8`))
		for _, f := range []string{"batcher", "delivery"} {
			require.Contains(t, board, `"CallsParked","Environment","`+i.environment+`","Function","`+f+`"`,
				"parked as it was queued, and at an attempt")
		}
		for _, b := range bells(i) {
			if !strings.HasSuffix(b.stack, "Edge") {
				require.Contains(t, board, b.id, "it shows each alarm of its region")
			}
		}
	}
}

func TestTheBudgetIsTheEnvironments(t *testing.T) {
	budget := fileOf(t, made.whole.monitoring).all("AWS::Budgets::Budget")["Budget"]
	require.EqualValues(t, 750, budget.at("Budget", "BudgetLimit", "Amount"))
	require.Equal(t, []any{"user:environment$production"}, budget.at("Budget", "CostFilters", "TagKeyValue"))
	require.Contains(t, text(budget.at("NotificationsWithSubscribers")), "team@example.com")
	require.Empty(t, made.monitoring.all("AWS::Budgets::Budget"), "there is nobody to tell")
}

// TestADomainWithoutACanaryIsTold: by which two commands there is one.
func TestADomainWithoutACanaryIsTold(t *testing.T) {
	told := func(i installation) int {
		return len(*assertions.Annotations_FromStack(i.Monitoring.Stack).FindWarning(jsii.String("*"),
			assertions.Match_StringLikeRegexp(jsii.String(".*shop new canary.example.com .*deploy ENV=staging.*"))))
	}
	require.Equal(t, 1, told(install(filepath.Join(t.TempDir(), "no canary"), said{environment: "staging",
		settings: map[string]any{"domain": "example.com"}})))
	require.Zero(t, told(made.whole))
	require.Zero(t, told(made.alone), "without a domain no name leads to a storefront")
}
