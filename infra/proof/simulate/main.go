// Command simulate runs the whole platform for days of simulated time, with partners, shoppers and add-ons at work and
// everything around it failing, and holds what they saw against the model (package model). A seed decides what they do,
// when, and what fails. Whatever the machine does meanwhile, a seed does the same each time: the same requests, the
// same faults, the same order of goroutines. A run that fails fails again: `make simulate SEED=7 DAYS=30`.
//
// In the tests of this folder, which make the world, a seed decides all but two things: which goroutine runs next, and
// what Go itself draws, as the case of a select. So this builds them with a runtime in which a seed decides these too
// (runtime.go), and runs each seed in a process of its own, which has one processor and a folder for its files. With
// another version of Go, try some seeds with -times 2 first.
//
// # A tour
//
// Begin with simulate_test.go. Run there is one simulation: days of trouble, then quiet, in which all that is owed has
// to arrive, then the checks. plan_test.go draws the faults from the seed and prints them. host_test.go is what a
// platform has to offer to be simulated: it begins, is killed, and stops. The hosts are in process_test.go (the one
// process), cloud_test.go (functions in Lambda) and prove_linux_test.go: Prove does in real time, with the real
// program, what Days do in simulated time. network_test.go has the add-ons' receivers and what goes wrong at them,
// stores_test.go what goes wrong at tables and queues. client_test.go is who calls the API, and customers, persons,
// imports, orders, pictures, shoppers, merchants, limits, feed, leaving and switching are what they
// do.
//
// Where nothing goes wrong, the same world gives figures of who waits for whom (figures, tenant and importing), shows
// what an orderly stop does (stop), and what rows do that nobody can read (poison).
// What has grown after two days of work, when all lives have passed, is found by soak, with churn.
//
// # Glossary
//
//   - life: the time of one process of the platform, from Begin to Kill or Stop.
//   - fault: one thing that goes wrong, at a moment or for a time; plan: all of them.
//   - actor: somebody who works at a shop, as a function that is called again and again.
//   - unknown: the outcome of a request whose answer never came, or was an error of the server. It may have been done.
//   - insist: to send a request again under one Idempotency-Key, until its outcome is known.
//   - told: of a change that listeners must hear of, or may, if its outcome is unknown.
//   - owed: a webhook that a listener must still hear.
//   - history: what was asked, by whom, from when to when, and what was answered. The model says whether it can be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// here is where the tests are that simulate, and hosts are which of them there are.
const here = "infra/proof/simulate"

var hosts = []string{"InTheOneProcess", "OnAWS"}

func main() {
	log.SetFlags(log.Ltime)
	run := run{chosen: hosts, ends: map[string]map[string]int{}}
	flag.IntVar(&run.seed, "seed", 1, "the first seed")
	flag.IntVar(&run.runs, "runs", 1, "how many seeds")
	flag.IntVar(&run.days, "days", 1, "how many days of each are simulated")
	flag.IntVar(&run.times, "times", 1, "how many times each seed is simulated: all must come to the same")
	host := flag.String("host", "", strings.Join(hosts, " or ")+"; both unless given")
	flag.Parse()
	unknown := *host != "" && !slices.Contains(hosts, *host)
	if unknown || run.seed < 0 || run.runs < 1 || run.days < 1 || run.times < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "simulate: a flag has no value that it can have")
		flag.Usage()
		os.Exit(2)
	}
	if *host != "" {
		run.chosen = []string{*host}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run.all(ctx); err != nil {
		log.Fatal(err)
	}
}

// run is which seeds are simulated, and on which hosts.
type run struct {
	seed, runs, days, times int
	chosen                  []string

	mu   sync.Mutex
	ends map[string]map[string]int // how often a simulation came to an end, by its settings and what was said there
}

// all simulates each seed on each host, as many at once as there are processors.
func (r *run) all(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "simulate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath", "-overlay", overlay,
		"-o", filepath.Join(dir, "world"), "./"+here)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	var group errgroup.Group
	group.SetLimit(runtime.NumCPU())
	for n := range r.runs {
		for _, host := range r.chosen {
			for range r.times {
				group.Go(func() error { return r.one(ctx, dir, host, r.seed+n) })
			}
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return r.judge()
}

// one simulates one seed on one host, once, in a process, and notes its end. Its error is one of this program.
func (r *run) one(ctx context.Context, dir, host string, seed int) error {
	files, err := os.MkdirTemp(dir, host)
	if err != nil {
		return err
	}
	defer os.RemoveAll(files)
	// From outside: the runtime has no thread any more that could end a goroutine which never waits.
	timed, cancel := context.WithTimeout(ctx, time.Duration(r.days)*patience)
	defer cancel()
	cmd := exec.CommandContext(timed, filepath.Join(dir, "world"), "-test.run", "^TestDays$/^"+host+"$", "-test.v",
		"-test.timeout", "0")
	cmd.Dir = here
	cmd.Env = append(os.Environ(), "SEED="+strconv.Itoa(seed), "DAYS="+strconv.Itoa(r.days),
		"GOMAXPROCS=1", "TMPDIR="+files)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) } // it says where its goroutines are
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	end := strings.TrimSpace(string(summary.Find(out)))
	said := end
	if err != nil || end == "" {
		end, said = "failed: "+end, fmt.Sprintf("failed: %v\n%s", err, out)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	settings := fmt.Sprintf("SEED=%d DAYS=%d HOST=%s", seed, r.days, host)
	if r.ends[settings] == nil {
		r.ends[settings] = map[string]int{}
	}
	r.ends[settings][end]++
	if r.ends[settings][end] > 1 {
		said = end
	}
	log.Printf("%s: seed %d: %s", host, seed, said)
	return nil
}

// patience is how long a simulated day may take: it takes half a minute of one processor.
const patience = 30 * time.Minute

// summary is what a simulation says at its end.
var summary = regexp.MustCompile(`\d+ operations, .*`)

// judge says how often the simulations came to which end. Its error is what failed, or came to more than one.
func (r *run) judge() error {
	var failed []error
	for _, settings := range slices.Sorted(maps.Keys(r.ends)) {
		ends := r.ends[settings]
		for _, end := range slices.Sorted(maps.Keys(ends)) {
			if r.times > 1 {
				log.Printf("%s: %d of %d times %s", settings, ends[end], r.times, end)
			}
			if strings.HasPrefix(end, "failed") {
				failed = append(failed, fmt.Errorf("failed: make simulate %s", settings))
			}
		}
		if len(ends) > 1 {
			failed = append(failed, fmt.Errorf("came to %d ends: make simulate %s TIMES=%d",
				len(ends), settings, r.times))
		}
	}
	return errors.Join(failed...)
}
