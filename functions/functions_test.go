package functions_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/shared/host"
)

func TestFoldersAndListAgree(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
			require.FileExists(t, e.Name()+"/lambda/main.go")
		}
	}
	var names []string
	for _, f := range functions.List {
		names = append(names, f.Name)
	}
	require.ElementsMatch(t, folders, names, "each folder is one function of the list")
}

func TestEachFunctionIsWhole(t *testing.T) {
	for _, f := range functions.List {
		t.Run(f.Name, func(t *testing.T) {
			triggers := 0
			for _, is := range []bool{f.HTTP != nil, f.Feed != nil, f.Messages != nil, f.Upload != nil, f.Tick != nil} {
				if is {
					triggers++
				}
			}
			require.Equal(t, 1, triggers, "one thing triggers a function")
			require.Equal(t, f.Tick != nil, f.Every > 0, "a clock has its interval")
			require.Equal(t, f.Messages != nil, len(f.Queues) > 0, "messages come from queues")
			require.Equal(t, f.Upload != nil, f.Uploads != "", "uploads have a place")
			require.True(t, f.HTTP == nil || f.Timeout.Seconds() < 30, "the front door gives up after 30 s")
			require.Positive(t, f.Timeout)
			require.GreaterOrEqual(t, f.Memory, 128)
			require.NotEmpty(t, f.Doc)
			require.Equal(t, f.Name == "docs", len(f.Needs) == 0, "only pages that are the same for everybody need nothing")
			seen := map[host.Resource]bool{}
			for _, n := range f.Needs {
				require.False(t, seen[n.Resource], "%s is needed once, with all that is done to it", n.Resource)
				seen[n.Resource] = true
			}
		})
	}
}

func TestNoTwoFunctionsShareARoute(t *testing.T) {
	owner := map[string]string{}
	for _, f := range functions.List {
		for _, r := range f.Routes() {
			require.Empty(t, owner[r], "%s is %s's, too", r, f.Name)
			owner[r] = f.Name
			require.NotContains(t, r, "{", "a route begins with words")
		}
	}
}

func TestReservedSlugs(t *testing.T) {
	reserved := functions.Reserved()
	for _, s := range []string{"api-engine", "operator", "docs", "basket", "checkout", "account", "admin", "frontend", "demo", "healthz", "openapi.json",
		"basket-price-quotes", "basket-price-list"} {
		require.True(t, reserved(s), s)
	}
	for _, s := range []string{"", "caj", "api", "docs-2", "apiengine", "basket-price"} {
		require.False(t, reserved(s), s)
	}
	require.True(t, slices.IsSorted(functions.ReservedSlugs()))
	require.NotContains(t, strings.Join(functions.ReservedSlugs(), ""), ",")
}
