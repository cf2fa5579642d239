package api_test

import (
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/permission"
)

func TestAVersionIsAskedForByItsHeaderElseItIsThatOfTheAccess(t *testing.T) {
	w := open(t)
	for _, version := range events.APIVersions {
		w.caller.Version = version
		require.Equal(t, version, w.do("GET", notes, "").Header().Get("Api-Version"))
		for _, asked := range events.APIVersions {
			r := w.do("GET", notes, "", "Api-Version", asked)
			require.Equal(t, 200, r.Code)
			require.Equal(t, asked, r.Header().Get("Api-Version"))
		}
	}
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

func TestSinceVersion2027WhoMayNotReadGetsTheETagOfAPatch(t *testing.T) {
	w := open(t)
	id, first := w.create("Tea")
	w.caller.Permissions = []permission.Permission{permission.WriteCustomers}
	for _, replayed := range []string{"", "true"} {
		r := w.do("PATCH", notes+"/"+id, `{"title":"b"}`, "Api-Version", events.NextAPIVersion, "Idempotency-Key", "k")
		require.Equal(t, 204, r.Code, r.Body.String())
		require.Empty(t, r.Body.String())
		require.Empty(t, r.Header().Values("Content-Type"))
		require.NotEmpty(t, r.Header().Get("ETag"))
		require.NotEqual(t, first, r.Header().Get("ETag"))
		require.Equal(t, replayed, r.Header().Get("Idempotent-Replayed"))
	}
	refused := w.do("PATCH", notes+"/"+id, `{"title":5}`, "Api-Version", events.NextAPIVersion)
	require.Equal(t, 422, refused.Code)
	w.caller.Permissions = permission.All
	whole := w.do("PATCH", notes+"/"+id, `{"title":"c"}`, "Api-Version", events.NextAPIVersion)
	require.Equal(t, "c", whole.body["title"])
}

// PEP 440 and semver refuse a date with hyphens, and generators give a package the document's version.
func TestTheDocumentsVersionIsOneOfAPackage(t *testing.T) {
	version := open(t).api.OpenAPI().Info.Version
	require.Regexp(t, regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`), version)
	require.Equal(t, "2027.1.1", version)
}
