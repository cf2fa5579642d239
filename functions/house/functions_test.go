package house_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/ports/queue"
)

func TestFoldersAndListAgree(t *testing.T) {
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	var folders []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "house" {
			folders = append(folders, e.Name())
			require.FileExists(t, "../"+e.Name()+"/lambda/main.go")
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
			requireTriggered(t, f)
			require.True(t, f.HTTP == nil || f.Timeout.Seconds() < 30, "the front door gives up after 30 s")
			require.Positive(t, f.Timeout)
			require.GreaterOrEqual(t, f.Memory, 128)
			require.NotEmpty(t, f.Doc)
			require.Equal(t, f.Name == "docs", len(f.Needs) == 0,
				"only pages that are the same for everybody need nothing")
			seen := map[string]bool{}
			for _, n := range f.Needs {
				for _, a := range n.Does {
					does := string(a) + " " + string(n.Resource)
					require.False(t, seen[does], "%s is said once", does)
					seen[does] = true
				}
			}
		})
	}
}

// requireTriggered wants what hosts and the stack need of the function's trigger to be there.
func requireTriggered(t *testing.T, f host.Function) {
	switch {
	case f.Feed != nil:
		require.NotZero(t, f.Feed.Batch)
		require.NotZero(t, f.Feed.Window)
		require.NotZero(t, f.Feed.Parallel)
	case f.Messages != nil:
		require.NotEmpty(t, f.Messages.From, "messages come from queues")
		require.NotNil(t, f.Messages.Refill, "the one process's queues forget")
		for _, q := range f.Messages.From {
			require.Greater(t, q.Visibility, q.Window+f.Timeout, "no message is handled twice at once")
			require.Positive(t, q.Batch)
			if q.Batch > queue.MaxBatch {
				require.GreaterOrEqual(t, q.Window, time.Second, "Lambda's least")
			}
			require.Positive(t, q.MaxReceives)
			require.Positive(t, q.Parallel)
			require.Positive(t, q.AlarmAfter)
		}
	case f.Upload != nil:
		require.NotEmpty(t, f.Upload.Prefix, "uploads have a place")
		require.Less(t, f.Upload.Margin, f.Timeout)
		require.NotNil(t, f.Upload.MayUpload)
	case f.Tick != nil:
		require.Positive(t, f.Tick.Every, "a clock has its interval")
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
	reserved := functions.ReservedSlug()
	for _, s := range []string{"api-engine", "operator", "developer", "docs", "openapi.json",
		"account", "admin", "basket", "basket-price-quote-images", "basket-price-quotes", "categories", "checkout",
		"demo", "downloads",
		"frontend", "healthz", "images", "metrics", "order", "readyz", "static", "uploads", "favicon.ico",
		"robots.txt", "sitemap.xml", "basket-price-list"} {
		require.True(t, reserved(s), s)
	}
	for _, s := range []string{"", "caj", "api", "docs-2", "apiengine", "basket-price"} {
		require.False(t, reserved(s), s)
	}
	require.True(t, slices.IsSorted(functions.ReservedSlugs()))
	require.NotContains(t, strings.Join(functions.ReservedSlugs(), ""), ",")
}

// TestWhoOnlyReadsWritesWhatTheFrameWrites: a function of partners' that has nothing but GETs is let write no record.
func TestWhoOnlyReadsWritesWhatTheFrameWrites(t *testing.T) {
	readers := 0
	for _, f := range functions.List {
		if f.HTTP == nil || !slices.ContainsFunc(f.Needs, func(n host.Need) bool {
			return n.Resource == host.Counters && slices.Contains(n.Does, host.Write)
		}) {
			continue
		}
		a := api.New(api.Config{})
		f.HTTP(&host.Platform{}, a)
		reads := !slices.ContainsFunc(a.Patterns(), func(p string) bool { return !strings.HasPrefix(p, "GET ") })
		for _, n := range f.Needs {
			if n.Resource == host.Main && slices.Contains(n.Does, host.Write) {
				require.Equal(t, reads, n.Keys != nil, f.Name)
			}
		}
		if reads {
			readers++
		}
	}
	require.Equal(t, 1, readers, "the change feed")
}
