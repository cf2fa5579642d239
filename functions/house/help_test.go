package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/api"
	"eshop/shared/host/hosttest"
)

// faults are the places of an answer's faults of a code.
func faults(a hosttest.Answer, code string) (places []string) {
	list, _ := a.Body["errors"].([]any)
	for _, f := range list {
		if f := f.(object); f["code"] == code {
			places = append(places, f["location"].(string))
		}
	}
	return places
}

// takesJSON says whether the operation takes a body of JSON that has something in it.
func takesJSON(in api.OperationInput) bool {
	return !in.Multipart && len(in.Paths) > 1 && in.Paths[0].Path == "body" &&
		strings.HasPrefix(in.Paths[1].Path, "body.")
}

// TestAllThatIsMissingIsToldAtOnce sends nothing, and then only what the answer asks for: nothing more is missing.
func TestAllThatIsMissingIsToldAtOnce(t *testing.T) {
	w := open(t)
	tried := 0
	for _, in := range w.API.Inputs() {
		if !takesJSON(in) || !strings.HasPrefix(in.Route, "POST ") {
			continue
		}
		sample, asked := w.sample(in.Route), object{}
		for _, at := range faults(w.ask(in.Route, object{}), "required") {
			name := strings.TrimPrefix(at, "body.")
			require.Contains(t, sample, name, in.Route)
			asked[name] = sample[name]
		}
		if len(asked) == 0 || people(in.Route) {
			continue
		}
		tried++
		for _, at := range faults(w.ask(in.Route, asked), "required") {
			require.Equal(t, "body.variantId", at, "%s with %v: only what depends on the product", in.Route, asked)
		}
	}
	require.GreaterOrEqual(t, tried, 15)
}

func TestAParameterThatOtherAPIsHaveIsToldWithOurs(t *testing.T) {
	w := open(t)
	tried := 0
	for _, in := range w.API.Inputs() {
		if !slices.ContainsFunc(in.Paths, func(p api.SchemaPath) bool { return p.Path == "query.itemsPerPage" }) {
			continue
		}
		tried++
		for name, ours := range map[string]string{"limit": "itemsPerPage", "items_per_page": "itemsPerPage",
			"itemPerPage": "itemsPerPage", "page": "cursor"} {
			a := w.as("GET", w.path(in.Route)+"?"+name+"=5").Is(422, "invalid")
			require.Equal(t, "`"+name+"` is not a parameter of this operation; `"+ours+"` is.",
				a.Get("detail"), in.Route)
		}
	}
	require.GreaterOrEqual(t, tried, 15)
}

func TestAFieldThatIsSpeltOtherwiseIsToldWithOurs(t *testing.T) {
	w := open(t)
	tried := 0
	for _, in := range w.API.Inputs() {
		if !takesJSON(in) || people(in.Route) {
			continue
		}
		for _, p := range in.Paths {
			name, top := strings.CutPrefix(p.Path, "body.")
			if !top || strings.ContainsAny(name, ".[") || len(name) < 3 {
				continue
			}
			tried++
			other := strings.ToUpper(name[:2]) + "_" + name[2:]
			require.Contains(t, w.ask(in.Route, object{other: 1}).Is(422, "invalid").Text,
				"is not a field of this operation; `"+name+"` is", in.Route)
		}
	}
	require.GreaterOrEqual(t, tried, 100)
}

// TestFaultsAreSaidAsSentences: what is said of a place goes on behind its name, "`email` is required".
func TestFaultsAreSaidAsSentences(t *testing.T) {
	verbs := []string{"is", "are", "has", "have", "must", "cannot", "needs", "would", "belongs", "makes", "stands",
		"come", "names", "does"}
	said := messages(t)
	require.GreaterOrEqual(t, len(said), 60)
	for message, at := range said {
		verb, _, _ := strings.Cut(message, " ")
		require.Contains(t, verbs, verb, "%s: %q", at, message)
		require.NotRegexp(t, `[.!]$`, message, at)
	}
}

// messages are the texts of faults in the source, with where they are.
func messages(t *testing.T) map[string]string {
	all, files := map[string]string{}, token.NewFileSet()
	require.NoError(t, fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			!strings.HasPrefix(path, "shared/") && !strings.HasPrefix(path, "functions/") {
			return err
		}
		file, err := parser.ParseFile(files, "../../"+path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if f, is := call.Fun.(*ast.SelectorExpr); is {
				if i := map[string]int{"Add": 2, "InvalidAt": 2, "fault": 1}[f.Sel.Name]; i > 0 && i < len(call.Args) {
					if text, is := call.Args[i].(*ast.BasicLit); is && text.Kind == token.STRING {
						message, err := strconv.Unquote(text.Value)
						require.NoError(t, err)
						all[message] = files.Position(text.Pos()).String()
					}
				}
			}
			return true
		})
		return nil
	}))
	return all
}

// TestAnAddressOfProgramsIsNoSlug: GET /{slug} is the storefront's, and answers none that is the API's.
func TestAnAddressOfProgramsIsNoSlug(t *testing.T) {
	w := open(t)
	for _, path := range []string{"/basket-price-foo", "/api-engine", "/api-engine/nothing"} {
		for _, method := range []string{"GET", "HEAD", "POST", "DELETE"} {
			known := w.As(w.token, method, path, nil)
			require.Equal(t, []any{404, "1"}, []any{known.Status, known.Raw("X-RateLimit-Request-Cost")}, "%s %s",
				method, path)
			unknown := w.As("", method, path, nil)
			require.Equal(t, []any{401, "application/problem+json"}, []any{unknown.Status, unknown.Raw("Content-Type")},
				"%s %s", method, path)
		}
	}
}
