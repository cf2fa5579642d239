package field

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"eshop/shared/base/egress"
)

// WebAddressRule is what a fault says of a text that is no WebAddress.
const WebAddressRule = `must be an http or https URL of a name or an IP address, without a user, spaces and any of " < >`

// WebAddress says whether s is an absolute http or https URL whose host is a name or an address, without a user. It
// holds no quotation marks, angle brackets, spaces, controls and marks of writing direction anywhere, so that no page,
// style or mail that it is put into takes a part of it for something else, and nobody reads it otherwise than it leads.
func WebAddress(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool {
		return strings.ContainsRune(`"<>`, r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Bidi_Control)
	}) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && isWebHost(u.Hostname()) &&
		isPort(u.Port())
}

// isWebHost says whether the host of an address is an IP address or a name.
func isWebHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Zone() == ""
	}
	name, ok := toASCII(strings.TrimSuffix(host, "."))
	name = strings.ToLower(name)
	return ok && egress.IsName(name) && !egress.EndsInNumber(name)
}

// isPort says whether an address has no port, or one that TCP has.
func isPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}
