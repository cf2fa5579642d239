package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"eshop/functions"
	"eshop/infra/demo"
	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/host"
	"eshop/shared/ports/blob/folder"
	limits "eshop/shared/ports/limit/memory"
	bells "eshop/shared/ports/queue/memory"
	"eshop/shared/ports/store/bolt"
)

// Server is the running platform: one process, one data folder, all functions of THE list.
type Server struct {
	Platform *host.Platform
	API      *api.API
	BaseURL  string // where it is reached on this machine, whatever it is told to be at
	Run      Run    // what run.json holds

	settings Settings
	lock     *os.File // of the data folder
	db       *bolt.DB
	files    *folder.Bucket
	inboxes  inboxes   // keys of files that were put
	sending  *api.Room // bounds files on their way
	counters *limits.Counters
	queues   map[host.Resource]*bells.Queue
	http     *door
	traffic  traffic
	ahead    atomic.Int64 // how far the clock is ahead of the settings', in nanoseconds
	moving   sync.Mutex   // held while the clock is moved on
	metrics  *metrics
	tried    atomic.Int64 // when readiness last tried a write, in unix nanoseconds
	served   atomic.Bool  // everything is served, and run.json says where
	listener net.Listener
	demo     demo.Shop
	cut      context.CancelCauseFunc // ends the requests that are under way
	stop     context.CancelFunc      // stops the pumps
	pumps    guard.Group             // what feeds functions

	counting     guard.Group // what writes down the counters
	stopCounting context.CancelFunc
}

// stopBudget is how long a stop may take in all, and grace how long requests and attempts under way get of it.
const (
	stopBudget = 10 * time.Second
	grace      = 8 * time.Second
)

// errStopped is why requests end that a stop did not wait for.
var errStopped = errors.New("local: the platform stops")

// Main runs the platform until SIGTERM or SIGINT and returns the exit code: 0, or 1 after one clear line on stderr
// (contract, "The one process"). Requests of the start itself are left out of the log for people (quiet).
func Main(getenv func(string) string, out, errs io.Writer) int {
	settings, err := ReadSettings(getenv)
	if err != nil {
		fmt.Fprintln(errs, "eshop:", err)
		return 1
	}
	lines := newBuffered(out)
	defer lines.Close()
	quiet := &atomic.Bool{}
	quiet.Store(true)
	settings.Log = slog.New(settings.handler(lines, quiet))
	// From here on everything that the process logs goes to one place.
	logTo(settings.Log)
	debug.SetGCPercent(heapGrowth)
	debug.SetMemoryLimit(memoryLimit)
	// Only the first signal counts, and none gets its default action back, which would end the process in the midst of
	// its stop: make sends its child the signal that its whole group has been sent already.
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	s, err := Start(ctx, settings)
	if errors.Is(err, context.Canceled) { // the stop was asked for
		return 0
	}
	if err != nil {
		fmt.Fprintln(errs, "eshop:", err)
		return 1
	}
	if settings.JSON {
		settings.Log.Info("serving", "baseUrl", s.PublicURL(), "environment", settings.Environment, "run",
			s.path("run.json"))
	} else {
		s.greet(lines)
	}
	lines.Flush()
	quiet.Store(false)
	<-ctx.Done()
	if err := s.Stop(); err != nil {
		lines.Close()
		fmt.Fprintln(errs, "eshop:", err)
		return 1
	}
	return 0
}

// The bounds of the garbage collector. The heap of this small process grows to several times what is live before a
// collection. With Go's default, collections would take most of a request's processor time.
const (
	heapGrowth  = 1200     // percent of what is live by which the heap grows before it is collected
	memoryLimit = 88 << 20 // bytes that a laptop should give the process; near them it is collected more often
)

// Start opens the data folder and serves; it returns when everything is served. It listens first, and writes nothing
// before the address is its own: a second process with the same settings must do no harm.
func Start(ctx context.Context, settings Settings) (*Server, error) {
	listener := settings.Listener
	if listener == nil {
		var err error
		if listener, err = net.Listen("tcp", settings.Addr); err != nil {
			return nil, fmt.Errorf("cannot listen on ADDR %s: %w; ADDR=127.0.0.1:0 takes a free port", settings.Addr,
				reason(err))
		}
	}
	s := newServer(settings, listener)
	if err := s.open(ctx); err != nil {
		listener.Close()
		return nil, err
	}
	s.serve()
	if err := s.ready(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// newServer is a server that has opened nothing yet.
func newServer(settings Settings, listener net.Listener) *Server {
	return &Server{settings: settings, listener: listener, BaseURL: "http://" + clientAddress(listener.Addr())}
}

// reason is the innermost cause of an error, which is what a person wants to read.
func reason(err error) error {
	if sys, is := errors.AsType[syscall.Errno](err); is {
		return sys
	}
	return err
}

// clientAddress is the address at which a client on this machine reaches the listener.
func clientAddress(a net.Addr) string {
	t := a.(*net.TCPAddr)
	if t.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", t.Port)
	}
	return t.String()
}

// port is the port that the process listens on.
func (s *Server) port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// serve starts the front door and the pumps.
func (s *Server) serve() {
	requests, cut := context.WithCancelCause(context.Background())
	s.cut = cut
	all := s.behind(s.dated(s.streaming(s.traffic.counting(s.API))))
	s.http = serveHTTP(requests, s.listener, all, s.settings.Log)
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	for _, f := range functions.List {
		s.trigger(ctx, f)
	}
	counting, stop := context.WithCancel(context.Background())
	s.stopCounting = stop
	s.counting.Go(counting, func() error { return s.counters.Run(counting) })
}

// ServeHTTP answers a request as if it had come to the listener.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.http.Handler.ServeHTTP(w, r) }

// Stop ends the platform within 10 s (contract, "The one process"). No connection and no attempt begins any more.
// Attempts and requests under way get 8 s. Then what became of them is written down and the store is closed.
func (s *Server) Stop() error {
	all, over := context.WithTimeout(context.Background(), stopBudget)
	defer over()
	requests, cut := context.WithTimeout(all, grace)
	defer cut()
	results, tooLate := context.WithTimeout(all, stopBudget-time.Second)
	defer tooLate()
	defer s.lock.Close() // nothing was written to it
	// First of all, so that a balancer sends no more requests.
	s.served.Store(false)
	s.stop()
	err := s.http.close(requests, s.settings.Parting)
	cutOff := err != nil
	if cutOff {
		// Requests that are still under way lose their connection; what they have not written is not done.
		s.cut(errStopped)
		err = s.http.Close()
	}
	if within(results, func() error { _ = s.pumps.Wait(); return nil }) != nil || cutOff {
		s.Platform.Log.Warn("the stop did not wait for what is still under way: it counts as not done")
	} else {
		s.Platform.Log.Info("stopping: the requests and attempts that were under way are done")
	}
	return errors.Join(err, s.close(all))
}

// close writes down what is left and closes the store. If ctx ends before, the next start finds what it would find
// after a kill, and goes on from there.
func (s *Server) close(ctx context.Context) error {
	s.stopCounting()
	return within(ctx, func() error {
		return errors.Join(s.counting.Wait(), s.db.Close())
	})
}

// within calls f and returns its error, or ctx's error if ctx ends first.
func within(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	guard.Go(ctx, func() { done <- guard.Do(ctx, f) })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// greet says where everything is.
func (s *Server) greet(w io.Writer) {
	fmt.Fprintf(w, "\nThe platform serves at %s (%s)\n\n", s.PublicURL(), s.settings.Environment)
	fmt.Fprintf(w, "  API reference    %s/docs\n", s.PublicURL())
	if s.PublicURL() != s.BaseURL {
		fmt.Fprintf(w, "  On this machine  %s   for the proxy, and for commands\n", s.BaseURL)
	}
	fmt.Fprintf(w, "  Addresses and tokens as JSON: %s\n", s.path("run.json"))
	if ahead := time.Duration(s.ahead.Load()); ahead > 0 {
		fmt.Fprintf(w, "  The clock is %s ahead (eshop clock): it is %s here\n", ahead,
			s.now().UTC().Format(time.DateTime))
	}
	s.demo.Greet(w)
	fmt.Fprintln(w)
}
