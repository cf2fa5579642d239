package releases

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"flag"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
)

var release = flag.String("release", "", "write the golden data of the release of this name: its code is the one here")

// list is testdata/README.md: each release has a line there.
const list = "testdata/README.md"

// hosts are those that a golden is of.
var hosts = []string{inOneProcess, onAWS, ofDemo}

// releases are those that have golden data, the oldest first.
func releases(t testing.TB) (all []string) {
	t.Helper()
	b, err := os.ReadFile(list)
	require.NoError(t, err)
	line := regexp.MustCompile("(?m)^\\| `([0-9A-Za-z.-]+)` \\| [^|]{20,}")
	for _, m := range line.FindAllStringSubmatch(string(b), -1) {
		all = append(all, m[1])
	}
	there, err := os.ReadDir("testdata")
	require.NoError(t, err)
	var folders []string
	for _, e := range there {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	require.ElementsMatch(t, all, folders, "%s has a line for each release, which says how its rows are read", list)
	return all
}

func fileOf(release, on string) string { return filepath.Join("testdata", release, on+".tar.gz") }

// storing is the code that stores rows, as git names it.
var storing = []string{":/events/*.go", ":/functions/*.go", ":/shared/*.go", ":/infra/local/*.go", ":/infra/demo/*.go",
	":!/infra/local/backup", ":!/*_test.go"}

// begins is when the journeys of goldens begin.
var begins = time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)

// platform is one that serves a golden's data.
type platform struct {
	door
	work func() // lets what is under way go on
}

// pause is how long the moving shop of a process is left alone before it is asked again.
const pause = 50 * time.Millisecond

// starts is the code as it is, on a copy of the golden's data, by a clock that begins then.
func starts(t testing.TB, g *golden, then time.Time) platform {
	t.Helper()
	if g.Host == onAWS {
		w := open(t, onAWS, g.data(t), then, 200, g.rows(t)...)
		t.Cleanup(w.close)
		return platform{w, func() { w.pass(time.Second); w.work() }}
	}
	of := settings(g.data(t), then)
	of.Demo = g.Host == ofDemo
	s, err := local.Start(t.Context(), of)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return platform{at(strings.TrimPrefix(s.BaseURL, "http://")), func() { time.Sleep(pause) }}
}

// settings are those of the one process on a data folder, by a clock that begins then.
func settings(data string, then time.Time) local.Settings {
	began := time.Now()
	return local.Settings{Addr: "127.0.0.1:0", Data: data, Environment: "development", OperatorToken: operatorToken,
		Demo: true, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return then.Add(time.Since(began)) }}
}

// answer asks what the golden asks of the resting shop, and returns it with the answers.
func (p platform) answer(t testing.TB, asks []ask) []ask {
	t.Helper()
	all := make([]ask, len(asks))
	for i, a := range asks {
		all[i] = a.send(t, p, "")
		require.Less(t, all[i].Status, 400, "%s %s: %s", a.Route, a.Path, all[i].JSON)
	}
	return all
}

// younger are the fields of answers that a release and those before it do not show. testdata/README.md says when a row
// is due.
var younger = []young{
	{than: "2026-11-30-soaked", route: "GET /api-engine/imports/{id}/errors", field: "items.fault"},
}

// young is a field that is younger than a release: the last one that does not show it.
type young struct {
	than  string
	route string // as "GET /api-engine/products/{id}", or "any"
	field string // its path, or the end of it: "items.stock.quantity" or "quantity"
}

func (y young) in(route string) bool { return y.route == route || y.route == "any" }

// lacks are the fields of a route's answers that a release does not show, when these are all releases.
func lacks(young []young, all []string, release, route string) (fields []string) {
	for _, y := range young {
		if y.in(route) && slices.Index(all, release) <= slices.Index(all, y.than) {
			fields = append(fields, y.field)
		}
	}
	return fields
}

// shown wants each young field to be one that the code here shows.
func shown(t testing.TB, young []young, all []string, answers []ask, asked time.Time) {
	t.Helper()
	for _, y := range young {
		require.Contains(t, all, y.than, "younger: %+v", y)
		require.True(t, slices.ContainsFunc(answers, func(a ask) bool {
			return y.in(a.Route) && slices.ContainsFunc(slices.Collect(maps.Keys(a.values(t, asked))),
				func(path string) bool { return lies(path, y.field) })
		}), "younger: no answer of the code here has %+v", y)
	}
}

// anew is the field of answers that is another one each time it is read.
const anew = "installCode"

// same holds the answers of the code here and of a release against each other.
func same(t testing.TB, all []string, release string, before, now []ask, asked time.Time, leftOut ...string) {
	t.Helper()
	for i, a := range before {
		differ := unlike(a.values(t, asked), now[i].values(t, asked),
			append(lacks(younger, all, release, a.Route), append(leftOut, anew)...))
		require.Empty(t, differ, "%s: the code here and the program of release %s answer otherwise. Is a field new? "+
			"Add it to younger, in releases_test.go. Have rows another shape? Then run make rows RELEASE=<name>. "+
			"infra/proof/releases/%s says how.", a.Route, release, list)
	}
}

// patience is how long the moving shop may take to come to its end. On a busy machine the process may make two attempts
// at the receiver's old address before it hears of the new one, and the third comes 48 to 72 seconds later.
const patience = 5 * time.Minute

// goesOn lets the moving shop go on, and waits until it has come to its end.
func (p platform) goesOn(t testing.TB, g *golden) {
	t.Helper()
	to := newReceiver(t)
	for _, a := range g.Begin {
		got := a.send(t, p, to.URL)
		require.Less(t, got.Status, 300, "%s %s: %s", a.Route, a.Path, got.JSON)
		if a.Has != nil {
			require.True(t, has(got.fields(t), a.Has), "%s", got.JSON)
		}
	}
	owed := ""
	for began := time.Now(); time.Since(began) < patience; p.work() {
		if owed = p.owes(t, g, to); owed == "" {
			return
		}
	}
	require.FailNow(t, "what was under way does not come to its end", owed)
}

// owes is something that has not come to its end yet.
func (p platform) owes(t testing.TB, g *golden, to *receiver) string {
	for _, a := range g.End {
		if got := a.send(t, p, ""); got.Status >= 300 || a.Has != nil && !has(got.fields(t), a.Has) {
			return a.Route + ": " + string(got.JSON)
		}
	}
	for _, h := range g.Hears {
		if len(to.heard(h.Path, h.Text)) == 0 {
			return h.Path + " has not heard " + h.Text
		}
	}
	return ""
}

// TestEachReleaseIsRead opens what each release has stored, on both hosts: it answers what that release answered, and
// what was under way comes to its end. Of the one process it is a data folder as the release left it.
func TestEachReleaseIsRead(t *testing.T) {
	t.Parallel()
	writeRelease(t)
	all := releases(t)
	for _, r := range all {
		for _, on := range hosts {
			t.Run(r+" "+on, func(t *testing.T) {
				t.Parallel()
				g := unpack(t, fileOf(r, on))
				p := starts(t, g, g.At)
				same(t, all, r, g.Resting, p.answer(t, g.Resting), g.At)
				p.goesOn(t, g)
			})
		}
	}
}

// writeRelease writes the golden data of the release that was asked for, if any.
func writeRelease(t *testing.T) {
	t.Helper()
	if *release == "" {
		return
	}
	if _, err := git("rev-parse", "--verify", "--quiet", *release+"^{commit}"); err == nil {
		differs, err := git(append([]string{"diff", "--stat", *release, "--"}, storing...)...)
		require.NoError(t, err)
		require.Empty(t, differs, "the code that stores rows in %s is another than the code here", *release)
	}
	for _, on := range hosts {
		g := made(t, on, begins)
		g.Resting = starts(t, g, g.At).answer(t, g.Resting)
		g.pack(t, fileOf(*release, on))
	}
}

// TestTheShapesOfRowsAreThoseOfTheNewestRelease: a row changes its shape only together with golden data of its own, and
// with a line that says how rows of the old shape are read.
func TestTheShapesOfRowsAreThoseOfTheNewestRelease(t *testing.T) {
	t.Parallel()
	all := releases(t)
	newest := all[len(all)-1]
	for _, on := range hosts {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			was, is := unpack(t, fileOf(newest, on)), made(t, on, begins)
			require.Empty(t, differences(was.shapes, is.shapes), "Rows have another shape than in release %s. If that "+
				"is meant, add a line to infra/proof/releases/%s that says how rows of the old shape are read, and "+
				"run make rows RELEASE=<name>.", newest, list)
		})
	}
}

// TestARowOfEachKindIsInTheGolden finds the kinds in the code, by the texts that keys are made of.
func TestARowOfEachKindIsInTheGolden(t *testing.T) {
	t.Parallel()
	all := releases(t)
	keys := map[string][]string{} // by host
	for _, on := range hosts {
		for _, shape := range unpack(t, fileOf(all[len(all)-1], on)).shapes {
			for word := range strings.FieldsSeq(strings.ReplaceAll(shape, ",", " ")) {
				keys[on] = append(keys[on], "#"+word+"#")
			}
		}
	}
	for _, k := range kinds(t) {
		if why, none := unwritten[k.text]; none {
			require.NotEmpty(t, why)
			continue
		}
		on := cmp.Or(only[k.text], inOneProcess+" "+onAWS)
		for on := range strings.FieldsSeq(on) {
			written := slices.ContainsFunc(keys[on], func(key string) bool { return strings.Contains(key, k.text) })
			require.True(t, written, "no row of %s has a key with %s (%s): the journey leaves a row of each kind", on,
				k.text, k.at)
		}
	}
}

// TestTheReleaseBeforeReadsWhatTheCodeStores builds the programs of the last two releases that have golden data, as
// they were, and starts each on a folder that the code here has written: it answers the same to all that its own golden
// asks, and goes on with what was under way. There are two, since the last one's golden data may be part of the change
// that is tested.
func TestTheReleaseBeforeReadsWhatTheCodeStores(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the release before")
	}
	t.Parallel()
	all := releases(t)
	for _, r := range all[max(0, len(all)-2):] {
		t.Run(r, func(t *testing.T) {
			t.Parallel()
			before := program(t, r)
			began := time.Now()
			g := made(t, inOneProcess, began.UTC().Add(-lasts).Truncate(time.Second))
			here := starts(t, g, time.Now()).answer(t, g.Resting)
			shown(t, younger, all, here, g.At)
			here = known(here, unpack(t, fileOf(r, inOneProcess)).Resting)
			p := runs(t, before, g.data(t))
			there := p.answer(t, here)
			// The code here was asked more, for what it alone knows, and an hour may have ended between the two.
			same(t, all, r, there, here, g.At, "remaining", "usedThisHour", "usedToday")
			p.goesOn(t, g)
		})
	}
}

// known are those of the asks whose routes a release's golden asks, too: it need not have the others yet.
func known(asks, golden []ask) []ask {
	return slices.DeleteFunc(slices.Clone(asks), func(a ask) bool {
		return !slices.ContainsFunc(golden, func(g ask) bool { return g.Route == a.Route })
	})
}

// runs is the program on a data folder.
func runs(t *testing.T, program, data string) platform {
	t.Helper()
	cmd := exec.Command(program, "serve")
	cmd.Env = append(os.Environ(), "ADDR=127.0.0.1:0", "DATA="+data, "DEMO=0", "ENVIRONMENT=development",
		"OPERATOR_TOKEN=", "LOG=text")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	for began := time.Now(); ; time.Sleep(pause) {
		var run local.Run
		if b, err := os.ReadFile(filepath.Join(data, "run.json")); err == nil && json.Unmarshal(b, &run) == nil {
			return platform{at(strings.TrimPrefix(run.BaseURL, "http://")), func() { time.Sleep(pause) }}
		}
		select {
		case <-ended:
			require.FailNow(t, "it did not start", said.String())
		default:
			require.Less(t, time.Since(began), time.Minute, "it does not start")
		}
	}
}

// git is what git says.
func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output()
	return strings.TrimSpace(string(out)), err
}

// fetchHistory brings what a shallow clone lacks of the history, if that can be had.
var fetchHistory = sync.OnceFunc(func() {
	if shallow, _ := git("rev-parse", "--is-shallow-repository"); shallow == "true" {
		_, _ = git("fetch", "--quiet", "--unshallow") // where it fails, commitOf finds no commit
	}
})

// commitOf is the commit of a release: of its name, or the one that brought its golden data. "": it is not here, or the
// data are not committed yet.
func commitOf(release string) string {
	fetchHistory()
	if commit, err := git("rev-parse", "--verify", "--quiet", release+"^{commit}"); err == nil {
		return commit
	}
	if shallow, err := git("rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return ""
	}
	commit, _ := git("log", "-1", "--diff-filter=A", "--format=%H", "--", filepath.Join("testdata", release))
	return commit
}

// program is the one process of a release. Where the history is not here and cannot be fetched, the test is not run, or
// fails where the environment says TOOLS=required.
func program(t *testing.T, release string) string {
	t.Helper()
	commit := commitOf(release)
	if commit == "" {
		require.NotEqual(t, "required", os.Getenv("TOOLS"),
			"the commit of %s is not here: commit its data, or fetch all history", release)
		t.Skipf("NOT RUN: the commit of %s is not in this clone's history, so its program cannot be built", release)
	}
	source, file := t.TempDir(), filepath.Join(t.TempDir(), "source.tar")
	top, err := git("rev-parse", "--show-toplevel")
	require.NoError(t, err)
	module, err := git("rev-parse", "--show-prefix")
	require.NoError(t, err)
	_, err = git("-C", top, "archive", "-o", file, commit+":"+strings.TrimSuffix(module, "infra/proof/releases/"))
	require.NoError(t, err)
	out, err := exec.Command("tar", "-xf", file, "-C", source).CombinedOutput()
	require.NoError(t, err, string(out))
	program := filepath.Join(t.TempDir(), "eshop")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./infra/eshop")
	build.Dir = source
	out, err = build.CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}
