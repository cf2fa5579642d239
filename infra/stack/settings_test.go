//go:build synth

package main

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAWrongSettingIsRefusedByItsName, and so is what no setting is.
func TestAWrongSettingIsRefusedByItsName(t *testing.T) {
	for _, c := range []struct{ environment, settings, wrong string }{
		{"development", `{}`, ""},
		{"production", `{"alarmEmail": "ops@example.com"}`, ""},
		{"production", `{}`, "alarmEmail"},
		{"staging", `{"alarmEmail": "ops"}`, "alarmEmail"},
		{"staging", `{"noticeEmail": "ops"}`, "noticeEmail"},
		{"Produktion", `{}`, "ENV"},
		{"staging", `{"budgett": 5}`, "budgett"},
		{"staging", `{"operatorToken": "1"}`, "operatorToken"},
		{"staging", `{"environment": "production"}`, "environment"},
		{"staging", `{"secrets": "1"}`, "secrets"},
		{"staging", `{} {"budget": 5}`, "after top-level value"},
		{"staging", `{"Domain": "example.com"}`, "Domain"},
		{"staging", `{"mainstream": "` + stream + `"}`, "mainstream"},
		{"staging", `{"budget": "5"}`, "Settings.Budget"},
		{"staging", `{"budget": 0}`, "budget"},
		{"staging", `{"concurrency": -1}`, "concurrency"},
		{"staging", `{"fast": true}`, "fast"},
		{"staging", `{"domain": "example.com", "shops": ["tea"]}`, "shops"},
		{"staging", `{"baseUrl": "https://api.example.com"}`, "baseUrl"},
		{"staging", `{"domain": "admin.example.com"}`, "admins"},
		{"staging", `{"securityContact": "me@example.com"}`, "mailto:"},
		{"staging", `{"domain": "https://example.com"}`, "as example.com"},
		{"staging", `{"domain": "*.example.com"}`, "as example.com"},
		{"staging", `{"domain": "example"}`, "as example.com"},
		{"staging", `{"domain": "example.com."}`, "as example.com"},
		{"staging", `{"domain": "Example.com"}`, "as example.com"},
		{"staging", `{"testDomain": "example"}`, "testDomain"},
		{"staging", `{"canary": "` + canaryNames + `"}`, "domain"},
		{"staging", `{"domain": "example.com", "canary": "canary.example.com"}`, "<shop id>/<package id>"},
		{"staging", `{"domain": "example.com", "canary": "` + canaryNames[:26] + `"}`, "<shop id>/<package id>"},
		{"staging", `{"domain": "example.com", "canary": "` + canaryNames + `/"}`, "<shop id>/<package id>"},
		{"staging", `{"backupVault": "eshop"}`, "ARN"},
		{"staging", `{"mainStream": "` + stream + `", "pipelineTable": "p"}`, ""},
		{"staging", `{"mainStream": "` + stream + `"}`, ""}, // a replica
		{"staging", `{"pipelineTable": "p"}`, "mainStream"},
		{"staging", `{"secondRegion": "eu-west-1"}`, ""},
		{"staging", `{"secondRegion": "Ireland"}`, "secondRegion"},
		{"staging", `{"mainStream": "main-of-monday", "pipelineTable": "p"}`, "ARN"},
		{"staging", `{"mainStream": "` + stream + `", "pipelineTable": "p", "secretsKey": "` + key + `"}`, ""},
		{"staging", `{"mainStream": "` + stream + `", "pipelineTable": "p", "secretsKey": "` +
			strings.Replace(key, "mrk-", "", 1) + `"}`, "multi-Region"}, // it opens nothing in another region
		{"staging", `{"secretsKey": "` + key + `"}`, "mainStream"},
	} {
		_, err := said{environment: c.environment}.read(c.settings)
		if c.wrong == "" {
			require.NoError(t, err, c.settings)
			continue
		}
		require.ErrorContains(t, err, c.wrong, c.settings)
	}
}

// TestAReplicaIsSomewhereElse: CloudFormation would refuse it in the middle of a deployment.
func TestAReplicaIsSomewhereElse(t *testing.T) {
	for region, wrong := range map[string]bool{"eu-west-1": true, "eu-central-1": false} {
		_, err := said{environment: "staging", variables: map[string]string{"AWS_REGION": region}}.read(
			`{"secondRegion": "eu-west-1"}`)
		require.Equal(t, wrong, err != nil, region)
	}
}

// TestTheExamplesAreSettings, of which production is refused until somebody is named who hears of alarms.
func TestTheExamplesAreSettings(t *testing.T) {
	t.Chdir("../..")
	of := func(environment string) (Settings, error) {
		return settings(func(name string) string { return map[string]string{"ENV": environment}[name] })
	}
	unnamed, err := of("")
	require.NoError(t, err)
	development, err := of("development")
	require.NoError(t, err)
	require.Equal(t, unnamed, development)
	nothing, err := said{environment: "development"}.read("{}")
	require.NoError(t, err)
	require.Equal(t, nothing, development, "they say what holds without them")
	_, err = of("production")
	require.ErrorContains(t, err, "infra/stack/environments/production.json: production needs an address for alarms")
	_, err = of("staging")
	require.ErrorContains(t, err, "environments/staging.json: no such file")
	require.ErrorContains(t, err, "a copy of infra/stack/environments/development.json")
}

func TestASecretOfTheEdgeIsOneOrTwoWhileItIsChanged(t *testing.T) {
	one, two := strings.Repeat("a", 32), strings.Repeat("b", 32)
	made := map[string]bool{}
	for _, good := range [][2]string{{"", ""}, {"token", ""}, {"", one}, {"token", one}, {"token", one + " " + two}} {
		secrets, err := secrets(good[0], good[1])
		require.NoError(t, err)
		made[secrets] = true
	}
	require.Len(t, made, 5, "each has a text of its own")
	for _, bad := range []string{one[1:], one + "-", one + " " + two + " " + one, one + "," + two} {
		_, err := secrets("", bad)
		require.ErrorContains(t, err, "EDGE_SECRET", bad)
	}
}

// TestTheGuideSaysWhatEachSettingMeans: a row of its table begins with it.
func TestTheGuideSaysWhatEachSettingMeans(t *testing.T) {
	guide, err := os.ReadFile("../../functions/docs/operations.md")
	require.NoError(t, err)
	for field := range reflect.TypeFor[Settings]().Fields() {
		if field.Tag.Get("json") != "-" {
			require.Regexp(t, regexp.MustCompile("(?im)^\\| (`\\w+`, )?`"+field.Name+"`"), string(guide))
		}
	}
}
