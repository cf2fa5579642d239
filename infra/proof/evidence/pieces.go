package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The kinds of pieces. A piece is minutes long, so that little is lost by who interrupts.
const (
	ofDays  = "days"  // a day of each of some seeds, on each host
	ofKills = "kills" // kills of the real program, and a full disk
	ofFuzz  = "fuzz"  // a minute of a fuzz target
)

const (
	firstSeed = 20_000 // the seeds of the tests, and of whoever tries some, are below
	seeds     = 4      // of a piece of days
	proving   = 4 * time.Minute
	kills     = 30
	fuzzing   = time.Minute
)

// What a night is to bring.
const (
	nightDays  = 300 // of both hosts together
	nightProof = time.Hour
)

// piece is a piece of work, and what came of it.
type piece struct {
	Kind       string
	Seed       int    `json:",omitempty"` // the first one
	Target     string `json:",omitempty"` // of fuzz: package and name
	At         time.Time
	Seconds    int
	Days       map[string]int `json:",omitempty"` // by the host
	Operations map[string]int `json:",omitempty"` // by the host
	Kills      map[string]int `json:",omitempty"` // by the host; of fuzz none
	Tried      int            `json:",omitempty"` // of fuzz: inputs
	Failed     []string       `json:",omitempty"` // commands that fail
}

// String says what the piece does, as the command that does it.
func (p *piece) String() string {
	switch p.Kind {
	case ofDays:
		return fmt.Sprintf("make simulate SEED=%d RUNS=%d", p.Seed, seeds)
	case ofKills:
		return fmt.Sprintf("make prove SEED=%d DURATION=%s KILLS=%d", p.Seed, proving, kills)
	}
	pkg, name, _ := strings.Cut(p.Target, " ")
	return fmt.Sprintf("go test -run '^$' -fuzz '^%s$' -fuzztime %s %s", name, fuzzing, pkg)
}

// command runs the piece at the commit, and returns what it says.
func (w *work) command(ctx context.Context, p *piece) (out string, err error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", p.String())
	cmd.Dir = filepath.Join(folder, "tree")
	// What a shell has set for these commands is not for these runs.
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath", "HOST=", "DAYS=", "TIMES=", "BREAK=")
	cmd.WaitDelay = 10 * time.Second
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// share is how much of a night's work of its kind the piece is.
func (p *piece) share(targets int) float64 {
	switch p.Kind {
	case ofDays:
		return 2 * seeds / float64(nightDays)
	case ofKills:
		return float64(proving) / float64(nightProof)
	}
	return 1 / float64(targets)
}

// simulated and proved find the line that a simulation or a proof prints at the end of each seed. fuzzed finds how many
// inputs go test has tried so far.
var (
	simulated = regexp.MustCompile(`(?m)^[\d:]+ (\w+): seed (\d+): (failed|(\d+) operations, \d+ lives, (\d+) crashes)`)
	proved    = regexp.MustCompile(`seed \d+: (\d+) operations, \d+ lives, (\d+) crashes`)
	fuzzed    = regexp.MustCompile(`execs: (\d+)`)
)

// reads takes the figures of what the piece said.
func (p *piece) reads(out string) {
	p.Days, p.Operations, p.Kills = map[string]int{}, map[string]int{}, map[string]int{}
	switch p.Kind {
	case ofDays:
		for _, m := range simulated.FindAllStringSubmatch(out, -1) {
			p.Days[m[1]]++
			p.Operations[m[1]] += number(m[4])
			p.Kills[m[1]] += number(m[5])
			if m[3] == "failed" {
				p.Failed = append(p.Failed, "make simulate SEED="+m[2]+" HOST="+m[1])
			}
		}
	case ofKills:
		if m := proved.FindStringSubmatch(out); m != nil {
			p.Operations[program], p.Kills[program] = number(m[1]), number(m[2])
		}
	case ofFuzz:
		if all := fuzzed.FindAllStringSubmatch(out, -1); all != nil {
			p.Tried = number(all[len(all)-1][1])
		}
	}
}

// program stands for the real program among the hosts.
const program = "TheProgram"

// number is what digits say; 0 for none.
func number(digits string) int {
	n, _ := strconv.Atoi(cmp.Or(digits, "0"))
	return n
}
