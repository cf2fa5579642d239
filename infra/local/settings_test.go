package local

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheCanaryIsAskedFor, and not in production, where nothing on this machine may be a receiver.
func TestTheCanaryIsAskedFor(t *testing.T) {
	of := func(set map[string]string) (bool, error) {
		s, err := Of(func(name string) string { return set[name] })
		return s.Canary, err
	}
	for _, given := range []string{"", "0", "1"} {
		is, err := of(map[string]string{"CANARY": given})
		require.NoError(t, err)
		require.Equal(t, given == "1", is)
	}
	_, err := of(map[string]string{"CANARY": "1", "ENVIRONMENT": "production"})
	require.ErrorContains(t, err, "CANARY is not for production")
}

// TestTheTestDomainIsAName in lower case with a dot in it, or none.
func TestTheTestDomainIsAName(t *testing.T) {
	of := func(domain string) (Settings, error) {
		return Of(func(name string) string { return map[string]string{"TEST_DOMAIN": domain}[name] })
	}
	for _, name := range []string{"", "dev.example.com", "a.b"} {
		s, err := of(name)
		require.NoError(t, err)
		require.Equal(t, name, s.TestDomain)
	}
	for _, odd := range []string{"example", "Dev.example.com", ".example.com", "dev.example.com.", "a b.cz",
		"https://a.cz"} {
		_, err := of(odd)
		require.ErrorContains(t, err, "TEST_DOMAIN is a name", odd)
	}
}
