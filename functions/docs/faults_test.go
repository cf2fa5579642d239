package docs

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// git is what git says of this repository, from its root.
func git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", "../.."}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}

// wholeHistory skips the test where this copy has no history, a part of it, or one that was put together as few
// commits: it cannot tell whether a commit is there.
func wholeHistory(t *testing.T) {
	t.Helper()
	shallow, err := git("rev-parse", "--is-shallow-repository")
	commits, _ := git("rev-list", "--count", "HEAD")
	if n, _ := strconv.Atoi(commits); err != nil || shallow != "false" || n < 1000 {
		t.Skip("NOT RUN: a copy without the whole history cannot tell whether a commit is there")
	}
}

// faultRow is a fault that was found, as a row of the page on reliability has it.
type faultRow struct{ broke, promise, by, mended, before, today, days string }

// faultRows are the rows of the page's text.
func faultRows(t *testing.T, page string) (all []faultRow) {
	t.Helper()
	_, table, found := strings.Cut(page, "\n| what broke |")
	require.True(t, found)
	for _, line := range strings.Split(table, "\n")[2:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		require.Len(t, cells, 7, line)
		all = append(all, faultRow{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6]})
	}
	require.GreaterOrEqual(t, len(all), 30)
	return all
}

// TestEachFaultThatWasFoundCanBeSeenAgain holds each row of the page on reliability to the history: its commits are
// there, the test that fails came with the mend, a seed is simulated where the mend can be taken back, and the test
// that holds it today is in the tree.
func TestEachFaultThatWasFoundCanBeSeenAgain(t *testing.T) {
	text, err := os.ReadFile("reliability.md")
	require.NoError(t, err)
	page := string(text)
	require.LessOrEqual(t, strings.Count(page, "\n"), 150, "the page is read in one sitting")
	var promises []string
	for _, name := range regexp.MustCompile(`(?m)^- \*\*([A-Z][a-z ]+):\*\*`).FindAllStringSubmatch(page, -1) {
		promises = append(promises, strings.ToLower(name[1]))
	}
	require.Len(t, promises, 5)
	for _, r := range faultRows(t, page) {
		require.Contains(t, append(promises, "secret", "apart"), r.promise, r.broke)
		require.Contains(t, []string{"seed", "kill", "attack", "reader", "suite", "user", "unknown"}, r.by, r.broke)
		require.Regexp(t, "^[0-9a-f]{8}$", r.mended, r.broke)
		if why, not := strings.CutPrefix(r.days, "ten days: "); not || !strings.Contains(why, ", seed ") {
			require.Contains(t, page, "**"+why+"**", "the page says what that means")
		} else {
			require.Regexp(t, "^(one process|AWS), seed [0-9]+$", r.days, r.broke)
		}
	}

	wholeHistory(t)
	tests, err := git("grep", "--untracked", "-hoE", "^func Test[A-Za-z0-9]+", "--", "*_test.go")
	require.NoError(t, err)
	today := strings.Split(strings.ReplaceAll(tests, "func ", ""), "\n")
	follows := func(commit, behind string) {
		t.Helper()
		_, err := git("merge-base", "--is-ancestor", commit, behind)
		require.NoError(t, err, "%s is not in the history of %s", commit, behind)
	}
	test := regexp.MustCompile(`^([a-z/]+) (Test[A-Za-z0-9]+)( [^ ]+_test\.go)?$`)
	seed := regexp.MustCompile(`^([0-9a-f]{8}) (go test \./infra/journeys -run TestDaysOnAWS/[0-9]+|` +
		`make simulate SEED=[0-9]+ HOST=(InTheOneProcess|OnAWS))$`)
	for _, r := range faultRows(t, page) {
		follows(r.mended, "HEAD")
		held, _, _ := strings.Cut(r.today, ":")
		if at := seed.FindStringSubmatch(r.before); at != nil {
			follows(r.mended, at[1])
			follows(at[1], "HEAD")
		} else if named := test.FindStringSubmatch(r.before); named != nil {
			_, err := git("grep", "-q", "^func "+named[2]+"(", r.mended, "--", ":(glob)"+named[1]+"/*_test.go")
			require.NoError(t, err, "%s is not in %s at %s", named[2], named[1], r.mended)
			if held == "same" {
				held = named[2]
			}
		} else {
			require.True(t, strings.HasPrefix(r.before, "by hand: "), r.before)
		}
		require.True(t, held == "nothing" || slices.Contains(today, held), "%s holds no fault today: %s", held, r.broke)
	}
}
