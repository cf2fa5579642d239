package field

import (
	"net/url"
	"strings"
)

// WebAddress says whether s is an absolute http or https URL.
func WebAddress(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}
