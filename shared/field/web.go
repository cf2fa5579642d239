package field

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// WebAddressRule is what a fault says of a text that is no WebAddress.
const WebAddressRule = `must be an http or https URL of a name or an IP address, without spaces and any of " < >`

// WebAddress says whether s is an absolute http or https URL whose host is a name or an address. It holds no quotation
// marks, angle brackets, spaces, controls and marks of writing direction anywhere, so that no page, style or mail that
// it is put into takes a part of it for something else, and nobody reads it otherwise than it leads.
func WebAddress(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool {
		return strings.ContainsRune(`"<>`, r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Bidi_Control)
	}) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isWebHost(u.Hostname()) && isPort(u.Port())
}

// isWebHost says whether the host of an address is an IP address or a name. It allows names that DNS has and RFC 1123
// does not, as my_bucket.example and r3---sn.example: browsers open them.
func isWebHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Zone() == ""
	}
	name, ok := toASCII(strings.TrimSuffix(host, "."))
	if !ok || len(name) > maxName {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel || strings.Trim(label, letters+digits+"-_") != "" {
			return false
		}
	}
	return true
}

// isPort says whether the port of an address is none or one that TCP has.
func isPort(port string) bool {
	if port == "" {
		return true
	}
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil
}
