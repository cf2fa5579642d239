package journeys

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/infra/proof/simulate"
	"eshop/shared/host"
)

// TestDaysOnAWS simulates days of the platform as functions in Lambda: SEED and DAYS choose others than the few that
// are always tried.
func TestDaysOnAWS(t *testing.T) {
	if testing.Short() {
		t.Skip("days of seeds take long")
	}
	seeds, length := simulate.Seeds(t)
	for _, seed := range seeds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			simulate.Run(t, seed, length, func(t testing.TB) simulate.Host {
				return newSimulatedCloud(t)
			})
		})
	}
}

// simulatedCloud is the functions with tables and queues that outlive them.
type simulatedCloud struct {
	*cloud
	cancel         context.CancelFunc
	main, pipeline far
	life           *simulate.Life
}

func newSimulatedCloud(t testing.TB) *simulatedCloud {
	s := &simulatedCloud{cloud: newCloud(t)}
	s.most = 8 // each looks at its queue each second of many days
	s.main, s.pipeline = s.parts.Main.(far), s.parts.Pipeline.(far)
	s.disturb = func() (time.Duration, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.life.Late(), s.life.Repeats()
	}
	return s
}

// Begin deploys all functions: each has new environments from now on.
func (s *simulatedCloud) Begin(l *simulate.Life) http.Handler {
	s.mu.Lock()
	s.life, s.parts.Calling.Dial = l, l.Dial
	s.parts.Main, s.parts.Pipeline = l.Far(s.main.Table), l.Far(s.pipeline.Table)
	s.parts.Fresh, s.parts.Retry = l.SQS(s.queues[host.Fresh]), l.SQS(s.queues[host.Retry])
	s.parts.Now, s.parts.Random = l.Now, l.Random()
	s.parts.Operator = host.TokenHash(simulate.Operator)
	s.mu.Unlock()
	s.releases.Add(1)
	s.serve()
	if s.cancel == nil {
		ctx, cancel := context.WithCancel(context.Background())
		s.cancel = cancel
		for _, f := range functions.List {
			s.start(ctx, f)
		}
		s.running.Go(func() { s.shard(ctx) })
	}
	return s.door
}

// Kill has nothing to do: what is under way in the environments that are gone reaches nothing any more.
func (s *simulatedCloud) Kill() {}

// Stop has nothing to do either: the next life's functions begin beside those that are under way.
func (s *simulatedCloud) Stop() {}

// OnAWS is true.
func (s *simulatedCloud) OnAWS() bool { return true }

// End stops what calls the functions.
func (s *simulatedCloud) End() {
	s.cancel()
	s.running.Wait()
	require.NoError(s.T, s.db.Close())
}
