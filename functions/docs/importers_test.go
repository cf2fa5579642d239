package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/job/imports"
)

// importers are the programs of the guide that bring a file in.
var importers = []language{
	{"imports/import.mjs", []string{"node"}, by("node")},
	{"imports/import.php", []string{"php"}, by("php")},
}

const importGuide = "import-a-file.md"

// brings runs a program with a file, until it ends.
func (l language) brings(t *testing.T, s *sender, name, text string) (said string, err error) {
	t.Helper()
	l.tried(t)
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	cmd := l.command(t, l.file, "")
	cmd.Args = append(cmd.Args, file)
	cmd.Env = append(os.Environ(), "BASE="+s.base, "TOKEN="+s.token)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestAnImporterOfTheGuide brings the guide's own file into a shop of the running platform, and then one with a bad
// row.
func TestAnImporterOfTheGuide(t *testing.T) {
	guide, err := os.ReadFile(importGuide)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(guide), "```\n")
	file, _, _ := strings.Cut(rest, "```")
	for _, l := range importers {
		t.Run(l.file, func(t *testing.T) {
			base := serve(t)
			s := newSender(t, base, "importer", "products")
			said, err := l.brings(t, s, "goods.csv", file)
			require.NoError(t, err, said)
			require.Len(t, s.products(), 2)
			said, err = l.brings(t, s, "goods.csv", strings.Replace(file, ";12", ";many", 1))
			require.IsType(t, &exec.ExitError{}, err, said)
			require.Contains(t, said, "row 1: body.stock.quantity ")
			said, err = l.brings(t, s, "goods.jsonl", `{"code":"HR-1","name":"Hrnek"}`)
			require.NoError(t, err, said)
			said, err = l.brings(t, s, "goods.csv", "Barva\nmodrá\n")
			require.Error(t, err)
			require.Contains(t, said, "row 0: ")
			(&sender{s.t, s.base, "esk_none"}).refused(t, l)
		})
	}
}

// refused runs the program with a token that is none.
func (s *sender) refused(t *testing.T, l language) {
	said, err := l.brings(t, s, "goods.csv", "code\n")
	require.Error(t, err)
	require.Contains(t, said, "401")
}

// TestGoldenGuideHasEachColumn writes, by "make golden", the tables of columns that an import understands.
func TestGoldenGuideHasEachColumn(t *testing.T) {
	text, err := os.ReadFile(importGuide)
	require.NoError(t, err)
	guide := string(text)
	for _, table := range []struct {
		before string
		of     imports.Type
	}{{"Of products:\n\n", imports.Products}, {"Of customers:\n\n", imports.Customers}} {
		head, rest, found := strings.Cut(guide, table.before)
		require.True(t, found)
		_, behind, _ := strings.Cut(rest, "\n\n")
		if behind != "" {
			behind = "\n" + behind
		}
		guide = head + table.before + columnsOf(table.of) + behind
	}
	if *update {
		require.NoError(t, os.WriteFile(importGuide, []byte(guide), 0o644))
		return
	}
	require.Equal(t, guide, string(text), "the names of columns have changed: run `make golden`")
}

// columnsOf is the table of a type's columns.
func columnsOf(of imports.Type) string {
	var b strings.Builder
	b.WriteString("| Field | The same column |\n|---|---|\n")
	for _, h := range of.Headers() {
		var names []string
		seen := map[string]bool{h.Field: true}
		for _, name := range append([]string{h.Label}, h.Names...) {
			if key := strings.ToLower(name); !seen[key] {
				seen[key] = true
				names = append(names, name)
			}
		}
		b.WriteString("| `" + h.Field + "` | " + strings.Join(names, ", ") + " |\n")
	}
	return b.String()
}
