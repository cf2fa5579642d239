package operator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
	"eshop/shared/shop/audit"
)

// TestANamedTokenOpensWhatTheFirstOneDoes until it is deleted.
func TestANamedTokenOpensWhatTheFirstOneDoes(t *testing.T) {
	w := open(t)
	made := w.do("POST", "/operator/tokens", object{"name": "Jana"}, "Idempotency-Key", "k").Is(201)
	token := made.Get("token")
	require.Regexp(t, `^eop_[0-9A-Za-z]{43}$`, token)
	again := w.do("POST", "/operator/tokens", object{"name": "Jana"}, "Idempotency-Key", "k").Is(201)
	require.NotContains(t, again.Body, "token", "it is in the first answer only")
	one := "/operator/tokens/" + made.ID()
	require.NotContains(t, w.do("GET", one, nil).Is(200).Body, "token")

	w.As(token, "POST", "/operator/shops", shopBody("a.cz"), "Idempotency-Key", "k").Is(201)
	w.As(token+"x", "GET", "/operator/shops", nil).Is(401, "unauthenticated")
	w.As(token, "GET", "/api-engine/me", nil).Is(401, "unauthenticated")
	w.do("PATCH", one, object{"name": "Eva"}).Is(405)

	w.As(token, "DELETE", one, nil).Is(204)
	w.As(token, "GET", "/operator/shops", nil).Is(401, "unauthenticated")
	w.do("GET", one, nil).Is(404)
}

// TestTheTrailNamesWhoActed: what was changed, by which token, in which shop, for 400 days.
func TestTheTrailNamesWhoActed(t *testing.T) {
	w := open(t)
	jana := w.do("POST", "/operator/tokens", object{"name": "Jana"}).Is(201)
	w.Clock.Pass(time.Second)
	shop := w.As(jana.Get("token"), "POST", "/operator/shops", shopBody("a.cz")).Is(201).ID()
	w.Clock.Pass(time.Second)
	w.do("PATCH", "/operator/shops/"+shop, object{"name": "B"}).Is(200)
	w.do("PATCH", "/operator/shops/"+shop, object{"name": "B"}).Is(200)
	w.do("PATCH", "/operator/shops/"+shop, object{"name": 5}).Is(422)
	w.do("GET", "/operator/shops/"+shop, nil).Is(200)
	w.shop("b.cz")

	list := func(query string) (all []string) {
		for _, e := range w.do("GET", "/operator/audit"+query, nil).Is(200).At("items").([]any) {
			e := e.(object)
			made, _ := e["made"].(string)
			all = append(all, e["tokenName"].(string)+" "+e["method"].(string)+" "+e["path"].(string)+" "+made)
			require.Equal(t, "192.0.2.1", e["address"])
		}
		return all
	}
	one := "/operator/shops/" + shop
	require.Equal(t, []string{"Jana POST /operator/shops " + one, "first PATCH " + one + " "}, list("?shopId="+shop))
	require.Len(t, list(""), 4)
	require.Equal(t, "first POST /operator/tokens /operator/tokens/"+jana.ID(), list("")[0])
	require.Len(t, list("?order[created]=desc&itemsPerPage=1"), 1)

	rows, err := w.Main.Query(t.Context(), store.Query{PK: audit.OfOperator, Limit: 10})
	require.NoError(t, err)
	for _, row := range rows.Items {
		ends := time.Unix(row.Expires, 0)
		require.WithinDuration(t, w.P.Now().Add(400*24*time.Hour), ends, time.Minute)
	}
}

// TestWhatIsDoneStaysDoneWithoutItsEntry lets the trail fail. The action is done all the same, and answered as done.
func TestWhatIsDoneStaysDoneWithoutItsEntry(t *testing.T) {
	w := open(t)
	shop := w.shop("a.cz")
	w.Main.Before(func(ops []store.Op) error {
		if ops[0].Key.PK == audit.OfOperator {
			return store.ErrUnavailable
		}
		return nil
	})
	w.do("PATCH", "/operator/shops/"+shop, object{"name": "B"}).Is(200)
	require.Equal(t, "B", w.do("GET", "/operator/shops/"+shop, nil).Is(200).Get("name"))
}
