package docs_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheSearchFindsFirstWhatAnswers, by the script's own ranking: what partners who know other platforms type, and
// what they type who know this one.
func TestTheSearchFindsFirstWhatAnswers(t *testing.T) {
	first := map[string]string{
		"uninstall": "/docs/cleanup-orders#createCleanupOrder", "refund": "/docs/orders#changeOrder",
		"cancel order": "/docs/orders#changeOrder", "How do I cancel part of an order?": "/docs/orders#changeOrder",
		"bulk": "/docs/products-in-batches#changeProductsBasic", "bulk import": "/docs/import-a-file#import-a-file",
		"update stock": "/docs/products-in-batches#changeProductsStock", "update price": "/docs/products-in-batches#",
		"update product": "/docs/products#changeProduct", "stock": "/docs/products-in-batches#changeProductsStock",
		"GDPR": "/docs/customers#deleteCustomer", "ngrok": "/docs/cli#webhooks-on-your-machine",
		"tunnel": "/docs/cli#webhooks-on-your-machine", "NAT": "/docs/cli#webhooks-on-your-machine",
		"sandbox": "/docs/developer#a-test-shop", "metafields": "/docs/sync#notes-of-your-own",
		"throttling": "/docs/conventions#limits", "CORS": "/docs/conventions#requests",
		"SDK": "/docs/conventions#versions", "downtime": "/docs/webhooks#when-you-are-down",
		"retry": "/docs/webhooks#when-you-are-down", "parked": "/docs/webhooks#when-you-are-down",
		"ordering":          "/docs/webhooks#handle-each-webhook-once",
		"duplicate webhook": "/docs/webhooks#handle-each-webhook-once",
		"event retention":   "/docs/webhooks#come-back-after-being-away", "allowlist": "/docs/webhooks#verify",
		"OAuth": "/docs/webhooks#system-webhooks-and-install-codes", "source IP": "/docs/webhooks#verify",
		"createProduct": "/docs/products#createProduct", "billingAddress.city": "/docs/customers#",
		"insufficient_stock": "/docs/errors#insufficient_stock", "orderChange": "/docs/events#orderChange",
		"optimistic": "/docs/conventions#optimistic-locking", "ltern": "",
	}
	page := get(t, "GET", "/docs/page.js").Body.String()
	_, ranking, found := strings.Cut(page, "  function words(")
	require.True(t, found)
	ranking, _, found = strings.Cut(ranking, "  async function search()")
	require.True(t, found)
	asked, err := json.Marshal(first)
	require.NoError(t, err)
	node := exec.CommandContext(t.Context(), tool(t, "node"), "-")
	node.Stdin = strings.NewReader("function words(" + ranking + "\nconst asked = " + string(asked) + ", index = " +
		get(t, "GET", "/docs/search.json").Body.String() + `;
		for (const typed in asked) asked[typed] = best(index, typed).map(hit => hit.entry.at);
		console.log(JSON.stringify(asked));`)
	out, err := node.Output()
	require.NoError(t, err)
	var answers map[string][]string
	require.NoError(t, json.Unmarshal(out, &answers))
	for typed, at := range first {
		if hits := answers[typed]; at == "" {
			require.Empty(t, hits, typed)
		} else {
			require.NotEmpty(t, hits, typed)
			require.True(t, strings.HasPrefix(hits[0], at), "%s finds %v", typed, hits)
		}
	}
}
