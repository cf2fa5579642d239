package local

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestALineOfTheLogHasEachFieldOnce, and none that says nothing, or what another says.
func TestALineOfTheLogHasEachFieldOnce(t *testing.T) {
	var out written
	s, err := Start(t.Context(), Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "test", Demo: true,
		Now: time.Now, Random: rand.Reader, Log: slog.New(Settings{JSON: true}.handler(&out, nil))})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	for _, id := range []string{"", "mine"} {
		for _, token := range []string{"", s.Run.Demo.Token} {
			r, err := http.NewRequest("GET", s.BaseURL+"/api-engine/shop", nil)
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("X-Request-Id", id)
			got, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, got.Body.Close())
		}
	}
	asDeveloper(t, s)
	ask(t, s, "", "/demo/receiver") // which waits for the attempt at the start's ping
	require.NoError(t, s.Stop())

	seen := map[string]bool{} // the fields of a line, in its order
	for line := range bytes.Lines(out.b.Bytes()) {
		names, values := fieldsOf(t, line)
		require.Equal(t, slices.Compact(slices.Sorted(slices.Values(names))), slices.Sorted(slices.Values(names)),
			string(line))
		require.NotContains(t, values, "", "%s", line)
		ids := slices.DeleteFunc(values, func(v string) bool { return len(v) != 26 })
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(ids))), len(ids), "an id is there twice: %s", line)
		seen[strings.Join(names, " ")] = true
	}
	for _, fields := range []string{
		"time level msg requestId method path status took bytes",
		"time level msg requestId method path status took access bytes",
		"time level msg requestId method path status took developer bytes",
		"time level msg requestId request method path status took bytes",
		"time level msg requestId request method path status took access bytes",
		"time level msg event webhook receiver attempt status took state",
	} {
		require.True(t, seen[fields], fields)
	}
}

// asDeveloper makes a developer, who asks for their test shops.
func asDeveloper(t *testing.T, s *Server) {
	t.Helper()
	r, err := http.NewRequest("POST", s.BaseURL+"/operator/developers",
		strings.NewReader(`{"name":"Ada","email":"ada@addon.example"}`))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Run.OperatorToken)
	r.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer got.Body.Close()
	var made struct{ Token string }
	require.NoError(t, json.NewDecoder(got.Body).Decode(&made))
	status, _ := ask(t, s, made.Token, "/developer/shops")
	require.Equal(t, 200, status)
}

// written is what was logged, by any goroutine.
type written struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// fieldsOf are the names of the fields of a line, in its order, and their values as text.
func fieldsOf(t *testing.T, line []byte) (names, values []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	_, err := d.Token() // {
	require.NoError(t, err)
	for d.More() {
		name, err := d.Token()
		require.NoError(t, err)
		var value any
		require.NoError(t, d.Decode(&value))
		text, is := value.(string)
		if number, isNumber := value.(json.Number); isNumber {
			text, is = number.String(), true
		}
		require.True(t, is || value == true, "%s", line)
		names, values = append(names, name.(string)), append(values, text)
	}
	return names, values
}

// TestTheGuideDescribesEachFieldOfTheLog holds the guide's table against the calls in the source that log: no field
// without a row, and none in a row that no call has.
func TestTheGuideDescribesEachFieldOfTheLog(t *testing.T) {
	guide, err := os.ReadFile("../../functions/docs/operator.md")
	require.NoError(t, err)
	_, section, is := strings.Cut(string(guide), "\n## Log\n")
	require.True(t, is)
	section, _, _ = strings.Cut(section, "\n## ")
	var described []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[1], -1) {
			described = append(described, name[1])
		}
	}
	// What slog writes itself, and what no call has as a word between quotes: package guard's and the frame's.
	logged := map[string]bool{"time": true, "level": true, "msg": true, "panic": true, "stack": true, "address": true}
	for _, root := range []string{"../../functions", "../../shared", "."} {
		require.NoError(t, filepath.WalkDir(root, func(path string, f fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if f.IsDir() && logsNothing(path) {
				return fs.SkipDir
			}
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				fieldsIn(t, path, logged)
			}
			return nil
		}))
	}
	var all []string
	for name := range logged {
		all = append(all, name)
	}
	require.ElementsMatch(t, all, described)
}

// logsNothing says whether nothing in a folder logs for the platform: helpers of tests, and programs that others copy.
func logsNothing(path string) bool {
	name := filepath.Base(path)
	return strings.HasSuffix(name, "test") || name == "gifts" || name == "receivers" || name == "syncs"
}

// fieldsIn adds the names of fields that calls in a file give to the log.
func fieldsIn(t *testing.T, path string, to map[string]bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		first := firstField(call)
		for i := first; first >= 0 && i < len(call.Args); i += 2 {
			if word, is := call.Args[i].(*ast.BasicLit); is && word.Kind == token.STRING {
				name, err := strconv.Unquote(word.Value)
				require.NoError(t, err)
				to[name] = true
			}
		}
		return true
	})
}

// firstField is which argument of a call is the name of the first field of a line; -1: none is.
func firstField(call *ast.CallExpr) int {
	method, is := call.Fun.(*ast.SelectorExpr)
	if !is {
		return -1
	}
	on := ""
	switch x := method.X.(type) {
	case *ast.Ident:
		on = x.Name
	case *ast.SelectorExpr:
		on = x.Sel.Name
	}
	logs := slices.Contains([]string{"slog", "Log", "log", "to"}, on)
	switch name := method.Sel.Name; {
	case on == "slog" && slices.Contains([]string{"String", "Int", "Bool", "Duration"}, name):
		return 0
	case on == "guard" && name == "Do":
		return 2
	case logs && name == "With":
		return 0
	case logs && slices.Contains([]string{"Info", "Warn", "Error"}, name):
		return 1
	case logs && slices.Contains([]string{"InfoContext", "WarnContext", "ErrorContext"}, name):
		return 2
	}
	return -1
}
