package functions_test

import (
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
	dir := t.TempDir()
	for _, part := range []string{"events", "shared", "functions"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join("..", part))))
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), text, 0o600))
	}
	guide, err := os.ReadFile(filepath.Join("..", "shared", "CONTRIBUTING.md"))
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
