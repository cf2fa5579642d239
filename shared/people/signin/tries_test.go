package signin_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/host/hosttest"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
)

// model is who has tried when, kept for ever.
type model map[string][]time.Time

// left says how many tries a subject has at a moment.
func (m model) left(name string, most int, now time.Time) int {
	for _, at := range m[name] {
		if at.After(now.Add(-time.Minute)) {
			most--
		}
	}
	return most
}

func TestInNoMinuteThereAreMoreTriesThanThereMayBe(t *testing.T) {
	w, run := hosttest.Open(t, hosttest.Setup{}), 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		m := model{}
		for range rapid.IntRange(1, 40).Draw(t, "tries") {
			w.Clock.Pass(time.Duration(rapid.OneOf(rapid.Int64Range(0, 2_000), rapid.Int64Range(0, 70_000),
				rapid.Just(int64(60_000))).Draw(t, "ms later")) * time.Millisecond)
			address := fmt.Sprintf("address %d of %d", rapid.IntRange(0, 1).Draw(t, "address"), run)
			account := fmt.Sprintf("account %d of %d", rapid.IntRange(0, 2).Draw(t, "account"), run)
			now := w.P.Now()
			passes := m.left(address, 10, now) > 0 && m.left(account, 5, now) > 0
			try := func() time.Duration {
				subjects := []signin.Subject{signin.Address(address), signin.Account("x", shop, account)}
				return refused(t, tries.Count(t.Context(), unit(w), subjects...))
			}
			wait := try()
			require.Equal(t, passes, wait == 0)
			if wait > 0 {
				require.LessOrEqual(t, wait, time.Minute)
				soon := now.Add(wait - time.Second)
				early := m.left(address, 10, soon) > 0 && m.left(account, 5, soon) > 0
				require.False(t, early, "Retry-After is as short as it can be")
				if !rapid.Bool().Draw(t, "waits") {
					continue
				}
				w.Clock.Pass(wait)
				now = w.P.Now()
				require.Zero(t, try(), "after Retry-After there is a try")
			}
			m[address], m[account] = append(m[address], now), append(m[account], now)
		}
	})
}

func TestOfTriesAtOncePassAsManyAsThereAre(t *testing.T) {
	for _, c := range []struct {
		name             string
		address, account string // %d: each try has another one
		pass             int64
	}{
		{"of one address", "192.0.2.1", "a%d@example.cz", 10},
		{"of one account", "192.0.3.%d", "jana@example.cz", 5},
		{"of both", "192.0.2.2", "petr@example.cz", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := hosttest.Open(t, hosttest.Setup{})
			var passed atomic.Int64
			var all sync.WaitGroup
			named := func(pattern string, i int) string {
				if slices.Contains([]byte(pattern), '%') {
					return fmt.Sprintf(pattern, i)
				}
				return pattern
			}
			for i := range 40 {
				all.Go(func() {
					err := tries.Count(t.Context(), unit(w), signin.Address(named(c.address, i)),
						signin.Account("x", shop, named(c.account, i)))
					if refused(t, err) == 0 {
						passed.Add(1)
					}
				})
			}
			all.Wait()
			require.Equal(t, c.pass, passed.Load())
		})
	}
}

func TestARefusedTryTakesNone(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	address, jana := signin.Address("192.0.2.1"), signin.Account("x", shop, "jana@example.cz")
	for range 5 {
		require.NoError(t, tries.Count(t.Context(), unit(w), address, jana))
	}
	for range 20 {
		require.Equal(t, time.Minute, refused(t, tries.Count(t.Context(), unit(w), address, jana)))
	}
	for i := range 5 {
		require.NoError(t, tries.Count(t.Context(), unit(w), address, signin.Account("x", shop, fmt.Sprint(i))),
			"the address has what the account was refused")
	}
	require.NotZero(t, refused(t, tries.Count(t.Context(), unit(w), address, signin.Account("x", shop, "5"))))
	w.Clock.Pass(time.Minute)
	require.NoError(t, tries.Count(t.Context(), unit(w), address, jana), "a minute later, to the millisecond")
}

func TestWhoseTriesAreTheSame(t *testing.T) {
	for _, c := range []struct {
		name       string
		one, other signin.Subject
		same       bool
	}{
		{"an address", signin.Address("192.0.2.1"), signin.Address("192.0.2.1"), true},
		{"an IPv4 address in an IPv6 one", signin.Address("192.0.2.1"), signin.Address("::ffff:192.0.2.1"), true},
		{"addresses of a /64", signin.Address("2001:db8::1"), signin.Address("2001:db8:0:0:ffff::2"), true},
		{"other addresses", signin.Address("192.0.2.1"), signin.Address("192.0.2.2"), false},
		{"another /64", signin.Address("2001:db8::1"), signin.Address("2001:db8:0:1::1"), false},
		{"loopback", signin.Address("::1"), signin.Address("127.0.0.1"), false},
		{"an interface's own", signin.Address("fe80::1%eth0"), signin.Address("fe80::1"), true},
		{"an account", signin.Account("x", shop, "a"), signin.Account("x", shop, "a"), true},
		{"another shop's", signin.Account("x", shop, "a"), signin.Account("x", "other", "a"), false},
		{"another kind's", signin.Account("x", shop, "a"), signin.Account("y", shop, "a"), false},
		{"an account with an address as its name", signin.Address("a"), signin.Account("", "", "a"), false},
	} {
		require.Equal(t, c.same, c.one == c.other, c.name)
	}
}

func TestTriesTellNobodyWhoTried(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	var written []store.Op
	w.Main.Before(func(ops []store.Op) error { written = append(written, ops...); return nil })
	jana := signin.Account("x", shop, "jana@example.cz")
	require.NoError(t, tries.Count(t.Context(), unit(w), signin.Address("192.0.2.1"), jana))
	require.Len(t, written, 2)
	for _, op := range written {
		kept := fmt.Sprintf("%+v %s", op.Item, op.Item.Doc)
		require.NotContains(t, kept, "192.0.2.1")
		require.NotContains(t, kept, "jana")
		require.Greater(t, op.Item.Expires, w.P.Now().Add(time.Minute-time.Second).Unix())
		require.LessOrEqual(t, op.Item.Expires, w.P.Now().Add(time.Minute+2*time.Second).Unix())
	}
	other, at := signin.Tries{Key: []byte("another")}, written[0].Key
	require.NoError(t, other.Count(t.Context(), unit(w), signin.Address("192.0.2.1")))
	require.NotEqual(t, at, written[2].Key, "who has not the key cannot look an address up")
}

func TestATryIsOneReadAndOneWrite(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	count := func() int {
		ctx, meter := store.WithMeter(t.Context())
		_ = tries.Count(ctx, unit(w), signin.Address("192.0.2.1"), signin.Account("x", shop, "jana@example.cz"))
		return meter.Calls()
	}
	for range 5 {
		require.Equal(t, 2, count())
	}
	require.Equal(t, 1, count(), "a refused one writes nothing")
}

func TestNobodyTriesWhereTriesCannotBeCounted(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{})
	w.Main.Before(func([]store.Op) error { return store.ErrUnavailable })
	require.ErrorIs(t, tries.Count(t.Context(), unit(w), signin.Address("192.0.2.1")), store.ErrUnavailable)
	w.Main.Down()
	require.ErrorIs(t, tries.Count(t.Context(), unit(w), signin.Address("192.0.2.1")), store.ErrUnavailable)
}
