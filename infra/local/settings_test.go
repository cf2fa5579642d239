package local

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheCanaryIsAskedFor by the names of a shop and a package, or, but in production, as the demo's.
func TestTheCanaryIsAskedFor(t *testing.T) {
	of := func(canary, environment string) (string, error) {
		set := map[string]string{"CANARY": canary, "ENVIRONMENT": environment, "PUBLIC_URL": "https://eshop.example"}
		s, err := ReadSettings(func(name string) string { return set[name] })
		return s.Canary, err
	}
	const named = "01KAZ3Q7V8J9RYXQ2W4T6B8C0D/01KAZ3Q7V8J9RYXQ2W4T6B8C0E"
	for given, want := range map[string]string{"": "", "0": "", "1": "1", named: named} {
		is, err := of(given, "development")
		require.NoError(t, err)
		require.Equal(t, want, is)
	}
	for _, odd := range []string{"yes", "a/b", named + "/", named[:26]} {
		_, err := of(odd, "development")
		require.ErrorContains(t, err, "CANARY is 1", odd)
	}
	_, err := of("1", "production")
	require.ErrorContains(t, err, "CANARY=1 is not for production")
	is, err := of(named, "production")
	require.NoError(t, err)
	require.Equal(t, named, is)
}

// TestThePublicURLIsTheAddressOfAName, and production does not start without.
func TestThePublicURLIsTheAddressOfAName(t *testing.T) {
	of := func(address, environment string) (string, error) {
		set := map[string]string{"PUBLIC_URL": address, "ENVIRONMENT": environment}
		s, err := ReadSettings(func(name string) string { return set[name] })
		if s.PublicURL == nil {
			return "", err
		}
		return s.PublicURL.String(), err
	}
	for address, want := range map[string]string{"": "", "https://eshop.example": "https://eshop.example",
		"https://eshop.example/": "https://eshop.example", "https://eshop.example:443": "https://eshop.example",
		"http://eshop:80": "http://eshop", "http://eshop.example:8080": "http://eshop.example:8080",
		"http://localhost:8080": "http://localhost:8080"} {
		is, err := of(address, "development")
		require.NoError(t, err)
		require.Equal(t, want, is)
	}
	for _, odd := range []string{"eshop.example", "//eshop.example", "ftp://eshop.example", "https://", "https://:443",
		"https://eshop.example/shop", "https://eshop.example?", "https://eshop.example#a", "https://a@eshop.example",
		"https://Eshop.example", "https://192.0.2.1", "https://[2001:db8::1]", "https://eshop.example.",
		"https://eshop.example:0", "https://eshop.example:65536", "https://eshop.example:080",
		"https://admin.example", "https://a.admin.example", "https://%65shop.example", " https://eshop.example"} {
		_, err := of(odd, "development")
		require.ErrorContains(t, err, "PUBLIC_URL is the platform's address", odd)
	}
	_, err := of("", "production")
	require.ErrorContains(t, err, "PUBLIC_URL must be set in production")
	_, err = of("https://eshop.example", "production")
	require.NoError(t, err)
}

// TestTheTestDomainIsAName in lower case with a dot in it, or none.
func TestTheTestDomainIsAName(t *testing.T) {
	of := func(domain string) (Settings, error) {
		return ReadSettings(func(name string) string { return map[string]string{"TEST_DOMAIN": domain}[name] })
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
