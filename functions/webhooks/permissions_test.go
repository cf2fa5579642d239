package webhooks_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/host/hosttest"
)

const (
	readsCustomers = string(api.ReadCustomers)
	readsOrders    = string(api.ReadOrders)
	readsProducts  = string(api.ReadProducts)
)

// places are where the operator changes the caller's access and its package.
func (w *world) places() (acc, pkg string) {
	c, err := w.P.Accesses.Authenticate(context.Background(), w.token)
	require.NoError(w.T, err)
	return "/operator/shops/" + c.Shop + "/accesses/" + c.Access, "/operator/packages/" + c.Package
}

// permit has the operator change permissions, a second after what was before.
func (w *world) permit(path string, permissions ...string) hosttest.Answer {
	w.T.Helper()
	w.Clock.Pass(time.Second)
	return w.As(hosttest.OperatorToken, "PATCH", path, object{"permissions": append([]string{}, permissions...)}).Is(200)
}

// listens makes a receiver of one event, a second after what was before.
func (w *world) listens(event string) string {
	w.Clock.Pass(time.Second)
	return receivers + "/" + w.register("events", []string{event}).ID()
}

// listed are the paths of the receivers in the order of the list.
func (w *world) listed(query string) []string {
	w.T.Helper()
	paths := w.do("GET", receivers+query, nil).Is(200).Each("id")
	for i := range paths {
		paths[i] = receivers + "/" + paths[i]
	}
	return paths
}

func TestAReceiverMovesWhenItsAccessGetsAPermissionThatItMissed(t *testing.T) {
	w := open(t)
	acc, _ := w.places()
	orders, customers := w.listens("orderChange"), w.listens("customerChange")
	before, other := w.do("GET", orders, nil).Is(200), w.do("GET", customers, nil).Is(200)
	require.Equal(t, []any{readsOrders}, before.Body["missingPermissions"])
	require.Equal(t, []string{orders, customers}, w.listed(""))

	given := w.permit(acc, readsOrders, readsCustomers)
	now := w.do("GET", orders, nil, "If-None-Match", before.ETag()).Is(200)
	require.Equal(t, []any{}, now.Body["missingPermissions"])
	require.Equal(t, given.Get("changed"), now.Get("changed"))
	require.Equal(t, before.Get("created"), now.Get("created"))
	w.do("GET", customers, nil, "If-None-Match", other.ETag()).Is(304)
	require.Equal(t, other.Body, w.do("GET", customers, nil).Body)

	require.Equal(t, []string{customers, orders}, w.listed(""))
	require.Equal(t, []string{orders, customers}, w.listed("?order[changed]=desc"))
	require.Equal(t, []string{orders}, w.listed("?changed[after]="+now.Get("changed")))
	require.Equal(t, []string{orders}, w.listed("?changed[strictly_after]="+other.Get("changed")))
	require.Equal(t, []string{customers}, w.listed("?changed[strictly_before]="+now.Get("changed")))

	w.do("PATCH", orders, object{"active": false}, "If-Match", before.ETag()).Is(412, "version_conflict")
	w.do("DELETE", orders, nil, "If-Match", before.ETag()).Is(412, "version_conflict")
	off := w.do("PATCH", orders, object{"active": false}, "If-Match", now.ETag()).Is(200)
	require.Greater(t, off.Get("changed"), now.Get("changed"), "in the same millisecond, too")
	w.do("DELETE", orders, nil, "If-Match", off.ETag()).Is(204)
}

func TestReceiversOfEveryShopMoveWithThePackage(t *testing.T) {
	w := open(t)
	_, pkg := w.places()
	first := w.listens("customerChange")
	orders := w.listens("orderChange")
	still := w.do("GET", orders, nil)
	mine := w.token
	shop := w.As(hosttest.OperatorToken, "POST", "/operator/shops", object{"name": "Shop", "domain": "b.cz", "locale": "cs_CZ", "currency": "CZK",
		"owner": object{"email": "jana@example.cz"}}).Is(201).ID()
	w.token = w.As(hosttest.OperatorToken, "POST", "/operator/shops/"+shop+"/accesses", object{"packageId": pkg[len("/operator/packages/"):]}).Is(201).Get("token")
	second := w.listens("customerChange")
	tag := w.do("GET", second, nil).ETag()

	taken := w.permit(pkg, readsOrders)
	now := w.do("GET", second, nil, "If-None-Match", tag).Is(200)
	require.Equal(t, []any{readsCustomers}, now.Body["missingPermissions"])
	require.Equal(t, taken.Get("changed"), now.Get("changed"))
	w.token = mine
	now = w.do("GET", first, nil).Is(200)
	require.Equal(t, []any{readsCustomers}, now.Body["missingPermissions"])
	require.Equal(t, taken.Get("changed"), now.Get("changed"))
	require.Equal(t, []string{orders, first}, w.listed(""))
	require.Equal(t, still.Body, w.do("GET", orders, nil, "If-None-Match", `"x"`).Body, "it misses what its access never held")
	require.Equal(t, now.ETag(), w.do("PATCH", first, object{"active": true}, "If-Match", now.ETag()).Is(200).ETag())
}

func TestWhatChangesNoPermissionThatCountsMovesNoReceiver(t *testing.T) {
	w := open(t)
	acc, pkg := w.places()
	w.permit(acc, readsCustomers, readsOrders)
	customers, orders := w.listens("customerChange"), w.listens("orderChange")
	for _, path := range []string{customers, orders} {
		was := w.do("GET", path, nil).Is(200)
		same := func(why string) {
			t.Helper()
			now := w.do("GET", path, nil).Is(200)
			require.Equal(t, was.Body, now.Body, why)
			require.Equal(t, was.ETag(), now.ETag(), why)
		}
		w.permit(acc, readsCustomers, readsOrders)
		same("the same permissions")
		w.permit(acc, readsOrders, readsCustomers)
		w.permit(acc, readsCustomers, readsOrders)
		same("in another order")
		w.As(hosttest.OperatorToken, "PATCH", acc, object{"hourlyLimit": 9000}).Is(200)
		w.As(hosttest.OperatorToken, "PATCH", pkg, object{"name": "Other"}).Is(200)
		same("something else of the access and the package")
		w.As(hosttest.OperatorToken, "PATCH", acc, object{"hourlyLimit": nil}).Is(200)
		w.permit(pkg, readsCustomers, readsOrders, readsProducts)
		w.permit(pkg, readsCustomers, readsOrders)
		same("a permission that its access never held")
	}
	w.permit(pkg, readsCustomers)
	was := w.do("GET", orders, nil).Is(200)
	require.Equal(t, []any{readsOrders}, was.Body["missingPermissions"])
	w.Clock.Pass(time.Second)
	w.As(hosttest.OperatorToken, "PATCH", acc, object{"permissions": nil}).Is(200)
	w.permit(pkg, readsCustomers, readsOrders)
	now := w.do("GET", orders, nil).Is(200)
	require.Equal(t, was.Body, now.Body, "given up by the access when the package had taken it already, which then holds it in vain")
	require.Equal(t, was.ETag(), now.ETag())
}

func TestAPermissionThatItsPackageGetsBackAsTheAccessGivesItUpWasLostLast(t *testing.T) {
	w := open(t)
	acc, pkg := w.places()
	w.permit(acc, readsCustomers, readsOrders)
	orders := w.listens("orderChange")
	w.permit(pkg, readsCustomers)
	before := w.do("GET", orders, nil).Is(200)
	var between hosttest.Answer
	w.Main.Meanwhile(func() {
		w.permit(pkg, readsCustomers, readsOrders)
		between = w.do("GET", orders, nil).Is(200)
	})
	w.permit(acc, readsCustomers)
	now := w.do("GET", orders, nil).Is(200)
	require.Equal(t, []any{}, between.Body["missingPermissions"])
	require.Equal(t, before.Body["missingPermissions"], now.Body["missingPermissions"])
	require.Greater(t, between.Get("changed"), before.Get("changed"))
	require.GreaterOrEqual(t, now.Get("changed"), between.Get("changed"), "who saw it come back sees it go")
	require.Len(t, map[string]bool{before.ETag(): true, between.ETag(): true, now.ETag(): true}, 3)
}

func TestAWalkThroughReceiversSkipsNoneThatMovesMeanwhile(t *testing.T) {
	w := open(t)
	acc, _ := w.places()
	orders, customers, products := w.listens("orderChange"), w.listens("customerChange"), w.listens("productChange")
	page := w.do("GET", receivers+"?itemsPerPage=1", nil)
	require.Equal(t, []string{orders[len(receivers)+1:]}, page.Each("id"))
	w.permit(acc, readsOrders, readsCustomers)
	require.Equal(t, []string{customers, products, orders}, w.listed("?itemsPerPage=3&cursor="+page.Get("nextCursor")))
	down := w.do("GET", receivers+"?itemsPerPage=2&order[changed]=desc", nil)
	require.Equal(t, []string{customers}, w.listed("?cursor="+down.Get("nextCursor")))
}

func TestWhatAReceiverMissesIsNeverOlderThanWhatItIsTold(t *testing.T) {
	w := open(t)
	c, err := w.P.Accesses.Authenticate(context.Background(), w.token)
	require.NoError(t, err)
	path := w.listens("customerChange")
	w.Put(w.P.Main, access.Access{ID: c.Access, Shop: c.Shop, Package: c.Package, State: access.Active, Version: w.P.NewID()}.Item())
	missing := []any{readsCustomers}
	require.Equal(t, []api.Permission{api.ReadCustomers}, c.Permissions, "the caller is remembered, as on AWS for a while")
	require.Equal(t, missing, w.do("GET", path, nil).Body["missingPermissions"])
	require.Equal(t, missing, w.do("GET", receivers, nil).Items()[0]["missingPermissions"])
	made := w.register("events", []string{"customerChange"})
	require.Equal(t, missing, made.Body["missingPermissions"])
	require.Equal(t, made.ETag(), w.do("GET", receivers+"/"+made.ID(), nil).ETag())
}

// TestAReceiverMovesExactlyWhenWhatItMissesDoes holds ETag, changed and the list against missingPermissions, whatever the
// operator does to access and package.
func TestAReceiverMovesExactlyWhenWhatItMissesDoes(t *testing.T) {
	w := open(t)
	acc, pkg := w.places()
	all, lots := []string{readsCustomers, readsOrders, readsProducts}, rand.New(rand.NewPCG(1, 2))
	some := func(of []string) []string {
		return slices.DeleteFunc(slices.Clone(of), func(string) bool { return lots.IntN(2) == 0 })
	}
	var last []hosttest.Answer
	for _, event := range []string{"customerChange", "orderChange", "productChange"} {
		last = append(last, w.do("GET", w.listens(event), nil))
	}
	last = append(last, w.do("GET", receivers+"/"+w.register().ID(), nil))
	held := all[:2]
	for range 150 {
		if lots.IntN(2) == 0 {
			held = some(all)
			w.permit(pkg, held...)
		} else {
			w.permit(acc, some(held)...)
		}
		for i, was := range last {
			now := w.do("GET", receivers+"/"+was.ID(), nil).Is(200)
			moved := !slices.Equal(was.Body["missingPermissions"].([]any), now.Body["missingPermissions"].([]any))
			require.Equal(t, moved, was.ETag() != now.ETag())
			require.Equal(t, moved, was.Get("changed") < now.Get("changed"))
			require.Equal(t, moved, was.Get("changed") != now.Get("changed"))
			last[i] = now
		}
		list := w.do("GET", receivers, nil).Items()
		require.Len(t, list, len(last))
		require.True(t, slices.IsSortedFunc(list, func(a, b object) int {
			return strings.Compare(a["changed"].(string)+a["id"].(string), b["changed"].(string)+b["id"].(string))
		}))
		for _, one := range last {
			require.Contains(t, list, one.Body)
		}
	}
}
