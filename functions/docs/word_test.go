package docs_test

import (
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
)

// reader does what the guide to webhooks says, in a shell, with nothing but the variables that it names.
type reader struct {
	t           *testing.T
	source      string
	environment []string
}

// commands are those of the section, word for word.
func (r *reader) commands(section string) []string {
	r.t.Helper()
	_, text, found := strings.Cut(r.source, "\n## "+section+"\n")
	require.True(r.t, found, section)
	_, text, _ = strings.Cut(text, "```\n")
	text, _, found = strings.Cut(text, "```\n")
	require.True(r.t, found, "commands of %s", section)
	return strings.Split(strings.TrimSpace(text), "\n\n")
}

// does runs the command and has its answer.
func (r *reader) does(command string) map[string]any {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "sh", "-c", command)
	cmd.Env = append(os.Environ(), r.environment...)
	out, err := cmd.Output()
	require.NoError(r.t, err, command)
	var answer map[string]any
	require.NoError(r.t, json.Unmarshal(out, &answer), "%s: %s", command, out)
	require.Contains(r.t, answer, "id", "%s: %s", command, out)
	return answer
}

// TestTheGuideIsTrueWordForWord follows it with the token that a first make run prints, in each language: the receiver
// hears of a change with its one key, while a second one is pending, and once that is activated.
func TestTheGuideIsTrueWordForWord(t *testing.T) {
	source, err := os.ReadFile("webhooks.md")
	require.NoError(t, err)
	for _, l := range languages {
		t.Run(l.file, func(t *testing.T) {
			l.tried(t)
			server, err := local.Start(t.Context(), local.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "development", Demo: true,
				Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, server.Stop()) })
			l.port = freePort(t)
			r := &reader{t, string(source), []string{"BASE=" + server.BaseURL, "TOKEN=" + server.Run.Demo.Token, "HOOKS=http://127.0.0.1:" + l.port + "/hooks"}}
			s := &sender{t: t, base: server.BaseURL, token: server.Run.Demo.Token}
			products := s.do("GET", "/api-engine/products", "")["items"].([]any)
			product := products[len(products)-1].(map[string]any)["id"].(string)
			hears := func(p *process, quantity string) {
				t.Helper()
				s.do("PATCH", "/api-engine/products/"+product, `{"stock":{"quantity":`+quantity+`}}`)
				require.Eventually(t, func() bool {
					return strings.Count(p.said(), "productChange ") > 0 && strings.Contains(p.said(), product)
				}, within, look, p.said())
			}

			register, rotate := r.commands("Register"), r.commands("Rotate keys")
			require.Len(t, register, 2)
			require.Len(t, rotate, 2)
			first := r.does(register[0])
			require.Equal(t, "primary", first["state"])
			p := l.run(t, first["key"].(string))
			receiver := r.does(register[1])
			require.Equal(t, "unverified", receiver["state"])
			require.Eventually(t, func() bool {
				return s.do("GET", "/api-engine/webhooks/"+receiver["id"].(string), "")["state"] == "enabled"
			}, within, look, p.said())
			hears(p, "101")

			next := r.does(rotate[0])
			require.Equal(t, "pending", next["state"])
			p.stop()
			p = l.run(t, first["key"].(string))
			hears(p, "102")
			p.stop()
			p = l.run(t, first["key"].(string), next["key"].(string))
			r.environment = append(r.environment, "KEY="+next["id"].(string))
			require.Equal(t, "primary", r.does(rotate[1])["state"])
			hears(p, "103")
			p.stop()
			p = l.run(t, next["key"].(string))
			hears(p, "104")
		})
	}
}
