package local

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ordered is the number of an order that the demo's access makes.
func ordered(t *testing.T, s *Server) int {
	t.Helper()
	_, text := ask(t, s, s.Run.Demo.Token, "/api-engine/products?itemsPerPage=1")
	var list struct {
		Items []struct{ ID string }
	}
	require.NoError(t, json.Unmarshal([]byte(text), &list))
	body := fmt.Sprintf(`{"email": "a@b.cz", "items": [{"productId": %q, "quantity": 1}]}`, list.Items[0].ID)
	r, err := http.NewRequest("POST", s.BaseURL+"/api-engine/orders", strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Run.Demo.Token)
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer a.Body.Close()
	require.Equal(t, 201, a.StatusCode)
	var o struct{ Number string }
	require.NoError(t, json.NewDecoder(a.Body).Decode(&o))
	n, err := strconv.Atoi(o.Number)
	require.NoError(t, err)
	return n
}

func TestAStopLeavesNoGapInTheNumbersOfOrders(t *testing.T) {
	s := openDemo(t).s
	first := ordered(t, s)
	require.Equal(t, first+1, ordered(t, s))
	require.NoError(t, s.Stop())
	again, err := Start(t.Context(), s.settings)
	require.NoError(t, err)
	require.Equal(t, first+2, ordered(t, again))
	require.NoError(t, again.Stop())
}
