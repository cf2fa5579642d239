package admin

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// narrow are the tables that fit a phone as they are, by the class or the place of each.
var narrow = map[string]string{
	"api.html":            "two columns, in a fold",
	`class="lines stack"`: "its last column has no name",
}

// TestEveryTableStacksOnPhones: on a phone each row is a block of its own, in which a value has the name of its column
// before it.
func TestEveryTableStacksOnPhones(t *testing.T) {
	tables := regexp.MustCompile(`(?s)<table([^>]*)>(.*?)</table>`)
	cell := regexp.MustCompile(`<td[^>]*?(>|\{\{)`)
	seen := 0
	require.NoError(t, fs.WalkDir(templateFiles, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".html") {
			return err
		}
		text, err := fs.ReadFile(templateFiles, path)
		for _, table := range tables.FindAllStringSubmatch(string(text), -1) {
			seen++
			if narrow[strings.TrimSpace(table[1])] != "" || narrow[path[strings.LastIndexByte(path, '/')+1:]] != "" {
				continue
			}
			require.Contains(t, table[1], `class="stack"`, path)
			_, body, _ := strings.Cut(table[2], "</thead>")
			unnamed := 0 // a picture, or what can be done with the row
			for _, td := range cell.FindAllString(body, -1) {
				if !strings.Contains(td, "data-label") && !strings.HasSuffix(td, "{{") {
					unnamed++
				}
			}
			require.LessOrEqual(t, unnamed, 1, path)
		}
		return err
	}))
	require.Greater(t, seen, 8)
}
