// Command plant plants faults in the source, one at a time, and says which of them the tests find: a condition negated,
// < for <=, && for ||, a call dropped. It works on a clone, so what is not committed is not tried.
//
// The tests of the fault's own package try it first, then the simulated days of both hosts, then those of all other
// packages but the slowest (suites). Each fault is printed with its place and what found it. A red test is tried once
// more without the fault. One that nothing finds is a test that is missing, or a fault that changes nothing.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(log.Ltime)
	seed := flag.Uint64("seed", 1, "decides which faults are planted")
	many := flag.Int("n", 100, "how many faults that compile")
	flag.Parse()
	if err := plant(*seed, *many); err != nil {
		log.Fatal(err)
	}
}

// plant plants so many faults in a clone.
func plant(seed uint64, many int) error {
	dir, err := os.MkdirTemp("", "plant")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("git", "clone", "--quiet", ".", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %s", out)
	}
	sites, err := sitesBelow(dir, "events", "shared", "functions", "infra/local")
	if err != nil {
		return err
	}
	for _, t := range suites("events")[1:] {
		if out, ok := passes(dir, t.command()...); !ok {
			return fmt.Errorf("%s is red without a fault:\n%s", t.name, out)
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	found := map[string]int{}
	log.Printf("seed %d: %d places", seed, len(sites))
	for planted := 0; planted < many && len(sites) > 0; {
		n := random.IntN(len(sites))
		s := sites[n]
		sites = append(sites[:n], sites[n+1:]...)
		by, err := try(dir, s)
		if err != nil {
			return err
		}
		if by == "" {
			continue // it does not compile, or vet finds it
		}
		planted++
		found[by]++
		log.Printf("%3d %-16s %s", planted, by, s)
	}
	log.Printf("%v", found)
	return nil
}

// A suite is tests that may find a fault, as arguments of go test.
type suite struct {
	name string
	args []string
}

// suites are those that try a fault of a package, in their order. Go keeps what passed: of all others, only what
// depends on the package runs again.
func suites(folder string) []suite {
	return []suite{
		{"its package", []string{"-skip", "TestDays|P99", "./" + folder}},
		{"the simulation", []string{"-run", "TestDays", "./infra/local", "./infra/journeys"}},
		{"another package", []string{"-skip", "TestDays|P99",
			"./events/...", "./shared/...", "./functions/...", "./infra/local/...", "./infra/journeys"}},
	}
}

// command runs a suite.
func (s suite) command() []string {
	return append([]string{"test", "-failfast", "-timeout", patience.String()}, s.args...)
}

// How long the tests of a package may take. A fault that makes them hang is found.
const patience = 10 * time.Minute

// try plants a fault in the clone, and says what finds it: "" when it does not compile or vet finds it,
// "nothing" when nothing does. What is red without the fault, too, is an error.
func try(dir string, s site) (by string, err error) {
	file := filepath.Join(dir, s.file)
	before, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, s.edit(before), 0o600); err != nil {
		return "", err
	}
	found := finder(dir, filepath.Dir(s.file))
	if err := os.WriteFile(file, before, 0o600); err != nil {
		return "", err
	}
	switch found.name {
	case "vet":
		return "", nil
	case "nothing":
		return found.name, nil
	}
	if out, ok := passes(dir, found.command()...); !ok {
		return "", fmt.Errorf("%s is red without a fault:\n%s", found.name, out)
	}
	return found.name, nil
}

// finder is the first of vet and the suites to find what is wrong in a folder, or "nothing".
func finder(dir, folder string) suite {
	if _, ok := passes(dir, "vet", "./"+folder); !ok {
		return suite{name: "vet"}
	}
	for _, t := range suites(folder) {
		if _, ok := passes(dir, t.command()...); !ok {
			return t
		}
	}
	return suite{name: "nothing"}
}

// passes says whether a command of go ends well, and what it printed. The first test that fails ends it: those of other
// packages would say no more.
func passes(dir string, args ...string) (out []byte, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	printed := &untilFailure{failed: cancel}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath") // so that what was built elsewhere is not built again
	cmd.Stdout, cmd.Stderr = printed, printed
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what go has started ends with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return printed.Bytes(), err == nil
}

// untilFailure keeps what go test prints, and calls failed once a test has failed. Of packages that pass it prints
// nothing but their names.
type untilFailure struct {
	bytes.Buffer
	failed func()
}

func (u *untilFailure) Write(p []byte) (int, error) {
	n, err := u.Buffer.Write(p)
	if bytes.Contains(u.Bytes(), []byte("FAIL")) {
		u.failed()
	}
	return n, err
}

func (s site) String() string { return fmt.Sprintf("%s:%d: %s", s.file, s.line, s.what) }
