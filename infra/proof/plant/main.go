// Command plant plants faults in the source, one at a time, and says which of them the tests find: a condition negated,
// < for <=, && for ||, a call dropped. It works on a clone, so what is not committed is not tried.
//
// All tests run once without a fault, to see which lines each package's run: a fault is tried by those that run its
// line, the tests of its own package first. Simulated days of both hosts are among them. Whatever none of them finds is
// printed with its place: each is a test that is missing, or a fault that changes nothing.
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
	reached, err := measure(dir)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	found := map[string]int{}
	log.Printf("seed %d: %d places", seed, len(sites))
	for planted := 0; planted < many && len(sites) > 0; {
		n := random.IntN(len(sites))
		s := sites[n]
		sites = append(sites[:n], sites[n+1:]...)
		by, err := reached.try(dir, s)
		if err != nil {
			return err
		}
		if by == "" {
			continue // it does not compile, or vet finds it
		}
		planted++
		switch by {
		case filepath.Dir(s.file):
			found["its package"]++
		case "nothing", "simulation":
			found[by]++
		default:
			found["another package"]++
		}
		log.Printf("%3d %-20s %s", planted, by, s)
	}
	log.Printf("%v", found)
	return nil
}

// How long the tests of a package may take. A fault that makes them hang is found.
const patience = 15 * time.Minute

// try plants a fault in the clone, and says what finds it: "" when it does not compile or vet finds it,
// "nothing" when nothing does.
func (r *reach) try(dir string, s site) (by string, err error) {
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
	if !passes(dir, "vet", "./"+filepath.Dir(s.file)) {
		return "", nil
	}
	for _, t := range r.of(s) {
		if !passes(dir, test(t)...) {
			return t.name, nil
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

func (s site) String() string { return fmt.Sprintf("%s:%d: %s", s.file, s.line, s.what) }
