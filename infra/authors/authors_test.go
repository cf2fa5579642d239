package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoTaskIsDoneBeforeAnybodyHasWorked holds each checker against a platform where only the task was prepared.
func TestNoTaskIsDoneBeforeAnybodyHasWorked(t *testing.T) {
	server, d, err := open(t.Context(), t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	d.hurried = true
	require.Len(t, d.Given, 10)
	for i, task := range tasks {
		g := d.Given[i]
		require.NotRegexp(t, `\{\w+\}`, g.Text, "each word is filled in")
		require.ErrorContains(t, try(func() { task.check(d, g) }), map[string]string{
			"receiver": "no enabled receiver", "rotation": "no first key", "stock": "is not",
			"configurator": "no order", "import": "no import", "limits": "Shelf 01 is there 0 times",
			"install": "no token", "sync": "no export",
			"banner": "does not show it", "prices": "is not",
		}[task.name], task.name)
	}
}

func TestAnAuthorWorksInAFolderOfTheirOwn(t *testing.T) {
	g := &given{Task: "receiver", Folder: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(g.Folder, "TASK.md"), []byte("Do it.\n"), 0o600))
	group, err := work(t.Context(), `cat; echo "$DOCS"; sleep 600 & echo done > here`, g, "http://127.0.0.1:1/docs")
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(-group, 0), "what stays is not waited for, and still runs")
	require.NoError(t, syscall.Kill(-group, syscall.SIGKILL))
	said, err := os.ReadFile(filepath.Join(g.Folder, "author.log"))
	require.NoError(t, err)
	require.Equal(t, "Do it.\nhttp://127.0.0.1:1/docs\n", string(said))
	require.FileExists(t, filepath.Join(g.Folder, "here"))
}
