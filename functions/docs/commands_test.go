package docs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// examples are what stands in a guide's command where a reader puts something of a special form. All else is
// "example".
var examples = map[string]string{"<when>": "2026-11-30T09:00:00Z", "<arn>": "arn:aws:acm:us-east-1:123456789012:x",
	"<mapping>": "9a5c1f0e-0000-4000-8000-000000000001"}

// commandsOf are the commands of AWS's command line in a guide's text, in its blocks and its sentences, each once. One
// within another one stands for itself.
func commandsOf(text string) (all []string) {
	seen := map[string]bool{}
	add := func(command string) {
		within := regexp.MustCompile(`\$\((aws [^()]*)\)`)
		for _, inner := range within.FindAllStringSubmatch(command, -1) {
			command += "\n" + inner[1]
		}
		for i, c := range strings.Split(command, "\n") {
			if i == 0 {
				c = within.ReplaceAllString(c, "example")
			}
			if c = strings.TrimSpace(c); !seen[c] {
				seen[c] = true
				all = append(all, c)
			}
		}
	}
	filled := regexp.MustCompile("<[^<>\n]+>").ReplaceAllStringFunc(text, func(place string) string {
		return cmp.Or(examples[place], "example")
	})
	for i, part := range strings.Split(filled, "```") {
		if i%2 == 0 {
			said := regexp.MustCompile("`(aws [a-z0-9-]+ [a-z0-9-]+ --[^`…]+)`")
			for _, c := range said.FindAllStringSubmatch(part, -1) {
				add(c[1])
			}
			continue
		}
		lines := strings.Split(part, "\n")
		for n := 0; n < len(lines); n++ {
			command, _, _ := strings.Cut(lines[n], "  # ")
			if !strings.HasPrefix(command, "aws ") {
				continue
			}
			for strings.HasSuffix(command, "\\") || strings.Count(command, "'")%2 == 1 {
				n++
				command = strings.TrimSuffix(command, "\\") + " " + strings.TrimSpace(lines[n])
			}
			add(command)
		}
	}
	return all
}

// parses is AWS's command line, which is called for each of the commands in its input, at an address of its own.
const parses = `
import json, os, shlex, sys
from awscli.clidriver import create_clidriver
for n, command in enumerate(json.load(sys.stdin)):
    print(command, flush=True)
    sys.stderr = sys.stdout
    try:
        create_clidriver().main(["--endpoint-url", f"{sys.argv[1]}/{n}"] + shlex.split(command, comments=True)[1:])
    except SystemExit:
        pass
`

// parsed says which of the commands AWS's command line takes: it calls what it takes, and here a server of ours says no
// to each call.
func parsed(t *testing.T, commands []string) (calls []bool, said string) {
	t.Helper()
	python := "testdata/.venv/bin/python"
	if _, err := os.Stat("testdata/.venv/bin/aws"); err != nil {
		if os.Getenv("TOOLS") != "required" {
			t.Skip("AWS's command line is not here")
		}
		require.NoError(t, err, "make tools installs it")
	}
	calls = make([]bool, len(commands))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.Split(r.URL.Path, "/")[1])
		calls[n] = err == nil
		w.WriteHeader(http.StatusForbidden)
	}))
	defer s.Close()
	in, err := json.Marshal(commands)
	require.NoError(t, err)
	driver := exec.CommandContext(t.Context(), python, "-c", parses, s.URL)
	driver.Stdin = bytes.NewReader(in)
	driver.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "AWS_DEFAULT_REGION=us-east-1",
		"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x", "AWS_MAX_ATTEMPTS=1", "AWS_PAGER="}
	out, err := driver.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return calls, string(out)
}

// TestAWSParsesEachCommandOfTheGuides: by version 1 of its command line, which is as new as AWS. Version 2 takes bytes
// as base64 alone, unless they are in a file that is said to hold bytes.
func TestAWSParsesEachCommandOfTheGuides(t *testing.T) {
	guides, err := filepath.Glob("*.md")
	require.NoError(t, err)
	var all []string
	for _, guide := range guides {
		text, err := os.ReadFile(guide)
		require.NoError(t, err)
		all = append(all, commandsOf(string(text))...)
	}
	require.Greater(t, len(all), 15)
	calls, said := parsed(t, all)
	for n, command := range all {
		_, of, _ := strings.Cut(said, command+"\n")
		of, _, _ = strings.Cut(of, "\naws ")
		require.True(t, calls[n], "%s: %s", command, of)
		require.NotRegexp(t, `--(payload|zip-file|data|plaintext|ciphertext-blob) ([^f]|file:)`, command)
	}
}

func TestACommandThatDoesNotParseIsFound(t *testing.T) {
	calls, said := parsed(t, []string{"aws sqs start-message-move-task --from x", "aws dynamodb restore-table",
		"aws sqs start-message-move-task --source-arn x"})
	require.Equal(t, []bool{false, false, true}, calls, said)
	require.Equal(t, []string{"aws i j --k", "aws a b  --c example", "aws l m", "aws d e --f '{ \"g\": 1}'"},
		commandsOf("Say `aws i j --k`.\n```\nit's\naws a b \\\n  --c $(aws l m)\n"+
			"aws d e --f '{\n  \"g\": 1}'\n```\n"))
}
