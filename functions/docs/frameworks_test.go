package docs_test

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/webhook/signature"
)

// packages is where make tools puts what the frameworks of Node and Python are.
const packages = "testdata/node_modules/"

// frameworks are the receivers of the guide in frameworks, each of which wants the receiver of its language beside it.
// They run in the real thing, but for AWS's part: testdata/lambda.mjs makes events as API Gateway does. Of Laravel and
// Symfony there is what Debian packages, which is requests, routers, controllers and Symfony's kernel, of older
// releases than those in use.
var frameworks = []language{
	{"frameworks/express/app.mjs", []string{"node", packages + "express"},
		func(t *testing.T, file, _ string) *exec.Cmd {
			folder := laid(t, t.TempDir(), file, "receivers/receiver.mjs")
			modules, err := filepath.Abs(packages)
			require.NoError(t, err)
			require.NoError(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
			return exec.Command("node", filepath.Join(folder, "app.mjs"))
		}},
	{"frameworks/nextjs/route.js", []string{"node", packages + "next"},
		func(t *testing.T, file, _ string) *exec.Cmd {
			// A site has its packages above it.
			require.NoError(t, os.MkdirAll("testdata/.cache", 0o700))
			site, err := os.MkdirTemp("testdata/.cache", "site")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(site)) })
			laid(t, site, "testdata/next.config.mjs")
			laid(t, filepath.Join(site, "app", "hooks"), file, "receivers/receiver.mjs")
			cmd := exec.Command("node", "testdata/nextjs.mjs", site)
			cmd.Env = []string{"NEXT_TELEMETRY_DISABLED=1"}
			return cmd
		}},
	{"frameworks/lambda/index.mjs", []string{"node"}, func(t *testing.T, file, _ string) *exec.Cmd {
		return exec.Command("node", "testdata/lambda.mjs", laid(t, t.TempDir(), file, "receivers/receiver.mjs"))
	}},
	{"frameworks/fastapi/main.py", []string{"testdata/.venv/bin/uvicorn"},
		func(t *testing.T, file, port string) *exec.Cmd {
			return exec.Command("testdata/.venv/bin/uvicorn", "main:app", "--port", port, "--no-access-log",
				"--app-dir", laid(t, t.TempDir(), file, "receivers/receiver.py"))
		}},
	{"frameworks/laravel/WebhookController.php", []string{"php", "/usr/share/php/Illuminate/Routing"},
		func(t *testing.T, file, port string) *exec.Cmd {
			return exec.Command("php", "-S", "127.0.0.1:"+port,
				"-t", laid(t, t.TempDir(), file, "receivers/receiver.php"), "testdata/laravel.php")
		}},
	{"frameworks/symfony/WebhookController.php", []string{"php", "/usr/share/php/Symfony/Component/HttpKernel"},
		func(t *testing.T, file, port string) *exec.Cmd {
			return exec.Command("php", "-S", "127.0.0.1:"+port,
				"-t", laid(t, t.TempDir(), file, "receivers/receiver.php"), "testdata/symfony.php")
		}},
}

// laid copies files into a folder, as whoever follows the guide does, and returns the folder.
func laid(t *testing.T, folder string, files ...string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o700))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(file)), text, 0o600))
	}
	return folder
}

// TestAReceiverReadsNoMoreThanAWebhookCanHave sends a genuine webhook of more than a mebibyte to those frameworks that
// have no bound of their own.
func TestAReceiverReadsNoMoreThanAWebhookCanHave(t *testing.T) {
	key := signature.New(rand.Reader)
	body, now := `{"id":"W1","event":"customerCreate","data":"`+strings.Repeat("x", 1<<20)+`"}`, time.Now()
	for _, l := range frameworks {
		if !strings.Contains(l.file, "nextjs") && !strings.Contains(l.file, "fastapi") {
			continue
		}
		t.Run(l.file, func(t *testing.T) {
			l.tried(t)
			p := l.run(t, key.Text())
			status, _ := p.hook(t, body, now, signature.Hex(key, now.Unix(), []byte(body)))
			require.Equal(t, 413, status)
			require.Zero(t, p.times("W1"))
		})
	}
}
