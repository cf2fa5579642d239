package host_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/addon"
	"eshop/shared/host"
	"eshop/shared/sale"
)

// parts are as few as a platform without functions can have.
func parts() host.Parts {
	return host.Parts{Environment: "development",
		Addresses: host.Addresses{BaseURL: "https://api.example", ReservedSlug: host.ReservedSlug(nil)},
		World:     host.World{Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)}}
}

func TestWhatAHostDoesNotSayDoesNothing(t *testing.T) {
	p, err := host.Assemble(t.Context(), parts())
	require.NoError(t, err)
	p.Figure("Calls", host.Count, 1)
	require.False(t, p.Calm(t.Context()), "there are no requests to wait for")
	require.NoError(t, p.Room())
	require.NotNil(t, p.Names, "names are found by the system")
	require.Zero(t, p.Traits)
	require.Nil(t, p.Key, "nobody's")
	require.Nil(t, p.Slots, "one request at a time")
}

func TestAPartThatIsMissingIsNamed(t *testing.T) {
	reading := host.Function{Name: "reading", Needs: []host.Need{{Resource: host.Main}, {Resource: host.Retry}}}
	for _, c := range []struct {
		names string
		less  func(*host.Parts)
	}{
		{"main, retry", func(*host.Parts) {}},
		{"Environment, main, retry", func(p *host.Parts) { p.Environment = "" }},
		{"BaseURL, ReservedSlug, main, retry", func(p *host.Parts) { p.Addresses = host.Addresses{} }},
		{"Now, Random, Log, main, retry", func(p *host.Parts) { p.World = host.World{} }},
		{"Watch, main, retry", func(p *host.Parts) { p.Traits = host.OneProcess }},
	} {
		p := parts()
		c.less(&p)
		_, err := host.Assemble(t.Context(), p, reading)
		require.EqualError(t, err, "host: the platform has no "+c.names)
	}
}

func TestOnlyAProcessThatIsAloneRemembersUntilItWritesAndBoundsWhatItsRequestsHold(t *testing.T) {
	now, asked := time.Now(), 0
	for _, traits := range []host.Traits{host.OneProcess, {}} {
		brought := parts()
		brought.Traits, brought.Now = traits, func() time.Time { return now }
		brought.Watch = func(ctx context.Context) (context.Context, func() bool) {
			asked++
			return ctx, func() bool { return true }
		}
		p, err := host.Assemble(t.Context(), brought)
		require.NoError(t, err)
		read := 0
		states := func() {
			_, err := p.States.Get(t.Context(), "shop", func(context.Context) ([]sale.OrderState, error) {
				read++
				return nil, nil
			})
			require.NoError(t, err)
		}
		for range 2 {
			states()
			now = now.Add(29 * time.Second)
		}
		require.Equal(t, 1, read)
		now = now.Add(2 * time.Second)
		states()
		require.Equal(t, traits.Alone, read == 1, "30 s, or until it is written")
		require.Equal(t, 1, asked)
		require.Equal(t, traits.Alone, p.Slots != nil && p.Bodies != nil && p.Answers != nil)
	}
}

func TestLoopbackIsATraitOutsideProduction(t *testing.T) {
	for _, x := range []struct {
		traits      host.Traits
		environment string
		may         bool
	}{
		{host.Traits{}, "development", false},
		{host.Traits{Near: true, Instant: true, Alone: true}, "development", false},
		{host.Traits{Loopback: true}, "development", true},
		{host.OneProcess, "development", true},
		{host.OneProcess, "production", false},
	} {
		p := host.Platform{Parts: parts()}
		p.Traits, p.Environment = x.traits, x.environment
		err := p.Callable().Check("http://127.0.0.1:9000/hook")
		require.Equal(t, x.may, err == nil, "%+v", x)
	}
}

// TestCustomCodesAreRememberedWithinABoundOfBytes: few shops with much code take no more memory than many with little.
func TestCustomCodesAreRememberedWithinABoundOfBytes(t *testing.T) {
	for _, x := range []struct {
		says                     string
		bytes, shops, remembered int // bytes of each shop
	}{
		{"shops with all the code that a shop may have", addon.MaxActiveBytes, 30, 16},
		{"shops with half of it", addon.MaxActiveBytes / 2, 50, 32},
		{"shops with little", 2, 300, 200},
	} {
		t.Run(x.says, func(t *testing.T) {
			p, err := host.Assemble(t.Context(), parts())
			require.NoError(t, err)
			codes := p.Codes
			half := strings.Repeat("x", x.bytes/2)
			of := map[addon.Position]string{addon.InHead: half, addon.AtBodyEnd: half}
			get := func(shop int, err error) error {
				_, err = codes.Get(t.Context(), strconv.Itoa(shop),
					func(context.Context) (map[addon.Position]string, error) { return of, err })
				return err
			}
			remembered := 0
			for shop := range x.shops {
				require.NoError(t, get(shop, nil))
			}
			for shop := range x.shops {
				if get(shop, errors.New("it is not remembered")) == nil {
					remembered++
				}
			}
			require.Equal(t, x.remembered, remembered)
		})
	}
}
