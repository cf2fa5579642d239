//go:build clients

package journeys

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// clients is the folder with what makes clients of openapi.json, and a journey for each of them.
const clients = "clients"

// generated is a client that is made of openapi.json, compiled, and goes its journey.
type generated struct {
	t        *testing.T
	dir      string // where it is made
	env      []string
	platform runFile // what the client calls
}

// installed skips the test without a tool of `make clients`, or fails it where all tools are required.
func installed(t *testing.T, tool string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(clients, tool)); err != nil {
		if os.Getenv("TOOLS") == "required" {
			t.Fatalf("%s is not here, and TOOLS=required: `make clients` installs it or says what it lacks", tool)
		}
		t.Skipf("%s is not here: `make clients` installs it or says what it lacks", tool)
	}
}

// newGenerated is a client made by a tool, in a folder with copies of these files.
func newGenerated(t *testing.T, tool string, files ...string) generated {
	installed(t, tool)
	root, err := filepath.Abs(clients)
	require.NoError(t, err)
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	t.Cleanup(func() { p.stop(syscall.SIGTERM) })
	g := generated{t: t, platform: p.run, dir: t.TempDir()}
	g.env = append(os.Environ(), "BASE="+p.run.BaseURL, "TOKEN="+p.run.Demo.Token,
		"HOOK="+p.run.BaseURL+"/demo/receiver", "PATH="+filepath.Join(root, ".venv", "bin")+":"+os.Getenv("PATH"))
	for _, name := range append(files, "../../../functions/docs/openapi.json") {
		b, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(g.dir, filepath.Base(name)), b, 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(root, "node_modules"), filepath.Join(g.dir, "node_modules")))
	return g
}

// root is the folder of clients.
func (g generated) root() string {
	root, err := filepath.Abs(clients)
	require.NoError(g.t, err)
	return root
}

// venv is a program of the Python environment.
func (g generated) venv(program string) string {
	return filepath.Join(g.root(), ".venv", "bin", program)
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

// has requires the generated files to define each operation of the document. pattern is how they do: %s stands for an
// operationId, of which generators may write letters in another case and underscores between its words.
func (g generated) has(files, pattern string) {
	g.t.Helper()
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	b, err := os.ReadFile(filepath.Join(g.dir, "openapi.json"))
	require.NoError(g.t, err)
	require.NoError(g.t, json.Unmarshal(b, &document))
	source := g.source(files)
	var missing []string
	all := 0
	for _, methods := range document.Paths {
		for _, o := range methods {
			all++
			if !regexp.MustCompile("(?im)" + fmt.Sprintf(pattern, o.OperationID)).MatchString(source) {
				missing = append(missing, o.OperationID)
			}
		}
	}
	require.Greater(g.t, all, 90)
	require.Empty(g.t, missing, "the client lacks operations")
}

// source is what is in the files of a pattern, each behind its name, without underscores.
func (g generated) source(pattern string) string {
	names, err := filepath.Glob(filepath.Join(g.dir, pattern))
	require.NoError(g.t, err)
	require.NotEmpty(g.t, names, pattern)
	var all strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(name)
		require.NoError(g.t, err)
		all.WriteString("\nfile " + filepath.Base(name) + "\n" + string(b))
	}
	return strings.ReplaceAll(all.String(), "_", "")
}

func TestAClientOfOpenAPIFetchCompilesAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, "node_modules/openapi-typescript", "package.json", "tsconfig.json", "fetch.ts")
	g.run("node_modules/.bin/openapi-typescript", "openapi.json", "-o", "schema.ts")
	g.has("schema.ts", `^    %s: \{$`)
	g.declaresUnheard(`import type { components } from "./schema.js"; // %s`, `components["schemas"]["%s"]`)
	g.run("node_modules/.bin/tsc", "-p", ".")
	require.Contains(t, g.run("node", "out/fetch.js"), "done")
}

func TestAClientOfHeyAPICompilesAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, "node_modules/@hey-api/openapi-ts", "package.json", "tsconfig.json",
		"openapi-ts.config.mjs", "hey.ts")
	g.run("node_modules/.bin/openapi-ts")
	g.has("client/sdk.gen.ts", `^export const %s = `)
	g.declaresUnheard(`import type { %s } from "./client/types.gen.js";`, "%s")
	g.run("node_modules/.bin/tsc", "-p", ".")
	require.Contains(t, g.run("node", "out/hey.js"), "done")
}

// The package is installed as its users install theirs: pip refuses one whose version is none.
func TestAClientOfPythonIsInstalledAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, ".venv/bin/openapi-python-client", "journey.py", "python.yml")
	g.run(g.venv("openapi-python-client"), "generate", "--path", "openapi.json", "--meta", "setup", "--config",
		"python.yml", "--output-path", "package")
	g.has("package/eshop_client/api/*/*.py", `^file %s\.py$`)
	g.run(g.venv("pip"), "install", "--quiet", "--disable-pip-version-check", "--no-deps",
		"--force-reinstall", "./package")
	g.writesUnheard()
	require.Contains(t, g.run(g.venv("python"), "-I", "journey.py"), "done")
}

// To compile all that ogen makes, half a million lines, takes two minutes of a processor. So the whole is vetted for
// one thing, which wants each of its types to be right, and the journey has a client of its operations alone.
func TestAClientOfOgenHasAllOperationsAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, ".bin/ogen", "ogen.yml", "ogen-journey.yml", "testdata/ogen.go")
	ogen := filepath.Join(g.root(), ".bin", "ogen")
	g.run(ogen, "--config", "ogen.yml", "--target", "oas", "--package", "oas", "openapi.json")
	g.has("oas/oas_client_gen.go", `^func \(c \*Client\) %s\(`)
	g.run(ogen, "--config", "ogen-journey.yml", "--target", "eshop", "--package", "eshop", "openapi.json")
	g.run("go", "mod", "init", "journey")
	g.run("go", "mod", "tidy")
	g.run("go", "vet", "-bools", "./oas")
	require.Contains(t, g.run("go", "run", "."), "done")
	g.onlyUnheard()
	g.run(ogen, "--config", "ogen.yml", "--target", "words", "--package", "words", "unheard-openapi.json")
	g.readsUnheardInGo("words")
}

func TestAClientOfOapiCodegenCompilesAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, ".bin/oapi-codegen", "oapi.yml", "testdata/oapi.go")
	require.NoError(t, os.Mkdir(filepath.Join(g.dir, "eshop"), 0o700))
	g.run(filepath.Join(g.root(), ".bin", "oapi-codegen"), "-config", "oapi.yml", "openapi.json")
	g.has("eshop/client.go", `^func \(c \*ClientWithResponses\) %sWith`)
	g.run("go", "mod", "init", "journey")
	g.run("go", "mod", "tidy")
	require.Contains(t, g.run("go", "run", "."), "done")
	g.readsUnheardInGo("eshop")
}

// generator is openapi-generator, which makes the clients in Java and PHP.
const generator = ".java/openapi-generator-cli.jar"

// generate makes a client in a folder of the language's name.
func (g generated) generate(language string, more ...string) {
	g.t.Helper()
	g.run("java", append([]string{"-XX:TieredStopAtLevel=1", "-jar", filepath.Join(g.root(), generator), "generate",
		"--input-spec", "openapi.json", "--generator-name", language, "--output", language, "--global-property",
		"apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"}, more...)...)
}

func TestAClientOfOpenAPIGeneratorInJavaCompilesAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, generator, "Journey.java")
	g.generate("java", "--library", "native")
	source := "java/src/main/java/org/openapitools/client"
	g.has(source+"/api/*.java", `^  public .* %s\(`)
	var files []string
	for _, of := range []string{"*.java", "api/*.java", "model/*.java"} {
		some, err := filepath.Glob(filepath.Join(g.dir, source, of))
		require.NoError(t, err)
		require.NotEmpty(t, some, of)
		files = append(files, some...)
	}
	g.writesUnheard()
	libraries := filepath.Join(g.root(), ".java", "lib", "*")
	g.run("javac", append([]string{"-J-XX:TieredStopAtLevel=1", "-proc:none", "-nowarn", "-encoding", "UTF-8",
		"-d", "out", "-cp", libraries, "Journey.java"}, files...)...)
	require.Contains(t, g.run("java", "-XX:TieredStopAtLevel=1", "-cp", "out:"+libraries, "Journey"), "done")
}

func TestAClientOfOpenAPIGeneratorInPHPCompilesAndGoesItsJourney(t *testing.T) {
	t.Parallel()
	installed(t, generator)
	g := newGenerated(t, ".bin/guzzle.php", "journey.php")
	g.generate("php")
	g.has("php/lib/Api/*.php", `^    public function %s\(`)
	g.writesUnheard()
	require.Contains(t, g.run("php", "journey.php"), "done")
}

// Schemathesis sends what the document allows and what it forbids, and holds each answer against the document: its
// status, content type, body and headers. A seed makes its cases the same each time, and limits above them keep 429
// from standing for answers. It has two minutes beside the makers of clients.
//
// It forgives a 404 that the document lacks, because the ids are its own; the tests of functions/docs do not.
func TestSchemathesisFindsNoAnswerThatTheDocumentForbids(t *testing.T) {
	t.Parallel()
	g := newGenerated(t, ".venv/bin/schemathesis")
	demo := g.platform.Demo
	access := "/operator/shops/" + demo.ShopID + "/accesses/" + demo.AccessID
	operator := client{t, g.platform.BaseURL, g.platform.OperatorToken}
	operator.patch(access, fields{"hourlyLimit": 3_600_000, "dailyLimit": 3_600_000})

	g.lacks("listProducts", "422")
	said, err := g.schemathesis("lacking.json", "--include-operation-id", "listProducts")
	require.Error(t, err, said)
	require.Contains(t, said, "Undocumented status code", "what is wrong is found")

	said, err = g.schemathesis("openapi.json", "--max-time", "120")
	require.NoError(t, err, said)
	cases := regexp.MustCompile(`(\d+) generated, (\d+) passed`).FindStringSubmatch(said)
	require.NotNil(t, cases, said)
	t.Logf("%s; %s", cases[0], regexp.MustCompile(`Tested: \d+`).FindString(said))
	require.Equal(t, cases[1], cases[2], said)
	require.Greater(t, len(cases[1]), len("999"), "thousands of cases: %s", said)
}

// schemathesis runs it over a document, and is what it said.
func (g generated) schemathesis(document string, more ...string) (string, error) {
	cmd := exec.Command(g.venv("schemathesis"), append([]string{"--no-color", "run", document, "--url",
		g.platform.BaseURL, "--header", "Authorization: Bearer " + g.platform.Demo.Token, "--phases",
		"examples,coverage", "--seed", "7", "--generation-database", "none", "--checks", "not_a_server_error," +
			"status_code_conformance,content_type_conformance,response_schema_conformance," +
			"response_headers_conformance"}, more...)...)
	cmd.Dir, cmd.Env = g.dir, g.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// lacks writes lacking.json, the document without a status that an operation answers.
func (g generated) lacks(operationID, status string) {
	var document map[string]any
	b, err := os.ReadFile(filepath.Join(g.dir, "openapi.json"))
	require.NoError(g.t, err)
	require.NoError(g.t, json.Unmarshal(b, &document))
	for _, methods := range document["paths"].(map[string]any) {
		for _, operation := range methods.(map[string]any) {
			if o := operation.(map[string]any); o["operationId"] == operationID {
				require.Contains(g.t, o["responses"], status)
				delete(o["responses"].(map[string]any), status)
			}
		}
	}
	b, err = json.Marshal(document)
	require.NoError(g.t, err)
	require.NoError(g.t, os.WriteFile(filepath.Join(g.dir, "lacking.json"), b, 0o600))
}
