package main

import (
	"context"
	"hash/fnv"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	changes "eshop/events"
	"eshop/functions"
	"eshop/infra/aws/engines"
	"eshop/shared/host"
	"eshop/shared/host/lambda"
	"eshop/shared/ports/blob/folder"
	counters "eshop/shared/ports/limit/memory"
	"eshop/shared/ports/queue"
	bells "eshop/shared/ports/queue/memory"
	"eshop/shared/ports/secret/file"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
)

// strict is a table that refuses an update which another overtook, as DynamoDB does. The one process's, which lies
// beneath, gives it a later version instead.
type strict struct{ store.Table }

func (t strict) Write(ctx context.Context, c changes.Change, ops ...store.Op) (store.Item, error) {
	var overtaken []store.Failure
	for _, op := range ops {
		found, err := t.Get(ctx, op.Key)
		if err != nil {
			return store.Item{}, err
		}
		if op.Overtaken(found[0]) {
			overtaken = append(overtaken, store.Failure{Key: op.Key, Item: found[0]})
		}
	}
	if len(overtaken) > 0 {
		return store.Item{}, &store.ConditionError{Failures: overtaken}
	}
	return t.Table.Write(ctx, c, ops...)
}

// cloud is the platform as functions in Lambda: each call of one has an environment to itself, behind mappings with the
// stack's settings. Its tables, queues and files are those of the one process, made far away; they outlive lives.
type cloud struct {
	t      testing.TB
	mu     sync.Mutex
	life   *Life
	parts  host.Parts // what each environment's platform is made of
	db     *bolt.DB
	files  *folder.Bucket
	put    map[string]chan string // keys of files, by the begin that functions hear of
	queues map[host.Resource]queue.Queue
	lanes  map[string][]lane // by the function that is fed: as many as batches of a shard are handled side by side

	main, pipeline *transactions // that are under way there

	running sync.WaitGroup
	cancel  context.CancelFunc

	most     int          // how many functions a queue calls at once, at the most
	releases atomic.Int64 // how often all functions were deployed, or died: with new environments
}

// newCloud is one in which a queue calls so many functions at once: each looks at its queue each second.
func newCloud(t testing.TB, most int) *cloud {
	c := &cloud{t: t, most: most, put: map[string]chan string{}, queues: map[host.Resource]queue.Queue{},
		lanes: map[string][]lane{}, main: &transactions{held: map[store.Key]bool{}},
		pipeline: &transactions{held: map[store.Key]bool{}}}
	data := t.TempDir()
	var err error
	c.db, err = bolt.Open(filepath.Join(data, "data"),
		bolt.Options{Feeds: []string{"main"}, Disk: func(int) error { return nil }})
	require.NoError(t, err)
	keys, err := file.Open(filepath.Join(data, "key"))
	require.NoError(t, err)
	c.files, err = folder.Open(filepath.Join(data, "files"),
		folder.Options{Base: "https://files.example/uploads", Downloads: "https://files.example/downloads",
			Key: []byte("key"), Now: time.Now,
			OnPut: c.wasPut})
	require.NoError(t, err)
	for _, f := range functions.List {
		if f.Upload != nil {
			c.put[f.Upload.Prefix] = make(chan string, 100)
		}
		for f.Feed != nil && len(c.lanes[f.Name]) < f.Feed.Parallel {
			c.lanes[f.Name] = append(c.lanes[f.Name], make(lane, 1<<16))
		}
	}
	for _, q := range host.QueuesOf(functions.List) {
		c.queues[q.Resource] = bells.New(q.Settings(), nil, 1<<30)
	}
	c.parts = host.Parts{
		Stores: host.Stores{Counters: counters.Open(c.db.Table("counters")), Secrets: keys, Signing: keys,
			Files: c.files},
		World:       host.World{Log: slog.New(slog.DiscardHandler)},
		Addresses:   host.Addresses{BaseURL: "https://api.example", ReservedSlug: functions.ReservedSlug()},
		Traits:      host.Traits{Loopback: true},
		Environment: "staging", Operator: host.TokenHash(Operator), Key: make([]byte, 32),
	}
	return c
}

// Begin deploys all functions: each has new environments from now on.
func (c *cloud) Begin(l *Life) http.Handler {
	c.mu.Lock()
	c.life, c.parts.Calling.Dial = l, l.Dial
	c.parts.Main = l.Far(strict{c.db.Table("main")}, c.main)
	c.parts.Pipeline = l.Far(c.db.Table("pipeline"), c.pipeline)
	c.parts.Fresh, c.parts.Retry = l.SQS(c.queues[host.Fresh]), l.SQS(c.queues[host.Retry])
	c.parts.Now, c.parts.Random = l.Now, l.Random()
	c.mu.Unlock()
	c.releases.Add(1)
	door := c.environment(functions.List...).API
	door.Receive("/uploads/{key...}", func(r *http.Request) error {
		return c.files.Receive(r.Context(), r.PathValue("key"), r.URL.Query(), r.Body)
	})
	door.Handle("GET /downloads/{key...}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.files.Serve(w, r, r.PathValue("key")); err != nil {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	if c.cancel == nil {
		ctx, cancel := context.WithCancel(context.Background())
		c.cancel = cancel
		for _, f := range functions.List {
			c.start(ctx, f)
		}
		c.running.Go(func() { c.shard(ctx) })
	}
	return door
}

// Kill has nothing to do: what is under way in the environments that are gone reaches nothing any more.
func (c *cloud) Kill() {}

// Stop is not asked for: the next life's functions begin beside those that are under way.
func (c *cloud) Stop() {}

// OnAWS is true.
func (c *cloud) OnAWS() bool { return true }

// End stops what calls the functions.
func (c *cloud) End() {
	c.cancel()
	c.running.Wait()
	require.NoError(c.t, c.db.Close())
}

// environment is a Lambda's.
func (c *cloud) environment(run ...host.Function) *host.Platform {
	c.mu.Lock()
	parts := c.parts
	c.mu.Unlock()
	p, err := host.Assemble(context.Background(), parts, run...)
	require.NoError(c.t, err)
	return p
}

// start connects the function with what calls it.
func (c *cloud) start(ctx context.Context, f host.Function) {
	switch {
	case f.Feed != nil:
		call := perCall(&c.releases,
			func() engines.StreamFunction { return lambda.Feed(f.Feed.Handler(c.environment(f))) })
		for _, l := range c.lanes[f.Name] {
			m := &engines.StreamMapping{Function: call, BatchSize: f.Feed.Batch, Window: f.Feed.Window,
				Bisect: true, Retries: f.Feed.Retries,
				MaxAge: f.Feed.MaxAge, Timeout: f.Timeout, Pause: time.Second}
			c.running.Go(func() { _ = m.Run(ctx, l) }) // its error is ctx's
		}
	case f.Messages != nil:
		call := perCall(&c.releases, func() engines.QueueFunction {
			p := c.environment(f)
			handle := lambda.Messages(f.Messages.Handler(p))
			return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
				defer p.Egress.CloseIdle()
				return handle(ctx, e)
			}
		})
		for _, q := range f.Messages.From {
			m := engines.QueueMapping{Function: call, BatchSize: q.Batch, Window: q.Window,
				MaxConcurrency: min(q.Parallel, c.most), Timeout: f.Timeout}
			c.running.Go(func() { _ = m.Run(ctx, c.queues[q.Resource]) }) // the same
		}
	case f.Upload != nil:
		c.running.Go(func() { c.hear(ctx, f) })
	case f.Tick != nil:
		c.running.Go(func() { c.tick(ctx, f) })
	}
}

// perCall is a function that has an environment to itself in each call: one of this release that is free, or a new one.
func perCall[E, R any, F ~func(context.Context, E) (R, error)](releases *atomic.Int64, environment func() F) F {
	var mu sync.Mutex
	var free []F
	var of int64
	return func(ctx context.Context, e E) (R, error) {
		mu.Lock()
		release := releases.Load()
		if release != of {
			free, of = nil, release
		}
		if len(free) == 0 {
			free = append(free, environment())
		}
		f := free[len(free)-1]
		free = free[:len(free)-1]
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			if release == of {
				free = append(free, f)
			}
		}()
		return f(ctx, e)
	}
}

// wasPut lets the function hear of a file that is for it.
func (c *cloud) wasPut(key string) {
	for prefix, put := range c.put {
		if strings.HasPrefix(key, prefix) {
			put <- key
		}
	}
}

func (c *cloud) hear(ctx context.Context, f host.Function) {
	for {
		select {
		case key := <-c.put[f.Upload.Prefix]:
			within, cancel := context.WithTimeout(ctx, f.Timeout)
			_ = f.Upload.Handler(c.environment(f))(within, key) // what fails the sweeper finds
			cancel()
		case <-ctx.Done():
			return
		}
	}
}

func (c *cloud) tick(ctx context.Context, f host.Function) {
	for every := time.NewTicker(f.Tick.Every); ; {
		select {
		case <-every.C:
			_ = f.Tick.Handler(c.environment(f))(ctx) // what fails the next one does
		case <-ctx.Done():
			every.Stop()
			return
		}
	}
}

// shard hands the stream's one shard to its lanes, each time that a mapping looks: changes on one item go the same way.
func (c *cloud) shard(ctx context.Context) {
	last := 0
	hand := func(all []changes.Change) {
		for _, one := range all {
			last++
			r := engines.Record(last, time.Now(), one)
			for _, lanes := range c.lanes {
				lanes[laneOf(one, len(lanes))] <- r
			}
		}
	}
	_ = c.db.Feed("main").Follow(ctx, 1<<16, func(ctx context.Context, all []changes.Change) error {
		time.Sleep(time.Until(time.Now().Truncate(looking).Add(looking)))
		c.mu.Lock()
		l := c.life
		c.mu.Unlock()
		time.Sleep(l.Late())
		if l.Repeats() { // Lambda's answer was lost: meanwhile the webhooks have arrived
			hand(all)
			time.Sleep(20 * time.Second)
		}
		hand(all)
		return nil
	})
}

// laneOf is by the item that the change rides on: its record's, or, of many records, what is told of an import.
func laneOf(c changes.Change, lanes int) int {
	item := c.Request
	if len(c.Records) == 1 {
		item = c.Records[0].ID
	}
	h := fnv.New32a()
	h.Write([]byte(item))
	return int(h.Sum32() % uint32(lanes))
}

// lane is one of the parallel readers of a shard.
type lane chan events.DynamoDBEventRecord

// Read implements engines.Stream.
func (l lane) Read(ctx context.Context, handle func(context.Context, []events.DynamoDBEventRecord) error) error {
	for {
		select {
		case one := <-l:
			if err := handle(ctx, []events.DynamoDBEventRecord{one}); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
