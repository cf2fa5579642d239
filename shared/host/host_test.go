package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
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
