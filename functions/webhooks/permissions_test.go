package webhooks_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host/hosttest"
	"eshop/shared/record"
	"eshop/shared/webhook"
)

const (
	readsCustomers = string(permission.ReadCustomers)
	readsOrders    = string(permission.ReadOrders)
	readsProducts  = string(permission.ReadProducts)
)

// places are where the operator changes the caller's access and its package.
func (w *world) places() (acc, pkg string) {
	c, err := w.P.Accesses.Authenticate(context.Background(), w.token)
	require.NoError(w.T, err)
	return "/operator/shops/" + c.Shop + "/accesses/" + c.Access, "/operator/packages/" + c.Package
}

// permit has the operator change permissions, a second after what was before.
func (w *world) permit(path string, permissions ...string) {
	w.T.Helper()
	w.Clock.Pass(time.Second)
	w.As(hosttest.OperatorToken, "PATCH", path, object{"permissions": append([]string{}, permissions...)}).Is(200)
}

// listens makes a receiver of one event, a second after what was before, and returns its path.
func (w *world) listens(event string) string {
	w.Clock.Pass(time.Second)
	return receivers + "/" + w.register("events", []string{event}).ID()
}

// missing is what the answer's receiver shows as missing.
func missing(a hosttest.Answer) []string {
	out := []string{}
	for _, p := range a.Body["missingPermissions"].([]any) {
		out = append(out, p.(string))
	}
	return out
}

// TestWhatAReceiverMissesIsAsOfNowAndMovesNothing has the operator give and take permissions, of the access and of its
// package, and holds what each receiver shows against what both hold then, and against what it was before.
func TestWhatAReceiverMissesIsAsOfNowAndMovesNothing(t *testing.T) {
	w := open(t)
	acc, pkg := w.places()
	var all []string
	for _, p := range webhook.Missing(events.Names, nil) {
		all = append(all, string(p))
	}
	lots := rand.New(rand.NewPCG(1, 2))
	some := func(of []string) []string {
		return slices.DeleteFunc(slices.Clone(of), func(string) bool { return lots.IntN(2) == 0 })
	}
	needs := map[string][]string{
		w.listens("customerChange"): {readsCustomers}, w.listens("orderChange"): {readsOrders},
		w.listens("productChange"):   {readsProducts},
		w.listens("shopOwnerChange"): {}, receivers + "/" + w.register().ID(): all,
	}
	made, list := map[string]hosttest.Answer{}, w.do("GET", receivers, nil).Each("id")
	for path := range needs {
		made[path] = w.do("GET", path, nil).Is(200)
	}
	ofAccess, ofPackage := []string{readsCustomers}, []string{readsCustomers, readsOrders} // of the world
	for range 60 {
		if lots.IntN(2) == 0 {
			ofPackage = some(all)
			w.permit(pkg, ofPackage...)
		} else {
			ofAccess = some(ofPackage)
			w.permit(acc, ofAccess...)
		}
		for path, need := range needs {
			now := w.do("GET", path, nil).Is(200)
			require.Equal(t, slices.DeleteFunc(slices.Clone(need), func(p string) bool {
				return slices.Contains(ofAccess, p) && slices.Contains(ofPackage, p)
			}), missing(now))
			require.Equal(t, made[path].ETag(), now.ETag())
			require.Equal(t, made[path].Get("changed"), now.Get("changed"))
			require.Contains(t, w.do("GET", receivers, nil).Items(), now.Body, "a list shows what the receiver shows")
		}
		require.Equal(t, list, w.do("GET", receivers, nil).Each("id"), "each keeps its place")
	}
}

func TestWhatAReceiverMissesStandsInNobodysWay(t *testing.T) {
	w := open(t)
	acc, _ := w.places()
	path := w.listens("orderChange")
	made := w.do("GET", path, nil).Is(200)
	w.permit(acc, readsOrders)
	w.do("GET", path, nil, "If-None-Match", made.ETag()).Is(304)
	same := w.do("PATCH", path, object{"active": true}, "If-Match", made.ETag()).Is(200)
	require.Equal(t, made.ETag(), same.ETag(), "a write that changes nothing")
	require.Empty(t, missing(same))
	off := w.do("PATCH", path, object{"active": false}, "If-Match", made.ETag()).Is(200)
	w.permit(acc)
	w.do("DELETE", path, nil, "If-Match", off.ETag()).Is(204)
}

func TestReceiversOfEveryShopMissWhatTheirPackageLost(t *testing.T) {
	w := open(t)
	_, pkg := w.places()
	first, mine := w.listens("customerChange"), w.token
	shop := w.As(hosttest.OperatorToken, "POST", "/operator/shops",
		object{"name": "Shop", "domain": "b.cz", "locale": "cs_CZ", "currency": "CZK",
			"owner": object{"email": "jana@example.cz"}}).Is(201).ID()
	w.token = w.As(hosttest.OperatorToken, "POST", "/operator/shops/"+shop+"/accesses",
		object{"packageId": pkg[len("/operator/packages/"):]}).Is(201).Get("token")
	second := w.listens("customerChange")
	require.Empty(t, missing(w.do("GET", second, nil)))
	w.permit(pkg, readsOrders)
	require.Equal(t, []string{readsCustomers}, missing(w.do("GET", second, nil)))
	w.token = mine
	require.Equal(t, []string{readsCustomers}, missing(w.do("GET", first, nil)))
}

// TestWhatAReceiverMissesIsNeverOlderThanWhatItIsTold: on AWS a caller is remembered for half a minute, while webhooks
// go by the permissions of now. What is read shows those.
func TestWhatAReceiverMissesIsNeverOlderThanWhatItIsTold(t *testing.T) {
	w := open(t)
	c, err := w.P.Accesses.Authenticate(context.Background(), w.token)
	require.NoError(t, err)
	path := w.listens("customerChange")
	w.verify(path[len(receivers)+1:])
	w.Put(w.P.Main, addon.Access{Head: record.Head{ID: c.Access, Version: w.P.NewID()},
		Terms: addon.Terms{Shop: c.Shop, Package: c.Package, State: addon.Active}}.Item())
	require.Equal(t, []permission.Permission{permission.ReadCustomers}, c.Permissions, "the caller is remembered")
	for _, x := range []struct {
		method, path string
		in           any
	}{
		{"GET", path, nil}, {"PATCH", path, object{"active": true}},
		{"PATCH", path, object{"groups": []string{"contact"}}},
		{"POST", path + "/ping", nil}, {"POST", path + "/enable", nil},
		{"POST", path + "/test", object{"event": "orderChange"}},
		{"POST", path + "/replay", object{"from": "2026-11-01T00:00:00Z"}},
	} {
		a := w.do(x.method, x.path, x.in)
		require.Less(t, a.Status, 300, a.Text)
		require.Equal(t, []string{readsCustomers}, missing(a), x.method+" "+x.path)
	}
	require.Equal(t, []any{readsCustomers}, w.do("GET", receivers, nil).Items()[0]["missingPermissions"])
	made := w.register("events", []string{"customerChange"})
	read := w.do("GET", receivers+"/"+made.ID(), nil).Is(200)
	require.Equal(t, []string{readsCustomers}, missing(read))
	require.Equal(t, made.ETag(), read.ETag())
}
