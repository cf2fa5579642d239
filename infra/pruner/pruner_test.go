package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/infra/awscall"
	"eshop/shared/awsconf"
)

// cloud is Lambda as the pruner meets it: it has pages of two versions, and deletes none to which an alias leads.
type cloud struct {
	t         *testing.T
	functions map[string]*function
	taken     int64 // MB of code, of 75,000
}

type function struct {
	versions []int
	live     int // the version of the alias
	canary   int // a version that the alias leads to in part; 0: none
	moves    int // a version to which the alias leads once it was asked for; 0: it stays
	refuses  int // a status that each call of the function is answered with
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	require.Contains(c.t, r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=id/20261121/eu-central-1/lambda/")
	if r.URL.Path == "/2016-08-19/account-settings/" {
		c.answer(w, map[string]any{"AccountLimit": map[string]any{"TotalCodeSize": 75_000 << 20},
			"AccountUsage": map[string]any{"TotalCodeSize": c.taken << 20}})
		return
	}
	path, found := strings.CutPrefix(r.URL.Path, "/2015-03-31/functions/")
	require.True(c.t, found)
	name, list, _ := strings.Cut(path, "/")
	f := c.functions[name]
	require.NotNil(c.t, f, name)
	switch {
	case f.refuses != 0:
		w.WriteHeader(f.refuses)
	case r.Method == http.MethodDelete:
		c.delete(w, f, r.URL.Query().Get("Qualifier"))
	case list == "aliases":
		alias := map[string]any{"Name": "live", "FunctionVersion": strconv.Itoa(f.live)}
		if f.canary != 0 {
			alias["RoutingConfig"] = map[string]any{
				"AdditionalVersionWeights": map[string]any{strconv.Itoa(f.canary): 0.1}}
		}
		c.answer(w, map[string]any{"Aliases": []any{alias}})
		if f.moves != 0 {
			f.live = f.moves
		}
	case list == "versions":
		c.page(w, f, r.URL.Query().Get("Marker"))
	default:
		require.Fail(c.t, "unknown", r.URL.String())
	}
}

func (c *cloud) page(w http.ResponseWriter, f *function, marker string) {
	all := []string{"$LATEST"}
	for _, v := range f.versions {
		all = append(all, strconv.Itoa(v))
	}
	from, _ := strconv.Atoi(marker)
	is := map[string]any{}
	var page []any
	for _, v := range all[from:min(from+2, len(all))] {
		page = append(page, map[string]any{"Version": v})
	}
	if from+2 < len(all) {
		is["NextMarker"] = strconv.Itoa(from + 2)
	}
	is["Versions"] = page
	c.answer(w, is)
}

func (c *cloud) delete(w http.ResponseWriter, f *function, qualifier string) {
	version, err := strconv.Atoi(qualifier)
	require.NoError(c.t, err, "a call without a version deletes the function")
	if version == f.live || version == f.canary {
		w.WriteHeader(http.StatusConflict)
		return
	}
	f.versions = slices.DeleteFunc(f.versions, func(v int) bool { return v == version })
	w.WriteHeader(http.StatusNoContent)
}

func (c *cloud) answer(w io.Writer, v any) { require.NoError(c.t, json.NewEncoder(w).Encode(v)) }

// pruned runs the pruner once over these functions.
func pruned(t *testing.T, c *cloud, names ...string) error {
	c.t = t
	server := httptest.NewServer(c)
	defer server.Close()
	cfg := awsconf.New("eu-central-1", aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"})
	cfg.BaseEndpoint = &server.URL
	now := time.Date(2026, 11, 21, 2, 5, 12, 0, time.UTC)
	caller := awscall.Caller{Config: cfg, Now: func() time.Time { return now },
		Pause: func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil }}
	return pruner{caller, names}.handle(t.Context())
}

// numbers are those from one to another.
func numbers(from, to int) (all []int) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

func TestOldVersionsGo(t *testing.T) {
	for _, c := range []struct {
		name string
		is   function
		left []int
	}{
		{"of a function with many the newest stay", function{versions: numbers(1, 57), live: 57}, numbers(38, 57)},
		{"of a function with few all stay", function{versions: numbers(1, 20), live: 20}, numbers(1, 20)},
		{"of a function with none nothing is deleted", function{}, nil},
		{"numbers are compared, and not texts", function{versions: numbers(95, 120), live: 120}, numbers(101, 120)},
		{"what was rolled back to stays", function{versions: numbers(1, 30), live: 3},
			append([]int{3}, numbers(11, 30)...)},
		{"what has a tenth of the calls stays", function{versions: numbers(1, 30), live: 3, canary: 5},
			append([]int{3, 5}, numbers(11, 30)...)},
		{"what an alias has come to lead to stays", function{versions: numbers(1, 30), live: 30, moves: 4},
			append([]int{4}, numbers(11, 30)...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, pruned(t, &cloud{functions: map[string]*function{"f": &c.is}}, "f"))
			require.Equal(t, c.left, c.is.versions)
		})
	}
}

func TestAFunctionThatCannotBePrunedKeepsNoOtherFromIt(t *testing.T) {
	c := &cloud{functions: map[string]*function{
		"gone":      {versions: numbers(1, 30), live: 30, refuses: 404},
		"forbidden": {versions: numbers(1, 30), live: 30, refuses: 403},
		"well":      {versions: numbers(1, 30), live: 30}}}
	err := pruned(t, c, "gone", "forbidden", "well")
	require.ErrorContains(t, err, "gone: lambda answers 404")
	require.ErrorContains(t, err, "forbidden: lambda answers 403")
	require.Equal(t, numbers(11, 30), c.functions["well"].versions)
}

func TestLittleRoomForCodeIsAnError(t *testing.T) {
	require.NoError(t, pruned(t, &cloud{taken: 59_999}))
	require.ErrorContains(t, pruned(t, &cloud{taken: 60_000}), "take 60000 of 75000 MB")
}
