package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/infra/local"
	"eshop/shared/webhook/signature"
)

// said is what a command has written so far.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) { s.mu.Lock(); defer s.mu.Unlock(); return s.b.Write(b) }
func (s *said) String() string              { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

// running is a platform on this machine, and the environment of a shell there.
func running(t *testing.T) (sh Shell, out, errs *said) {
	t.Helper()
	data := t.TempDir()
	p, err := local.Start(t.Context(), local.Settings{Addr: "127.0.0.1:0", Data: data,
		Environment: "development", Demo: true,
		Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop()) })
	out, errs = &said{}, &said{}
	return Shell{Getenv: func(name string) string { return map[string]string{"DATA": data}[name] }, Out: out,
		Errs: errs, Every: 20 * time.Millisecond}, out, errs
}

// follows runs a command that goes on until the test is done.
func follows(t *testing.T, sh Shell, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- execute(ctx, args, sh)
	}()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
}

func eventually(t *testing.T, out *said, want string) string {
	t.Helper()
	require.Eventually(t, func() bool { return regexp.MustCompile(want).MatchString(out.String()) }, time.Minute,
		5*time.Millisecond, "%s in %s", want, out)
	return out.String()
}

func TestAnAuthorWithoutAPublicAddressHearsWhatHappens(t *testing.T) {
	sh, out, _ := running(t)
	key := signature.New(rand.Reader)
	var mu sync.Mutex
	heard := map[string]string{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		stamp, _ := strconv.ParseInt(r.Header.Get("X-Webhook-Timestamp"), 10, 64)
		mu.Lock()
		defer mu.Unlock()
		if signature.Verify(r.Header.Get("X-Webhook-Signature"), stamp, body, key) &&
			r.Header.Get("Webhook-Signature") == signature.Standard(r.Header.Get("Webhook-Id"), stamp, body, key) {
			heard[r.Header.Get("X-Webhook-Event")] = string(body)
		}
	}))
	defer receiver.Close()
	follows(t, sh, "listen", "--to", receiver.URL, "--key", key.Text())
	eventually(t, out, "Following")
	for _, event := range []string{"customerDelete", "customerErase", "productChange", "orderChange"} {
		require.Zero(t, Main([]string{"trigger", event}, sh), out)
	}
	for _, event := range []string{"orderChange", "productDelete"} {
		eventually(t, out, event+" [0-9A-Z]{26} 200 OK")
	}
	mu.Lock()
	defer mu.Unlock()
	for _, event := range []string{"customerCreate", "customerDelete", "productCreate", "productChange", "orderChange",
		"productDelete"} {
		require.Contains(t, heard, event)
	}
	require.Regexp(t, `^\{"id":"[0-9A-Z]{26}","event":"orderChange","shopId":"[0-9A-Z]{26}","apiVersion":"2026-11-01","createdAt":"[^"]+","by":"self","requestId":"[0-9A-Z]{26}","data":\{"orderIds":\["[0-9A-Z]{26}"\]\}\}$`,
		heard["orderChange"])
}

// TestAnAuthorHearsAPackageInstalled: the package has no address at all, and its install code is good.
func TestAnAuthorHearsAPackageInstalled(t *testing.T) {
	sh, out, errs := running(t)
	require.Zero(t, Main([]string{"developer", "ada@addon.example", "--name", "Ada"}, sh), errs)
	token := regexp.MustCompile(`token (esk_dev_\w+)`).FindStringSubmatch(out.String())[1]
	data := sh.Getenv("DATA")
	sh.Getenv = func(name string) string {
		return map[string]string{"DATA": data, "ESHOP_DEVELOPER_TOKEN": token}[name]
	}
	c, err := connect(options{Shell: sh}, ofDeveloper)
	require.NoError(t, err)
	post := func(path string, body object) string {
		made, err := ask[struct{ ID string }](t.Context(), c, "POST", path, body)
		require.NoError(t, err)
		return made.ID
	}
	shop := post("/developer/shops", object{"name": "T", "domain": "t.test", "locale": "cs_CZ", "currency": "CZK",
		"owner": object{"email": "ada@addon.example"}})
	pkg := post("/developer/packages",
		object{"code": "own", "name": "Own", "instructions": "", "permissions": []string{}})
	require.Equal(t, 1, Main([]string{"trigger", "packageActivate", "--package", pkg}, sh))
	require.Contains(t, errs.String(), "no test shop of yours has the package "+pkg)
	require.Equal(t, 1, Main([]string{"trigger", "orderChange", "--package", pkg}, sh))
	require.Contains(t, errs.String(), "trigger --package takes packageActivate")
	post("/developer/shops/"+shop+"/accesses", object{"packageId": pkg, "active": false})
	spare := post("/developer/packages",
		object{"code": "spare", "name": "S", "instructions": "", "permissions": []string{}})
	gone := make(chan error, 1)
	go func() {
		gone <- execute(t.Context(), []string{"listen", "--package", spare, "--to", "http://127.0.0.1:1"}, sh)
	}()
	eventually(t, out, "Following the package "+spare)
	_, err = ask[object](t.Context(), c, "DELETE", "/developer/packages/"+spare, nil)
	require.NoError(t, err)
	require.ErrorContains(t, <-gone, "you have no package "+spare+" (any more): it was deleted")

	codes := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var told struct{ Data struct{ InstallCode string } }
		if err := json.NewDecoder(r.Body).Decode(&told); err == nil && told.Data.InstallCode != "" {
			codes <- told.Data.InstallCode
		}
	}))
	defer receiver.Close()
	follows(t, sh, "listen", "--package", pkg, "--to", receiver.URL)
	eventually(t, out, "Following the package "+pkg)
	for _, event := range []string{"packageDeactivate", "packageActivate", "packageOpenInstructions"} {
		require.Zero(t, Main([]string{"trigger", event, "--package", pkg}, sh), errs)
		eventually(t, out, event+" [0-9A-Z]{26} 200 OK")
	}
	// The first activation had a code only if it was heard before its deactivation, which has ended it.
	var code string
	for len(codes) > 0 {
		code = <-codes
	}
	_, err = ask[object](t.Context(), c, "POST", "/api-engine/tokens", object{"installCode": code})
	require.NoError(t, err)
}

// An X-Request-Id is the caller's, who may send the same one with each request.
func TestRequestsOfOneIDAreToldApart(t *testing.T) {
	sh, out, _ := running(t)
	follows(t, sh, "listen") // without a receiver, the webhooks are shown
	eventually(t, out, "Following")
	c, err := connect(options{Shell: sh}, ofAccess)
	require.NoError(t, err)
	c.http.Transport = always{"X-Request-Id", "job-10"}
	made, err := ask[struct{ ID string }](t.Context(), c, "POST", "/api-engine/products", product("mark"))
	require.NoError(t, err)
	_, err = ask[object](t.Context(), c, "DELETE", "/api-engine/products/"+made.ID, nil)
	require.NoError(t, err)
	eventually(t, out, `productCreate \{"id":"[0-9A-Z]{26}",.*"products":\[\{"id":"`+made.ID)
	eventually(t, out, `productDelete \{"id":"[0-9A-Z]{26}",.*"products":\[\{"id":"`+made.ID)
}

// always sends a header with each request.
type always struct{ name, value string }

func (a always) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(a.name, a.value)
	return http.DefaultTransport.RoundTrip(r)
}

func TestAChangeIsWhatOneRequestDid(t *testing.T) {
	at := time.Date(2026, 11, 21, 2, 5, 12, 583e6, time.UTC)
	of := func(id, version string, at time.Time) entry {
		return entry{Type: events.Products, ID: id, Change: events.Changed, Version: version, At: at,
			RequestID: "job-10"}
	}
	told := map[string][]string{} // the ids of products, by the webhook's
	for _, change := range changes([]entry{of("a", "v1", at), of("b", "v2", at), of("a", "v3", at),
		of("c", "v4", at.Add(time.Millisecond))}) {
		for _, r := range change.Records {
			id := change.WebhookID(events.ProductChange, "listen", 0)
			told[id] = append(told[id], r.ID)
		}
	}
	require.ElementsMatch(t, [][]string{{"a", "b"}, {"a"}, {"c"}}, slices.Collect(maps.Values(told)))
}

func TestDeliveriesAreShownAndSentAgain(t *testing.T) {
	sh, out, errs := running(t)
	require.Equal(t, 1, Main([]string{"trigger", "packageActivate"}, sh))
	require.Contains(t, errs.String(), "no receiver")
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		io.Copy(w, r.Body)
	}))
	defer receiver.Close()
	c, err := connect(options{Shell: sh}, ofAccess)
	require.NoError(t, err)
	_, err = ask[object](t.Context(), c, "POST", "/api-engine/webhooks",
		object{"url": receiver.URL + "/off", "active": false})
	require.NoError(t, err)
	_, err = ask[object](t.Context(), c, "POST", "/api-engine/webhooks",
		object{"url": receiver.URL, "events": []string{"customerCreate"}})
	require.NoError(t, err)
	follows(t, sh, "tail")
	eventually(t, out, "from now on")
	require.Eventually(t, func() bool {
		require.Equal(t, 1, Main([]string{"trigger", "packageActivate"}, sh), "one receiver is off")
		return strings.Contains(out.String(), "a test packageActivate goes to "+receiver.URL+"\n")
	}, time.Minute, 10*time.Millisecond, "the other one is verified soon")
	require.Contains(t, errs.String(), receiver.URL+"/off: 409 receiver_inactive")
	eventually(t, out, `packageActivate delivered to [0-9A-Z]{26} \(test\): attempt 1, \d+ ms, 200`)
	require.Zero(t, Main([]string{"trigger", "customerCreate"}, sh))
	line := regexp.MustCompile(`([0-9A-Z]{26}) customerCreate delivered`).
		FindStringSubmatch(eventually(t, out, "customerCreate delivered"))
	require.Zero(t, Main([]string{"resend", line[1]}, sh), errs)
	require.Eventually(t, func() bool {
		d, err := ask[delivery](t.Context(), c, "GET", "/api-engine/webhook-deliveries/"+line[1], nil)
		return err == nil && len(d.Attempts) == 2
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, 1, Main([]string{"resend", strings.Repeat("0", 26)}, sh))
	require.Contains(t, errs.String(), "404 not_found")
}

func TestAScriptWaitsForWhatBecomesOfADelivery(t *testing.T) {
	sh, out, errs := running(t)
	status := atomic.Int32{}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Webhook-Event") != "ping" {
			w.WriteHeader(int(status.Load()))
		}
		io.Copy(w, r.Body)
	}))
	defer receiver.Close()
	c, err := connect(options{Shell: sh}, ofAccess)
	require.NoError(t, err)
	require.Equal(t, 1, Main([]string{"trigger", "customerCreate", "--wait", "--within", "1ms"}, sh))
	require.Contains(t, errs.String(), "no receiver of this access was told of customerCreate within 1ms")
	made, err := ask[struct{ ID string }](t.Context(), c, "POST", "/api-engine/webhooks",
		object{"url": receiver.URL, "events": []string{"customerChange"}})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		r, err := ask[struct{ State string }](t.Context(), c, "GET", "/api-engine/webhooks/"+made.ID, nil)
		return err == nil && r.State == "enabled"
	}, time.Minute, 10*time.Millisecond)

	status.Store(200)
	require.Zero(t, Main([]string{"trigger", "customerChange", "--wait"}, sh), errs)
	line := regexp.MustCompile(`([0-9A-Z]{26}) customerChange delivered`).FindStringSubmatch(out.String())
	require.NotNil(t, line, out)
	require.Zero(t, Main([]string{"wait", line[1]}, sh), errs)

	status.Store(500) // a test has one attempt
	require.Equal(t, 1, Main([]string{"trigger", "packageActivate", "--wait"}, sh))
	require.Contains(t, out.String(), "packageActivate exhausted to "+made.ID+" (test): attempt 1")
	require.Contains(t, errs.String(), " is exhausted")
	require.Equal(t, 1, Main([]string{"trigger", "customerChange", "--wait", "--within", "1s"}, sh))
	require.Contains(t, errs.String(), " is waiting")
	require.Equal(t, 1, Main([]string{"wait", strings.Repeat("0", 26), "--within", "1ms"}, sh))
	require.Contains(t, errs.String(), "404 not_found")
}

func TestWhatIsAskedWronglyIsSaidInOneLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--help"}, 0, "listen "}, {[]string{"help"}, 0, "listen "}, {[]string{"-h"}, 0, "listen "},
		{[]string{"version"}, 0, "eshop API 2026-11-01, data"}, {[]string{"--version"}, 0, "API 2026-11-01"},
		{[]string{"liste"}, 2, `no command "liste" - did you mean listen?; eshop --help`},
		{[]string{"liste", "--to", "x"}, 2, "did you mean listen?"},
		{[]string{"help", "liste"}, 2, "did you mean listen?"},
		{[]string{"completion", "zhs"}, 2, "did you mean zsh?; eshop completion --help"},
		{[]string{"xyz"}, 2, `no command "xyz"; eshop`},
		{[]string{"listen", "--too", "x"}, 1, "did you mean --to?; eshop listen --help"},
		{[]string{"tail", "-url", "x"}, 1, "-url takes two dashes: --url"},
		{[]string{}, 0, "eshop serve begins a platform here"},
		{[]string{"serve", "--port", "1"}, 1, "=127.0.0.1:8080; eshop serve --help lists them"},
		{[]string{"serve", "--listen", ":80"}, 1, "no flag --listen - its settings are variables, like ADDR="},
		{[]string{"serve", "now"}, 1, "takes no"}, {[]string{"check", "now"}, 1, `check takes no "now"`},
		{[]string{"listen", "--package", strings.Repeat("0", 26)}, 1, "--to"},
		{[]string{"listen", "--to", "foo"}, 1, `--to "foo" is no address to post to: it begins with http://`},
		{[]string{"listen", "--to", "127.0.0.1:8100"}, 1, "http://"},
		{[]string{"listen", "--to", "localhost:3000/hook"}, 1, "http://"},
		{[]string{"listen", "--to", "http:///hook"}, 1, "http://"},
		{[]string{"listen", "--to", "ftp://localhost/"}, 1, "http://"},
		{[]string{"listen", "--to", "http://u:p@localhost/"}, 1, "no address to post to"},
		{[]string{"tail", "--url", "localhost:8080", "--token", "t"}, 1, `--url "localhost:8080"`},
		{[]string{"trigger"}, 1, "customerCreate"},
		{[]string{"trigger", "birthday", "--url", "http://127.0.0.1:1", "--token", "t"}, 1, "birthday"},
		{[]string{"tail", "now"}, 1, "takes no"}, {[]string{"tail", "--odd"}, 1, "odd"},
		{[]string{"resend"}, 1, "id of a delivery"},
		{[]string{"resend", "none"}, 1, `and not "none"`},
		{[]string{"reindex", "none"}, 1, `and not "none"`},
		{[]string{"listen", "--to", "http://127.0.0.1:1", "--events", "birthday"}, 1, `no event "birthday"; there are`},
		{[]string{"listen", "--to", "http://127.0.0.1:1", "--package", "none"}, 1, `and not "none"`},
		{[]string{"listen", "--to"}, 1, "--to takes ADDRESS"},
		{[]string{"clock", "-1h"}, 1, "forward only"},
		{[]string{"clock", "tomorrow"}, 1, `like +20d or +83h, or nothing, and not "tomorrow"`},
		{[]string{"clock", "+1.5d"}, 1, `and not "+1.5d"`},
		{[]string{"shop", "new", "bad domain", "--email", "a@b.cz"}, 1, "a host name like tea.example"},
		{[]string{"shop", "new", "tea.example"}, 1, "--email"},
		{[]string{"shop", "new", "tea.example", "--email", "jana"}, 1, "--email"},
		{[]string{"shop", "copy"}, 1, "copy takes --from"},
		{[]string{"shop", "copy", "--from", "live", "bad domain"}, 1, "a host name like tea.test"},
		{[]string{"shop", "copy", "--from", "live"}, 1, "no profile live"},
		{[]string{"shop", "copy", "--from", "http://127.0.0.1:1"}, 1, "set ESHOP_TOKEN"},
		{[]string{"developer", "ada"}, 1, "e-mail address"},
		{[]string{"get"}, 1, "takes a path"}, {[]string{"get", "products"}, 1, "takes a path"},
		{[]string{"post", "/x", "--data", "{", "--url", "http://127.0.0.1:1", "--token", "t"}, 1, "no JSON"},
		{[]string{"login"}, 1, "login takes --url"},
		{[]string{"login", "--url", "http://127.0.0.1:1"}, 1, "login takes a token"},
		{[]string{"logout"}, 1, "no profile default"}, {[]string{"tail", "--profile", "live"}, 1, "no profile live"},
		{[]string{"tail"}, 1, "no platform runs here"},
		{[]string{"tail", "--url", "http://127.0.0.1:1"}, 1, "needs a token of your access: set ESHOP_TOKEN"},
		{[]string{"tail", "--token", "t"}, 1, "name one by --url"},
		{[]string{"shop", "new", "tea.example", "--email", "a@b.cz", "--url", "http://127.0.0.1:1"}, 1,
			"set OPERATOR_TOKEN"},
		{[]string{"tail", "--url", "http://127.0.0.1:1", "--token", "t"}, 1,
			"eshop: no platform answers at http://127.0.0.1:1: connection refused\n"},
		{[]string{"backup", "/nowhere/file", "--url", "http://127.0.0.1:1", "--token", "t"}, 1,
			"eshop: no platform answers at http://127.0.0.1:1: connection refused\n"},
		{[]string{"backup"}, 1, "takes the file to write"},
		{[]string{"backup", "-"}, 1, "backup takes the file to write, not -: a backup is a file"},
		{[]string{"listen", "--to", "http://127.0.0.1:1", "--key", "k", "--token", "t", "--url",
			"http://127.0.0.1:1"}, 1, "--key"},
	} {
		var out, errs bytes.Buffer
		code := Main(c.args, Shell{Getenv: func(name string) string {
			return map[string]string{"DATA": "/nowhere"}[name]
		}, Out: &out, Errs: &errs})
		require.Equal(t, c.code, code, "%v: %s", c.args, errs.String())
		require.Contains(t, out.String()+errs.String(), c.says, "%v", c.args)
		require.LessOrEqual(t, strings.Count(errs.String(), "\n"), 1, "%v", c.args)
		require.True(t, c.code == 0 || out.Len() == 0, "%v: %s", c.args, out.String())
	}
}

// every calls f for each command but those of the library.
func every(f func(c *cobra.Command)) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "completion" {
			return
		}
		f(c)
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	for _, c := range commands(&options{}).Commands() {
		walk(c)
	}
}

func TestEachCommandHasHelpOfItsOwn(t *testing.T) {
	said := map[string]bool{}
	every(func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		var out, errs bytes.Buffer
		sh := Shell{Getenv: func(string) string { return "esk_secret" }, Out: &out, Errs: &errs}
		require.Zero(t, Main(append(path, "--help"), sh), errs.String())
		help := out.String()
		require.Contains(t, help, "Usage:\n  "+c.CommandPath())
		require.Contains(t, help, "\nExit codes:\n  0  ")
		require.NotContains(t, help, "esk_secret", "what the environment holds is shown to nobody")
		for line := range strings.Lines(help) {
			require.LessOrEqual(t, len([]rune(line)), 101, line)
		}
		require.False(t, said[c.Short], c.Short)
		said[c.Short] = true
		if c.HasSubCommands() {
			return
		}
		for _, event := range names() {
			require.True(t, c.Name() != "trigger" || strings.Contains(help, event), event)
		}
		require.Contains(t, help, "Examples:\n  ", path)
		require.Contains(t, c.Example, c.CommandPath(), path)
		if c.Name() != "serve" {
			require.Contains(t, help, "--json", path)
		}
		out.Reset()
		require.Zero(t, Main(append([]string{"help"}, path...), sh))
		require.Equal(t, help, out.String())
	})
}

// TestTheGuideIsOfTheseCommands gives each command line of the guides for help: it must be one.
func TestTheGuideIsOfTheseCommands(t *testing.T) {
	var guide string
	// At the begin of a line, in the midst of a sentence, and behind what starts it.
	command := regexp.MustCompile("(?m)(?:^|`|[A-Z]=\\S+ |-- |[= ]/usr/local/bin/)eshop( [^|`>\n]+)?")
	for _, name := range []string{"begin.md", "one-machine.md", "operator.md", "cli.md"} {
		text, err := os.ReadFile("../../../functions/docs/" + name)
		require.NoError(t, err)
		guide = string(text)
		for _, line := range command.FindAllStringSubmatch(guide, -1) {
			var out, errs bytes.Buffer
			sh := Shell{Getenv: func(string) string { return "" }, Out: &out, Errs: &errs}
			args, _, _ := strings.Cut(line[1], "$(") // what a shell makes
			require.Zero(t, Main(append(strings.Fields(args), "--help"), sh), "%s: %s: %s", name, line[0],
				errs.String())
		}
	}
	every(func(c *cobra.Command) {
		if !c.HasSubCommands() && c.Name() != "serve" {
			require.Contains(t, guide, c.CommandPath(), "the guide leaves it out")
		}
	})
	_, codes, _ := strings.Cut(guide, "| exit code |")
	for code := range strings.Lines(exitCodes) {
		if f := strings.Fields(code); len(f) > 1 && f[0] < "9" && !strings.HasPrefix(f[1], "{{") {
			require.Contains(t, codes, "| "+f[0]+" | "+strings.Join(f[1:], " ")+" |")
		}
	}
}

// TestEachSettingIsTold by README, by the guide for one machine, and by the help; neither tells of others.
func TestEachSettingIsTold(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	names := func(text, pattern string) (all []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	settings := names(read("../../local/settings.go"), `(?:or|getenv)\("([A-Z_]+)"`)
	require.NotEmpty(t, settings)
	guide := read("../../../functions/docs/one-machine.md")
	require.Equal(t, settings, names(guide, "(?m)^\\| `([A-Z_]+)` \\|"))
	require.Subset(t, settings, names(guide, "(?m)^([A-Z_]+)="))
	require.Equal(t, settings, names(read("../../../README.md"), "(?m)^\\| `([A-Z_]+)` \\|"))
	require.Equal(t, settings, names((&options{}).serveCommand().Long, `(?m)^  ([A-Z_]+) `))
}

func TestShellsCompleteCommandsFlagsAndEvents(t *testing.T) {
	run := func(args ...string) string {
		var out, errs bytes.Buffer
		sh := Shell{Getenv: func(string) string { return "" }, Out: &out, Errs: &errs}
		require.Zero(t, Main(args, sh), errs.String())
		return out.String()
	}
	for _, name := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, run("completion", name), "eshop", name)
	}
	require.Contains(t, run("__complete", "li"), "listen\t")
	require.Contains(t, run("__complete", "listen", "--t"), "--to\tthe ADDRESS of your receiver\n")
	require.Contains(t, run("__complete", "listen", "--events", "order"), "orderChange\n")
	require.Equal(t, "productCreate\nproductChange\nproductDelete\n:4\n", run("__complete", "trigger", "product"))
	require.Equal(t, ":0\n", run("__complete", "restore", ""), "files")
}

func TestOutputIsAnObjectALineOnWish(t *testing.T) {
	sh, out, errs := running(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	}))
	defer receiver.Close()
	c, err := connect(options{Shell: sh}, ofAccess)
	require.NoError(t, err)
	made, err := ask[object](t.Context(), c, "POST", "/api-engine/webhooks", object{"url": receiver.URL})
	require.NoError(t, err)
	require.Eventually(t, func() bool { // before that it hears of nothing but its ping
		is, err := ask[object](t.Context(), c, "GET", "/api-engine/webhooks/"+made["id"].(string), nil)
		return err == nil && is["state"] == "enabled"
	}, time.Minute, 10*time.Millisecond)
	follows(t, sh, "tail", "--json")
	eventually(t, out, `"following"`)
	require.Zero(t, Main([]string{"trigger", "customerCreate", "--json"}, sh), errs)
	require.Zero(t, Main([]string{"shop", "new", "tea.example", "--email", "jana@tea.example", "--json"}, sh), errs)
	require.Zero(t, Main([]string{"reindex", "--json"}, sh), errs)
	require.Zero(t, Main([]string{"version", "--json"}, sh), errs)
	for _, has := range []string{`"event":"customerCreate".*"state":"delivered"`, `"token":"esk_`, `"done":true`,
		`"api":"2026-11-01"`} {
		eventually(t, out, has)
	}
	for line := range strings.Lines(out.String()) {
		var any object
		require.NoError(t, json.Unmarshal([]byte(line), &any), line)
	}
}
