package field

import (
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/net/idna"
)

// Email is an address as RFC 5321 has it, without quoted local parts and address literals: ASCII, its host an
// international name in either spelling, letters or xn--. It is shown as sent and compared without case, by its xn--
// spelling (contract, "Customers").
type Email string

// EmailFormat is the schema format of addresses; fields of other types take it by their format tag.
const EmailFormat = "email"

// Schema describes the type.
func (Email) Schema(huma.Registry) *huma.Schema {
	most := maxEmail
	return &huma.Schema{Type: huma.TypeString, Format: EmailFormat, MaxLength: &most,
		Examples: []any{"jana.novakova@example.cz"}}
}

// Fold is the address as it is compared.
func (e Email) Fold() string {
	local, host, _ := strings.Cut(string(e), "@")
	if ascii, ok := toASCII(host); ok {
		host = ascii
	}
	return strings.ToLower(local + "@" + host)
}

// toASCII is a host in its xn-- spelling; false when it is no name in IDNA's rules, or one that reads otherwise than it
// is written (invisible characters, full-width digits). One longer than any is not looked at: IDNA takes its time by
// the square of its length.
func toASCII(host string) (string, bool) {
	if len(host) > maxEmail*utf8.UTFMax {
		return "", false
	}
	if isASCII(host) {
		return host, true
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return "", false
	}
	read, err := idna.Lookup.ToUnicode(ascii)
	return ascii, err == nil && read == strings.ToLower(host)
}

// isASCII says whether no character is beyond ASCII's printable ones.
func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > '~' })
}

// The lengths that RFC 5321 (section 4.5.3.1) and RFC 1035 allow, in bytes.
const (
	maxEmail = 254
	maxLocal = 64
	maxLabel = 63
)

// IsEmail says whether s is an address.
func IsEmail(s string) bool {
	local, host, ok := strings.Cut(s, "@")
	ascii, is := toASCII(host)
	return ok && is && len(local)+1+len(ascii) <= maxEmail && isLocal(local) && isHost(ascii)
}

// isLocal: atoms with single dots between them.
func isLocal(s string) bool {
	if s == "" || len(s) > maxLocal {
		return false
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" || strings.Trim(atom, letters+digits+"!#$%&'*+-/=?^_`{|}~") != "" {
			return false
		}
	}
	return true
}

// isHost says whether the text is a host name: two or more labels, the last of them no number, because that would be an
// IPv4 address.
func isHost(s string) bool {
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if !isLabel(l) {
			return false
		}
	}
	return len(labels) > 1 && strings.Trim(labels[len(labels)-1], digits) != ""
}

// isLabel: letters, digits and inner hyphens; "--" in third place belongs to the xn-- of international names.
func isLabel(s string) bool {
	if s == "" || len(s) > maxLabel || s[0] == '-' || s[len(s)-1] == '-' || strings.Trim(s, letters+digits+"-") != "" {
		return false
	}
	return len(s) < 4 || s[2:4] != "--" || len(s) > 4 && strings.EqualFold(s[:2], "xn")
}

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)
