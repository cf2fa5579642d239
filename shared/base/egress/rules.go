package egress

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxURL is how many characters a receiver's address may have (contract, "Receivers' addresses").
const maxURL = 2000

// Resolver finds the addresses of a name; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Rules say which addresses may be called (contract, "Receivers' addresses"). The zero value is production's.
type Rules struct {
	// AllowLoopback lets http and https go to loopback: for a local host outside production only.
	AllowLoopback bool
	// PlatformHosts are this platform's hosts, "host" or "host:port", names or IP addresses: they are never called. One
	// on loopback, or on the unspecified address, stands for all of loopback.
	PlatformHosts []string
	// CallablePaths are the paths of hosts of ours that may be called: those of receivers that the platform has itself.
	CallablePaths []string
	// Resolver is the system's when nil.
	Resolver Resolver
}

// Check judges what can be told without asking a name server. Its error is a *Failure of kind Address, whose text may
// be shown to who sent the address.
func (r Rules) Check(raw string) error {
	_, err := r.parse(raw)
	return err
}

// CheckResolves is Check, and judges all addresses that the name resolves to. One that is not public refuses the whole:
// the dial might take any of them. A name that does not resolve is a *Failure of kind Connect.
func (r Rules) CheckResolves(ctx context.Context, raw string) error {
	t, err := r.parse(raw)
	if err != nil {
		return err
	}
	_, err = r.resolve(ctx, t)
	return err
}

// target is the host and port that a webhook goes to.
type target struct {
	host  string // lower case, no dot at the end; an IP address without brackets
	port  uint16
	plain bool // http
}

// targetAt is the target at a host and port, by a scheme.
func targetAt(address, scheme string) target {
	host, port := split(address)
	return target{host: strings.ToLower(strings.TrimSuffix(host, ".")), port: port, plain: scheme == "http"}
}

// parse is the target of a URL that may be called as far as its spelling says.
func (r Rules) parse(raw string) (target, error) {
	parsed, err := url.Parse(raw)
	if err != nil || !utf8.ValidString(raw) {
		return target{}, refuse("this is not a URL")
	}
	t := target{host: strings.ToLower(strings.TrimSuffix(parsed.Hostname(), ".")), plain: parsed.Scheme == "http"}
	switch {
	case utf8.RuneCountInString(raw) > maxURL:
		return t, refuse("the URL is longer than 2000 characters")
	case parsed.Scheme != "https" && !(t.plain && r.AllowLoopback):
		return t, refuse("the URL must begin with https://")
	case parsed.User != nil:
		return t, refuse("the URL must not hold a user or a password")
	}
	if err := r.judgeHost(t, parsed); err != nil { // before the port: http to elsewhere is wrong at any port
		return t, err
	}
	if t.port, err = portOf(parsed); err != nil {
		return t, err
	}
	if r.isPlatformHost(t.host, t.port) && !slices.Contains(r.CallablePaths, parsed.EscapedPath()) {
		return t, refuse("the host is this platform's own")
	}
	return t, nil
}

// portOf is the URL's port: 443, or one of 1024 and above. Below are the ports of services that are nobody's receiver.
func portOf(u *url.URL) (uint16, error) {
	if u.Port() == "" && u.Scheme == "https" {
		return 443, nil
	}
	p, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || p != 443 && p < 1024 {
		return 0, refuse("the port must be 443, or 1024 to 65535")
	}
	return uint16(p), nil
}

// judgeHost judges the host by its spelling: an IP address at once, a name as far as that can be done without resolving
// it.
func (r Rules) judgeHost(t target, u *url.URL) error {
	bracketed := strings.HasPrefix(u.Host, "[")
	if a, err := netip.ParseAddr(t.host); err == nil {
		if bracketed != a.Is6() || strings.HasSuffix(u.Hostname(), ".") {
			return refuse("the host is not spelt as an address is")
		}
		return r.judge(a, t)
	}
	switch {
	case bracketed || !IsName(t.host):
		return refuse("the host is not a name in ASCII letters, digits, dots and hyphens")
	case EndsInNumber(t.host):
		return refuse("the host is a number that is not a dotted IPv4 address")
	case isLocalhost(t.host):
		return r.judge(loopback[0], t)
	case t.plain:
		return refuse("http is for loopback only")
	case !strings.Contains(t.host, "."):
		return refuse("the host is not a public name")
	}
	return nil
}

// IsName says whether the host is a name as DNS has them, in lower case: labels of letters, digits, hyphens and
// underscores that begin and end with a letter or digit. That is more than RFC 1123 has: browsers open
// my_bucket.example and r3---sn.example.
func IsName(host string) bool {
	const between = "-_"
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, between) != label {
			return false
		}
	}
	odd := func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && !strings.ContainsRune(between, c)
	}
	return len(host) <= 253 && !strings.ContainsFunc(host, odd)
}

// EndsInNumber says whether somebody could read the host's last label as a number, and then the whole as an IPv4
// address.
func EndsInNumber(host string) bool {
	label := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// loopback are the addresses that local mode lets http go to.
var loopback = []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}

// isLocalhost says whether the name stands for loopback (RFC 6761).
func isLocalhost(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// resolve is all addresses of the target. One that may not be called refuses them all. Names of loopback are not looked
// up.
func (r Rules) resolve(ctx context.Context, t target) ([]netip.Addr, error) {
	found, err := r.lookup(ctx, t.host)
	if err != nil || len(found) == 0 {
		return nil, &Failure{Kind: Connect, text: "the host's name does not resolve", err: err}
	}
	// Judged in the same form as at the dial: an IPv4 address mapped into IPv6 is dialled as IPv4.
	for i, a := range found {
		found[i] = a.Unmap() // as the dial would
		if err := r.judge(found[i], t); err != nil {
			return nil, err
		}
		if r.isPlatformAddress(found[i], t.port) && !r.isPlatformHost(t.host, t.port) {
			return nil, refuse("the host is this platform's own")
		}
	}
	return found, nil
}

// lookup is what a host's name resolves to; an IP address is itself.
func (r Rules) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	if isLocalhost(host) {
		return slices.Clone(loopback), nil
	}
	return cmp.Or[Resolver](r.Resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host)
}

// judge says whether the address may be dialled for the target.
func (r Rules) judge(a netip.Addr, t target) error {
	local := a.IsLoopback() && !a.Is4In6() && a.Zone() == ""
	switch {
	case local && r.AllowLoopback:
		return nil
	case t.plain:
		return refuse("http is for loopback only")
	case !public(a):
		return refuse("the host is not at a public address")
	}
	return nil
}

// isPlatformHost says whether the host, by its spelling, is one of this platform's.
func (r Rules) isPlatformHost(host string, port uint16) bool {
	a, err := netip.ParseAddr(host)
	if err != nil && isLocalhost(host) {
		a, err = loopback[0], nil
	}
	if err == nil {
		return r.isPlatformAddress(a, port)
	}
	for _, o := range r.PlatformHosts {
		name, at := split(o)
		if strings.EqualFold(strings.TrimSuffix(name, "."), host) && (at == 0 || at == port) {
			return true
		}
	}
	return false
}

// isPlatformAddress says whether this platform listens at the address and port.
func (r Rules) isPlatformAddress(ip netip.Addr, port uint16) bool {
	for _, o := range r.PlatformHosts {
		name, at := split(o)
		if at != 0 && at != port {
			continue
		}
		own, err := netip.ParseAddr(name)
		if err != nil && isLocalhost(strings.ToLower(name)) {
			own, err = loopback[0], nil
		}
		if err == nil && (own == ip || ip.IsLoopback() && (own.IsLoopback() || own.IsUnspecified())) {
			return true
		}
	}
	return false
}

// split is the host and the port of a text, 0 when it has none.
func split(hostport string) (string, uint16) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return strings.Trim(hostport, "[]"), 0
	}
	p, _ := strconv.ParseUint(port, 10, 16)
	return host, uint16(p)
}
