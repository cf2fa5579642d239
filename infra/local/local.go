package local

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"eshop/functions"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/blob/folder"
	"eshop/shared/egress"
	"eshop/shared/guard"
	"eshop/shared/host"
	limits "eshop/shared/limit/memory"
	"eshop/shared/problem"
	"eshop/shared/queue"
	bells "eshop/shared/queue/memory"
	"eshop/shared/secret/file"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// Server is the running platform.
type Server struct {
	Platform *host.Platform
	API      *api.API
	BaseURL  string
	Run      Run // what run.json holds

	settings Settings
	db       *bolt.DB
	feed     store.Feed
	files    *folder.Bucket
	inbox    *inbox // keys of files that were put
	counters *limits.Counters
	queues   map[host.Resource]*bells.Queue
	http     *http.Server
	traffic  traffic
	metrics  *metrics
	served   atomic.Bool // everything is served, and run.json says where
	listener net.Listener
	demo     *demo
	stop     context.CancelFunc // stops the pumps
	pumps    guard.Group        // what feeds functions

	counting     guard.Group // what writes down the counters
	stopCounting context.CancelFunc
}

// Run is DATA/run.json (contract, section 8).
type Run struct {
	BaseURL       string   `json:"baseUrl"`
	OperatorToken string   `json:"operatorToken"`
	Demo          *RunDemo `json:"demo,omitempty"`
}

// RunDemo is the demo shop in run.json.
type RunDemo struct {
	ShopID        string    `json:"shopId"`
	AccessID      string    `json:"accessId"`
	Token         string    `json:"token"`
	StorefrontURL string    `json:"storefrontUrl"`
	Admin         *RunAdmin `json:"admin,omitempty"` // nobody where they were deleted
}

// RunAdmin is who signs in to the demo shop's admin, in run.json.
type RunAdmin struct {
	URL      string `json:"url"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// stopBudget is how long a stop may take in all, and grace how long requests and attempts under way get of it.
const (
	stopBudget = 10 * time.Second
	grace      = 8 * time.Second
)

// maxBells is how many bells each queue of the one process holds. Deliveries beyond that wait in their rows.
const maxBells = 10_000

// Main runs the platform until SIGTERM or SIGINT and returns the exit code: 0, or 1 after one clear line on stderr.
func Main(getenv func(string) string, out, errs io.Writer) int {
	settings, err := Of(getenv)
	if err != nil {
		fmt.Fprintln(errs, "eshop:", err)
		return 1
	}
	lines := newBuffered(out)
	defer lines.Close()
	quiet := &atomic.Bool{}
	quiet.Store(true)
	settings.Log = slog.New(settings.handler(lines, quiet))
	logTo(settings.Log)
	collect()
	// Only the first signal counts, and none gets its default action back, which would end the process in the midst of its
	// stop: make sends its child the signal that its whole group has been sent already.
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
		settings.Log.Info("serving", "baseUrl", s.BaseURL, "environment", settings.Environment, "run", s.path("run.json"))
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

// collect lets the heap of this small process grow to several times what is live before garbage is collected: else
// collections take most of a request's processor time. The limit is what a laptop should give the process.
func collect() {
	debug.SetGCPercent(1200)
	debug.SetMemoryLimit(88 << 20)
}

// Start opens the data folder and serves; it returns when everything is served. Nothing is written before the address
// is ours.
func Start(ctx context.Context, settings Settings) (*Server, error) {
	listener, err := net.Listen("tcp", settings.Addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on ADDR %s: %w", settings.Addr, reason(err))
	}
	s := &Server{settings: settings, listener: listener, BaseURL: "http://" + clientAddress(listener.Addr())}
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

// reason is the innermost cause: what a person wants to read.
func reason(err error) error {
	var sys syscall.Errno
	if errors.As(err, &sys) {
		return sys
	}
	return err
}

// clientAddress is the address by which a client on this machine reaches the listener.
func clientAddress(a net.Addr) string {
	t := a.(*net.TCPAddr)
	if t.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", t.Port)
	}
	return t.String()
}

func (s *Server) port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// open opens the data folder, seeded if it is new, and puts the platform together.
func (s *Server) open(ctx context.Context) error {
	if err := os.MkdirAll(s.settings.Data, 0o700); err != nil {
		return fmt.Errorf("cannot make the data folder DATA: %w", err)
	}
	operator, err := s.operatorToken()
	if err != nil {
		return err
	}
	s.Run = Run{BaseURL: s.BaseURL, OperatorToken: operator}
	keys, err := file.Open(s.path("secret.key"))
	if err != nil {
		return err
	}
	if s.settings.Demo {
		if err := s.seed(ctx, keys, operator); err != nil {
			return fmt.Errorf("cannot seed the demo shop: %w", err)
		}
	}
	s.db, err = openDB(s.path(DataFile), s.settings)
	if err != nil {
		return err
	}
	if err := s.assemble(ctx, keys, operator); err != nil {
		s.db.Close()
		return err
	}
	return nil
}

func (s *Server) path(name string) string { return filepath.Join(s.settings.Data, name) }

// openDB opens the data file: the main table with its feed, the pipeline's and the counters'.
func openDB(path string, settings Settings) (*bolt.DB, error) {
	db, err := bolt.Open(path, bolt.Options{Feeds: []string{"main"}, Now: settings.Now, Log: settings.Log})
	if err != nil {
		return nil, fmt.Errorf("cannot open the data file %s: %w", filepath.Base(path), err)
	}
	return db, nil
}

// operatorToken is the operator's token: that of the settings, or one that is made once and kept.
func (s *Server) operatorToken() (string, error) {
	if t := s.settings.OperatorToken; t != "" {
		return t, nil
	}
	good := func(token string) bool { return s.settings.checkOperatorToken(token) == nil }
	return s.keptToken("operator.token", good, func() (string, error) {
		b := make([]byte, 32)
		_, _ = rand.Read(b) // never fails
		return "eop_" + base64.RawURLEncoding.EncodeToString(b), nil
	})
}

// keptToken is the token in a file of the data folder. Where there is no good one a new one is made and written there:
// at the first start, and when the file was damaged, which is said.
func (s *Server) keptToken(name string, good func(token string) bool, make func() (string, error)) (string, error) {
	b, err := os.ReadFile(s.path(name))
	token := strings.TrimSpace(string(b))
	if err == nil && good(token) {
		return token, nil
	}
	damage := ""
	if err == nil {
		damage = "it held none"
	} else if !errors.Is(err, os.ErrNotExist) {
		damage = reason(err).Error()
	}
	if token, err = make(); err != nil {
		return "", err
	}
	if err := file.Write(s.path(name), []byte(token+"\n")); err != nil {
		return "", fmt.Errorf("cannot write %s: %w", name, reason(err))
	}
	if damage != "" {
		s.settings.Log.Warn("a new token was made", "file", name, "because", damage)
	}
	return token, nil
}

// platform is what functions run with on this database. Counters, queues, files and what calls out are the caller's to
// add: a seeding has others than the running platform, or none.
func platform(ctx context.Context, db *bolt.DB, keys *file.Keys, s *Server, operator string) (*host.Platform, error) {
	main := db.Table("main")
	key, err := host.SecretKey(ctx, main, keys)
	if err != nil {
		return nil, err
	}
	p := host.New(host.Platform{
		Stores:      host.Stores{Main: main, Pipeline: db.Table("pipeline"), Secrets: keys, Signing: keys},
		World:       host.World{Now: s.settings.Now, Random: s.settings.Random, Log: s.settings.Log, Attempts: s.settings.Log, Calm: s.traffic.calm},
		Addresses:   host.Addresses{BaseURL: s.BaseURL, Website: s.website, ReservedSlug: functions.ReservedSlug()},
		Traits:      host.OneProcess,
		Admission:   host.Admission{Key: key, Operator: host.TokenHash(operator)},
		Environment: s.settings.Environment,
	})
	p.Accesses = addon.NewResolver(main, p.Now, s.website, 0)
	p.Storefront = host.StorefrontOf(main, p.Now, s.own, main.Watch)
	return p, nil
}

// website is a shop's storefront on this machine (contract, section 6).
func (s *Server) website(shop, _ string) string {
	if s.demo != nil && shop == s.demo.item.Shop {
		return fmt.Sprintf("http://localhost:%d", s.port())
	}
	return fmt.Sprintf("http://%s.localhost:%d", strings.ToLower(shop), s.port())
}

// own is the shop that a name of this machine leads to (contract, section 6): the demo shop by localhost and any literal
// loopback address, every other by its id.
func (s *Server) own(name string) (shop string, is bool) {
	if ip := net.ParseIP(name); name == "localhost" || ip != nil && ip.IsLoopback() {
		if s.demo == nil {
			return "", true
		}
		return s.demo.item.Shop, true
	}
	id, is := strings.CutSuffix(name, ".localhost")
	return strings.ToUpper(id), is
}

// assemble makes the platform with all its parts, and registers the operations of all functions.
func (s *Server) assemble(ctx context.Context, keys *file.Keys, operator string) (err error) {
	s.Platform, err = platform(ctx, s.db, keys, s, operator)
	if err != nil {
		return err
	}
	p := s.Platform
	s.metrics = newMetrics()
	p.Figure = s.metrics.add
	s.feed = s.db.Feed("main")
	s.counters = limits.Open(s.db.Table("counters"))
	dead := bells.New(queue.Settings{Name: "dead", Visibility: time.Minute, MaxReceives: 1 << 30}, nil, maxBells)
	s.queues = map[host.Resource]*bells.Queue{}
	for _, q := range host.QueuesOf(functions.List) {
		s.queues[q.Resource] = bells.New(q.Settings(), dead, maxBells)
		s.metrics.queue(string(q.Resource), s.queues[q.Resource])
	}
	p.Counters, p.Fresh, p.Retry = s.counters, s.queues[host.Fresh], s.queues[host.Retry]
	s.demo = &demo{server: s}
	if err := s.demo.load(ctx); err != nil {
		return err
	}
	p.Demo = s.demo.seeded()
	p.Egress = egress.New(egress.Options{Rules: p.Callable(), Now: p.Now})
	s.inbox = newInbox()
	if s.files, err = s.bucket(); err != nil {
		return err
	}
	p.Files = s.files
	s.API = p.Frame()
	for _, f := range functions.List {
		if f.HTTP != nil {
			f.HTTP(p, s.API)
		}
	}
	s.routes()
	return nil
}

// routes are what only this host serves.
func (s *Server) routes() {
	s.API.Handle("GET /healthz", http.HandlerFunc(s.health))
	s.API.Handle("GET /readyz", http.HandlerFunc(s.readiness))
	s.API.HandleOperator("GET /metrics", s.metrics.handler())
	s.API.Receive(uploads+"/{key...}", s.upload)
	if s.demo.seeded() && !s.Platform.Production() {
		s.API.Handle("POST "+host.DemoReceiver, s.demo.receiver())
		s.API.Handle("GET "+host.DemoReceiver, http.HandlerFunc(s.demo.show))
		s.API.Handle("POST "+configuratorPath+"/quotes", http.HandlerFunc(s.demo.configure))
		s.API.Handle("OPTIONS "+configuratorPath+"/quotes", http.HandlerFunc(s.demo.configure))
	}
}

// health is 200 once everything is served (contract, section 8).
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if !s.served.Load() {
		api.Refuse(w, r, problem.Unavailable(time.Second))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"status":"ok"}`+"\n")
}

// readiness is 200 while requests are answered and the store can be read: a balancer sends none otherwise.
func (s *Server) readiness(w http.ResponseWriter, r *http.Request) {
	if !s.served.Load() {
		api.Refuse(w, r, problem.Unavailable(time.Second))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if _, err := s.Platform.Main.Get(ctx, store.Key{PK: "WARM", SK: "A"}); err != nil {
		s.Platform.Log.Warn("the store cannot be read", "error", err)
		api.Refuse(w, r, problem.Unavailable(time.Second))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"status":"ready"}`+"\n")
}

// serve starts the front door and the pumps.
func (s *Server) serve() {
	s.http = openDoor(s.listener, s.backups(s.traffic.counting(s.API)), s.settings.Log)
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	for _, f := range functions.List {
		s.start(ctx, f)
	}
	counting, stop := context.WithCancel(context.Background())
	s.stopCounting = stop
	s.counting.Go(counting, func() error { return s.counters.Run(counting) })
}

// start runs what triggers a function, until ctx ends.
func (s *Server) start(ctx context.Context, f host.Function) {
	switch {
	case f.Feed != nil:
		s.pump(ctx, func() { s.pumpFeed(ctx, f) })
	case f.Messages != nil:
		s.receive(ctx, f.Messages)
	case f.Upload != nil:
		s.pump(ctx, func() { s.pumpUploads(ctx, f) })
	case f.Tick != nil:
		s.pump(ctx, func() { s.tick(ctx, f) })
	}
}

// refill rings for the rows that wait: at the start, and whenever a queue had to drop bells and has room again.
func (s *Server) refill(ctx context.Context, ring func(context.Context, *host.Platform, int) error) {
	for {
		if err := ring(ctx, s.Platform, maxBells); err != nil && ctx.Err() == nil {
			s.Platform.Log.Error("waiting deliveries could not be rung, trying again", "error", err)
			wait(ctx, time.Second)
			continue
		}
		select {
		case <-s.queues[host.Fresh].Refill():
		case <-s.queues[host.Retry].Refill():
		case <-ctx.Done():
			return
		}
	}
}

// ready does what needs a serving platform, then writes run.json.
func (s *Server) ready(ctx context.Context) error {
	if err := s.demo.ready(ctx); err != nil {
		return fmt.Errorf("cannot prepare the demo shop: %w", err)
	}
	b, err := json.MarshalIndent(s.Run, "", "  ")
	if err != nil {
		return err
	}
	if err := file.Write(s.path("run.json"), append(b, '\n')); err != nil {
		return fmt.Errorf("cannot write run.json: %w", reason(err))
	}
	s.served.Store(true)
	return nil
}

// Stop ends the platform within 10 s. No request and no attempt begins any more. Those under way get 8 s; then what
// became of them is written down, and the store is closed.
func (s *Server) Stop() error {
	all, over := context.WithTimeout(context.Background(), stopBudget)
	defer over()
	requests, cut := context.WithTimeout(all, grace)
	defer cut()
	results, tooLate := context.WithTimeout(all, stopBudget-time.Second)
	defer tooLate()
	s.served.Store(false)
	s.stop()
	err := s.http.Shutdown(requests)
	if err != nil {
		err = s.http.Close()
	}
	if within(results, func() error { _ = s.pumps.Wait(); return nil }) != nil {
		s.Platform.Log.Warn("the stop did not wait for what is still under way: it counts as not done")
	}
	return errors.Join(err, s.close(all))
}

// close writes down what is left and closes the store, unless ctx ends before: then it is as after a kill.
func (s *Server) close(ctx context.Context) error {
	s.stopCounting()
	return within(ctx, func() error {
		err := s.counting.Wait()
		err = errors.Join(err, s.Platform.Numbers.GiveBack(ctx, s.Platform.Main))
		return errors.Join(err, s.db.Close())
	})
}

// within does f and returns its error, or that of ctx when it ends before f.
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
	fmt.Fprintf(w, "\nThe platform serves at %s (%s)\n\n", s.BaseURL, s.settings.Environment)
	fmt.Fprintf(w, "  API reference    %s/docs\n", s.BaseURL)
	fmt.Fprintf(w, "  Addresses, operator's token and demo token as JSON: %s\n", s.path("run.json"))
	s.demo.greet(w)
	fmt.Fprintln(w)
}
