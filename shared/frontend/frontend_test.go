package frontend_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend"
)

func TestALoaderIsCheckedByTheTypes(t *testing.T) {
	node, err := exec.LookPath("node")
	compiler := "node_modules/typescript/bin/tsc"
	if _, missing := os.Stat(compiler); err != nil || missing != nil {
		if os.Getenv("TOOLS") == "required" {
			t.Fatal("there is no TypeScript compiler here, and TOOLS=required: `make tools` installs it where " +
				"there is npm")
		}
		t.Skip("there is no TypeScript compiler here: `make tools` installs it where there is npm")
	}
	said, err := exec.Command(node, compiler, "--noEmit", "--strict", "--target", "es2020", "--lib", "es2020,dom",
		"eshop.d.ts", "testdata/loader.ts").CombinedOutput()
	require.NoError(t, err, string(said))
}

func TestAStateIsSafeInAPage(t *testing.T) {
	hostile := `</script><script>alert(1)</script><!--` + "\u2028"
	s := frontend.PageState{Page: frontend.Page{Type: frontend.Other, Path: "/" + hostile},
		Basket: frontend.Basket{Items: []frontend.Line{{Name: hostile}}}}
	head := string(s.Head(time.Now()))
	head = strings.TrimPrefix(head, `<script type="application/json" id="eshop-state">`)
	data, script, found := strings.Cut(head, "</script>")
	require.True(t, found)
	require.Equal(t, `<script src="`+frontend.Script.Path+`"></script>`, script)
	require.NotContains(t, data, "<")
	var back frontend.PageState
	require.NoError(t, json.Unmarshal([]byte(data), &back))
	require.Equal(t, hostile, back.Basket.Items[0].Name)
}

func TestAStateHasNoNullLists(t *testing.T) {
	require.NotContains(t, string(frontend.PageState{Told: frontend.Told{Order: &frontend.Order{}}}.Head(time.Now())),
		"null")
}

func TestConsentIsALetterForEachPart(t *testing.T) {
	require.False(t, frontend.ConsentAnswered(httptest.NewRequest(http.MethodGet, "/", nil)))
	for value, answered := range map[string]bool{"gdu": true, "udu": true, "g": true, "x.d": true, "": false,
		"uuu": false, "x.u": false, "uuug": false} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.AddCookie(&http.Cookie{Name: "consent", Value: value})
		require.Equal(t, answered, frontend.ConsentAnswered(r), value)
	}
	require.Equal(t, "consent=ggg; Path=/; Max-Age=15552000; Secure; SameSite=Lax",
		frontend.ConsentCookie(true, true).String())
	require.Equal(t, "consent=ddd; Path=/; Max-Age=15552000; SameSite=Lax",
		frontend.ConsentCookie(false, false).String())
}

func TestFilesHaveAnAddressByTheirContent(t *testing.T) {
	one, other := frontend.Fixed("a.css", "text/css", []byte("a{}")), frontend.Fixed("a.css", "text/css", []byte("b{}"))
	require.NotEqual(t, one.Path, other.Path)
	require.Regexp(t, `^/static/[0-9a-f]{16}/a\.css$`, one.Path)
	require.Equal(t, "public, max-age=31536000, immutable", one.CacheControl)
	require.Equal(t, "/frontend/v1/eshop.schema.json", frontend.Schema.Path)
	require.Equal(t, "/frontend/v1/eshop.d.ts", frontend.Types.Path)
	require.Less(t, len(frontend.Script.Body), 11_000, "each shopper's first page waits for it")
}
