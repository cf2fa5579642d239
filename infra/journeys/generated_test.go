package journeys

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// clients is the folder with what makes clients of openapi.json, and a journey for each of them.
const clients = "../clients"

// generated is a client that is made of openapi.json, compiled, and goes its journey.
type generated struct {
	t   *testing.T
	dir string // where it is made
	env []string
}

// newGenerated is a client made by a tool, in a folder with copies of these files; the test is skipped without the
// tool, but not where all tools are required.
func newGenerated(t *testing.T, tool string, files ...string) generated {
	root, err := filepath.Abs(clients)
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(root, tool)); err != nil {
		if os.Getenv("TOOLS") == "required" {
			t.Fatalf("%s is not here, and TOOLS=required: `make clients` installs it where there are npm and Python",
				tool)
		}
		t.Skipf("%s is not here: `make clients` installs it where there are npm and Python", tool)
	}
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	t.Cleanup(func() { p.stop(syscall.SIGTERM) })
	g := generated{t: t, dir: t.TempDir(), env: append(os.Environ(), "BASE="+p.run.BaseURL, "TOKEN="+p.run.Demo.Token,
		"HOOK="+p.run.BaseURL+"/demo/receiver", "PATH="+filepath.Join(root, ".venv", "bin")+":"+os.Getenv("PATH"))}
	for _, name := range append(files, "../../functions/docs/openapi.json") {
		b, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(g.dir, filepath.Base(name)), b, 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(root, "node_modules"), filepath.Join(g.dir, "node_modules")))
	return g
}

// venv is a program of the Python environment.
func (g generated) venv(program string) string {
	bin, err := filepath.Abs(filepath.Join(clients, ".venv", "bin"))
	require.NoError(g.t, err)
	return filepath.Join(bin, program)
}

// run runs a command in the folder, which must succeed; it is what it said.
func (g generated) run(name string, args ...string) string {
	g.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = g.dir, g.env
	out, err := cmd.CombinedOutput()
	require.NoError(g.t, err, "%s %v: %s", name, args, out)
	return string(out)
}

func TestAClientOfOpenAPIFetchCompilesAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, "node_modules/openapi-typescript", "package.json", "tsconfig.json", "fetch.ts")
	g.run("node_modules/.bin/openapi-typescript", "openapi.json", "-o", "schema.ts")
	g.run("node_modules/.bin/tsc", "-p", ".")
	require.Contains(t, g.run("node", "out/fetch.js"), "done")
}

func TestAClientOfHeyAPICompilesAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, "node_modules/@hey-api/openapi-ts", "package.json", "tsconfig.json",
		"openapi-ts.config.mjs", "hey.ts")
	g.run("node_modules/.bin/openapi-ts")
	g.run("node_modules/.bin/tsc", "-p", ".")
	require.Contains(t, g.run("node", "out/hey.js"), "done")
}

func TestAClientOfPythonGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, ".venv/bin/openapi-python-client", "journey.py")
	g.run(g.venv("openapi-python-client"), "generate", "--path", "openapi.json", "--meta", "none", "--output-path",
		"eshop_client")
	g.run(g.venv("python"), "-m", "compileall", "-q", "eshop_client")
	require.Contains(t, g.run(g.venv("python"), "journey.py"), "done")
}
