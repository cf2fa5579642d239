package developer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/leaving"
)

// TestATestShopThatLeftMakesRoom: a developer may have another one then.
func TestATestShopThatLeftMakesRoom(t *testing.T) {
	w := open(t)
	ada := w.developer("ada")
	var last string
	for _, domain := range []string{"a.test", "b.test", "c.test", "d.test", "e.test"} {
		last = w.As(ada, "POST", "/developer/shops", shopBody(domain)).Is(201).ID()
	}
	w.As(ada, "POST", "/developer/shops", shopBody("f.test")).Is(409, "too_many_shops")
	w.As(hosttest.OperatorToken, "DELETE", "/operator/shops/"+last, nil).Is(202)
	w.As(ada, "POST", "/developer/shops", shopBody("f.test")).Is(409, "too_many_shops")
	w.Clock.Pass(leaving.Grace)
	for range 4 {
		j, err := leaving.Read(t.Context(), w.Main, last)
		require.NoError(t, err)
		require.NoError(t, w.P.Leaving().Work(t.Context(), j, 10))
	}
	w.As(ada, "POST", "/developer/shops", shopBody("f.test")).Is(201)
}
