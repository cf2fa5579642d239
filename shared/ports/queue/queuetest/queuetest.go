// Package queuetest proves the promises of queue.Queue on any implementation: in memory under a clock that the test
// owns, on a real engine in real time.
package queuetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/queue"
)

// Open makes a new, empty queue of these settings and the dead-letter queue they name.
type Open func(t *testing.T, s queue.Settings) (q, dead queue.Queue)

// Run holds the implementation to every promise, in real time; the cases run side by side and take some seconds, since
// engines count delays in whole ones.
func Run(t *testing.T, open Open) {
	RunUnder(t, func(t *testing.T, f func(*testing.T)) { f(t) }, open)
}

// RunUnder is Run with each case, its Open included, called by around: synctest.Test gives the cases a clock that
// jumps.
func RunUnder(t *testing.T, around func(*testing.T, func(*testing.T)), open Open) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			around(t, func(t *testing.T) { c.run(t, begin(t, open)) })
		})
	}
}

// cases are what every queue promises, each in a sentence.
var cases = []struct {
	name string
	run  func(*testing.T, *bench)
}{
	{"a message is received as it was sent", receivedAsSent},
	{"any number of messages goes in with one send", anyNumber},
	{"a body may be as long as MaxMessage and hold any text", bodies},
	{"a send out of limits is refused", refused},
	{"an empty queue answers when the wait ends", emptyWaits},
	{"a waiting receive gets what comes", wakes},
	{"a receive ends with its context", ends},
	{"a receive takes no more than it asked for", atMost},
	{"a delayed message is not seen before its time", delayed},
	{"a received message is hidden for its visibility and then comes again", comesAgain},
	{"a deleted message never comes again, and deleting twice is no fault", deleted},
	{"a message received too often goes to the dead letters", deadLetters},
	{"many receivers at once get each message once", once},
}

const (
	second     = time.Second
	visibility = 2 * second
	receives   = 3
	patience   = 20 * second // for what must come
)

// bench is one case's queue and its dead letters.
type bench struct {
	ctx  context.Context
	q    queue.Queue
	dead queue.Queue
}

// begin opens a queue of its own for one case, with its dead letters.
func begin(t *testing.T, open Open) *bench {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	name := "suite-" + strings.ToLower(rand.Text()[:12])
	b := &bench{ctx: ctx}
	b.q, b.dead = open(t, queue.Settings{Name: name, Visibility: visibility, MaxReceives: receives,
		DeadLetter: name + "-dead"})
	return b
}

func (b *bench) send(t *testing.T, messages ...queue.Message) {
	t.Helper()
	require.NoError(t, b.q.Send(b.ctx, messages...))
}

// take receives n messages, in as many calls as it needs.
func (b *bench) take(t *testing.T, q queue.Queue, n int) []queue.Received {
	t.Helper()
	var got []queue.Received
	for end := time.Now().Add(patience); len(got) < n && time.Now().Before(end); {
		some, err := q.Receive(b.ctx, min(n-len(got), queue.MaxBatch), second)
		require.NoError(t, err)
		got = append(got, some...)
	}
	require.Len(t, got, n, "messages received")
	return got
}

func (b *bench) one(t *testing.T) queue.Received {
	t.Helper()
	return b.take(t, b.q, 1)[0]
}

// none asserts that nothing is to be seen now.
func (b *bench) none(t *testing.T) {
	t.Helper()
	got, err := b.q.Receive(b.ctx, queue.MaxBatch, 0)
	require.NoError(t, err)
	require.Empty(t, got)
}

func numbered(n int) []queue.Message {
	all := make([]queue.Message, n)
	for i := range all {
		all[i] = queue.Message{Body: fmt.Sprintf("m%04d", i), Group: "g"}
	}
	return all
}

func sorted(got []queue.Received) []string {
	var all []string
	for _, r := range got {
		all = append(all, r.Body)
	}
	slices.Sort(all)
	return all
}

func receivedAsSent(t *testing.T, b *bench) {
	b.send(t, queue.Message{Body: `{"a":1}`, Group: "tenant-1"})
	r := b.one(t)
	require.Equal(t, `{"a":1}`, r.Body)
	require.Equal(t, "tenant-1", r.Group)
	require.Equal(t, 1, r.Count)
	require.NotEmpty(t, r.ID)
	require.NotEmpty(t, r.Receipt)
	b.none(t)
}

func anyNumber(t *testing.T, bench *bench) {
	bench.send(t)
	bench.none(t)
	sent := numbered(25)
	bench.send(t, sent...)
	got := bench.take(t, bench.q, len(sent))
	for i, body := range sorted(got) {
		require.Equal(t, sent[i].Body, body)
	}
	require.NoError(t, bench.q.Delete(bench.ctx, got...), "more than MaxBatch deleted in one call")
	bench.none(t)
}

func bodies(t *testing.T, b *bench) {
	long := strings.Repeat("x", queue.MaxMessage)
	odd := "\"příliš\" <žluťoučký> & kůň\n\t🎁 \\u0041 %00 &amp;"
	b.send(t, queue.Message{Body: odd, Group: "g"}, queue.Message{Body: long, Group: "g"},
		queue.Message{Body: long, Group: "g"}, queue.Message{Body: long, Group: "g"},
		queue.Message{Body: long, Group: "g"},
		queue.Message{Body: long, Group: "g"})
	n := 0
	for _, r := range b.take(t, b.q, 6) {
		if r.Body == odd {
			n++
			continue
		}
		require.True(t, r.Body == long, "a long body came changed")
	}
	require.Equal(t, 1, n, "the odd text came once")
}

func refused(t *testing.T, b *bench) {
	require.Error(t, b.q.Send(b.ctx, queue.Message{Body: strings.Repeat("x", queue.MaxMessage+1), Group: "g"}))
	require.Error(t, b.q.Send(b.ctx, queue.Message{Body: "x", Group: "g", Delay: queue.MaxDelay + second}))
	require.Error(t, b.q.Send(b.ctx, queue.Message{Body: "x", Group: "g", Delay: -second}))
	b.none(t)
}

func emptyWaits(t *testing.T, b *bench) {
	b.none(t)
	from := time.Now()
	got, err := b.q.Receive(b.ctx, 1, second)
	require.NoError(t, err)
	require.Empty(t, got)
	require.GreaterOrEqual(t, time.Since(from), second-50*time.Millisecond)
	require.Less(t, time.Since(from), patience)
}

func wakes(t *testing.T, b *bench) {
	got := make(chan []queue.Received, 1)
	go func() {
		some, _ := b.q.Receive(b.ctx, 1, patience)
		got <- some
	}()
	b.send(t, queue.Message{Body: "late", Group: "g"})
	some := <-got
	require.Len(t, some, 1)
	require.Equal(t, "late", some[0].Body)
}

func ends(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(b.ctx)
	failed := make(chan error, 1)
	from := time.Now()
	go func() {
		_, err := b.q.Receive(ctx, 1, patience)
		failed <- err
	}()
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	require.Less(t, time.Since(from), patience/2)
}

func atMost(t *testing.T, b *bench) {
	b.send(t, numbered(queue.MaxBatch+2)...)
	for _, n := range []int{1, 3, queue.MaxBatch} {
		got, err := b.q.Receive(b.ctx, n, second)
		require.NoError(t, err)
		require.NotEmpty(t, got)
		require.LessOrEqual(t, len(got), n)
	}
}

func delayed(t *testing.T, b *bench) {
	from := time.Now()
	b.send(t, queue.Message{Body: "later", Group: "g", Delay: 2 * second}, queue.Message{Body: "now", Group: "g"})
	require.Equal(t, "now", b.one(t).Body)
	r := b.one(t)
	require.Equal(t, "later", r.Body)
	require.Equal(t, 1, r.Count)
	require.GreaterOrEqual(t, time.Since(from), 2*second-50*time.Millisecond)
}

func comesAgain(t *testing.T, bench *bench) {
	bench.send(t, queue.Message{Body: "x", Group: "g"})
	first := bench.one(t)
	from := time.Now()
	bench.none(t)
	again := bench.one(t)
	require.GreaterOrEqual(t, time.Since(from), visibility-500*time.Millisecond)
	require.Equal(t, first.ID, again.ID)
	require.Equal(t, 2, again.Count)
	require.Equal(t, "x", again.Body)
	require.NoError(t, bench.q.Delete(bench.ctx, again))
}

func deleted(t *testing.T, b *bench) {
	b.send(t, numbered(12)...)
	got := b.take(t, b.q, 12)
	require.NoError(t, b.q.Delete(b.ctx))
	require.NoError(t, b.q.Delete(b.ctx, got...))
	require.NoError(t, b.q.Delete(b.ctx, got[0], got[1]))
	rest, err := b.q.Receive(b.ctx, 1, visibility+second)
	require.NoError(t, err)
	require.Empty(t, rest)
}

func deadLetters(t *testing.T, b *bench) {
	b.send(t, queue.Message{Body: "poison", Group: "g"})
	for n := 1; n <= receives; n++ {
		require.Equal(t, n, b.one(t).Count)
	}
	rest, err := b.q.Receive(b.ctx, 1, visibility+second) // nor once its last loan has ended
	require.NoError(t, err)
	require.Empty(t, rest)
	require.Equal(t, "poison", b.take(t, b.dead, 1)[0].Body)
}

func once(t *testing.T, bench *bench) {
	const n, receivers = 200, 4
	sent := numbered(n)
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	seen, gone := map[string]int{}, 0
	ctx, cancel := context.WithCancel(bench.ctx)
	defer cancel()
	note := func(got []queue.Received, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil && !errors.Is(err, context.Canceled) {
			failed = errors.Join(failed, err)
			cancel()
		}
		for _, r := range got {
			seen[r.Body]++
		}
		if gone += len(got); gone == n {
			cancel()
		}
	}
	for range receivers {
		wg.Go(func() {
			for ctx.Err() == nil {
				got, err := bench.q.Receive(ctx, queue.MaxBatch, second)
				if err == nil {
					err = bench.q.Delete(bench.ctx, got...)
				}
				note(got, err)
			}
		})
		part := sent[:n/receivers]
		sent = sent[n/receivers:]
		wg.Go(func() { note(nil, bench.q.Send(bench.ctx, part...)) })
	}
	wg.Wait()
	require.NoError(t, failed)
	require.Len(t, seen, n)
	for body, times := range seen {
		require.Equal(t, 1, times, body)
	}
}
