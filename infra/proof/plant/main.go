// Command plant plants faults in the source, one at a time, and says which of them the tests find: a condition negated,
// < for <=, && for ||, a call dropped. It works on a clone, so what is not committed is not tried.
//
// A fault is tried by the tests of its own package, then by simulated days of both hosts, then by the tests of the
// doors that use its package. Whatever none of them finds is printed with its place: each is a test that is missing, or
// a fault that changes nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	log.SetFlags(log.Ltime)
	seed := flag.Uint64("seed", 1, "decides which faults are planted")
	many := flag.Int("n", 100, "how many faults that compile")
	flag.Parse()
	dir, err := os.MkdirTemp("", "plant")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("git", "clone", "--quiet", ".", dir).CombinedOutput(); err != nil {
		log.Fatalf("git clone: %s", out)
	}
	sites, err := sitesBelow(dir, "events", "shared", "functions", "infra/local")
	if err != nil {
		log.Fatal(err)
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	found := map[string]int{}
	log.Printf("seed %d: %d places", *seed, len(sites))
	for planted := 0; planted < *many && len(sites) > 0; {
		n := r.IntN(len(sites))
		s := sites[n]
		sites = append(sites[:n], sites[n+1:]...)
		by, err := try(dir, s)
		if err != nil {
			log.Fatal(err)
		}
		if by == "" {
			continue // it does not compile
		}
		planted++
		found[by]++
		log.Printf("%3d %-15s %s", planted, by, s)
	}
	log.Printf("%v", found)
}

// How long the tests of a package may take. A fault that makes them hang is found.
const patience = 8 * time.Minute

// try plants a fault in the clone, and says what finds it: "" when it does not compile, "nothing" when nothing does.
func try(dir string, s site) (by string, err error) {
	file := filepath.Join(dir, s.file)
	before, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, s.edit(before), 0o600); err != nil {
		return "", err
	}
	defer func() {
		if back := os.WriteFile(file, before, 0o600); err == nil {
			err = back
		}
	}()
	of := "./" + filepath.Dir(s.file)
	if !passes(dir, "vet", of) {
		return "", nil
	}
	using, err := doors(dir, of)
	if err != nil {
		return "", err
	}
	for _, tests := range []struct {
		by   string
		args []string
	}{
		{"its package", []string{of}},
		{"simulation", []string{"-run", "TestDays", "./infra/local", "./infra/journeys"}},
		{"doors", using},
	} {
		if !passes(dir, append([]string{"test", "-count=1", "-failfast", "-timeout", patience.String()},
			tests.args...)...) {
			return tests.by, nil
		}
	}
	return "nothing", nil
}

// passes says whether a command of go ends well.
func passes(dir string, args ...string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	return cmd.Run() == nil
}

// doors are the package itself and the functions that use it, directly or not: their tests try it, too.
func doors(dir, of string) ([]string, error) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./functions/...")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := []string{of}
	for line := range strings.Lines(string(out)) {
		deps := strings.Fields(line)
		for _, d := range deps[1:] {
			if d == "eshop/"+strings.TrimPrefix(of, "./") && strings.Count(deps[0], "/") == 2 {
				all = append(all, deps[0])
			}
		}
	}
	return all, nil
}

func (s site) String() string { return fmt.Sprintf("%s:%d: %s", s.file, s.line, s.what) }
