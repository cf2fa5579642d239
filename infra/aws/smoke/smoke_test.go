package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStepsAreDoneUntilOneFailsWhichSaysHowToCleanUp(t *testing.T) {
	does := func(name string, err error) step {
		return step{name, "it is so", time.Minute, func(d *day, _ context.Context) (string, error) {
			d.began = name != "refused"
			return "found by " + name, err
		}}
	}
	d := &day{environment: "try"}
	var said strings.Builder
	wrong := errors.New("not so")
	err := d.goThrough(t.Context(), []step{does("first", nil), does("second", wrong), does("third", nil)}, &said)
	require.ErrorIs(t, err, wrong)
	require.ErrorContains(t, err, "second: expected within 1m0s that it is so\nbut: not so\nTo clean up:")
	require.ErrorContains(t, err, `make destroy ENV=try CONFIRM=Eshop-try`)
	require.Contains(t, said.String(), "found by first")
	require.NotContains(t, said.String(), "third")

	err = d.goThrough(t.Context(), []step{does("refused", wrong)}, &said)
	require.ErrorContains(t, err, "Nothing was made.")
	require.NotContains(t, err.Error(), "destroy ", "what is there is somebody else's")
}

// TestTheGuideHasEachStep, by its name and in the order in which it is gone.
func TestTheGuideHasEachStep(t *testing.T) {
	b, err := os.ReadFile("../../../functions/docs/operations.md")
	require.NoError(t, err)
	_, section, is := strings.Cut(string(b), "## Try it in an account")
	require.True(t, is)
	section, _, _ = strings.Cut(section, "\n## ")
	var want, has []string
	for _, s := range steps {
		want = append(want, s.name)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(section, -1) {
		has = append(has, row[1])
	}
	require.Equal(t, want, has)
}

func TestWhatWouldDoHarmIsRefused(t *testing.T) {
	for _, c := range []struct{ name, env, settings, wrong string }{
		{"an environment is to be named", "", "", "which environment"},
		{"production is none", "production", "", "another one than production"},
		{"a version is known by who is named", "try", `{"securityContact": "https://example.com"}`, "securityContact"},
		{"no file is needed", "try", "", ""},
		{"a domain wants entries of DNS", "try", `{"budget": 10, "domain": "example.com"}`, "domain"},
		{"other tables are somebody's", "try", `{"pipelineTable": "theirs"}`, "pipelineTable"},
		{"all else is well", "try", `{"concurrency": 1000, "alarmEmail": "ops@example.com", "domain": ""}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{"ENV": c.env, "SETTINGS": filepath.Join(t.TempDir(), "try.json")}
			if c.settings != "" {
				require.NoError(t, os.WriteFile(env["SETTINGS"], []byte(c.settings), 0o600))
			}
			d, err := newDay(func(name string) string { return env[name] })
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(d.operator.token), 20)
		})
	}
}

func TestTheRehearsalLogsWhatIsLookedFor(t *testing.T) {
	b, err := os.ReadFile("../../stack/rehearsal/rehearsal.go")
	require.NoError(t, err)
	require.Contains(t, string(b), failedRehearsal)
}
