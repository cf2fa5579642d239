package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// nowhere is a place where nothing can be asked.
type nowhere struct{ lacks map[string]string }

func (nowhere) Ask(context.Context, any, ...string) error { return errors.New("nobody is here") }

func (nowhere) Deploy(context.Context, ...string) error { return errors.New("nobody is here") }

func (nowhere) Destroy(context.Context) error { return errors.New("nobody is here") }

func (nowhere) Address(context.Context) (string, error) { return "", errors.New("nobody is here") }

func (nowhere) Lead(_, address string) string { return address }

func (n nowhere) Lacks() map[string]string { return n.lacks }

// in is a walk that has begun to make things there.
func in(lacks map[string]string) *walk {
	return &walk{place: nowhere{lacks}, environment: "try", context: "budget=10", began: true}
}

func does(name, found string, err error) step {
	return step{name, "it is so", time.Minute, func(context.Context, *walk) (string, error) { return found, err }}
}

func TestStepsAreDoneUntilOneFails(t *testing.T) {
	var said strings.Builder
	w := in(map[string]string{"second": "there is none here"})
	w.restored = []string{"Eshop-try-Restored-Main"}
	all, err := goThrough(t.Context(), w, []step{does("first", "found", nil), does("second", "", errors.New("done")),
		does("third", "", errors.New("not so")), does("fourth", "found", nil)}, &said)
	require.ErrorIs(t, err, errFailed)
	ended := map[string]string{}
	for _, r := range all {
		ended[r.Step] = r.State + ": " + r.Said
	}
	require.Equal(t, map[string]string{"first": "passed: found", "second": "skipped: there is none here",
		"third": "failed: not so", "fourth": "not run: "}, ended)
	for _, what := range []string{"third: expected within 1m0s that it is so\nbut: not so",
		`make destroy ENV=try CONTEXT="budget=10" CONFIRM=Eshop-try`, "--table-name Eshop-try-Restored-Main"} {
		require.Contains(t, said.String(), what)
	}
}

func TestNothingIsSkippedThatIsNoStep(t *testing.T) {
	_, err := goThrough(t.Context(), in(map[string]string{"frist": "misspelt"}), steps, &strings.Builder{})
	require.ErrorContains(t, err, `no step "frist"`)
}

func TestWhoeverInterruptsIsToldHowToCleanUp(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var said strings.Builder
	first := does("first", "", nil)
	first.do = func(ctx context.Context, _ *walk) (string, error) {
		stop()
		return "", ctx.Err()
	}
	all, err := goThrough(ctx, in(nil), []step{first}, &said)
	require.ErrorIs(t, err, errFailed)
	require.Equal(t, "interrupted", all[0].Said)
	require.Contains(t, said.String(), "make destroy ENV=try")
}

// TestWhatIsSomebodyElsesIsNotCleanedUp: an environment that is there already is refused before anything is made.
func TestWhatIsSomebodyElsesIsNotCleanedUp(t *testing.T) {
	w := in(nil)
	w.began = false
	var said strings.Builder
	_, err := goThrough(t.Context(), w, []step{does("account", "", errors.New("it is there"))}, &said)
	require.ErrorIs(t, err, errFailed)
	require.Contains(t, said.String(), "Nothing was made.")
	require.NotContains(t, said.String(), "destroy ")
}

// TestTheGuideHasEachStep, by its name and in the order in which it is gone.
func TestTheGuideHasEachStep(t *testing.T) {
	b, err := os.ReadFile("../../functions/docs/operations.md")
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
	for _, c := range []struct {
		name, wrong string
		env         map[string]string
	}{
		{"an environment is to be named", "which environment", map[string]string{"ENV": ""}},
		{"production is to be named twice", "CONFIRM=Eshop-production", map[string]string{"ENV": "production"}},
		{"and rightly", "CONFIRM=Eshop-production", map[string]string{"ENV": "production", "CONFIRM": "yes"}},
		{"then it is no more", "", map[string]string{"ENV": "production", "CONFIRM": "Eshop-production"}},
		{"what is kept has a token that is known", "OPERATOR_TOKEN", map[string]string{"KEEP": "1"}},
		{"a domain wants entries of DNS", "domain", map[string]string{"CONTEXT": "budget=10 domain=example.com"}},
		{"other tables are somebody's", "pipelineTable", map[string]string{"CONTEXT": "pipelineTable=theirs"}},
		{"all else is well", "", map[string]string{"CONTEXT": "concurrency=1000 alarmEmail=ops@example.com"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{"ENV": "try"}
			maps.Copy(env, c.env)
			a, err := newAccount(func(name string) string { return env[name] })
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(a.token), 20)
		})
	}
}

func TestAnAccountLacksWhatWasNotAskedFor(t *testing.T) {
	lacks := func(env map[string]string) map[string]string {
		a, err := newAccount(func(name string) string { return env[name] })
		require.NoError(t, err)
		return a.Lacks()
	}
	require.Empty(t, lacks(map[string]string{"ENV": "try", "CONTEXT": "budget=10 alarmEmail=ops@example.com"}))
	require.Equal(t, map[string]string{"mail": "CONTEXT says no alarmEmail", "destroyed": "KEEP=1"},
		lacks(map[string]string{"ENV": "try", "KEEP": "1", "OPERATOR_TOKEN": "a token of mine, which I know"}))
}
