// Package hosttest is the host of tests: a platform on a file of its own, whose clock, ids and randomness belong to the
// test. Requests go through the whole frame, and are counted.
package hosttest

import (
	"context"
	"io"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/ports/limit/memory"
	"eshop/shared/ports/queue"
	queues "eshop/shared/ports/queue/memory"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/secret/file"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record/change"
	"eshop/shared/search"
	"eshop/shared/shop"
)

// Start is when a world begins, unless its setup has another time: 2026-11-21T02:05:12.583Z.
var Start = time.UnixMilli(1795226712583).UTC()

// OperatorToken is the operator's.
const OperatorToken = "the-operators-own-token"

// DeveloperToken is a developer's, where Setup.Authenticate finds callers.
const DeveloperToken = "a-developers-own-token"

// Setup is what a world is made with.
type Setup struct {
	Functions []host.Function // whose operations are served
	Start     time.Time       // zero: Start
	Step      time.Duration   // by which the clock moves on each time it is read
	Main      store.Table     // nil: one of the file
	// ReadersWait is set where the test follows the main table's feed: readers wait for what it makes of changes.
	ReadersWait bool
	// Authenticate finds callers; nil: by the tokens of accesses, and of developers, in the main table.
	Authenticate func(ctx context.Context, token string) (*change.Caller, error)
	Platform     func(p *host.Parts) // sets what is otherwise on this platform; may be nil
}

// World is a platform and the API that it serves.
type World struct {
	T     testing.TB
	P     *host.Platform
	API   *api.API
	Main  *Table // P.Main as the test sees it
	DB    *bolt.DB
	Clock *Clock

	setup  Setup
	file   string
	keys   secret.Keys
	random io.Reader // goes on over a restart, so that no id is made twice while the clock stands
	mu     sync.Mutex
	meter  *store.Meter
}

// Open makes a world that ends with the test.
func Open(t testing.TB, s Setup) *World {
	t.Helper()
	if s.Start.IsZero() {
		s.Start = Start
	}
	dir := t.TempDir()
	keys, err := file.Open(filepath.Join(dir, "key"))
	require.NoError(t, err)
	w := &World{T: t, Clock: &Clock{now: s.Start, step: s.Step}, setup: s, file: filepath.Join(dir, "data"), keys: keys,
		random: Random()}
	w.start()
	t.Cleanup(func() { require.NoError(t, w.DB.Close()) })
	return w
}

// Restart ends the platform and starts it anew on the same file, at the same time.
func (w *World) Restart() {
	w.T.Helper()
	require.NoError(w.T, w.DB.Close())
	w.start()
}

// start opens the data file and registers the functions under test.
func (w *World) start() {
	w.T.Helper()
	db, err := bolt.Open(w.file, bolt.Options{Feeds: []string{"main"},
		Followers: []string{search.Follower}, Now: w.Clock.Now})
	require.NoError(w.T, err)
	w.DB = db
	if w.Main = (&Table{Table: w.setup.Main, readersWait: w.setup.ReadersWait}); w.setup.Main == nil {
		w.Main.Table = db.Table("main")
	}
	parts := w.parts()
	if w.setup.Platform != nil {
		w.setup.Platform(&parts)
	}
	w.P, err = host.Assemble(context.Background(), parts, w.setup.Functions...)
	require.NoError(w.T, err)
	w.API = w.P.API
	if w.setup.Authenticate != nil {
		w.API.Authenticate = w.setup.Authenticate
		w.API.Developers = authenticateDeveloper
	}
}

// parts are those of a host with real stores in one file, its files beside it, and a clock of the test's own.
func (w *World) parts() host.Parts {
	key := make([]byte, 32)
	files, err := folder.Open(filepath.Join(filepath.Dir(w.file), "files"),
		folder.Options{Base: "https://files.example", Key: key, Now: w.Clock.Now})
	require.NoError(w.T, err)
	return host.Parts{
		Stores: host.Stores{Main: w.Main, Pipeline: w.Main.pipeline(w.DB.Table("pipeline")),
			Watch: w.DB.Table("main").Watch, Counters: counters{memory.Open(w.DB.Table("counters")), w.Main},
			Secrets: w.keys, Signing: w.keys, Files: files},
		Queues: host.Queues{Fresh: bells(), Retry: bells()},
		World:  host.World{Now: w.Clock.Now, Random: w.random, Log: slog.New(slog.DiscardHandler)},
		Addresses: host.Addresses{BaseURL: "http://127.0.0.1:8080", Shops: shop.Places{Host: "example"},
			ReservedSlug: host.ReservedSlug([]string{"basket", "api-engine", "docs"})},
		Environment: "test", Operator: host.TokenHash(OperatorToken), Key: key,
	}
}

// Traits are those of the one process, or none.
func Traits(oneProcess bool) host.Traits {
	if oneProcess {
		return host.OneProcess
	}
	return host.Traits{}
}

// bells is a queue in memory.
func bells() queue.Queue { return queues.New(queue.Settings{Visibility: time.Minute}, nil, 0) }

// Put writes items as if they had always been there.
func (w *World) Put(t store.Table, items ...store.Item) {
	w.T.Helper()
	for _, i := range items {
		_, err := t.Write(context.Background(), events.Nothing, store.Put(i))
		require.NoError(w.T, err)
	}
}

// Meter is what the last request asked of stores and counters.
func (w *World) Meter() *store.Meter { w.mu.Lock(); defer w.mu.Unlock(); return w.meter }

// Names are addresses by names: a resolver that knows these and no others.
type Names map[string]string

// LookupNetIP is the address of a name, nothing where there is none.
func (n Names) LookupNetIP(_ context.Context, _, name string) ([]netip.Addr, error) {
	if a, has := n[strings.TrimSuffix(name, ".")]; has {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, nil
}
