package addon_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/people/bearer"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// watched is a table that counts its reads and can hold them up or be down.
type watched struct {
	storetest.Faulty
	gets atomic.Int64
	hold atomic.Pointer[hold]
	down atomic.Bool
}

// hold stops the next look-up between its read and its answer.
type hold struct{ reached, release chan struct{} }

// around is what happens instead of each call.
func (w *watched) around(c storetest.Call, do func() error) error {
	if c.Ops == nil {
		w.gets.Add(1)
	}
	if w.down.Load() {
		return store.ErrUnavailable
	}
	err := do()
	if c.Ops != nil {
		return err
	}
	if h := w.hold.Swap(nil); h != nil {
		close(h.reached)
		<-h.release
	}
	return err
}

// stop makes the next read of the table wait for release.
func (w *watched) stop() *hold {
	h := &hold{make(chan struct{}), make(chan struct{})}
	w.hold.Store(h)
	return h
}

// world is a resolver over a shop with one package, one access and one token.
type world struct {
	t        testing.TB
	table    *watched
	now      atomic.Int64
	resolver *addon.Resolver
	shop     shop.Shop
	pkg      addon.Package
	access   addon.Access
	token    string
}

const (
	shopID   = "01KYFXV0000000000000000000"
	pkgID    = "01KYFXV0000000000000000001"
	accessID = "01KYFXV0000000000000000002"
	version  = "01KYFXV0000000000000000009"
)

func open(t testing.TB, life time.Duration) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	w := &world{t: t, table: &watched{}}
	w.table.Faulty = storetest.Faulty{Table: db.Table("main"), Around: w.table.around}
	w.now.Store(1795226712583)
	w.resolver = addon.NewResolver(w.table, w.clock, shop.Places{}, life)
	w.shop = shop.Shop{Head: record.Head{ID: shopID, Version: version},
		Fields: shop.Fields{Name: "Shop", Domain: "shop.example.cz", Locale: "cs_CZ", Currency: "CZK"}}
	w.pkg = addon.Package{Head: record.Head{ID: pkgID, Version: version},
		PackageFields: addon.PackageFields{Code: "p",
			Permissions: []permission.Permission{permission.ReadProducts, permission.ReadShop}}}
	w.access = addon.Access{Head: record.Head{ID: accessID, Version: version},
		Terms: addon.Terms{Shop: shopID, Package: pkgID, State: addon.Active,
			AccessFields: addon.AccessFields{Permissions: []permission.Permission{permission.ReadProducts,
				permission.ReadCustomers}, Hourly: 10}, APIVersion: events.APIVersion}}
	w.put(w.shop.Item(), w.pkg.Item(), w.access.Item())
	w.token = w.newToken(nil)
	return w
}

func (w *world) clock() time.Time { return time.UnixMilli(w.now.Load()).UTC() }

func (w *world) put(items ...store.Item) {
	for _, i := range items {
		_, err := w.table.Write(context.Background(), events.Nothing, store.Put(i))
		require.NoError(w.t, err)
	}
}

func (w *world) newToken(expires *field.Time) string {
	token := bearer.New(rand.Reader, addon.TestToken)
	w.put(addon.Token{ID: accessID, Access: accessID, Shop: shopID, Package: pkgID, Hash: secret.Hash(token),
		Expires: expires}.Item())
	return token
}

func (w *world) ask(token string) (*change.Caller, error) {
	return w.resolver.Authenticate(context.Background(), token)
}

func (w *world) used() field.Time {
	items, err := w.table.Table.Get(context.Background(), addon.TokenKey(secret.Hash(w.token)))
	require.NoError(w.t, err)
	token, err := addon.TokenOf(items[0])
	require.NoError(w.t, err)
	return token.Used
}

func TestACallerIsAllThatItsTokenLeadsTo(t *testing.T) {
	w := open(t, 0)
	c, err := w.ask(w.token)
	require.NoError(t, err)
	require.Equal(t, &change.Caller{Access: accessID, Package: pkgID, Shop: shopID, Website: "https://shop.example.cz",
		Locale:   "cs_CZ",
		Currency: "CZK", Active: true, Permissions: []permission.Permission{permission.ReadProducts},
		Limits:  limit.Limits{Hourly: 10, Daily: limit.Default.Daily},
		Version: events.APIVersion}, c, "permissions are those that its package has, too; limits are its own or "+
		"the default")
	require.EqualValues(t, 2, w.table.gets.Load(), "the token, then the rest at once")
}

func TestTheCallerOfAnAccessIsThatOfItsTokens(t *testing.T) {
	w := open(t, 0)
	byToken, err := w.ask(w.token)
	require.NoError(t, err)
	before := w.table.gets.Load()
	for range 2 {
		c, err := w.resolver.Caller(context.Background(), shopID, accessID, pkgID)
		require.NoError(t, err)
		require.Equal(t, byToken, c)
	}
	require.EqualValues(t, 1, w.table.gets.Load()-before, "all at once, and remembered")
	_, err = w.resolver.Caller(context.Background(), shopID, "another", pkgID)
	require.ErrorIs(t, err, change.ErrUnauthenticated)
	_, err = w.resolver.Caller(context.Background(), shopID, "", "")
	require.ErrorIs(t, err, change.ErrUnauthenticated)
	for _, of := range [][2]string{{"another", pkgID}, {shopID, "another"}} {
		_, err = w.resolver.Caller(context.Background(), of[0], accessID, of[1])
		require.ErrorIs(t, err, change.ErrUnauthenticated, "of another shop or package, though it is remembered")
	}
}

func TestWhatIsNoTokenIsLookedUpNowhere(t *testing.T) {
	w := open(t, 0)
	for _, s := range []string{"", "x", "esk_test_", "esk_live_" + strings.Repeat("a", 42),
		"esk_live_" + strings.Repeat("a", 44),
		"esk_done_" + strings.Repeat("a", 43), "esk_live_" + strings.Repeat("-", 43),
		"esk_test_" + strings.Repeat("á", 21) + "a"} {
		_, err := w.ask(s)
		require.ErrorIs(t, err, change.ErrUnauthenticated, s)
	}
	require.Zero(t, w.table.gets.Load())
}

func TestAnUnknownTokenWorksAsSoonAsItIsMade(t *testing.T) {
	w := open(t, 0)
	token := bearer.New(rand.Reader, addon.LiveToken)
	_, err := w.ask(token)
	require.ErrorIs(t, err, change.ErrUnauthenticated)
	w.put(addon.Token{ID: accessID, Access: accessID, Shop: shopID, Package: pkgID, Hash: secret.Hash(token)}.Item())
	_, err = w.ask(token)
	require.NoError(t, err)
}

func TestACallerIsRememberedUntilItIsDropped(t *testing.T) {
	drops := map[string]func(*world){
		"its access":  func(w *world) { w.resolver.Drop(accessID) },
		"its package": func(w *world) { w.resolver.DropPackage(pkgID) },
		"its shop":    func(w *world) { w.resolver.DropShop(shopID) },
		"its token":   func(w *world) { w.resolver.DropToken(secret.Hash(w.token)) },
	}
	ways := map[string]func(*world) (*change.Caller, error){
		"by a token": func(w *world) (*change.Caller, error) { return w.ask(w.token) },
		"by the access": func(w *world) (*change.Caller, error) {
			return w.resolver.Caller(context.Background(), shopID, accessID, pkgID)
		},
	}
	for way, ask := range ways {
		for name, drop := range drops {
			if way == "by the access" && name == "its token" {
				continue // it was not asked for by one
			}
			t.Run(way+", "+name, func(t *testing.T) {
				w := open(t, 0)
				_, err := ask(w)
				require.NoError(t, err)
				w.access.State = addon.Deactivated
				w.put(w.access.Item())
				w.resolver.Drop("another")
				w.now.Add(time.Hour.Milliseconds())
				c, err := ask(w)
				require.NoError(t, err)
				require.True(t, c.Active, "remembered")
				drop(w)
				c, err = ask(w)
				require.NoError(t, err)
				require.False(t, c.Active, "an access that is not active is found, and says so")
			})
		}
	}
}

func TestACallerIsRememberedForItsLife(t *testing.T) {
	w := open(t, 30*time.Second)
	_, err := w.ask(w.token)
	require.NoError(t, err)
	_, err = w.table.Table.Write(context.Background(), events.Nothing,
		store.Delete(addon.TokenKey(secret.Hash(w.token))))
	require.NoError(t, err)
	w.now.Add(29_999)
	_, err = w.ask(w.token)
	require.NoError(t, err)
	w.now.Add(1)
	_, err = w.ask(w.token)
	require.ErrorIs(t, err, change.ErrUnauthenticated)
}

func TestTheCallerOfAnAccessIsRememberedForItsLife(t *testing.T) {
	w := open(t, 30*time.Second)
	active := func() bool {
		c, err := w.resolver.Caller(context.Background(), shopID, accessID, pkgID)
		require.NoError(t, err)
		return c.Active
	}
	require.True(t, active())
	w.access.State = addon.Deactivated
	w.put(w.access.Item())
	w.now.Add(29_999)
	require.True(t, active())
	w.now.Add(1)
	require.False(t, active())
}

func TestATokenExpiresWhileItIsRemembered(t *testing.T) {
	w := open(t, 0)
	end := field.Time(w.now.Load() + 1000)
	token := w.newToken(&end)
	_, err := w.ask(token)
	require.NoError(t, err)
	w.now.Add(999)
	_, err = w.ask(token)
	require.NoError(t, err)
	w.now.Add(1)
	_, err = w.ask(token)
	require.ErrorIs(t, err, change.ErrUnauthenticated)
}

func TestManyWhoAskAtOnceAreOneLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, 0)
		h := w.table.stop()
		var group sync.WaitGroup
		ask := func() {
			_, err := w.ask(w.token)
			require.NoError(t, err)
		}
		group.Go(ask)
		<-h.reached
		for range 50 {
			group.Go(ask)
		}
		synctest.Wait() // all of them wait for the first one
		close(h.release)
		group.Wait()
		require.EqualValues(t, 2, w.table.gets.Load())
	})
}

func TestALookUpThatBeganBeforeADropIsNotBelievedAfterIt(t *testing.T) {
	w := open(t, 0)
	_, err := w.ask(w.token)
	require.NoError(t, err)
	w.resolver.Drop(accessID)
	h := w.table.stop() // the old look-up has read the token, and is held there
	var group sync.WaitGroup
	group.Go(func() { _, _ = w.ask(w.token) })
	<-h.reached
	_, err = w.table.Table.Write(context.Background(), events.Nothing,
		store.Delete(addon.TokenKey(secret.Hash(w.token))))
	require.NoError(t, err)
	w.resolver.DropToken(secret.Hash(w.token))
	_, err = w.ask(w.token)
	require.ErrorIs(t, err, change.ErrUnauthenticated, "who asks after the drop does not wait for the old look-up")
	close(h.release)
	group.Wait()
	_, err = w.ask(w.token)
	require.ErrorIs(t, err, change.ErrUnauthenticated, "nor is what that found remembered")
}

func TestWhoLeavesDoesNotSpoilTheLookUpOfOthers(t *testing.T) {
	w := open(t, 0)
	ctx, leave := context.WithCancel(context.Background())
	h := w.table.stop()
	first := make(chan error, 1)
	go func() { _, err := w.resolver.Authenticate(ctx, w.token); first <- err }()
	<-h.reached
	leave()
	second := make(chan error, 1)
	go func() { _, err := w.ask(w.token); second <- err }()
	close(h.release)
	require.NoError(t, <-second)
	<-first
}

func TestAStoreThatIsDownIsNoVerdictOnTheToken(t *testing.T) {
	w := open(t, 0)
	w.table.down.Store(true)
	_, err := w.ask(w.token)
	require.ErrorIs(t, err, store.ErrUnavailable)
	w.table.down.Store(false)
	_, err = w.ask(w.token)
	require.NoError(t, err)
}

func TestTheLastUseIsRightToFiveMinutes(t *testing.T) {
	w := open(t, 0)
	first := w.clock()
	_, err := w.ask(w.token)
	require.NoError(t, err)
	require.Equal(t, field.At(first), w.used(), "the first use at once")
	w.now.Add((5*time.Minute - time.Millisecond).Milliseconds())
	_, _ = w.ask(w.token)
	require.Equal(t, field.At(first), w.used())
	w.now.Add(1)
	_, _ = w.ask(w.token)
	require.Equal(t, field.At(w.clock()), w.used())
	w.resolver.DropToken(secret.Hash(w.token))
	w.now.Add(1000)
	_, _ = w.ask(w.token)
	require.Equal(t, field.At(w.clock())-1000, w.used(), "as it was read")
}

func TestAUseThatCannotBeNotedHindersNobody(t *testing.T) {
	w := open(t, 0)
	_, err := w.ask(w.token)
	require.NoError(t, err)
	w.now.Add(time.Hour.Milliseconds())
	w.table.down.Store(true)
	_, err = w.ask(w.token)
	require.NoError(t, err)
}

func TestARevokedTokenIsNotBroughtBackByItsUse(t *testing.T) {
	w := open(t, 30*time.Second)
	_, err := w.ask(w.token)
	require.NoError(t, err)
	at := addon.TokenKey(secret.Hash(w.token))
	_, err = w.table.Table.Write(context.Background(), events.Nothing, store.Delete(at))
	require.NoError(t, err)
	w.now.Add(5 * time.Minute.Milliseconds())
	_, err = w.ask(w.token)
	require.ErrorIs(t, err, change.ErrUnauthenticated)
	items, err := w.table.Table.Get(context.Background(), at)
	require.NoError(t, err)
	require.Nil(t, items[0])
}

func TestRemembersNoMoreThanItsBound(t *testing.T) {
	w := open(t, 0)
	before := w.table.gets.Load()
	tokens := make([]string, 10_050)
	items := make([]store.Op, 0, 100)
	for i := range tokens {
		tokens[i] = bearer.New(rand.Reader, addon.TestToken)
		used := addon.Token{ID: fmt.Sprint(i), Access: accessID, Shop: shopID, Package: pkgID,
			Hash: secret.Hash(tokens[i]), Used: field.At(w.clock())}
		if items = append(items, store.Put(used.Item())); len(items) == cap(items) || i == len(tokens)-1 {
			_, err := w.table.Table.Write(context.Background(), events.Nothing, items...)
			require.NoError(t, err)
			items = items[:0]
		}
	}
	for range 2 {
		for _, token := range tokens {
			_, err := w.ask(token)
			require.NoError(t, err)
		}
	}
	require.Greater(t, w.table.gets.Load()-before, int64(2*len(tokens)), "some were forgotten for others")
	require.Less(t, w.table.gets.Load()-before, int64(3*len(tokens)), "most were not")
}

func TestAnAnswerFromMemoryAllocatesNothing(t *testing.T) {
	w := open(t, 0)
	_, err := w.ask(w.token)
	require.NoError(t, err)
	ctx := context.Background()
	require.Zero(t, testing.AllocsPerRun(1000, func() { _, _ = w.resolver.Authenticate(ctx, w.token) }))
}

func BenchmarkAnAnswerFromMemory(b *testing.B) {
	w := open(b, 0)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.resolver.Authenticate(ctx, w.token); err != nil {
			b.Fatal(err)
		}
	}
}
