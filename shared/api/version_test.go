package api_test

import (
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
)

func TestAVersionIsAskedForByItsHeaderElseItIsThatOfTheAccess(t *testing.T) {
	w := open(t)
	for _, version := range api.Versions {
		w.caller.Version = version.Name
		require.Equal(t, version.Name, w.do("GET", notes, "").Header().Get("Api-Version"))
		for _, asked := range api.Versions {
			r := w.do("GET", notes, "", "Api-Version", asked.Name)
			require.Equal(t, 200, r.Code)
			require.Equal(t, asked.Name, r.Header().Get("Api-Version"))
		}
	}
	w.caller.Version = "2020-01-01"
	require.Equal(t, api.Versions[0].Name, w.do("GET", notes, "").Header().Get("Api-Version"), "the oldest served")
}

func TestAVersionThatIsNoneOfOursIsRefused(t *testing.T) {
	w := open(t)
	unknown := [][]string{{""}, {" "}, {"2020-01-01"}, {"2026-11-01", "2026-11-01"}, {"2026-11-01,2027-01-01"}}
	for _, asked := range unknown {
		r := httptest.NewRequest("GET", notes, nil)
		r.Header["Authorization"], r.Header["Api-Version"] = []string{"Bearer good"}, asked
		rec := httptest.NewRecorder()
		w.api.ServeHTTP(rec, r)
		require.Equal(t, 400, rec.Code, asked)
		require.Contains(t, rec.Body.String(), `"unknown_api_version"`)
		require.Equal(t, events.APIVersion, rec.Header().Get("Api-Version"), "the access's own")
	}
}

func TestAnswersOfAVersionThatEndsSayWhen(t *testing.T) {
	w := open(t)
	w.caller.Version = "2026-11-01"
	for what, r := range map[string]reply{"a page": w.do("GET", notes, ""), "a 404": w.do("GET", notes+"/none", ""),
		"a 401": w.do("GET", notes, "", "Authorization", "Bearer bad")} {
		require.Equal(t, []string{"@1798761600"}, r.Header().Values("Deprecation"), what) // 2027-01-01, RFC 9745
		require.Equal(t, []string{"Sat, 01 Jan 2028 00:00:00 GMT"}, r.Header().Values("Sunset"), what)
	}
	newest := w.do("GET", notes, "", "Api-Version", "2027-01-01")
	require.Empty(t, newest.Header().Values("Deprecation"))
	require.Empty(t, newest.Header().Values("Sunset"))
	elsewhere := w.do("GET", "/nowhere", "")
	require.Empty(t, elsewhere.Header().Values("Deprecation"), "only accesses have versions")
}

// TestAVersionLivesForTwelveMonths holds the dates to what is promised (contract, "API versions"). first is the day
// since when answers of a version carry them.
func TestAVersionLivesForTwelveMonths(t *testing.T) {
	first := map[string]string{"2026-11-01": "2026-11-27"}
	current := false
	for i, v := range api.Versions {
		current = current || v.Name == events.APIVersion
		if i == len(api.Versions)-1 {
			require.Empty(t, v.Ending(), "nothing comes after the newest")
			continue
		}
		require.NotEmpty(t, first[v.Name], v.Name)
		require.Less(t, v.Name, api.Versions[i+1].Name)
		require.False(t, v.Sunset.Before(v.Deprecated.AddDate(1, 0, 0)), v.Name)
		require.Greater(t, v.Sunset.AddDate(-1, 0, 0).Format("2006-01-02"), first[v.Name])
	}
	require.True(t, current, "new accesses have a version that is served")
}

// TestOneFileSaysHowVersionsDiffer: no other part of the program asks which version an answer is of.
func TestOneFileSaysHowVersionsDiffer(t *testing.T) {
	text, err := os.ReadFile("versions.go")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), 100)
	asks := regexp.MustCompile(`\.Abridges\b|"202\d-\d\d-\d\d"|[=<>!]= *events\.APIVersion|events\.APIVersion *[=<>!]=`)
	var others []string
	for _, part := range []string{"../../events", "../../shared", "../../functions"} {
		require.NoError(t, filepath.WalkDir(part, func(at string, d fs.DirEntry, err error) error {
			if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			if err != nil || !strings.HasSuffix(at, ".go") || strings.HasSuffix(at, "_test.go") {
				return err
			}
			text, err := os.ReadFile(at)
			for _, found := range asks.FindAllString(string(text), -1) {
				others = append(others, filepath.ToSlash(at)+": "+found)
			}
			return err
		}))
	}
	require.ElementsMatch(t, []string{`../../events/events.go: "2026-11-01"`, // of new accesses
		`../../functions/shop/shop.go: "2026-11-01"`, // an example
		`../../shared/api/versions.go: "2026-11-01"`, `../../shared/api/versions.go: "2027-01-01"`,
		`../../shared/api/versions.go: .Abridges`, `../../shared/api/versions.go: .Abridges`}, others)
}

func TestSinceVersion2027WhoMayNotReadGetsTheETagOfAPatch(t *testing.T) {
	w := open(t)
	id, first := w.create("Tea")
	newest := api.Newest().Name
	w.caller.Permissions = []permission.Permission{permission.WriteCustomers}
	for _, replayed := range []string{"", "true"} {
		r := w.do("PATCH", notes+"/"+id, `{"title":"b"}`, "Api-Version", newest, "Idempotency-Key", "k")
		require.Equal(t, 204, r.Code, r.Body.String())
		require.Empty(t, r.Body.String())
		require.Empty(t, r.Header().Values("Content-Type"))
		require.NotEmpty(t, r.Header().Get("ETag"))
		require.NotEqual(t, first, r.Header().Get("ETag"))
		require.Equal(t, replayed, r.Header().Get("Idempotent-Replayed"))
	}
	refused := w.do("PATCH", notes+"/"+id, `{"title":5}`, "Api-Version", newest)
	require.Equal(t, 422, refused.Code)
	w.caller.Permissions = permission.All
	whole := w.do("PATCH", notes+"/"+id, `{"title":"c"}`, "Api-Version", newest)
	require.Equal(t, "c", whole.body["title"])
}

// PEP 440 and semver refuse a date with hyphens, and generators give a package the document's version.
func TestTheDocumentsVersionIsOneOfAPackage(t *testing.T) {
	for _, v := range api.Versions {
		require.Regexp(t, regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`),
			open(t).api.OpenAPI(v).Info.Version)
	}
	require.Equal(t, "2027.1.1", open(t).api.OpenAPI(api.Newest()).Info.Version)
}

func TestAPatchIsAnsweredAsTheDocumentOfItsVersionSays(t *testing.T) {
	for _, v := range api.Versions {
		patch := open(t).api.OpenAPI(v).Paths[notes+"/{id}"].Patch
		whole := patch.Responses["200"].Content["application/json"].Schema
		if v == api.Newest() {
			require.Empty(t, whole.AnyOf)
			require.Contains(t, patch.Responses, "204")
			require.Contains(t, patch.Description, "204 with the `ETag`")
			require.NotContains(t, patch.Responses["200"].Headers, "Sunset")
			continue
		}
		require.Len(t, whole.AnyOf, 2)
		require.Equal(t, "#/components/schemas/Abridged", whole.AnyOf[1].Ref)
		require.NotContains(t, patch.Responses, "204")
		require.Contains(t, patch.Description, "200 with `id` and `changed`")
		require.Contains(t, patch.Responses["200"].Headers, "Sunset")
	}
}
