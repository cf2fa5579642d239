//go:build aws

package dynamo

import (
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/aws/engines"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/limit/limittest"
	"eshop/shared/ports/store"
)

// counters are in one table for all tests, through a client that can be spoiled.
func counters(t *testing.T) (*Counters, *gate) {
	t.Helper()
	cfg, table := engines.ForTest(t, engines.DynamoDB), "limits-"+rand.Text()
	engines.Counters(t, cfg, table, Key, Expires)
	g := &gate{}
	cfg = cfg.Copy()
	cfg.HTTPClient = g
	c := New(cfg, table)
	c.Timeout = 10 * time.Second // hundreds at once on a busy machine
	return c, g
}

// gate counts the calls and answers them instead of the engine when it is told to.
type gate struct {
	calls  int
	answer string
	err    error
}

func (g *gate) Do(r *http.Request) (*http.Response, error) {
	if g.answer == "" && g.err == nil {
		g.calls++
		return http.DefaultTransport.RoundTrip(r)
	}
	return &http.Response{StatusCode: 400, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(g.answer))}, g.err
}

func TestCounters(t *testing.T) {
	cfg := engines.ForTest(t, engines.DynamoDB)
	name := "limits-" + rand.Text()
	engines.Counters(t, cfg, name, Key, Expires)
	c := New(cfg, name)
	c.Timeout = 10 * time.Second
	limittest.Run(t, func(*testing.T) limit.Counters { return c })
}

var (
	limits = limit.Limits{Hourly: 3, Daily: 10}
	noon   = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

func TestAChargeIsOneCallAndOneUnit(t *testing.T) {
	c, _ := counters(t)
	ctx, m := store.WithMeter(t.Context())
	_, err := c.Charge(ctx, "a", limits, 1, noon)
	require.NoError(t, err)
	read, write := m.Units()
	require.Equal(t, []any{1, 0.0, 1.0}, []any{m.Calls(), read, write})
}

func TestAnAccessWithNothingLeftIsRefusedWithoutAsking(t *testing.T) {
	charge := func(t *testing.T, c *Counters, cost int64, l limit.Limits, now time.Time) limit.Standing {
		t.Helper()
		s, err := c.Charge(t.Context(), "a", l, cost, now)
		require.NoError(t, err)
		return s
	}
	spend := func(t *testing.T) (*Counters, *gate) {
		c, g := counters(t)
		charge(t, c, 3, limits, noon)
		require.Equal(t, limit.Standing{Daily: 7, Refused: limit.Hourly}, charge(t, c, 1, limits, noon))
		g.calls = 0
		return c, g
	}
	t.Run("for ten seconds", func(t *testing.T) {
		c, g := spend(t)
		require.Equal(t, limit.Standing{Daily: 7, Refused: limit.Hourly},
			charge(t, c, 1, limits, noon.Add(10*time.Second)))
		require.Equal(t, limit.Daily, charge(t, c, 8, limits, noon).Refused)
		require.Zero(t, g.calls)
		charge(t, c, 1, limits, noon.Add(10*time.Second+1))
		require.Equal(t, 1, g.calls)
	})
	t.Run("until its limits change", func(t *testing.T) {
		c, _ := spend(t)
		require.Empty(t, charge(t, c, 1, limit.Limits{Hourly: 4, Daily: 10}, noon).Refused)
	})
	t.Run("until the hour ends", func(t *testing.T) {
		c, _ := counters(t)
		late := noon.Add(time.Hour - time.Second)
		charge(t, c, 3, limits, late)
		charge(t, c, 1, limits, late)
		require.Equal(t, limit.Standing{Hourly: 2, Daily: 6}, charge(t, c, 1, limits, late.Add(time.Second)))
	})
	t.Run("until something is given back here", func(t *testing.T) {
		c, _ := spend(t)
		s, err := c.Refund(t.Context(), "a", limits, 2, noon)
		require.NoError(t, err)
		require.Equal(t, limit.Standing{Hourly: 2, Daily: 9}, s)
		require.Empty(t, charge(t, c, 2, limits, noon).Refused)
	})
	t.Run("but not when it only asked for more than is left", func(t *testing.T) {
		c, g := counters(t)
		charge(t, c, 2, limits, noon)
		require.Equal(t, limit.Hourly, charge(t, c, 2, limits, noon).Refused)
		g.calls = 0
		require.Empty(t, charge(t, c, 1, limits, noon).Refused)
		require.Equal(t, 1, g.calls)
	})
}

func TestMoreThanWasChargedIsNotGivenBack(t *testing.T) {
	c, _ := counters(t)
	_, err := c.Charge(t.Context(), "a", limits, 1, noon)
	require.NoError(t, err)
	s, err := c.Refund(t.Context(), "a", limits, 2, noon)
	require.NoError(t, err)
	require.Equal(t, limit.Standing{Hourly: 2, Daily: 9}, s)
}

func TestAThrottledCounterAndAForbiddenOneAreNotUnreachable(t *testing.T) {
	c, g := counters(t)
	g.answer = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}`
	for _, cost := range []int64{0, 1} {
		_, err := c.Charge(t.Context(), "a", limits, cost, noon)
		require.ErrorIs(t, err, limit.ErrThrottled)
	}
	g.answer = `{"__type":"com.amazon.coral.service#AccessDeniedException"}`
	for _, cost := range []int64{0, 1} {
		_, err := c.Charge(t.Context(), "a", limits, cost, noon)
		require.ErrorIs(t, err, limit.ErrForbidden)
	}
	g.err = errors.New("no route")
	for _, cost := range []int64{0, 1} {
		_, err := c.Charge(t.Context(), "a", limits, cost, noon)
		require.Error(t, err)
		require.NotErrorIs(t, err, limit.ErrThrottled)
		require.NotErrorIs(t, err, limit.ErrForbidden)
	}
}
