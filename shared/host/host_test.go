package host_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/addon"
	"eshop/shared/host"
	"eshop/shared/remember"
	"eshop/shared/shop"
)

func TestWhatAHostDoesNotSayDoesNothing(t *testing.T) {
	p := host.New(host.Platform{})
	p.Figure("Calls", host.Count, 1)
	require.False(t, p.Calm(t.Context()), "there are no requests to wait for")
	require.NotNil(t, p.Names, "names are found by the system")
	require.Zero(t, p.Traits)
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
		p := host.New(host.Platform{Traits: x.traits, Environment: x.environment,
			Addresses: host.Addresses{BaseURL: "https://api.example"}})
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
			codes := host.StorefrontOf(nil, time.Now, shop.Names{}, remember.For(time.Now, time.Hour)).Codes
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
