package field

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAddressIsWhatMailServersTake(t *testing.T) {
	label := strings.Repeat("a", 63)
	for s, is := range map[string]bool{
		"jan@example.cz":                          true,
		"Jan.Novak+shop@Example.CZ":               true,
		"o'neill_x=1/2@a-b.c1.example":            true,
		"jan@xn--hkyrky-ptac70bc.cz":              true,
		"jan@háčkyčárky.cz":                       true,
		"jan@XN--HKYRKY-PTAC70BC.CZ":              true,
		strings.Repeat("l", 64) + "@a.cz":         true,
		"jan@" + label + ".cz":                    true,
		"a@" + strings.Repeat("a.", 124) + "aaaa": true, // 254
		"":                                false,
		"jan":                             false,
		"@example.cz":                     false,
		"jan@":                            false,
		"jan@example":                     false,
		"jan@@example.cz":                 false,
		"jan@a@example.cz":                false,
		"jan novak@example.cz":            false,
		" jan@example.cz":                 false,
		"jan@example.cz\n":                false,
		"\"jan\"@example.cz":              false,
		".jan@example.cz":                 false,
		"jan.@example.cz":                 false,
		"jan..novak@example.cz":           false,
		"ján@example.cz":                  false,
		"jan@127。0。0。1":                   false,
		"jan@a\u200bb.cz":                 false,
		"jan@example.cz.":                 false,
		"jan@.example.cz":                 false,
		"jan@-example.cz":                 false,
		"jan@example-.cz":                 false,
		"jan@exa_mple.cz":                 false,
		"jan@xn--.cz":                     false,
		"jan@ab--cd.cz":                   false,
		"jan@127.0.0.1":                   false,
		"jan@[127.0.0.1]":                 false,
		strings.Repeat("l", 65) + "@a.cz": false,
		"jan@a" + label + ".cz":           false,
		"aa@" + strings.Repeat("a.", 124) + "aaaa": false, // 255
	} {
		require.Equal(t, is, IsEmail(s), "%q", s)
	}
}

func TestAddressesAreComparedWithoutCase(t *testing.T) {
	require.Equal(t, Email("Jan@Example.CZ").Fold(), Email("jAN@example.cz").Fold())
	require.Equal(t, Email("jan@HÁČKYčárky.cz").Fold(), Email("jan@xn--hkyrky-ptac70bc.cz").Fold())
}
