package local

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/api"
)

// seen is what a handler behind trusted proxies is shown of a request that came from peer: the visitor's address and
// port, the host and the scheme.
func seen(t *testing.T, trusted, peer string, headers ...string) [3]string {
	t.Helper()
	proxies, err := proxiesOf(trusted)
	require.NoError(t, err)
	var is [3]string
	s := &Server{settings: Settings{TrustedProxies: proxies}}
	r := httptest.NewRequest("GET", "/", nil)
	r.Host, r.RemoteAddr, r.URL.Scheme = "asked.example", peer, ""
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	s.behind(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		is = [3]string{r.RemoteAddr, r.Host, r.URL.Scheme}
	})).ServeHTTP(httptest.NewRecorder(), r)
	require.Equal(t, []string{"asked.example", peer, ""}, []string{r.Host, r.RemoteAddr, r.URL.Scheme},
		"the server's own request is not changed")
	return is
}

const xff, xfh, xfp = "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"

// TestTheLastUntrustedAddressCounts (contract, "The one process"): whatever stands before it, anybody may have written.
func TestTheLastUntrustedAddressCounts(t *testing.T) {
	for name, x := range map[string]struct {
		trusted, peer string
		headers       []string
		want          string
	}{
		"nothing is told": {"127.0.0.1", "127.0.0.1:9", nil, "127.0.0.1"},
		"one proxy":       {"127.0.0.1", "127.0.0.1:9", []string{xff, "192.0.2.1"}, "192.0.2.1"},
		"a spoofed entry": {"127.0.0.1", "127.0.0.1:9",
			[]string{xff, "198.51.100.7, 192.0.2.1"}, "192.0.2.1"},
		"a proxy's own, spoofed": {"127.0.0.1", "127.0.0.1:9", []string{xff, "127.0.0.1, 192.0.2.1"}, "192.0.2.1"},
		"a spoofed header before": {"127.0.0.1", "127.0.0.1:9",
			[]string{xff, "198.51.100.7", xff, "192.0.2.1"}, "192.0.2.1"},
		"two proxies": {"127.0.0.1,10.0.0.0/8", "127.0.0.1:9",
			[]string{xff, "192.0.2.1, 10.1.2.3"}, "192.0.2.1"},
		"two, and a spoofed one": {"127.0.0.1 10.0.0.0/8", "127.0.0.1:9",
			[]string{xff, "8.8.8.8,192.0.2.1", xff, "10.1.2.3"}, "192.0.2.1"},
		"proxies alone": {"127.0.0.1,10.0.0.0/8", "127.0.0.1:9",
			[]string{xff, "10.9.9.9,10.1.2.3"}, "10.9.9.9"},
		"IPv6":              {"::1", "[::1]:9", []string{xff, "2001:db8::1"}, "2001:db8::1"},
		"IPv6 with a port":  {"::1", "[::1]:9", []string{xff, "[2001:db8::1]:443"}, "2001:db8::1"},
		"in brackets":       {"::1", "[::1]:9", []string{xff, "[2001:db8::1]"}, "2001:db8::1"},
		"IPv4 with a port":  {"127.0.0.1", "127.0.0.1:9", []string{xff, "192.0.2.1:1234"}, "192.0.2.1"},
		"IPv4 in IPv6":      {"127.0.0.1", "[::ffff:127.0.0.1]:9", []string{xff, "::ffff:192.0.2.1"}, "192.0.2.1"},
		"a zone":            {"::1", "[::1]:9", []string{xff, "fe80::1%eth0"}, "fe80::1"},
		"a range of IPv6":   {"fd00::/8", "[fd00::2]:9", []string{xff, "192.0.2.1, fd12::1"}, "192.0.2.1"},
		"garbage":           {"127.0.0.1", "127.0.0.1:9", []string{xff, "192.0.2.1, x"}, "127.0.0.1"},
		"garbage before it": {"127.0.0.1", "127.0.0.1:9", []string{xff, "x, 192.0.2.1"}, "192.0.2.1"},
		"garbage between": {"127.0.0.1,10.0.0.0/8", "127.0.0.1:9", []string{xff, "192.0.2.1, unknown, 10.1.2.3"},
			"10.1.2.3"},
		"nothing in it":      {"127.0.0.1", "127.0.0.1:9", []string{xff, ""}, "127.0.0.1"},
		"a comma at its end": {"127.0.0.1", "127.0.0.1:9", []string{xff, "192.0.2.1,"}, "127.0.0.1"},
		"a name":             {"127.0.0.1", "127.0.0.1:9", []string{xff, "localhost"}, "127.0.0.1"},
		"other spellings":    {"127.0.0.1", "127.0.0.1:9", []string{xff, "0x7f.1"}, "127.0.0.1"},
		"not from a proxy":   {"127.0.0.1", "192.0.2.9:9", []string{xff, "198.51.100.7"}, "192.0.2.9"},
		"none is trusted":    {"", "127.0.0.1:9", []string{xff, "198.51.100.7"}, "127.0.0.1"},
		"another is trusted": {"10.0.0.0/8", "127.0.0.1:9", []string{xff, "10.0.0.1"}, "127.0.0.1"},

		"Forwarded": {"::1", "[::1]:9", []string{"Forwarded", `for="[2001:db8::1]:443"`}, "2001:db8::1"},
		"of several elements": {"::1", "[::1]:9",
			[]string{"Forwarded", `for=198.51.100.7;by=x, For = 192.0.2.1`}, "192.0.2.1"},
		"of several headers": {"::1", "[::1]:9",
			[]string{"Forwarded", `for=8.8.8.8`, "Forwarded", `proto=https;for=192.0.2.1`}, "192.0.2.1"},
		"through a proxy": {"::1,10.0.0.1", "[::1]:9",
			[]string{"Forwarded", `for=192.0.2.1,for="10.0.0.1:80"`}, "192.0.2.1"},
		"a comma in quotes": {"::1", "[::1]:9",
			[]string{"Forwarded", `for=192.0.2.1;x="a, for=8.8.8.8"`}, "192.0.2.1"},
		"quotes left open": {"::1", "[::1]:9",
			[]string{"Forwarded", `for="8.8.8.8, for=192.0.2.1`}, "192.0.2.1"},
		"nobody":       {"::1", "[::1]:9", []string{"Forwarded", `for=192.0.2.1, for=unknown`}, "::1"},
		"hidden":       {"::1", "[::1]:9", []string{"Forwarded", `for=192.0.2.1, for="_x"`}, "::1"},
		"no for in it": {"::1", "[::1]:9", []string{"Forwarded", `for=192.0.2.1, proto=https`}, "::1"},
		"passed on beside the proxy's own": {"::1", "[::1]:9",
			[]string{"Forwarded", `for=8.8.8.8`, xff, "192.0.2.1"}, "192.0.2.1"},
		"passed on where the proxy says no more": {"::1", "[::1]:9",
			[]string{"Forwarded", `for=8.8.8.8`, xfp, "https"}, "::1"},
		"not of a proxy's": {"::1", "192.0.2.9:9", []string{"Forwarded", `for=8.8.8.8`}, "192.0.2.9"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = seen(t, x.trusted, x.peer, x.headers...)[0]
			require.Equal(t, x.want, api.AddressOf(r))
		})
	}
}

// TestHostAndSchemeAreBelievedFromProxiesAlone: of several the last, which the proxy next to us has said.
func TestHostAndSchemeAreBelievedFromProxiesAlone(t *testing.T) {
	for name, x := range map[string]struct {
		peer    string
		headers []string
		want    [2]string // host and scheme
	}{
		"nothing is told": {"127.0.0.1:9", nil, [2]string{"asked.example", ""}},
		"both": {"127.0.0.1:9",
			[]string{xfh, "tea.example:8443", xfp, "HTTPS"}, [2]string{"tea.example:8443", "https"}},
		"several": {"127.0.0.1:9", []string{xfh, "evil.example", xfh, "x, tea.example", xfp, "https, http"},
			[2]string{"tea.example", "http"}},
		"behind garbage": {"127.0.0.1:9", []string{xff, "x", xfh, "tea.example"}, [2]string{"tea.example", ""}},
		"Forwarded": {"127.0.0.1:9", []string{"Forwarded", `for=192.0.2.1;host="tea.example:8443";proto=https`},
			[2]string{"tea.example:8443", "https"}},
		"of the hop that counts": {"127.0.0.1:9",
			[]string{"Forwarded", `for=8.8.8.8;host=evil.example, for=192.0.2.1;host=tea.example;proto=https, for=10.0.0.1;host=inner`},
			[2]string{"tea.example", "https"}},
		"not from a proxy": {"192.0.2.9:9",
			[]string{xfh, "tea.example", xfp, "https", "Forwarded", "host=tea.example"},
			[2]string{"asked.example", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			is := seen(t, "127.0.0.1,10.0.0.0/8", x.peer, x.headers...)
			require.Equal(t, x.want, [2]string(is[1:]))
			require.Equal(t, [3]string{x.peer, "asked.example", ""}, seen(t, "", x.peer, x.headers...),
				"nobody is trusted by default")
		})
	}
}

// TestTrustedProxiesAreAddressesAndRanges in any number.
func TestTrustedProxiesAreAddressesAndRanges(t *testing.T) {
	of := func(text string) (Settings, error) {
		return ReadSettings(func(name string) string { return map[string]string{"TRUSTED_PROXIES": text}[name] })
	}
	for text, n := range map[string]int{"": 0, "127.0.0.1": 1, "127.0.0.1, ::1,10.1.2.3/8 fd00::/8": 4,
		"::ffff:10.0.0.1": 1} {
		s, err := of(text)
		require.NoError(t, err)
		require.Len(t, s.TrustedProxies, n)
	}
	for _, odd := range []string{"localhost", "10.0.0.0/33", "fe80::1%eth0", "127.1", "*",
		"127.0.0.1;::1", "10.0.0.1:80"} {
		_, err := of(odd)
		require.ErrorContains(t, err, "TRUSTED_PROXIES are addresses", odd)
	}
}
