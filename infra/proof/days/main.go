// Command days simulates days of the platform (package simulate) so that a seed does the same each time, whatever the
// machine does meanwhile: the same requests, the same faults, the same order of goroutines. A run that fails fails
// again.
//
// In the simulation a seed decides all but two things: which goroutine runs next, and what Go itself draws, as the case
// of a select. So this builds the tests that simulate with a runtime in which a seed decides these too (runtime.go),
// and runs each seed in a process of its own, which has one processor and a folder for its files. With another version
// of Go, try some seeds with -times 2 first.
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

// hosts are the packages whose tests simulate a host, by its name.
var hosts = map[string]string{"InTheOneProcess": "infra/local", "OnAWS": "infra/journeys"}

func main() {
	log.SetFlags(log.Ltime)
	r := run{chosen: slices.Sorted(maps.Keys(hosts)), ends: map[string]map[string]int{}}
	flag.IntVar(&r.seed, "seed", 1, "the first seed")
	flag.IntVar(&r.runs, "runs", 1, "how many seeds")
	flag.IntVar(&r.days, "days", 1, "how many days of each are simulated")
	flag.IntVar(&r.times, "times", 1, "how many times each seed is simulated: all must come to the same")
	host := flag.String("host", "", strings.Join(r.chosen, " or ")+"; both unless given")
	flag.Parse()
	if r.seed < 0 || r.runs < 1 || r.days < 1 || r.times < 1 || flag.NArg() > 0 || *host != "" && hosts[*host] == "" {
		fmt.Fprintln(os.Stderr, "days: a flag has no value that it can have")
		flag.Usage()
		os.Exit(2)
	}
	if *host != "" {
		r.chosen = []string{*host}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.all(ctx); err != nil {
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
	dir, err := os.MkdirTemp("", "days")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir)
	if err != nil {
		return err
	}
	for _, host := range r.chosen {
		log.Printf("building %s", host)
		build := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath", "-overlay", overlay,
			"-o", filepath.Join(dir, host), "./"+hosts[host])
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", build, err, out)
		}
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

// one simulates one seed on one host, once, and notes its end. Its error is one of this program.
func (r *run) one(ctx context.Context, dir, host string, seed int) error {
	end, err := r.simulate(ctx, dir, host, seed)
	said := end
	if errors.Is(err, errFailed) {
		end, said = "failed: "+end, err.Error()
	} else if err != nil {
		return err
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

// simulate simulates one seed in a process, and returns what it says at its end; with errFailed, which has all that it
// said, if it failed.
func (r *run) simulate(ctx context.Context, dir, host string, seed int) (end string, err error) {
	files, err := os.MkdirTemp(dir, host)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(files)
	// From outside: the runtime has no thread any more that could end a goroutine which never waits.
	timed, cancel := context.WithTimeout(ctx, time.Duration(r.days)*patience)
	defer cancel()
	cmd := exec.CommandContext(timed, filepath.Join(dir, host), "-test.run", "^TestDays"+host+"$", "-test.v",
		"-test.timeout", "0")
	cmd.Dir = hosts[host]
	cmd.Env = append(os.Environ(), "SEED="+strconv.Itoa(seed), "RUNS=1", "DAYS="+strconv.Itoa(r.days),
		"GOMAXPROCS=1", "TMPDIR="+files)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) } // it says where its goroutines are
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	said := string(logged.ReplaceAll(out, nil))
	end = strings.TrimSpace(summary.FindString(said))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil, end == "":
		return end, fmt.Errorf("%w: %v\n%s", errFailed, err, said)
	}
	return end, nil
}

// patience is how long a simulated day may take: it takes half a minute of one processor.
const patience = 30 * time.Minute

var (
	errFailed = errors.New("failed")
	// logged are what the platform warns of and tells: in a world in which all fails that is much.
	logged = regexp.MustCompile(`(?m)^\S+ \S+ (WARN|INFO) .*\n`)
	// summary is what a simulation says at its end.
	summary = regexp.MustCompile(`\d+ operations, .*`)
)
