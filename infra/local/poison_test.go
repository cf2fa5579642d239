package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/ports/queue"
	bells "eshop/shared/ports/queue/memory"
)

// quietly leaves the stacks of panics that are meant out of the test's output.
func quietly(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(before) })
}

// bare is a server with no more than pumps need.
func bare() *Server {
	return &Server{Platform: &host.Platform{Parts: host.Parts{World: host.World{Log: slog.New(slog.DiscardHandler)}}}}
}

// one is a feed that hands these changes, and no others.
type one []events.Change

func (f one) Follow(ctx context.Context, _ int, handle func(context.Context, []events.Change) error) error {
	for handle(ctx, f) != nil && ctx.Err() == nil {
	}
	<-ctx.Done()
	return ctx.Err()
}

func TestAChangeThatFailsWithItsWholeBatchIsPutAsideAlone(t *testing.T) {
	quietly(t)
	for name, fails := range map[string]func() (int, error){
		"an error":               func() (int, error) { return 0, errors.New("it cannot be read") },
		"a panic":                func() (int, error) { panic("what nobody foresaw") },
		"an error behind others": func() (int, error) { return 1, errors.New("it cannot be read") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, handled := bare(), []string{}
				feed := one{{Request: "a"}, {Request: "b"}, {Request: "bad"}, {Request: "c"}, {Request: "d"}}
				ctx, stop := context.WithCancel(t.Context())
				s.pump(ctx, func() {
					s.pumpFeed(ctx, feed, host.Function{Feed: &host.Feed{Batch: 500,
						Handler: func(*host.Platform) func(context.Context, []events.Change) (int, error) {
							return func(_ context.Context, changes []events.Change) (int, error) {
								if bad := slices.IndexFunc(changes, func(c events.Change) bool {
									return c.Request == "bad"
								}); bad >= 0 {
									done, err := fails()
									if done = min(done, bad); done > 0 {
										handled = append(handled, changes[0].Request)
									}
									return done, err
								}
								for _, c := range changes {
									handled = append(handled, c.Request)
								}
								return len(changes), nil
							}
						}}})
				})
				time.Sleep(time.Minute)
				stop()
				require.NoError(t, s.pumps.Wait())
				require.Equal(t, []string{"a", "b", "c", "d"}, handled)
			})
		})
	}
}

// A shop whose changes all fail costs the others the tries of one.
func TestAShopOfWhichNothingCanBeToldHoldsUpNoOther(t *testing.T) {
	quietly(t)
	synctest.Test(t, func(t *testing.T) {
		const each = 500
		var changes []events.Change
		for range each {
			changes = append(changes, events.Change{Shop: "ill"}, events.Change{Shop: "well"})
		}
		told, tried := map[string]int{}, 0
		well := func(_ context.Context, changes []events.Change) (int, error) {
			for n, c := range changes {
				if c.Shop == "ill" && told["ill"] == 0 {
					tried++
					return n, errors.New("it cannot be read")
				}
				told[c.Shop]++
			}
			return len(changes), nil
		}
		f := &feeder{log: slog.New(slog.DiscardHandler), handle: well, poisoned: map[string]bool{}}
		began := time.Now()
		require.NoError(t, f.hand(t.Context(), changes))
		require.Equal(t, map[string]int{"well": each}, told)
		require.Equal(t, (poisonTries-1)*pause, time.Since(began))

		told["ill"], tried = 1, 0
		require.NoError(t, f.hand(t.Context(), []events.Change{{Shop: "ill"}}))
		told["ill"] = 0
		require.NoError(t, f.hand(t.Context(), []events.Change{{Shop: "ill"}}))
		require.Equal(t, poisonTries, tried, "once well again it has all its tries")
	})
}

func TestMessagesThatPanicTakeNobodysPlace(t *testing.T) {
	quietly(t)
	synctest.Test(t, func(t *testing.T) {
		s, handled := bare(), make(chan string, 1)
		q := bells.New(queue.Settings{Visibility: time.Hour}, nil, bells.Bound)
		for range 2 * maxHandled {
			require.NoError(t, q.Send(t.Context(), queue.Message{Body: "bad", Group: "bad"}))
		}
		ctx, stop := context.WithCancel(t.Context())
		s.pump(ctx, func() {
			s.pumpQueue(ctx, func(_ context.Context, m []queue.Received) []queue.Received {
				if m[0].Body == "bad" {
					panic("what nobody foresaw")
				}
				handled <- m[0].Body
				return nil
			}, q)
		})
		time.Sleep(time.Minute)
		require.NoError(t, q.Send(t.Context(), queue.Message{Body: "good"}))
		require.Equal(t, "good", <-handled)
		stop()
		require.NoError(t, s.pumps.Wait())
		_, _, onLoan := q.Depth()
		require.Equal(t, 2*maxHandled, onLoan, "each rings again later")
	})
}

func TestOneHandlerServesAllQueuesOfAFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, made, handled := bare(), 0, make(chan string, 2)
		m := &host.Messages{From: []host.Queue{{Resource: host.Fresh}, {Resource: host.Retry}},
			Refill: func(context.Context, *host.Platform, int) error { return nil },
			Handler: func(*host.Platform) func(context.Context, []queue.Received) []queue.Received {
				made++
				return func(_ context.Context, m []queue.Received) []queue.Received { handled <- m[0].Body; return nil }
			}}
		s.queues = map[host.Resource]*bells.Queue{}
		for _, q := range m.From {
			s.queues[q.Resource] = bells.New(queue.Settings{Visibility: time.Hour}, nil, bells.Bound)
			require.NoError(t, s.queues[q.Resource].Send(t.Context(), queue.Message{Body: "bell"}))
		}
		ctx, stop := context.WithCancel(t.Context())
		s.pumpQueues(ctx, m)
		require.Equal(t, "bell", <-handled)
		require.Equal(t, "bell", <-handled)
		stop()
		require.NoError(t, s.pumps.Wait())
		require.Equal(t, 1, made, "what it knows of one queue's messages it knows of the other's")
	})
}

func TestFilesThatFailTakeNobodysPlace(t *testing.T) {
	quietly(t)
	synctest.Test(t, func(t *testing.T) {
		s, handled := bare(), make(chan string, 1)
		files, err := folder.Open(t.TempDir(), folder.Options{})
		require.NoError(t, err)
		s.files, s.inboxes = files, inboxes{"imports/": newInbox()}
		for n := range 2 * uploadSlots {
			s.inboxes.put(fmt.Sprintf("imports/shop%d/import/file", n))
		}
		s.inboxes.put("imports/good/import/file")
		ctx, stop := context.WithCancel(t.Context())
		s.pump(ctx, func() {
			s.pumpUploads(ctx, host.Function{Upload: &host.Upload{Prefix: "imports/",
				Handler: func(*host.Platform) func(context.Context, string) error {
					return func(_ context.Context, key string) error {
						switch {
						case key == "imports/good/import/file":
							handled <- key
						case strings.HasPrefix(key, "imports/shop0/"):
							panic("what nobody foresaw")
						default:
							return errors.New("it cannot be read")
						}
						return nil
					}
				}}})
		})
		require.Equal(t, "imports/good/import/file", <-handled)
		stop()
		require.NoError(t, s.pumps.Wait())
	})
}

// TestAFileThatFailsIsTriedAgainOnce, however often it is put meanwhile, as the sweeper puts one of an export.
func TestAFileThatFailsIsTriedAgainOnce(t *testing.T) {
	quietly(t)
	synctest.Test(t, func(t *testing.T) {
		s, tries := bare(), 0
		files, err := folder.Open(t.TempDir(), folder.Options{})
		require.NoError(t, err)
		s.files, s.inboxes = files, inboxes{"exports/": newInbox()}
		ctx, stop := context.WithCancel(t.Context())
		s.pump(ctx, func() {
			s.pumpUploads(ctx, host.Function{Upload: &host.Upload{Prefix: "exports/",
				Handler: func(*host.Platform) func(context.Context, string) error {
					return func(context.Context, string) error { tries++; return errors.New("the store is away") }
				}}})
		})
		for range 55 {
			s.inboxes.put("exports/shop/export/ask")
			time.Sleep(1100 * time.Millisecond)
		}
		stop()
		require.NoError(t, s.pumps.Wait())
		require.InDelta(t, 12, tries, 2, "one in five seconds, for a minute")
	})
}

func TestAScheduledRunThatPanicsRunsAgain(t *testing.T) {
	quietly(t)
	synctest.Test(t, func(t *testing.T) {
		s, runs := bare(), 0
		ctx, stop := context.WithCancel(t.Context())
		s.pump(ctx, func() {
			s.pumpTicks(ctx, host.Function{Tick: &host.Tick{Every: time.Second,
				Handler: func(*host.Platform) func(context.Context) error {
					return func(context.Context) error { runs++; panic("what nobody foresaw") }
				}}})
		})
		time.Sleep(time.Minute + time.Millisecond)
		stop()
		require.NoError(t, s.pumps.Wait())
		require.Equal(t, 60, runs)
	})
}

// TestADamagedDataFileIsRefusedInOneLine: whoever starts the platform reads what to do.
func TestADamagedDataFileIsRefusedInOneLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), DataFile)
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no data file", 1000)), 0o600))
	_, err := openDB(path, Settings{})
	require.EqualError(t, err,
		"cannot open the data file eshop.db: it is damaged: restore a backup (invalid database)")
}
