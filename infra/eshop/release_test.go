//go:build release

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAReleaseSaysWhatItIsMadeOf looks at each program that make release has just made: its bill of materials names
// what was linked, each with a licence, its sum is listed, and it holds no path of this machine. The first is built
// again: it is the same to the byte.
func TestAReleaseSaysWhatItIsMadeOf(t *testing.T) {
	folder := os.Getenv("RELEASE")
	files, err := filepath.Glob(filepath.Join(folder, "eshop_*"))
	require.NoError(t, err)
	programs := slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".json") })
	require.NotEmpty(t, programs, "make release makes them, and names their folder")
	sums, err := os.ReadFile(filepath.Join(folder, "SHA256SUMS"))
	require.NoError(t, err)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	for _, p := range programs {
		t.Run(filepath.Base(p), func(t *testing.T) {
			program, err := os.ReadFile(p)
			require.NoError(t, err)
			require.False(t, bytes.Contains(program, []byte(root)), "it holds a path of this machine")
			require.Contains(t, string(sums), fmt.Sprintf("%x  %s\n", sha256.Sum256(program), filepath.Base(p)))
			require.ElementsMatch(t, linked(t, p), billed(t, strings.TrimSuffix(p, ".exe")+".cdx.json"))
		})
	}
	again(t, programs[0])
}

// linked are the modules that a program is made of, and Go.
func linked(t *testing.T, program string) []string {
	t.Helper()
	is, err := buildinfo.ReadFile(program)
	require.NoError(t, err)
	all := []string{"std " + is.GoVersion}
	for _, m := range is.Deps {
		all = append(all, m.Path+" "+m.Version)
	}
	return all
}

// billed are the modules that a bill of materials names, each of which has a licence.
func billed(t *testing.T, file string) (all []string) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	var bill struct {
		Components []struct {
			Name, Version string
			Evidence      struct{ Licenses []any }
		}
	}
	require.NoError(t, json.Unmarshal(b, &bill))
	for _, c := range bill.Components {
		all = append(all, c.Name+" "+c.Version)
		require.True(t, c.Name == "std" || len(c.Evidence.Licenses) > 0, "%s has no licence", c.Name)
	}
	return all
}

// again builds a program once more.
func again(t *testing.T, program string) {
	t.Helper()
	target := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(program), "eshop_"), ".exe")
	system, processor, _ := strings.Cut(target, "_")
	second := filepath.Join(t.TempDir(), "eshop")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=auto", "-ldflags", "-s -w", "-o", second, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	first, err := os.ReadFile(program)
	require.NoError(t, err)
	same, err := os.ReadFile(second)
	require.NoError(t, err)
	require.Equal(t, sha256.Sum256(first), sha256.Sum256(same), "the same source makes the same bytes")
}
