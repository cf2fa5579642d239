package house_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// walked is a file of the walk: its path, in a line of its own, and the blocks of code behind it.
var walked = regexp.MustCompile("(?m)^`([a-z./_]+)`\n((?:\n```(?:go|diff)\n(?:.*\n)*?```\n)+)")

// block is one block of code: a whole file, or an edit of one.
var block = regexp.MustCompile("```(go|diff)\n((?:.*\n)*?)```\n")

// TestTheWalkOfANewResourceHolds adds to a copy of the platform the resource that shared/CONTRIBUTING.md adds, as the
// page has it, and runs its tests.
func TestTheWalkOfANewResourceHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a copy of the house")
	}
	dir := t.TempDir()
	for _, part := range []string{"events", "shared", "functions"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join("..", "..", part))))
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", "..", file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), text, 0o600))
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "shared", "CONTRIBUTING.md"))
	require.NoError(t, err)
	made, edited := 0, 0
	for _, file := range walked.FindAllStringSubmatch(string(guide), -1) {
		path := filepath.Join(dir, file[1])
		text, err := os.ReadFile(path)
		if err == nil {
			edited++
		} else {
			made++
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		}
		for _, b := range block.FindAllStringSubmatch(file[2], -1) {
			if b[1] == "go" {
				text = []byte(b[2])
				continue
			}
			before, after := sides(b[2])
			require.Equal(t, 1, strings.Count(string(text), before), "%s has no longer, or twice:\n%s", file[1], before)
			text = []byte(strings.Replace(string(text), before, after, 1))
		}
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	require.Equal(t, []int{5, 7}, []int{made, edited}, "files that the page says are made and edited")
	for _, args := range [][]string{
		{"build", "-trimpath", "./functions", "./functions/suppliers/lambda"}, // THE list has it
		{"test", "-trimpath", "-run", "Supplier|Text|Words", "./functions/suppliers", "./functions/admin"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// named finds names in a line of Markdown. They stand in backticks: files, folders, make targets, names of the code.
var named = regexp.MustCompile("`([^`]+)`")

// TestWhatTheListsOfChangesNameIsThere: in each line of the lists behind "Other changes" the files and folders exist,
// and each other name stands in one of them.
func TestWhatTheListsOfChangesNameIsThere(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "shared", "CONTRIBUTING.md"))
	require.NoError(t, err)
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	_, lists, found := strings.Cut(string(guide), "\n## Other changes\n")
	require.True(t, found)
	checked := 0
	for line := range strings.Lines(lists) {
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		var names []string
		text := ""
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			checked++
			if target, is := strings.CutPrefix(m[1], "make "); is {
				require.Contains(t, string(makefile), "\n"+target+":", m[1])
			} else if strings.Contains(m[1], "/") {
				text += textAt(t, filepath.Join("..", "..", m[1]))
			} else {
				names = append(names, m[1])
			}
		}
		for _, name := range names {
			whole := regexp.MustCompile(`(^|[^A-Za-z])` + regexp.QuoteMeta(name) + `($|[^A-Za-z])`)
			require.True(t, whole.MatchString(text), "%q is not where this line says:\n%s", name, line)
		}
	}
	require.Greater(t, checked, 80)
}

// textAt is what stands in a file, or in all files of a folder.
func textAt(t *testing.T, path string) (all string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(at)
		all += string(text)
		return err
	}), "shared/CONTRIBUTING.md names %s", path)
	return all
}

// sides are the text that an edit stands for before and after it.
func sides(diff string) (before, after string) {
	for line := range strings.Lines(diff) {
		switch line[0] {
		case '-':
			before += line[1:]
		case '+':
			after += line[1:]
		default:
			before, after = before+line[1:], after+line[1:]
		}
	}
	return before, after
}
