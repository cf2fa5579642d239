// Command days simulates days of the platform (package simulate) so that a seed does the same each time, whatever the
// machine does meanwhile: the same requests, the same faults, the same order of goroutines. A run that fails fails
// again.
//
// In the simulation a seed decides all but two things: which goroutine runs next, and what Go itself draws, as the case
// of a select. So this builds the tests that simulate with a runtime in which a seed decides these too (runtime.go),
// and runs each seed in a process of its own, which has one processor and a folder for its files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

func main() {
	log.SetFlags(log.Ltime)
	var r run
	flag.Uint64Var(&r.first, "seed", 1, "the first seed")
	flag.Uint64Var(&r.many, "runs", 1, "how many seeds")
	flag.StringVar(&r.days, "days", "1", "how many days of each are simulated")
	flag.StringVar(&r.host, "host", "", "InTheOneProcess or OnAWS; both unless given")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.all(ctx); err != nil {
		log.Fatal(err)
	}
}

// hosts are the packages whose tests simulate a host, by its name.
var hosts = map[string]string{"InTheOneProcess": "infra/local", "OnAWS": "infra/journeys"}

// run is which seeds are simulated, and where.
type run struct {
	first, many uint64
	days, host  string

	mu     sync.Mutex
	failed []string
}

// all simulates each seed on each host, as many at once as there are processors.
func (r *run) all(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "days")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const kept = ".cache/days" // always the same, so that Go's cache has what was built before
	if err := os.MkdirAll(kept, 0o700); err != nil {
		return err
	}
	overlay, err := writeOverlay(kept)
	if err != nil {
		return err
	}
	for host, pkg := range hosts {
		if r.host != "" && r.host != host {
			continue
		}
		log.Printf("building %s", host)
		build := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath", "-overlay", overlay,
			"-o", filepath.Join(dir, host), "./"+pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", build, err, out)
		}
	}
	var side errgroup.Group
	side.SetLimit(runtime.NumCPU())
	for seed := r.first; seed < r.first+r.many; seed++ {
		for host := range hosts {
			if r.host == "" || r.host == host {
				side.Go(func() error { return r.one(ctx, dir, host, seed) })
			}
		}
	}
	if err := side.Wait(); err != nil {
		return err
	}
	if len(r.failed) > 0 {
		return fmt.Errorf("failed:\n  %s", strings.Join(r.failed, "\n  "))
	}
	return nil
}

// one simulates one seed on one host.
func (r *run) one(ctx context.Context, dir, host string, seed uint64) error {
	files, err := os.MkdirTemp(dir, host)
	if err != nil {
		return err
	}
	defer os.RemoveAll(files)
	days := exec.CommandContext(ctx, filepath.Join(dir, host), "-test.run", "^TestDays"+host+"$", "-test.v",
		"-test.timeout", "24h")
	days.Dir = hosts[host]
	days.Env = append(os.Environ(), "SEED="+strconv.FormatUint(seed, 10), "RUNS=1", "DAYS="+r.days,
		"GOMAXPROCS=1", "TMPDIR="+files)
	out, err := days.CombinedOutput()
	said := string(logged.ReplaceAll(out, nil))
	if err == nil {
		log.Printf("%s: %s", host, strings.TrimSpace(summary.FindString(said)))
		return nil
	}
	if failure := (*exec.ExitError)(nil); !errors.As(err, &failure) {
		return err
	}
	log.Printf("%s: seed %d failed\n%s", host, seed, said)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, fmt.Sprintf("make simulate SEED=%d DAYS=%s HOST=%s", seed, r.days, host))
	return nil
}

var (
	// logged are lines of the platform's log.
	logged = regexp.MustCompile(`(?m)^.* (WARN|ERROR|INFO) .*\n`)
	// summary is the last line of a simulation.
	summary = regexp.MustCompile(`seed \d+: .*`)
)
