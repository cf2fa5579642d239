package journeys

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	awsevents "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions"
	"eshop/infra/aws/engines"
	"eshop/shared/host"
	"eshop/shared/host/lambda"
	"eshop/shared/ports/limit"
	limits "eshop/shared/ports/limit/memory"
	"eshop/shared/ports/queue"
	bells "eshop/shared/ports/queue/memory"
	"eshop/shared/ports/secret/file"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
)

// state is what the functions in Lambda keep theirs in.
type state struct {
	main, pipeline store.Table
	counters       limit.Counters
	fresh, retry   queue.Queue
	stream         func(function string) engines.Stream // as the function reads it
}

// visibility is how long a message is on loan here: doubled bells do no harm, and no journey waits long for a lost one.
const visibility = time.Second

// receives is how often a message is handed over before it is a dead letter.
var receives = host.QueuesOf(functions.List)[0].MaxReceives

// onBolt is the state of the one process, behind the adapters and mappings of Lambda.
func onBolt(t *testing.T, now func() time.Time) state {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{Feeds: []string{"main"},
		Followers: host.Followers(functions.List), Now: now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	q := func(name string) queue.Queue {
		return bells.New(queue.Settings{Name: name, Visibility: visibility, MaxReceives: receives}, nil, 0)
	}
	return state{main: db.Table("main"), pipeline: db.Table("pipeline"), counters: limits.Open(db.Table("counters")),
		fresh: q("fresh"), retry: q("retry"), stream: func(function string) engines.Stream {
			return &feedStream{feed: db.Follower("main", host.FollowerOf(functions.List, function))}
		}}
}

// feedStream is a feed as a DynamoDB stream of one shard, whose records have nothing but what a change needs.
type feedStream struct {
	feed store.Feed
	last int
}

// Read implements engines.Stream.
func (s *feedStream) Read(ctx context.Context,
	handle func(context.Context, []awsevents.DynamoDBEventRecord) error,
) error {
	return s.feed.Follow(ctx, 500, func(ctx context.Context, changes []events.Change) error {
		records := make([]awsevents.DynamoDBEventRecord, len(changes))
		for i, c := range changes {
			s.last++
			records[i] = engines.Record(s.last, time.Now(), c)
		}
		return handle(ctx, records)
	})
}

// mapped is what stands between mappings and functions, and between functions and what they use: tests put doubling and
// dying there.
type mapped struct {
	feed     func(host.Function, engines.StreamFunction) engines.StreamFunction
	messages func(engines.QueueFunction) engines.QueueFunction
	uploads  func(uploadFunction) uploadFunction
	parts    func(*host.Parts, host.Function)
}

func straight() mapped {
	return mapped{func(_ host.Function, f engines.StreamFunction) engines.StreamFunction { return f },
		func(f engines.QueueFunction) engines.QueueFunction { return f },
		func(f uploadFunction) uploadFunction { return f }, func(*host.Parts, host.Function) {}}
}

// inLambda is the platform as functions in Lambda, each with a platform of its own.
func inLambda(t *testing.T, between mapped) *world {
	w := &world{operator: rand.Text(), clock: &clock{},
		grants: &grants{used: map[string]bool{}}}
	at := onBolt(t, w.clock.Now)
	w.faults = &faults{main: &faultyTable{Table: at.main, outage: &outage{}}, fresh: &faultyQueue{Queue: at.fresh},
		retry:   &faultyQueue{Queue: at.retry},
		unheard: bells.New(queue.Settings{Name: "unheard", Visibility: time.Minute, MaxReceives: 10}, nil, 0)}
	at.main, at.fresh, at.retry = w.faults.main.table(), w.faults.fresh, w.faults.retry
	d := newDoor(t)
	w.url = d.url
	secrets, err := file.Open(filepath.Join(t.TempDir(), "key"))
	require.NoError(t, err)
	files := newBucket(t)
	ctx, cancel := context.WithCancel(context.Background())
	var ended []chan struct{}
	for _, f := range functions.List {
		parts := host.Parts{
			Stores: host.Stores{Main: at.main, Pipeline: at.pipeline, Counters: at.counters, Secrets: secrets,
				Signing: secrets, Files: files},
			Queues: host.Queues{Fresh: at.fresh, Retry: at.retry},
			World: host.World{Now: w.clock.Now, Random: rand.Reader,
				Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))},
			Addresses: host.Addresses{BaseURL: w.url, ReservedSlug: functions.ReservedSlug(),
				Canary: "named later", Outside: throughDoor(w.url)},
			Traits:      host.Traits{Loopback: true},
			Environment: "staging", Operator: host.TokenHash(w.operator),
		}
		if f.HTTP == nil {
			parts.Main = asideOf(w.faults.main).table()
		}
		between.parts(&parts, f)
		w.grants.limit(&parts, f)
		p, err := host.Assemble(t.Context(), parts, f)
		require.NoError(t, err)
		p.Accesses.Timeout = patience // as that of the engines' tables
		if f.Upload != nil {
			done := make(chan struct{})
			ended = append(ended, done)
			handle := between.uploads(throughJSON(lambda.Upload(f.Upload.Handler(p))))
			go func() { defer close(done); files.hear(ctx, f, handle) }()
		}
		for _, run := range w.trigger(d, f, p, at, between) {
			done := make(chan struct{})
			ended = append(ended, done)
			go func() { defer close(done); run(ctx) }()
		}
	}
	t.Cleanup(func() {
		cancel()
		for _, done := range ended {
			<-done
		}
	})
	return w
}

// trigger connects the function with what calls it; what it returns runs until its context ends.
func (w *world) trigger(d *door, f host.Function, p *host.Platform, at state,
	between mapped,
) (runs []func(context.Context)) {
	switch {
	case f.HTTP != nil:
		d.open(f, lambda.HTTP(p.API))
	case f.Feed != nil:
		m := &engines.StreamMapping{Function: between.feed(f, throughJSON(lambda.Feed(f.Feed.Handler(p)))),
			Filter: engines.Changes, BatchSize: 500,
			Window: 5 * time.Millisecond, Bisect: true, Retries: f.Feed.Retries, MaxAge: f.Feed.MaxAge,
			Timeout: f.Timeout,
			Pause:   20 * time.Millisecond, OnFailure: w.faults.unheard}
		runs = append(runs, func(ctx context.Context) { _ = m.Run(ctx, at.stream(f.Name)) }) // its error is ctx's
	case f.Messages != nil:
		handle := between.messages(throughJSON(lambda.Messages(f.Messages.Handler(p))))
		for _, q := range []queue.Queue{at.fresh, at.retry} {
			m := engines.QueueMapping{Function: handle, BatchSize: f.Messages.From[0].Batch,
				Window: 5 * time.Millisecond, Timeout: f.Timeout}
			runs = append(runs, func(ctx context.Context) { _ = m.Run(ctx, q) }) // the same
		}
	case f.Outside:
		w.canary = w.canaryOn(f, p)
	case f.Tick != nil:
		w.faults.tick = lambda.Tick(f.Tick.Handler(p))
	}
	return runs
}

// throughJSON brings event and answer through JSON, as Lambda's runtime does.
func throughJSON[E, R any](f func(context.Context, E) (R, error)) func(context.Context, E) (R, error) {
	return func(ctx context.Context, e E) (r R, err error) {
		event, err := through(e)
		if err != nil {
			return r, err
		}
		if r, err = f(ctx, event); err != nil {
			return r, err
		}
		return through(r)
	}
}

func through[T any](in T) (out T, err error) {
	b, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(b, &out)
}

func TestTheLambdaHost(t *testing.T) {
	t.Parallel()
	w := inLambda(t, straight())
	t.Cleanup(func() {
		assert.Empty(t, w.grants.unused(functions.List), "granted, and used by no journey")
	})
	travel(t, w)
}
