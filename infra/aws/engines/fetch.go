package engines

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// What each engine is: a pom with its coordinates, and the few lines of Java that start it.
//
//go:embed dynamodb/pom.xml dynamodb/Start.java elasticmq/pom.xml elasticmq/Start.java
var parts embed.FS

// Fetch returns the folder with the engine's libraries and launcher. If it is not there yet, Maven fetches the
// libraries (6–15 s) and javac compiles the launcher. The folder lies in .cache/engines of the repository. Its name has
// a hash of what it is made from, so a new version of an engine gets a new folder.
func Fetch(ctx context.Context, e Engine) (string, error) {
	cache, err := cache()
	if err != nil {
		return "", err
	}
	pom, start := read(e, "pom.xml"), read(e, "Start.java")
	sum := sha256.Sum256(append(pom, start...))
	folder := filepath.Join(cache, string(e)+"-"+hex.EncodeToString(sum[:6]))
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	return folder, fill(ctx, folder, pom, start)
}

// fill makes the folder, whole or not at all: a fetch that breaks off leaves nothing that a later one would take for an
// engine.
func fill(ctx context.Context, folder string, pom, start []byte) error {
	for _, tool := range []string{"java", "javac", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("engines: %s is missing: the tests against the real engines need Maven "+
				"and a JDK of 17 or later: %w", tool, err)
		}
	}
	making, err := os.MkdirTemp(filepath.Dir(folder), "making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(making)
	at := func(name string) string { return filepath.Join(making, name) }
	err = errors.Join(os.WriteFile(at("pom.xml"), pom, 0o644), os.WriteFile(at("Start.java"), start, 0o644))
	if err != nil {
		return err
	}
	err = command(ctx, "mvn", "-B", "-q", "-C", "-f", at("pom.xml"), "dependency:copy-dependencies",
		"-DincludeScope=runtime", "-DoutputDirectory="+at("lib"))
	if err != nil {
		return err
	}
	if err := command(ctx, "javac", "-cp", at("lib")+"/*", "-d", making, at("Start.java")); err != nil {
		return err
	}
	// The last step, so a folder with that name is always whole.
	return os.Rename(making, folder)
}

// command runs a tool, whose output is in the error if it fails.
func command(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("engines: %s: %w\n%s", name, err, out)
	}
	return nil
}

// read is a file of an engine.
func read(e Engine, name string) []byte {
	b, err := parts.ReadFile(string(e) + "/" + name)
	if err != nil {
		panic("engines: no such engine: " + e)
	}
	return b
}

// cache is .cache/engines beside the go.mod above the working directory, where go test runs.
func cache() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			cache := filepath.Join(dir, ".cache", "engines")
			return cache, os.MkdirAll(cache, 0o755)
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("engines: not inside the repository: no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}
