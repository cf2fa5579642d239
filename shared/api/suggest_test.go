package api

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestANameIsNear(t *testing.T) {
	ours := []string{"itemsPerPage", "cursor", "order[changed]", "changed[after]", "email", "firstName", "id",
		"code", "stock", "stateId", "categoryIds"}
	for name, want := range map[string]string{
		"first_name": "firstName", "FirstName": "firstName", "frstName": "firstName", "firstNaem": "firstName",
		"e-mail": "email", "emial": "email", "emails": "email", "cod": "code", "coed": "code", "ID": "id",
		"stok": "stock", "itemsprpge": "itemsPerPage", "limit": "itemsPerPage", "per_page": "itemsPerPage",
		"page": "cursor", "sort": "order[changed]", "updated_after": "changed[after]", "order": "order[changed]",
		"changed-after": "changed[after]", "i": "", "": "", "dc": "", "name": "", "mail2you": "", "price": "",
		"lastName": "", "state": "stateId", "category": "categoryIds", strings.Repeat("first_name", 5): "", "→": "",
	} {
		require.Equal(t, want, Suggest(name, named(ours...)), name)
	}
	require.Empty(t, Suggest("limit", named("cursor")), "only what the operation takes")
	for range 20 {
		require.Equal(t, "ab1cd", Suggest("abcd", named("ab2cd", "ab1cd")), "in whatever order they come")
	}
}

// TestLookingForANearNameIsCheap: a body may hold as many unknown names as it likes.
func TestLookingForANearNameIsCheap(t *testing.T) {
	ours := named("itemsPerPage", "cursor", strings.Repeat("a", 60))
	for _, name := range []string{strings.Repeat("x", 1<<20), strings.Repeat("a", maxSuggestName), "limit",
		"ľščťžýáíé"} {
		require.Zero(t, testing.AllocsPerRun(10, func() { Suggest(name, ours) }), len(name))
	}
}

// named is what an operation takes, by name.
func named(names ...string) map[string]bool {
	all := map[string]bool{}
	for _, n := range names {
		all[n] = true
	}
	return all
}
