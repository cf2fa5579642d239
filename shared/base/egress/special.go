package egress

import (
	"net/netip"
	"slices"
)

// global4 and global6 are where public addresses lie; special is what the registries of IANA take out of them
// (iana-ipv4-special-registry, iana-ipv6-special-registry, both multicast registries), and the address at which one
// cloud answers for its machines. Whether a registry calls a block reachable makes no difference: no receiver lives
// there.
var (
	global4 = netip.MustParsePrefix("0.0.0.0/0")
	global6 = netip.MustParsePrefix("2000::/3") // all else is reserved, mapped, translated, local or multicast
	special = prefixes(
		"0.0.0.0/8",         // this network
		"10.0.0.0/8",        // private
		"100.64.0.0/10",     // shared by carriers; a cloud's metadata
		"127.0.0.0/8",       // loopback
		"168.63.129.16/32",  // a cloud's platform services
		"169.254.0.0/16",    // link-local; metadata
		"172.16.0.0/12",     // private
		"192.0.0.0/24",      // protocol assignments; a cloud's metadata
		"192.0.2.0/24",      // documentation
		"192.31.196.0/24",   // AS112
		"192.52.193.0/24",   // AMT
		"192.88.99.0/24",    // 6to4 relays
		"192.168.0.0/16",    // private
		"192.175.48.0/24",   // AS112
		"198.18.0.0/15",     // benchmarking
		"198.51.100.0/24",   // documentation
		"203.0.113.0/24",    // documentation
		"224.0.0.0/4",       // multicast
		"240.0.0.0/4",       // reserved, broadcast
		"2001::/23",         // protocol assignments: Teredo, benchmarking, ORCHID
		"2001:db8::/32",     // documentation
		"2002::/16",         // 6to4
		"2620:4f:8000::/48", // AS112
		"3fff::/20",         // documentation
	)
)

func prefixes(all ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(all))
	for i, s := range all {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// public says whether the address may be anybody's receiver. An IPv4 address mapped into IPv6 is not.
func public(a netip.Addr) bool {
	if !global4.Contains(a) && !global6.Contains(a) || a.Zone() != "" {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}
