package releases

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions"
	"eshop/infra/local"
	"eshop/shared/host"
	"eshop/shared/ports/blob/folder"
	limits "eshop/shared/ports/limit/memory"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/secret/file"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
)

// operatorToken is the operator's in all worlds.
const operatorToken = "the-operator-of-the-golden-data"

// The hosts.
const (
	inOneProcess = "one-process"
	onAWS        = "aws"  // functions in Lambda; their tables are files here
	ofDemo       = "demo" // the one process, with the demo that it has seeded
)

// world is a platform on a data folder. Its machines run when the test says so, its clock moves when the test moves it.
type world struct {
	t      testing.TB
	on     string // the host
	folder string
	p      *host.Platform
	door   http.Handler
	db     *bolt.DB
	tables map[string]*table // by their names
	bells  *bells            // of both queues
	put    []string          // keys of files that nobody has looked at

	mu    sync.Mutex
	clock time.Time

	fed     []func(context.Context, []events.Change) (int, error)
	deliver func(context.Context, []queue.Received) []queue.Received
	files   map[string]func(context.Context, string) error // what is done when one is put, by the begin of its key
	sweep   func(context.Context) error
	count   sync.WaitGroup
	counts  context.CancelFunc
}

// baseURL is the platform's address, which nobody connects to.
const baseURL = "http://127.0.0.1:8080"

// open opens the data folder at a time, with more rows. The seed is that of its randomness.
func open(t testing.TB, on, data string, now time.Time, seed byte, rows ...row) *world {
	t.Helper()
	w := &world{t: t, on: on, folder: data, clock: now, tables: map[string]*table{}, bells: &bells{}}
	w.bells.now = w.now
	var err error
	w.db, err = bolt.Open(filepath.Join(data, local.DataFile), bolt.Options{Feeds: []string{"main"}, Now: w.now,
		Log: slog.New(slog.DiscardHandler), Disk: func(int) error { return nil }})
	require.NoError(t, err)
	for _, name := range tableNames {
		w.tables[name] = &table{Table: w.db.Table(name), keys: map[store.Key]bool{}, left: -1}
	}
	w.load(rows)
	keys, err := file.Open(filepath.Join(data, "secret.key"))
	require.NoError(t, err)
	main := w.tables["main"]
	counters := limits.Open(w.tables["counters"])
	traits := host.OneProcess
	if on == onAWS {
		traits = host.Traits{Loopback: true}
	}
	key, err := host.SecretKey(t.Context(), main, keys)
	require.NoError(t, err)
	files, err := folder.Open(filepath.Join(data, "files"), folder.Options{Base: baseURL + "/uploads",
		Downloads: baseURL + "/downloads", Key: key, Now: w.now,
		OnPut: func(key string) { w.put = append(w.put, key) }})
	require.NoError(t, err)
	w.p, err = host.Assemble(t.Context(), host.Parts{
		Stores: host.Stores{Main: main, Watch: w.db.Table("main").Watch, Pipeline: w.tables["pipeline"],
			Counters: counters, Secrets: keys, Signing: keys, Files: files},
		Queues: host.Queues{Fresh: w.bells, Retry: w.bells},
		World: host.World{Now: w.now, Random: &dice{random: rand.NewChaCha8([32]byte{seed})},
			Log: slog.New(slog.DiscardHandler)},
		Addresses:   host.Addresses{BaseURL: baseURL, ReservedSlug: functions.ReservedSlug()},
		Traits:      traits,
		Environment: "development", Operator: host.TokenHash(operatorToken), Key: key,
	}, functions.List...)
	require.NoError(t, err)
	w.serve(files)
	ctx, stop := context.WithCancel(context.Background())
	w.counts = stop
	w.count.Go(func() { _ = counters.Run(ctx) })
	return w
}

// serve makes the front door and the machines.
func (w *world) serve(files *folder.Bucket) {
	w.files = map[string]func(context.Context, string) error{}
	w.p.API.Receive("/uploads/{key...}", func(r *http.Request) error {
		return files.Receive(r.Context(), r.PathValue("key"), r.URL.Query(), r.Body)
	})
	for _, f := range functions.List {
		switch {
		case f.Feed != nil:
			w.fed = append(w.fed, f.Feed.Handler(w.p))
		case f.Messages != nil:
			w.deliver = f.Messages.Handler(w.p)
		case f.Upload != nil:
			w.files[f.Upload.Prefix] = f.Upload.Handler(w.p)
		case f.Tick != nil && !f.Outside:
			w.sweep = f.Tick.Handler(w.p)
		}
	}
	w.door = w.p.API
}

func (w *world) now() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.clock }

// pass lets time pass.
func (w *world) pass(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.clock = w.clock.Add(d) }

// close ends the platform in order.
func (w *world) close() {
	w.t.Helper()
	w.counts()
	w.count.Wait()
	w.p.Egress.CloseIdle()
	require.NoError(w.t, w.db.Close())
}

// feed hands over all changes that nobody has handled yet.
func (w *world) feed() {
	w.t.Helper()
	handled := w.db.Table("main").Lag("")
	if handled == nil {
		return
	}
	ctx, stop := context.WithTimeout(w.t.Context(), time.Minute)
	var following sync.WaitGroup
	following.Go(func() {
		_ = w.db.Feed("main").Follow(ctx, 500, func(ctx context.Context, all []events.Change) error {
			for _, handle := range w.fed {
				if _, err := handle(ctx, all); err != nil {
					return err
				}
			}
			return nil
		})
	})
	require.NoError(w.t, handled(ctx))
	stop()
	following.Wait()
}

// unheard are the changes that nobody has handled yet.
func (w *world) unheard() (all []events.Change) {
	ctx, stop := context.WithCancel(w.t.Context())
	if w.db.Table("main").Lag("") != nil {
		_ = w.db.Feed("main").Follow(ctx, 500, func(_ context.Context, some []events.Change) error {
			all = some
			stop()
			return errors.New("it stays unheard")
		})
	}
	stop()
	return all
}

// ring hands over the messages whose time has come, and those that come of them.
func (w *world) ring() {
	w.t.Helper()
	for range 100 {
		due := w.bells.due()
		if len(due) == 0 {
			return
		}
		for _, again := range w.deliver(w.t.Context(), due) {
			require.NoError(w.t, w.bells.Send(w.t.Context(), queue.Message{Body: again.Body, Delay: time.Second}))
		}
	}
	require.FailNow(w.t, "it rings without an end")
}

// bring hands a file that was put to the function that is for it.
func (w *world) bring(ctx context.Context, key string) error {
	for prefix, handle := range w.files {
		if strings.HasPrefix(key, prefix) {
			return handle(ctx, key)
		}
	}
	return nil
}

// work is a turn of all machines. What fails is left for the next.
func (w *world) work() {
	w.t.Helper()
	w.feed()
	w.ring()
	for len(w.put) > 0 {
		key := w.put[0]
		w.put = w.put[1:]
		_ = w.bring(w.t.Context(), key) // what fails the sweeper finds
	}
	_ = w.sweep(w.t.Context()) // what fails the next run does
	w.feed()
	w.ring()
}

// Do is the answer to a request, as a client of HTTP has it.
func (w *world) Do(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:4711"
	if err := toAdmin(w, r); err != nil {
		return nil, err
	}
	got := httptest.NewRecorder()
	w.door.ServeHTTP(got, r)
	return got.Result(), nil
}

// rows are all rows that this world has written, and which are still there, the changes that nobody has heard of, and
// the messages that wait.
func (w *world) rows() (all []row) {
	w.t.Helper()
	w.counts()
	w.count.Wait() // until all that was counted is written down
	for _, name := range tableNames {
		t := w.tables[name]
		for _, key := range slices.SortedFunc(maps.Keys(t.keys), compareKeys) {
			items, err := t.Get(w.t.Context(), key)
			require.NoError(w.t, err)
			if items[0] != nil {
				all = append(all, row{Table: name, item: *items[0]})
			}
		}
	}
	for _, c := range w.unheard() {
		all = append(all, row{Table: "main", Change: c.Encode()})
	}
	for _, m := range w.bells.waiting {
		all = append(all, row{Table: queued, Message: m.Body})
	}
	return all
}

// load writes rows as if they had always been there. The changes become those that nobody has heard of.
func (w *world) load(rows []row) {
	w.t.Helper()
	for _, name := range tableNames {
		of := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Table != name || r.Change != "" })
		for some := range slices.Chunk(of, store.MaxOperations) {
			var ops []store.Op
			for _, r := range some {
				ops = append(ops, store.Put(r.item))
			}
			_, err := w.db.Table(name).Write(w.t.Context(), events.Nothing, ops...)
			require.NoError(w.t, err)
		}
	}
	for _, r := range rows {
		if r.Message != "" {
			require.NoError(w.t, w.bells.Send(w.t.Context(), queue.Message{Body: r.Message}))
		}
		if r.Change == "" {
			continue
		}
		c, err := events.Decode(r.Change)
		require.NoError(w.t, err)
		carrier := store.Put(store.Item{Key: store.Key{PK: "CH", SK: c.Request}})
		_, err = w.db.Table("main").Write(w.t.Context(), c, carrier)
		require.NoError(w.t, err)
	}
}

// tableNames are the tables of the platform.
var tableNames = []string{"main", "pipeline", "counters"}

// table notes the keys that are written. It is away once so many more writes were done, unless left is negative.
type table struct {
	store.Table
	mu   sync.Mutex
	keys map[store.Key]bool
	left int
}

func (t *table) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	t.mu.Lock()
	away := t.left == 0
	if t.left > 0 {
		t.left--
	}
	for _, o := range ops {
		t.keys[o.Key] = true
	}
	t.mu.Unlock()
	if away {
		return store.Item{}, store.ErrUnavailable
	}
	return t.Table.Write(ctx, c, ops...)
}

// serves lets so many more writes be done; -1 any number.
func (t *table) serves(writes int) { t.mu.Lock(); defer t.mu.Unlock(); t.left = writes }

// bells are the messages of the queues, which wait for a test to hand them over.
type bells struct {
	mu      sync.Mutex
	now     func() time.Time
	waiting []waiting
}

type waiting struct {
	queue.Received
	due time.Time
}

// Send is queue.Sender's.
func (b *bells) Send(_ context.Context, messages ...queue.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range messages {
		b.waiting = append(b.waiting,
			waiting{queue.Received{Body: m.Body, Group: m.Group, Count: 1}, b.now().Add(m.Delay)})
	}
	return nil
}

// due takes the messages whose time has come.
func (b *bells) due() (all []queue.Received) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.waiting = slices.DeleteFunc(b.waiting, func(w waiting) bool {
		if w.due.After(now) {
			return false
		}
		all = append(all, w.Received)
		return true
	})
	return all
}

// lose loses the messages, as the end of a process does.
func (b *bells) lose() { b.mu.Lock(); defer b.mu.Unlock(); b.waiting = nil }

// dice is randomness that is the same in each run.
type dice struct {
	mu     sync.Mutex
	random *rand.ChaCha8
}

func (d *dice) Read(b []byte) (int, error) { d.mu.Lock(); defer d.mu.Unlock(); return d.random.Read(b) }

// receiver is the server of add-ons. To all paths but /down it answers 200 with the body that it got, which proves the
// address to a ping.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	calls map[string][]string // the bodies by path
	heads map[string][]http.Header
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{calls: map[string][]string{}, heads: map[string][]http.Header{}}
	r.Server = httptest.NewServer(r)
	r.Config.SetKeepAlivesEnabled(false)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.calls[req.URL.Path] = append(r.calls[req.URL.Path], string(body))
	r.heads[req.URL.Path] = append(r.heads[req.URL.Path], req.Header)
	r.mu.Unlock()
	if req.URL.Path == "/down" && !bytes.Contains(body, []byte(`"ping"`)) {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(body)
}

// heard are the bodies that came to a path with this in them.
func (r *receiver) heard(path, what string) (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.calls[path] {
		if strings.Contains(body, what) {
			all = append(all, body)
		}
	}
	return all
}
