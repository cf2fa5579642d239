package docs_test

import (
	"crypto/rand"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/docs"
	"eshop/shared/api"
	"eshop/shared/host"
)

func TestWhoFindsAHoleReadsWhomToTell(t *testing.T) {
	now := time.Date(2026, 11, 27, 15, 4, 5, 0, time.UTC)
	config := api.Config{Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), BaseURL: base}
	read := func(contact string) *httptest.ResponseRecorder {
		a, w := api.New(config), httptest.NewRecorder()
		docs.Function.HTTP(&host.Platform{Parts: host.Parts{World: host.World{Wall: func() time.Time { return now }},
			Addresses: host.Addresses{BaseURL: base, SecurityContact: contact}}}, a)
		a.ServeHTTP(w, httptest.NewRequest("GET", "/.well-known/security.txt", nil))
		return w
	}
	w := read("mailto:security@example.com")
	require.Equal(t, 200, w.Code)
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	require.Equal(t, "Contact: mailto:security@example.com\nExpires: 2027-11-26T00:00:00Z\nPreferred-Languages: en\n"+
		"Canonical: "+base+"/.well-known/security.txt\n", w.Body.String())
	now = now.AddDate(2, 0, 0)
	require.Contains(t, read("https://example.com/report").Body.String(), "\nExpires: 2029-11-26T00:00:00Z\n",
		"it is never over while it is served")
	require.Equal(t, 404, read("").Code, "a file that names nobody says nothing")
}

func TestAContactIsAnAddress(t *testing.T) {
	for contact, is := range map[string]bool{"mailto:security@example.com": true, "https://example.com/report": true,
		"security@example.com": false, "mailto:": false, "http://example.com": false, "https://": false,
		"https://example.com\nContact: mailto:a@b": false, "https://u:p@example.com/": false, "https://-/": false,
		"mailto:a@b@c": false} {
		require.Equal(t, is, host.IsContact(contact), contact)
	}
}
