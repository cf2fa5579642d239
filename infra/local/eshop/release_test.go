package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/pe"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// release makes a release for one system, and returns its folder.
func release(t *testing.T, target string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "release")
	cmd := exec.Command("make", "release", "TARGETS="+target, "RELEASE="+folder)
	cmd.Dir = "../../.."
	out, err := cmd.CombinedOutput()
	if err != nil && os.Getenv("TOOLS") != "required" && bytes.Contains(out, []byte("cyclonedx")) {
		t.Skip("there is no proxy of Go modules here, so no release is made: " + string(out))
	}
	require.NoError(t, err, string(out))
	return folder
}

// TestAReleaseIsForAnotherSystemAndSaysWhatItIsMadeOf makes one for a system that nobody has here.
func TestAReleaseIsForAnotherSystemAndSaysWhatItIsMadeOf(t *testing.T) {
	folder := release(t, "windows/arm64")
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		return b
	}
	const name, bill = "eshop_windows_arm64.exe", "eshop_windows_arm64.cdx.json"
	program, err := pe.NewFile(bytes.NewReader(read(name)))
	require.NoError(t, err)
	require.EqualValues(t, pe.IMAGE_FILE_MACHINE_ARM64, program.Machine)
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	require.False(t, bytes.Contains(read(name), []byte(root)), "it holds a path of this machine")

	require.Equal(t, fmt.Sprintf("%x  %s\n%x  %s\n", sha256.Sum256(read(bill)), bill, sha256.Sum256(read(name)), name),
		string(read("SHA256SUMS")))
	require.Equal(t, sha256.Sum256(read(name)), sha256.Sum256(again(t, name)), "the same source makes the same bytes")

	var made struct {
		BOMFormat  string
		Components []struct {
			Name, Version string
			Evidence      struct{ Licenses []any }
		}
	}
	require.NoError(t, json.Unmarshal(read(bill), &made))
	require.Equal(t, "CycloneDX", made.BOMFormat)
	is, err := buildinfo.Read(bytes.NewReader(read(name)))
	require.NoError(t, err)
	want, has := []string{"std " + is.GoVersion}, []string{}
	for _, m := range is.Deps {
		want = append(want, m.Path+" "+m.Version)
	}
	for _, c := range made.Components {
		has = append(has, c.Name+" "+c.Version)
		require.True(t, c.Name == "std" || len(c.Evidence.Licenses) > 0, "%s has no licence", c.Name)
	}
	require.ElementsMatch(t, want, has, "the bill is of what was linked")
}

// again is the program of another release.
func again(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(release(t, "windows/arm64"), name))
	require.NoError(t, err)
	return b
}

func TestAReleaseIsForAllSystems(t *testing.T) {
	out, err := exec.Command("make", "-C", "../../..", "-n", "release").Output()
	require.NoError(t, err)
	for _, target := range []string{"linux", "darwin", "windows"} {
		for _, processor := range []string{"amd64", "arm64"} {
			require.True(t, strings.Contains(string(out), target+"/"+processor), target+"/"+processor)
		}
	}
}
