package main

import (
	"bufio"
	"cmp"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// suite is the tests of a package, or some of them.
type suite struct {
	name string
	args []string // of go test
	took time.Duration
}

// reach is which lines each suite runs: a fault in a line that a suite does not run is nothing to it.
type reach struct {
	suites []suite
	lines  map[string][]span // by file, from the root
}

// span is lines of a file that a suite runs.
type span struct{ from, to, suite int }

// module begins the files' names in a profile.
const module = "eshop/"

// measure runs all suites of a clone with coverage. One that is red as it stands can find nothing, and is left out.
func measure(dir string) (*reach, error) {
	list := exec.Command("go", "list", "-f", `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}`,
		"./events/...", "./shared/...", "./functions/...", "./infra/local")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := []suite{{name: "simulation", args: []string{"-run", "TestDays", "./infra/local", "./infra/journeys"}}}
	for _, p := range strings.Fields(string(out)) {
		p = strings.TrimPrefix(p, module)
		all = append(all, suite{name: p, args: []string{"-skip", "TestDays|P99", "./" + p}})
	}
	r := &reach{lines: map[string][]span{}}
	for _, s := range all {
		profile := filepath.Join(dir, ".cover")
		begun := time.Now()
		if !passes(dir, test(s, "-coverprofile", profile,
			"-coverpkg", "./events/...,./shared/...,./functions/...,./infra/local/...")...) {
			log.Printf("the tests of %s are red without any fault", s.name)
			continue
		}
		s.took = time.Since(begun)
		r.suites = append(r.suites, s)
		if err := r.read(profile, len(r.suites)-1); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// read adds what the profile of a suite says.
func (r *reach) read(profile string, suite int) error {
	f, err := os.Open(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, _ := strings.Cut(strings.TrimPrefix(lines.Text(), module), ":")
		var from, to, column, statements, times int
		_, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &from, &column, &to, &column, &statements, &times)
		if err == nil && times > 0 {
			r.lines[name] = append(r.lines[name], span{from, to, suite})
		}
	}
	return nil
}

// of are the suites that run the line of a fault: those of its package first, then the shortest.
func (r *reach) of(s site) (all []suite) {
	for n, tests := range r.suites {
		if slices.ContainsFunc(r.lines[s.file], func(l span) bool {
			return l.suite == n && l.from <= s.line && s.line <= l.to
		}) {
			all = append(all, tests)
		}
	}
	own := filepath.Dir(s.file)
	rank := func(t suite) time.Duration {
		if t.name == own {
			return 0
		}
		return t.took
	}
	slices.SortFunc(all, func(a, b suite) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// test is the command that runs a suite.
func test(s suite, more ...string) []string {
	return slices.Concat([]string{"test", "-count=1", "-failfast", "-timeout", patience.String()}, more, s.args)
}
