package operator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/job/leaving"
	"eshop/shared/shop"
)

func TestAClosedShopLetsNobodyIn(t *testing.T) {
	w := open(t)
	id, pkg := w.shop("a.cz"), w.pack("a")
	a, access := w.install(id, pkg)
	token, path := a.Get("token"), "/operator/shops/"+id
	w.As(token, "GET", "/api-engine/me", nil).Is(200)
	w.told()
	closed := w.do("DELETE", path, nil).Is(202)
	require.Equal(t, "closing", closed.Get("state"))
	require.Equal(t, closed.Get("deletesAt"), w.do("GET", path, nil).Is(200).Get("deletesAt"))
	told := w.told()
	require.Len(t, told, 1)
	require.Equal(t, events.PackageDeactivate, told[0].Event)
	w.As(token, "GET", "/api-engine/me", nil).Is(403, "package_inactive")
	w.do("POST", access+"/activate", nil).Is(409, "shop_closed")
	w.do("POST", path+"/accesses", object{"packageId": w.pack("b")}).Is(409, "shop_closed")
	at, err := shop.NewHosts(w.Main, shop.Names{}, w.DB.Table("main").Watch).ByStorefront(t.Context(), "a.cz")
	require.NoError(t, err)
	require.Nil(t, at)
	again := w.do("DELETE", path, nil).Is(202)
	require.Equal(t, closed.Body, again.Body)
	w.do("POST", "/operator/shops", shopBody("a.cz")).Is(409, "domain_taken")
	require.Empty(t, w.told())
}

func TestARestoredShopIsOpenAgain(t *testing.T) {
	w := open(t)
	id := w.shop("a.cz")
	a, access := w.install(id, w.pack("a"))
	path := "/operator/shops/" + id
	before := w.do("POST", path+"/restore", nil).Is(200)
	w.do("GET", path+"/deletion", nil).Is(404)
	w.do("DELETE", path, nil).Is(202)
	w.do("GET", path+"/deletion", nil).Is(200)
	after := w.do("POST", path+"/restore", nil).Is(200)
	require.NotContains(t, after.Body, "deletesAt")
	require.NotEqual(t, before.Header.Get("ETag"), after.Header.Get("ETag"))
	w.do("GET", path+"/deletion", nil).Is(404)
	w.As(a.Get("token"), "GET", "/api-engine/me", nil).Is(403, "package_inactive")
	w.do("POST", access+"/activate", nil).Is(200)
	w.As(a.Get("token"), "GET", "/api-engine/me", nil).Is(200)
	at, err := shop.NewHosts(w.Main, shop.Names{}, w.DB.Table("main").Watch).ByStorefront(t.Context(), "a.cz")
	require.NoError(t, err)
	require.Equal(t, id, at.ID)
	w.do("DELETE", path, nil).Is(202) // and it can leave again
}

// TestAnOpenShopIsNotDeleted: a release that knew no closed shops has written it, and so opened it.
func TestAnOpenShopIsNotDeleted(t *testing.T) {
	w := open(t)
	id := w.shop("a.cz")
	w.do("DELETE", "/operator/shops/"+id, nil).Is(202)
	s, err := shop.Read(t.Context(), w.Main, id)
	require.NoError(t, err)
	s.DeletesAt = 0
	w.Put(w.Main, s.Item())
	w.do("DELETE", "/operator/shops/"+id, nil).Is(202) // what is left of the deletion before hinders no other
	w.Put(w.Main, s.Item())
	w.Clock.Pass(leaving.Grace)
	j, err := leaving.Read(t.Context(), w.Main, id)
	require.NoError(t, err)
	require.NoError(t, w.P.Leaving().Work(t.Context(), j, 10))
	require.Equal(t, leaving.Closed, j.State)
	require.ErrorContains(t, w.P.Leaving().Work(t.Context(), j, 10), "is open")
	w.do("GET", "/operator/shops/"+id+"/deletion", nil).Is(404)
	w.do("GET", "/operator/shops/"+id, nil).Is(200)
}

// TestAShopIsDeletedWhenItsGraceIsOver: not a moment before, in steps, and its domain is free then.
func TestAShopIsDeletedWhenItsGraceIsOver(t *testing.T) {
	w := open(t)
	id := w.shop("a.cz")
	path := "/operator/shops/" + id
	for _, email := range []string{"a@a.cz", "b@a.cz", "c@a.cz"} {
		w.do("POST", path+"/admins", object{"email": email, "name": "A"}).Is(201)
	}
	w.do("DELETE", path, nil).Is(202)
	work := func() *leaving.Job {
		t.Helper()
		j, err := leaving.Read(t.Context(), w.Main, id)
		require.NoError(t, err)
		require.NoError(t, w.P.Leaving().Work(t.Context(), j, 2))
		return j
	}
	require.Equal(t, leaving.Closing, work().State, "a request of then may still be under way")
	w.Clock.Pass(time.Minute)
	require.Equal(t, leaving.Closed, work().State)
	w.Clock.Pass(leaving.Grace - 2*time.Minute)
	require.Equal(t, leaving.Closed, work().State)
	w.Clock.Pass(time.Minute)
	j := work()
	require.Equal(t, leaving.Deletion{ID: id, State: leaving.Deleting, DeletesAt: j.DeletesAt, Records: 3,
		Created: j.Created}, j.Deletion)
	w.do("POST", path+"/restore", nil).Is(409, "shop_deleting")
	require.EqualValues(t, 2, work().Deleted)
	require.EqualValues(t, 3, work().Deleted)
	require.Equal(t, leaving.Deleted, work().State, "it has looked once more")
	w.do("GET", path, nil).Is(404)
	require.Equal(t, "deleted", w.do("GET", path+"/deletion", nil).Is(200).Get("state"))
	w.do("DELETE", path, nil).Is(404)
	w.do("POST", path+"/restore", nil).Is(404)
	w.do("POST", "/operator/shops", shopBody("a.cz")).Is(409, "domain_taken")
	w.Clock.Pass(30 * 24 * time.Hour)
	w.do("POST", "/operator/shops", shopBody("a.cz")).Is(201)
	w.Clock.Pass(time.Hour)
	due, err := w.Main.Query(t.Context(), leaving.Jobs.Due(w.Clock.Now())[0])
	require.NoError(t, err)
	require.Empty(t, due.Items)
}
