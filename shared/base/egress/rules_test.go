package egress

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// names answers as a name server would: each name's addresses, one answer a question, the last for ever.
type names map[string][][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	answers := n[host]
	if len(answers) == 0 {
		return nil, errors.New("no such host")
	}
	if len(answers) > 1 {
		n[host] = answers[1:]
	}
	var all []netip.Addr
	for _, s := range answers[0] {
		all = append(all, netip.MustParseAddr(s))
	}
	return all, nil
}

// check is what the rules say of an address where there are no own hosts.
func check(raw string, allowLoopback bool) error {
	return Rules{AllowLoopback: allowLoopback}.Check(raw)
}

func always(addresses ...string) [][]string { return [][]string{addresses} }

// notPublic are addresses that no receiver may have, of every block of the registries the first or last.
var notPublic = []string{
	"0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.1", "100.100.100.200",
	"100.127.255.255", "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254",
	"169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.0.192", "192.0.2.1",
	"192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "192.175.48.1", "198.18.0.1",
	"198.19.255.255", "198.51.100.1", "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.254",
	"255.255.255.255", "::", "::1", "::2", "::127.0.0.1", "::ffff:0.0.0.0", "::ffff:127.0.0.1", "::ffff:7f00:1",
	"::ffff:10.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1",
	"64:ff9b:1:ffff::1", "100::1", "100:0:0:1::1", "2001::1", "2001:0:7f00:1::1", "2001:2::1", "2001:10::1",
	"2001:20::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "2620:4f:8000::1", "3fff::1",
	"3fff:fff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "fe80::1%25eth0", "febf::1",
	"fec0::1", "ff02::1", "ff0e::1", "fe00::1", "1fff::1",
}

var isPublic = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255", "128.0.0.1",
	"168.63.129.17", "169.253.255.255", "169.255.0.1", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.255.255",
	"192.169.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255", "2001:200::1", "2001:4860:4860::8888", "2003::1",
	"2606:4700::1111", "2a00:1450:4001::1", "3ffe::1",
}

func literal(a string) string {
	if strings.Contains(a, ":") {
		return "https://[" + a + "]/hook"
	}
	return "https://" + a + "/hook"
}

func TestSpecialAddressesAreRefusedAsLiterals(t *testing.T) {
	for _, a := range notPublic {
		require.Equal(t, Address, KindOf(check(literal(a), false)), a)
	}
	for _, a := range isPublic {
		require.NoError(t, check(literal(a), false), a)
	}
}

func TestSpecialAddressesAreRefusedAsAnswersOfNameServers(t *testing.T) {
	ask := func(answer ...string) error {
		return Rules{Resolver: names{"r.example.cz": always(answer...)}}.CheckResolves(t.Context(),
			"https://r.example.cz/")
	}
	for _, a := range notPublic {
		if a == "::ffff:8.8.8.8" || strings.Contains(a, "%") {
			continue // an answer's IPv4 address may come in this form; zones are no part of answers
		}
		require.Equal(t, Address, KindOf(ask(a)), a)
		require.Equal(t, Address, KindOf(ask("8.8.8.8", a)), "mixed with a public one: %s", a)
		require.Equal(t, Address, KindOf(ask(a, "2606:4700::1111")), "before a public one: %s", a)
	}
	require.NoError(t, ask(isPublic...))
	require.NoError(t, ask("::ffff:8.8.8.8"))
}

func TestANameThatDoesNotResolveIsRefused(t *testing.T) {
	r := Rules{Resolver: names{"empty.example.cz": always()}}
	require.Equal(t, Connect, KindOf(r.CheckResolves(t.Context(), "https://unknown.example.cz/")))
	require.Equal(t, Connect, KindOf(r.CheckResolves(t.Context(), "https://empty.example.cz/")))
	require.Equal(t, Address, KindOf(r.CheckResolves(t.Context(), "http://unknown.example.cz/")),
		"the form comes first")
}

func TestTheFormOfAnAddress(t *testing.T) {
	good := []string{
		"https://example.cz", "https://example.cz/", "https://EXAMPLE.cz/a?b=c#d", "https://example.cz:443/",
		"https://example.cz:1024/", "https://example.cz:65535/x", "https://xn--hy-ela0g.cz/",
		"https://a-b_c.example.cz./", "HTTPS://example.cz/", "https://1.example.cz/", "https://0x7f.cz/",
		"https://example.cz/" + strings.Repeat("a", 1981), "https://example.cz:/", "https://example.cz/%31",
	}
	for _, u := range good {
		require.NoError(t, check(u, false), u)
	}
	bad := []string{
		"", "x", "//example.cz/", "/hook", "example.cz", "https:", "https:example.cz", "https://", "https:///x",
		"https://:443/", "ftp://example.cz/", "http://example.cz/", "http://127.0.0.1:8080/", "javascript:alert(1)",
		"file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "https://example.cz:80/", "https://example.cz:22/",
		"https://example.cz:442/", "https://example.cz:1023/", "https://example.cz:0/", "https://example.cz:65536/",
		"https://example.cz:x/", "https://example.cz:-1/", "https://user@example.cz/", "https://user:pass@example.cz/",
		"https://@example.cz/", "https://8.8.8.8@127.0.0.1/", "https://example.cz\\@127.0.0.1/",
		"https://example.cz/\n", "https://exa mple.cz/", "https://example.cz/" + strings.Repeat("a", 1982),
		"https://localhost/", "https://x.localhost/", "https://LOCALHOST./", "https://intranet/", "https://a..b.cz/",
		"https://.cz/", "https://exam!ple.cz/", "https://[example.cz]/", "https://[::1/", "https://[8.8.8.8]/",
		"https://2606:4700::1111/", "https://\xff.cz/", "https://example.cz/\xff",
		"https://" + strings.Repeat("a", 64) + ".cz/", "https://" + strings.Repeat("a.", 127) + "cz/",
		// Numbers that mean an address to anyone, whichever they mean.
		"https://2130706433/", "https://0x7f000001/", "https://0X7F000001/", "https://017700000001/", "https://127.1/",
		"https://127.0.1/", "https://0177.0.0.1/", "https://127.0.0.01/", "https://0x7f.0.0.1/", "https://127.0.0.0x1/",
		"https://134744072/", "https://8.8.2056/", "https://8.8.8.010/", "https://8.8.8.8./", "https://127.0.0.1./",
		"https://256.1.1.1/", "https://1.2.3.4.5/", "https://0/", "https://0x/", "https://example.1/",
		"https://999999999999/", "https://①②⑦.0.0.1/", "https://127。0。0。1/", "https://１２７.0.0.1/", "https://127．0．0．1/",
		"https://ⓔxample.cz/", "https://příklad.cz/", "https://127.0.0.1%00.example.cz/", "https://%31%32%37.0.0.1/",
		"https://127%2e0.0.1/", "https://[::ffff:127.0.0.1%2525]/",
	}
	for _, u := range bad {
		require.Equal(t, Address, KindOf(check(u, false)), "%q", u)
	}
}

func TestLoopbackIsOpenWhereItIsAllowedOnly(t *testing.T) {
	for _, u := range []string{
		"http://127.0.0.1:8080/", "http://127.8.9.1:8080/", "http://localhost:8080/x", "http://LocalHost:8080/",
		"http://[::1]:8080/", "http://shop.localhost:8080/", "https://127.0.0.1:8443/", "https://localhost:8443/",
	} {
		require.NoError(t, check(u, true), u)
		require.Error(t, check(u, false), u)
	}
	for _, u := range []string{
		"http://example.cz:8080/", "http://8.8.8.8:8080/", "http://10.0.0.1:8080/", "https://10.0.0.1/",
		"http://127.0.0.1/", "http://127.0.0.1:80/", "http://127.1:8080/", "http://2130706433:8080/",
		"http://[::ffff:127.0.0.1]:8080/", "http://0.0.0.0:8080/", "http://[::]:8080/", "http://a@127.0.0.1:8080/",
		"https://169.254.169.254/", "http://①②⑦.0.0.1:8080/",
	} {
		require.Equal(t, Address, KindOf(check(u, true)), u)
	}
	for u, says := range map[string]string{
		"http://example.cz/hooks": "http is for loopback only", "http://8.8.8.8/": "http is for loopback only",
		"http://127.0.0.1/":      "the port must be 443, or 1024 to 65535",
		"https://example.cz:80/": "the port must be 443, or 1024 to 65535",
	} {
		require.EqualError(t, check(u, true), says, u)
	}
	r := Rules{AllowLoopback: true, Resolver: names{"r.example.cz": always("127.0.0.1"),
		"mixed.example.cz": always("127.0.0.1", "10.0.0.1")}}
	require.NoError(t, r.CheckResolves(t.Context(), "http://localhost:8080/"), "no name server is asked")
	require.NoError(t, r.CheckResolves(t.Context(), "https://r.example.cz/"))
	require.Equal(t, Address, KindOf(r.CheckResolves(t.Context(), "https://mixed.example.cz/")))
}

func TestThePlatformIsNeverCalledBack(t *testing.T) {
	r := Rules{AllowLoopback: true, PlatformHosts: []string{"127.0.0.1:8080", "api.eshop.example", "9.9.9.9"},
		CallablePaths: []string{"/demo/receiver"},
		Resolver:      names{"evil.example.cz": always("9.9.9.9"), "here.example.cz": always("127.0.0.1")}}
	for _, u := range []string{
		"http://127.0.0.1:8080/", "http://localhost:8080/api-engine/products", "http://x.localhost:8080/",
		"http://127.7.7.7:8080/", "http://[::1]:8080/", "https://api.eshop.example/x",
		"https://API.eshop.example.:8443/", "https://9.9.9.9/", "http://127.0.0.1:8080/demo/receiver/",
		"http://127.0.0.1:8080/demo/%72eceiver", "http://127.0.0.1:8080/x/../demo/receiver",
		"https://evil.example.cz/demo/receiver", "https://here.example.cz:8080/demo/receiver",
	} {
		require.Equal(t, Address, KindOf(r.CheckResolves(t.Context(), u)), u)
	}
	for _, u := range []string{"http://127.0.0.1:8081/", "http://127.0.0.1:8080/demo/receiver",
		"http://localhost:8080/demo/receiver?x=1"} {
		require.NoError(t, r.CheckResolves(t.Context(), u), u)
	}
	r.CallablePaths = nil
	require.Error(t, r.Check("http://127.0.0.1:8080/"))
	require.Error(t, r.Check("http://127.0.0.1:8080"))
	everywhere := Rules{AllowLoopback: true, PlatformHosts: []string{"0.0.0.0:8080"}}
	require.Error(t, everywhere.Check("http://[::1]:8080/x"))
	require.NoError(t, everywhere.Check("https://8.8.8.8:8080/x"))
}

func TestARefusalTellsNoAddressThatWasFound(t *testing.T) {
	r := Rules{Resolver: names{"r.example.cz": always("10.1.2.3")}}
	require.Equal(t, "the host is not at a public address",
		r.CheckResolves(t.Context(), "https://r.example.cz/?secret").Error())
}

func FuzzCheck(f *testing.F) {
	for _, a := range notPublic {
		f.Add(literal(a))
	}
	f.Add("https://example.cz:1024/x")
	f.Fuzz(func(t *testing.T, raw string) {
		if check(raw, false) != nil {
			return
		}
		u, err := url.Parse(raw)
		require.NoError(t, err)
		require.Equal(t, "https", u.Scheme)
		if a, err := netip.ParseAddr(u.Hostname()); err == nil {
			require.True(t, public(a))
		}
	})
}
