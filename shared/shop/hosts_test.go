package shop

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/remember"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record"
)

const toysID = "01KYFXV000000000000000T0YS"

// street is a table with two shops on it, of which the second can be found by the platform's own name alone.
func street(t *testing.T) store.Table {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	table := db.Table("main")
	tea := Shop{Head: record.Head{ID: "TEA", Version: "01KAJ0000000000000000000S1"},
		Fields: Fields{Name: "Tea", Domain: "tea.example", Locale: "cs_CZ", Currency: "CZK"}}
	toys := tea
	toys.ID, toys.Name, toys.Domain = toysID, "Toys", "toys.example"
	claim := func(domain, owner string) store.Op {
		return record.AcquireClaim(DomainKey(domain), owner, time.Now(), nil)
	}
	_, err = table.Write(t.Context(), events.Nothing, store.Put(tea.Item()), store.Put(toys.Item()),
		claim("tea.example", "TEA"), claim("moved.example", "TEA"), claim("abandoned.example", "NOBODY"))
	require.NoError(t, err)
	return table
}

var names = Names{Own: []string{"api.example"}, Places: Places{Scheme: "http", Host: "localhost", Port: ":8080",
	Front: func() string { return "TEA" }}}

func TestAShopIsFoundByItsHost(t *testing.T) {
	for host, want := range map[string]string{
		"tea.example": "TEA", "TEA.Example:8443": "TEA", "localhost": "TEA", "localhost:8080": "TEA",
		"127.0.0.1:80": "", "[::1]:8080": "", "[::1]": "", "api.example": "",
		"01kyfxv000000000000000t0ys.localhost:8080": toysID, "01KYFXV000000000000000T0YS.LOCALHOST": toysID,
		"nobody.localhost": "", "toys.localhost": "", "tea.example.": "", "sub.tea.example": "",
		"unknown.example": "", "": "", ":80": "", "tea.example:": "TEA", "tea.example:x": "", "tea example": "",
		"tea.example#A": "", "tea.example/": "", "a:b:c": "", "moved.example": "", "abandoned.example": "",
		strings.Repeat("a", 300): "", "čaj.example": "",
	} {
		t.Run(host, func(t *testing.T) {
			s, err := NewHosts(street(t), names, remember.For(time.Now, 0)).ByStorefront(t.Context(), host)
			require.NoError(t, err)
			if want == "" {
				require.Nil(t, s)
				return
			}
			require.Equal(t, want, s.ID)
		})
	}
}

func TestThePlatformsOwnHost(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:8080": true, "127.0.0.2": true, "[::1]:8080": true, "10.1.2.3": true, "API.example:443": true,
		"tea.example": false, "localhost:8080": false, "toys.localhost": false,
		toysID + ".localhost": false, "sub.api.example": false, "": false,
		"127.0.0.1.example": false, "a:b:c": false,
	} {
		require.Equal(t, want, names.IsOwn(host), host)
	}
	require.False(t, Names{}.IsOwn("localhost"))
}

func TestAHostIsRememberedForItsLife(t *testing.T) {
	now := time.Now()
	ctx, meter := store.WithMeter(t.Context())
	h := NewHosts(street(t), Names{}, remember.For(func() time.Time { return now }, 30*time.Second))
	ask := func() int {
		before := meter.Calls()
		for _, host := range []string{"tea.example", "nobody.example", "localhost"} {
			_, err := h.ByStorefront(ctx, host)
			require.NoError(t, err)
		}
		return meter.Calls() - before
	}
	require.Equal(t, 4, ask(), "a domain's claim and its shop, and two claims that are not there")
	require.Equal(t, 2, ask(), "that a host is unknown is not remembered: a new shop is there at once")
	now = now.Add(30 * time.Second)
	require.Equal(t, 4, ask())
}
