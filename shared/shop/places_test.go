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
	"eshop/shared/record/field"
)

// TestAShopIsFoundWhereItIsTold is the rule of addresses (contract, "Names"): where a shop and its admin are told, and
// that both are found there.
func TestAShopIsFoundWhereItIsTold(t *testing.T) {
	const id, lower = "01KYFXV00000000000000000A1", "01kyfxv00000000000000000a1"
	laptop := Places{Scheme: "http", Host: "localhost", Port: ":8080", Front: func() string { return "" },
		Own: func(Shop) bool { return false }}
	inFront := laptop
	inFront.Front = func() string { return id }
	open := Places{Scheme: "https", Host: "eshop.example", Own: Ready}
	at8443 := Places{Scheme: "http", Host: "eshop.example", Port: ":8443", Own: Ready}
	const ofID, adminOfID = "https://" + lower + ".eshop.example", "https://" + lower + ".admin.eshop.example"
	for name, x := range map[string]struct {
		places         Places
		domain, ready  field.Domain
		website, admin string
	}{
		"where all names lead": {Places{Host: "eshop.example"}, "tea.example", "", "https://tea.example", adminOfID},
		"the laptop's": {laptop, "tea.example", "tea.example", "http://" + lower + ".localhost:8080",
			"http://" + lower + ".admin.localhost:8080"},
		"the laptop's demo": {inFront, "tea.example", "", "http://localhost:8080",
			"http://admin.localhost:8080"},
		"below the host": {open, "tea.eshop.example", "", "https://tea.eshop.example",
			"https://tea.admin.eshop.example"},
		"further below":               {open, "a.b.eshop.example", "", "https://a.b.eshop.example", adminOfID},
		"a name of its own":           {open, "tea.example", "", ofID, adminOfID},
		"one that is ready":           {open, "tea.example", "tea.example", "https://tea.example", adminOfID},
		"another one is ready":        {open, "tea.example", "tee.example", ofID, adminOfID},
		"only the end of it is below": {open, "teshop.example", "", ofID, adminOfID},
		"another scheme and port": {at8443, "tea.example", "tea.example", "http://tea.example:8443",
			"http://" + lower + ".admin.eshop.example:8443"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Shop{Head: record.Head{ID: id, Version: "01KAJ0000000000000000000S1"},
				Fields: Fields{Domain: x.domain, ReadyDomain: x.ready, Locale: "cs_CZ", Currency: "CZK"}}
			require.Equal(t, []string{x.website, x.admin}, []string{x.places.Website(s), x.places.Admin(s)})
			require.Equal(t, x.website, x.places.Show(s).WebsiteURL)

			names := Names{Places: x.places}
			hosts := NewHosts(holding(t, s), names, remember.For(time.Now, 0))
			_, website, _ := strings.Cut(x.website, "://")
			_, admin, _ := strings.Cut(x.admin, "://")
			found, err := hosts.ByStorefront(t.Context(), website)
			require.NoError(t, err)
			require.Equal(t, id, found.ID)
			found, err = hosts.ByAdmin(t.Context(), strings.ToUpper(admin))
			require.NoError(t, err)
			require.Equal(t, id, found.ID)
			require.Equal(t, []bool{false, true}, []bool{x.places.IsAdmin(website), x.places.IsAdmin(admin)})

			// An admin has one origin, and neither answers for the other.
			for _, host := range []string{website, "admin." + website, lower + "." + "admin." + x.places.Host,
				"admin." + string(x.domain), "admin." + x.places.Host} {
				if found, err := hosts.ByAdmin(t.Context(), host); host != admin && host+x.places.Port != admin {
					require.NoError(t, err)
					require.Nil(t, found, host)
				}
			}
			found, err = hosts.ByStorefront(t.Context(), admin)
			require.NoError(t, err)
			require.Nil(t, found)
		})
	}
}

// TestNamesBelowTheHostAreGivenByTheRule: no shop chooses the host, or the name of another by its id.
func TestNamesBelowTheHostAreGivenByTheRule(t *testing.T) {
	names := Names{Places: Places{Host: "eshop.example"}}
	for name, kept := range map[string]bool{"eshop.example": true, strings.ToLower(toysID) + ".eshop.example": true,
		toysID: false, "tea.eshop.example": false, "x." + strings.ToLower(toysID) + ".eshop.example": false,
		"tea.example": false} {
		require.Equal(t, kept, names.keeps(name), name)
	}
	require.True(t, names.IsOwn("eshop.example:443"))
	front := ""
	names.Places.Front = func() string { return front }
	require.True(t, names.IsOwn("eshop.example"), "nobody is in front yet")
	front = toysID
	require.False(t, names.IsOwn("eshop.example"))
}

// holding is a table with a shop.
func holding(t *testing.T, s Shop) store.Table {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.Table("main").Write(t.Context(), events.Nothing, store.Put(s.Item()),
		record.AcquireClaim(DomainKey(string(s.Domain)), s.ID, time.Now(), nil))
	require.NoError(t, err)
	return db.Table("main")
}
