package page

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
)

// TestWhatOtherSitesSendIsRefused is contract, "Cookies and other sites": Sec-Fetch-Site, or, without it, Origin.
func TestWhatOtherSitesSendIsRefused(t *testing.T) {
	for _, c := range []struct {
		method, site, origin string
		passes               bool
	}{
		{"GET", "cross-site", "https://evil.example", true},
		{"HEAD", "cross-site", "", true},
		{"POST", "same-origin", "", true},
		{"POST", "none", "", true},
		{"POST", "same-site", "", false},
		{"POST", "cross-site", "", false},
		{"PATCH", "cross-site", "", false},
		{"DELETE", "cross-site", "", false},
		{"POST", "", "", true},
		{"POST", "", "https://shop.example", true},
		{"POST", "", "http://shop.example", false},
		{"DELETE", "", "http://shop.example", false},
		{"GET", "", "http://shop.example", true},
		{"POST", "same-origin", "http://shop.example", true},
		{"POST", "", "https://evil.example", false},
		{"POST", "", "https://shop.example.evil.example", false},
		{"POST", "", "null", false},
		{"POST", "cross-site", "https://shop.example", false},
	} {
		r := httptest.NewRequest(c.method, "https://shop.example/basket", nil)
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		err := SameSite(r, true)
		require.Equal(t, c.passes, err == nil, "%+v", c)
		if err != nil {
			require.Equal(t, "cross_site", err.(*problem.Problem).Code)
		}
		if c.site == "" && c.method == "POST" { // the same site at http
			r.Header.Set("Origin", swapped(c.origin))
			require.Equal(t, c.passes, SameSite(r, false) == nil, "%+v", c)
		}
	}
}

// swapped is an origin with the other scheme.
func swapped(origin string) string {
	if rest, is := strings.CutPrefix(origin, "https://"); is {
		return "http://" + rest
	}
	return strings.Replace(origin, "http://", "https://", 1)
}

func TestATokenIsTheServersForOnePurpose(t *testing.T) {
	s := Sealer{Key: []byte("the platform's"), For: "basket of S"}
	token, err := s.New(bytes.NewReader(bytes.Repeat([]byte{7}, 32)))
	require.NoError(t, err)
	id, ok := s.Open(token)
	require.True(t, ok)
	require.Len(t, id, 64)
	for name, other := range map[string]Sealer{"of another purpose": {s.Key, "basket of T"},
		"by another key": {[]byte("x"), s.For}} {
		_, ok := other.Open(token)
		require.False(t, ok, name)
	}
	for i := range token {
		forged := []byte(token)
		forged[i] ^= 1
		other, ok := s.Open(string(forged))
		require.False(t, ok && other != id, "%s", forged)
	}
	for _, odd := range []string{"", token + "A", token[1:], strings.Repeat("!", len(token)), token + "="} {
		_, ok := s.Open(odd)
		require.False(t, ok, odd)
	}
	_, err = s.New(strings.NewReader("short"))
	require.Error(t, err)
}

func TestACookieIsTheHostsAlone(t *testing.T) {
	require.Equal(t, "basket=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
		Cookie("basket", "x", time.Minute, true).String())
	require.Equal(t, "basket=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax", Cookie("basket", "", 0, false).String())
}
