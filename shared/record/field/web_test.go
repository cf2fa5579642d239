package field

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAWebAddressHasAHostAndNothingToBreakOutWith(t *testing.T) {
	for _, is := range []string{"https://cdn.example.com/a.jpg?b=c&d='e'#f", "http://localhost:8080/", "https://a",
		"https://192.0.2.1/", "https://[2001:db8::1]:8443/x", "https://háčky.example/ž", "https://my_bucket.example/",
		"https://r3---sn-a.example/", "https://example.com.", "HTTPS://EXAMPLE.COM", "https://a.example?x",
		"https://xn--hkyrky-ptac70bc.cz/", "https://a.example/%22%3C"} {
		require.True(t, WebAddress(is), is)
	}
	for _, not := range []string{"", "a", "//a.example", "ftp://a.example/", "javascript:alert(1)", "http:a.example",
		"https://", "https:///a", "https://a\".example/", "https://a'.example/", "https://a.example/\"onerror=\"x",
		"https://a.example/<script>", "https://a.example/>", "https://a.example/ b", " https://a.example/",
		"https://a.example/\t", "https://a.example/\n", "https://a.example/\u0085", "https://a.example/\u00a0",
		"https://a.example/\u2028", "https://a.example/\u202egpj.a", "https://\u202ea.example/", "https://a..example/",
		"https://.a.example/", "https://a.example:99999/", "https://a.example:0/", "https://a.example:x/",
		"https://[fe80::1%25eth0]/",
		"https://[::1", "https://a{b}.example/", "https://a`b.example/", "https://a;b.example/", "https://a,b/",
		"https://a%22b.example/", `https://a.example\@evil.example/`, "https://ﬁ\u200b.example/",
		"https://-/", "https://xn--/", "https://1.2.3/", "https://1.2.3.4.5/", "https://0x7f.1/", "https://-a.example/",
		"https://a-.example/", "https://_a.example/", "https://a_/", "https://u:p@x.example/", "https://u@x.example/",
		"https://@x.example/", "https://192.0.2.1./", "https://.", "https://:8443/",
		"https://" + strings.Repeat("a", 64) + ".example/", "https://" + strings.Repeat("a.", 127) + "aa/"} {
		require.False(t, WebAddress(not), not)
	}
}

func TestAColorIsShownWhereAnyStyleMayHoldIt(t *testing.T) {
	require.Equal(t, "#1f9D55", Color("#1f9D55").Shown())
	for _, stored := range []Color{"", "red", "#fff", "#1f9d55;", "#1f9d55\n",
		"\"onload=\"alert(1)", "#f00;}</style>"} {
		require.Empty(t, stored.Shown(), stored)
	}
}
