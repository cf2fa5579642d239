package docs_test

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/webhook/signature"
)

// installs are the programs of the guide that take install codes, each beside the receiver of its language.
var installs = []language{
	{"installs/install.mjs", []string{"node"}, func(t *testing.T, file, _ string) *exec.Cmd {
		folder := laid(t, t.TempDir(), file, "receivers/receiver.mjs")
		return exec.Command("node", filepath.Join(folder, "install.mjs"), filepath.Join(folder, "shops.json"))
	}},
	{"installs/install.php", []string{"php"}, func(t *testing.T, file, port string) *exec.Cmd {
		folder := laid(t, t.TempDir(), file, "receivers/receiver.php")
		return exec.Command("php", "-S", "127.0.0.1:"+port, filepath.Join(folder, "install.php"))
	}},
}

// kept is what a program keeps of a shop.
type kept struct {
	Since string `json:"since"`
	Token string `json:"token"`
}

// TestAnInstallOfTheGuide activates a package on a shop of the running platform, again and again.
func TestAnInstallOfTheGuide(t *testing.T) {
	for _, l := range installs {
		t.Run(l.file, func(t *testing.T) {
			base := serve(t)
			l.tried(t)
			platform, err := url.Parse(base)
			require.NoError(t, err)
			var lost atomic.Bool  // whether the platform's answers are
			var gone atomic.Int64 // and how many were
			between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				proxy := httputil.NewSingleHostReverseProxy(platform)
				if lost.Load() {
					proxy.ServeHTTP(httptest.NewRecorder(), r)
					gone.Add(1)
					panic(http.ErrAbortHandler)
				}
				proxy.ServeHTTP(w, r)
			}))
			t.Cleanup(between.Close)
			o := &sender{t: t, base: base, token: operator}
			shop := o.do("POST", "/operator/shops", `{"name":"S","domain":"install.cz","locale":"cs_CZ",`+
				`"currency":"CZK","owner":{"email":"o@a.cz"}}`)["id"].(string)
			pkg := "/operator/packages/" + o.do("POST", "/operator/packages", `{"code":"install","name":"P",`+
				`"instructions":"","permissions":["shop:read"]}`)["id"].(string)
			key := o.do("POST", pkg+"/system-keys", "")["key"].(string)
			p := l.start(t, nil, "WEBHOOK_KEYS="+key, "BASE="+between.URL, "SETUP=http://127.0.0.1:8091/setup")
			require.Eventually(t, p.listens, within, look, "%v", p.said())
			o.do("PATCH", pkg, `{"systemUrl":"`+p.url+`"}`)
			accesses := "/operator/shops/" + shop + "/accesses"
			access := accesses + "/" + o.do("POST", accesses,
				`{"packageId":"`+filepath.Base(pkg)+`"}`)["id"].(string)

			p.keeps(t, shop, func(k kept) bool { return k.Token != "" })
			add := &sender{t: t, base: base, token: p.kept(t)[shop].Token}
			setUp := func() any { return add.do("GET", "/api-engine/package", "")["setup"] }
			require.Eventually(t, func() bool { return setUp() == "required" }, within, look)
			require.Equal(t, "http://127.0.0.1:8091/setup?shop="+shop,
				add.do("GET", "/api-engine/package", "")["setupUrl"])

			first := p.kept(t)[shop]
			o.do("POST", access+"/deactivate", "")
			p.keeps(t, shop, func(k kept) bool { return k.Token == "" && k.Since > first.Since })
			p.replayed(t, key, shop, first.Since) // an activation of before
			require.Empty(t, p.kept(t)[shop].Token)

			o.do("POST", access+"/activate", "")
			p.keeps(t, shop, func(k kept) bool { return k.Token != "" && k.Token != first.Token })
			second := p.kept(t)[shop]
			p.replayed(t, key, shop, second.Since) // with a code that is good no more
			require.Equal(t, second, p.kept(t)[shop])

			o.do("POST", access+"/deactivate", "")
			p.keeps(t, shop, func(k kept) bool { return k.Token == "" })
			lost.Store(true)
			o.do("POST", access+"/activate", "")
			require.Eventually(t, func() bool { return gone.Load() > 0 }, within, look)
			lost.Store(false)
			o.do("POST", "/operator/clock", `{"advance":"1m"}`)
			p.keeps(t, shop, func(k kept) bool { return k.Token == "" && k.Since > second.Since })
			require.Contains(t, p.said(), "deactivate and activate")

			status, _ := p.hook(t, `{"event":"packageActivate"}`, time.Now(), "sha256=")
			require.Equal(t, 401, status)
		})
	}
}

// TestAnInstallOfTheGuideKeepsWhatComesDuringAnExchange is of the one that takes webhooks at once: PHP's own server
// takes one after the other.
func TestAnInstallOfTheGuideKeepsWhatComesDuringAnExchange(t *testing.T) {
	const first, later = "2026-11-21T02:05:12.583Z", "2026-11-21T03:00:00.000Z"
	for _, c := range []struct {
		name, code, event, during, since, token string
	}{
		{"a deactivation", "good", "packageDeactivate", later, later, ""},
		{"another attempt, which has the token", "used", "packageActivate", first, first, "esk_1"},
		{"another attempt, which has none", "good", "packageActivate", first, first, "esk_1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, key := installs[0], signature.New(rand.Reader)
			l.tried(t)
			var p *process
			sends := func(event, code, occurred string) (int, string) {
				body, now := `{"id":"W","event":"`+event+`","shopId":"S","data":{"installCode":"`+code+
					`","occurredAt":"`+occurred+`"}}`, time.Now()
				return p.hook(t, body, now, signature.Hex(key, now.Unix(), []byte(body)))
			}
			var came atomic.Bool
			other := map[string]string{"good": "used", "used": "good"}[c.code]
			platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if !came.Swap(true) {
					sends(c.event, other, c.during)
				}
				if !strings.Contains(string(body), "good") {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				w.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(w, `{"token":"esk_1"}`)
			}))
			t.Cleanup(platform.Close)
			p = l.start(t, nil, "WEBHOOK_KEYS="+key.Text(), "BASE="+platform.URL, "SETUP=https://a.cz")
			require.Eventually(t, p.listens, within, look, "%v", p.said())
			status, _ := sends("packageActivate", c.code, first)
			require.Equal(t, 200, status)
			require.Equal(t, kept{Since: c.since, Token: c.token}, p.kept(t)["S"])
		})
	}
}

// kept is what the program's file has, by shops.
func (p *process) kept(t *testing.T) map[string]kept {
	t.Helper()
	all := map[string]kept{}
	text, err := os.ReadFile(filepath.Join(p.folder, "shops.json"))
	if err == nil {
		require.NoError(t, json.Unmarshal(text, &all))
	}
	return all
}

// keeps waits until the program keeps of a shop what is wanted.
func (p *process) keeps(t *testing.T, shop string, wanted func(kept) bool) {
	t.Helper()
	require.Eventually(t, func() bool { return wanted(p.kept(t)[shop]) }, within, look, "%v", p.said())
}

// replayed sends an activation that occurred then once more, with a code that is none.
func (p *process) replayed(t *testing.T, text, shop, occurred string) {
	t.Helper()
	key, err := signature.Parse(text)
	require.NoError(t, err)
	body, now := `{"id":"W","event":"packageActivate","shopId":"`+shop+`","data":{"installCode":"none",`+
		`"occurredAt":"`+occurred+`"}}`, time.Now()
	status, _ := p.hook(t, body, now, signature.Hex(key, now.Unix(), []byte(body)))
	require.Equal(t, 200, status)
}
