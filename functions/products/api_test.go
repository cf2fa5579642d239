package products

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/api"
	"eshop/shared/host"
)

func TestTheOperationsAreInTheDocument(t *testing.T) {
	a := api.New(api.Config{})
	Function.HTTP(&host.Platform{}, a)
	raw, err := json.Marshal(a.OpenAPI(api.Newest()))
	require.NoError(t, err)
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	require.Len(t, a.Patterns(), 21)
	require.Contains(t, doc.Paths["/api-engine/products/batch/has-units"], "patch")
	require.Contains(t, doc.Paths["/api-engine/products/{id}/variants/{variantId}"], "delete")
	require.ElementsMatch(t, []string{"/api-engine/products", "/api-engine/categories"}, Function.Routes())
}
