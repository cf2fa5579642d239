package journeys

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is the real program, as somebody starts it.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	data string // its folder
	run  runFile
	errs bytes.Buffer
	out  bytes.Buffer  // up to the address; whole once it ended
	gone chan struct{} // closed when it ended
}

// runFile is run.json.
type runFile struct {
	BaseURL       string
	OperatorToken string
	Demo          *struct {
		ShopID, AccessID, Token, StorefrontURL string
		Admin                                  struct{ URL, Email, Password string }
	}
}

// environment is this process's without what the platform reads, and with the settings.
func environment(settings ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.Contains(" ADDR DATA ENVIRONMENT OPERATOR_TOKEN PUBLIC_URL TRUSTED_PROXIES DEMO LOG "+
			"MAKEFLAGS MAKELEVEL MFLAGS ",
			" "+name+" ") {
			env = append(env, v)
		}
	}
	return append(env, settings...)
}

// command is the program with these settings beside DATA, at a free port.
func command(t testing.TB, data string, settings ...string) *exec.Cmd {
	cmd := exec.Command(binary(t), "serve")
	cmd.Env = environment(append([]string{"ADDR=127.0.0.1:0", "DATA=" + data}, settings...)...)
	return cmd
}

// begin starts the command and returns when it has printed its address.
func begin(t testing.TB, cmd *exec.Cmd, data string) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, data: data, gone: make(chan struct{})}
	cmd.Stderr = &p.errs
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	serves := make(chan bool, 1)
	go func() {
		defer close(p.gone)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			p.out.WriteString(line)
			if strings.HasPrefix(line, "The platform serves at ") {
				serves <- true
				_, err = io.Copy(&p.out, lines)
			}
			if err != nil {
				break
			}
		}
		_ = cmd.Wait() // the state tells
		serves <- false
	}()
	t.Cleanup(p.kill)
	select {
	case ok := <-serves:
		if !ok {
			require.FailNow(t, "it did not start", p.errs.String())
		}
	case <-time.After(patience):
		require.FailNow(t, "it does not start")
	}
	p.run = readRun(t, data)
	return p
}

func readRun(t testing.TB, data string) (r runFile) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(data, "run.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &r))
	return r
}

// kill ends the process as a power cut does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // gone already is gone
	<-p.gone
}

// ends waits for the end and returns how long it took.
func (p *process) ends() time.Duration {
	p.t.Helper()
	began := time.Now()
	select {
	case <-p.gone:
	case <-time.After(12 * time.Second):
		require.FailNow(p.t, "it does not end")
	}
	return time.Since(began)
}

// stop ends it by a signal, in time and with exit code 0.
func (p *process) stop(signal syscall.Signal) {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(signal))
	require.Less(p.t, p.ends(), 10*time.Second)
	require.Equal(p.t, 0, p.cmd.ProcessState.ExitCode(), p.errs.String())
}

func (p *process) world() *world { return &world{url: p.run.BaseURL, operator: p.run.OperatorToken} }

func (p *process) demo() client { return client{p.t, p.run.BaseURL, p.run.Demo.Token} }

// addon is an add-on of the demo shop: who has the token in the file of the data folder.
func (p *process) addon(file string) client {
	p.t.Helper()
	token, err := os.ReadFile(filepath.Join(p.data, file))
	require.NoError(p.t, err)
	return client{p.t, p.run.BaseURL, strings.TrimSpace(string(token))}
}

func mode(t testing.TB, path string) os.FileMode {
	t.Helper()
	i, err := os.Stat(path)
	require.NoError(t, err)
	return i.Mode().Perm()
}

func TestAStartLeavesWhatIsNeededToCallIt(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "new", "folder")
	p := begin(t, command(t, data), data)
	b, err := os.ReadFile(filepath.Join(data, "run.json"))
	require.NoError(t, err)
	var whole fields
	require.NoError(t, json.Unmarshal(b, &whole))
	demo := whole["demo"].(fields)
	require.ElementsMatch(t, []string{"baseUrl", "operatorToken", "demo"}, names(whole))
	require.ElementsMatch(t, []string{"shopId", "accessId", "token", "storefrontUrl", "admin"}, names(demo))
	require.Equal(t, strings.Replace(p.run.Demo.StorefrontURL, "://", "://admin.", 1)+"/admin", p.run.Demo.Admin.URL)
	require.Contains(t, p.run.Demo.Admin.Email, "@")
	require.Regexp(t, `^[A-Za-z0-9_-]{20}$`, p.run.Demo.Admin.Password)
	for name, token := range map[string]string{"operator.token": p.run.OperatorToken, "demo.token": p.run.Demo.Token} {
		kept, err := os.ReadFile(filepath.Join(data, name))
		require.NoError(t, err)
		require.Equal(t, token, strings.TrimSpace(string(kept)))
		require.EqualValues(t, 0o600, mode(t, filepath.Join(data, name)), name)
	}
	for _, name := range []string{"run.json", "secret.key", "eshop.db"} {
		require.EqualValues(t, 0o600, mode(t, filepath.Join(data, name)), name)
	}
	require.Regexp(t, `^http://127\.0\.0\.1:[1-9]\d*$`, p.run.BaseURL, "port 0 is a free one")
	require.Regexp(t, `^esk_test_[0-9A-Za-z]{43}$`, p.run.Demo.Token)
	require.Regexp(t, `^http://localhost:[1-9]\d*$`, p.run.Demo.StorefrontURL)
	health := client{t, p.run.BaseURL, ""}.get("/healthz")
	require.JSONEq(t, `{"status":"ok"}`, string(health.body))
	require.Equal(t, p.run.Demo.ShopID, p.demo().get("/api-engine/shop").id())
	require.Equal(t, p.run.Demo.AccessID, p.demo().get("/api-engine/status").text("accessId"))
	require.Equal(t, p.run.Demo.ShopID, client{t, p.run.BaseURL,
		p.run.OperatorToken}.get("/operator/shops").items("items")[0]["id"])

	p.stop(syscall.SIGTERM)
	require.Empty(t, p.errs.String())
	require.NotContains(t, p.out.String(), p.run.OperatorToken,
		"the operator's token is in the file, not on the screen")
	again := begin(t, command(t, data), data)
	require.Equal(t, p.run.OperatorToken, again.run.OperatorToken, "made once")
	require.Equal(t, p.run.Demo.Token, again.run.Demo.Token, "made once")
	require.Equal(t, p.run.Demo.Admin.Password, again.run.Demo.Admin.Password)
	again.stop(syscall.SIGINT)
}

func names(f fields) (all []string) {
	for name := range f {
		all = append(all, name)
	}
	return all
}

func TestTheDemoShopIsTheSameInEachNewFolder(t *testing.T) {
	t.Parallel()
	var pictures []string
	for range 2 {
		data := t.TempDir()
		p := begin(t, command(t, data), data)
		d := p.demo()
		var picture strings.Builder
		for _, of := range []string{"categories", "products", "customers"} {
			items := d.get("/api-engine/" + of + "?itemsPerPage=250").items("items")
			require.Len(t, items, map[string]int{"categories": 3, "products": len(items), "customers": 50}[of])
			for _, x := range items {
				delete(x, "url") // has the port
				b, err := json.Marshal(x)
				require.NoError(t, err)
				picture.WriteString(strings.ReplaceAll(string(b), p.run.BaseURL, "")) // it has the port
			}
			if of == "products" {
				require.GreaterOrEqual(t, len(items), 20)
			}
		}
		shop := d.get("/api-engine/shop")
		require.Equal(t, "cs_CZ CZK", shop.text("locale")+" "+shop.text("currency"))
		require.Equal(t, 14, len(d.get("/api-engine/status").fields()["permissions"].([]any)), "every permission")
		picture.WriteString(shop.id() + p.run.Demo.AccessID + shop.text("name"))
		pictures = append(pictures, picture.String())
		p.stop(syscall.SIGTERM)
	}
	require.True(t, pictures[0] == pictures[1], "ids and names differ")
}

// TestTheDemosOwnAccessIsUntouched: whoever follows the guide with its token begins without keys, receivers and
// requests made.
func TestTheDemosOwnAccessIsUntouched(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	require.Empty(t, p.demo().get("/api-engine/webhooks").items("items"))
	require.Empty(t, p.demo().get("/api-engine/webhook-signing-keys").items("items"))
	status := p.demo().get("/api-engine/status").fields()
	require.EqualValues(t, 7_200-3, status["remaining"].(fields)["hourly"], "what these three requests have cost")

	receiver := p.addon("demo-receiver.token")
	require.EqualValues(t, 0o600, mode(t, filepath.Join(data, "demo-receiver.token")))
	require.Equal(t, p.run.BaseURL+"/demo/receiver", receiver.get("/api-engine/webhooks").items("items")[0]["url"])
	for _, permission := range receiver.get("/api-engine/status").fields()["permissions"].([]any) {
		require.Contains(t, permission, ":read", "it looks on")
	}
	p.stop(syscall.SIGTERM)
}

// TestADemoWhoseAddonsAreNotActiveStarts, again and again: what the operator has deactivated stays as it is.
func TestADemoWhoseAddonsAreNotActiveStarts(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	operator := client{t, p.run.BaseURL, p.run.OperatorToken}
	accesses := "/operator/shops/" + p.run.Demo.ShopID + "/accesses"
	for _, a := range operator.get(accesses).items("items") {
		operator.do(200, "POST", accesses+"/"+a["id"].(string)+"/deactivate", nil)
	}
	for range 2 {
		p.stop(syscall.SIGTERM)
		p = begin(t, command(t, data), data)
	}
	p.demo().do(403, "GET", "/api-engine/status", nil).problem(403, "package_inactive")
	p.stop(syscall.SIGTERM)
	require.Contains(t, p.out.String(), "Demo receiver")
}

func TestWithoutTheDemoThereIsNoShopAndNoDemoReceiver(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data, "DEMO=0", "OPERATOR_TOKEN=an-operator-token-of-mine"), data)
	require.Nil(t, p.run.Demo)
	require.Equal(t, "an-operator-token-of-mine", p.run.OperatorToken)
	require.NoFileExists(t, filepath.Join(data, "operator.token"))
	require.NoFileExists(t, filepath.Join(data, "demo.token"))
	o := client{t, p.run.BaseURL, p.run.OperatorToken}
	require.Empty(t, o.get("/operator/shops").items("items"))
	r, err := http.Get(p.run.BaseURL + "/demo/receiver")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, 404, r.StatusCode)
	p.stop(syscall.SIGTERM)
}

// public is what production needs beside.
const public = "PUBLIC_URL=https://eshop.example"

func TestProductionTakesNoLoopbackAndMakesLiveTokens(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data, public, "ENVIRONMENT=production", "DEMO=1"), data)
	require.Regexp(t, `^esk_live_`, p.run.Demo.Token)
	r := p.demo().do(422, "POST", "/api-engine/webhooks", fields{"url": "http://127.0.0.1:9/"}).problem(422, "invalid")
	require.Equal(t, "body.url", r.items("errors")[0]["location"])
	p.demo().do(422, "POST", "/api-engine/webhooks", fields{"url": "https://127.0.0.1:9000/"})
	p.stop(syscall.SIGTERM)
}

// TestAProductionHasNoDemoAndNoWeakOperatorsToken unless its demo is asked for.
func TestAProductionHasNoDemoAndNoWeakOperatorsToken(t *testing.T) {
	t.Parallel()
	for _, weak := range []string{"operator-of-operators-shop", strings.Repeat("0123456789a", 4),
		strings.Repeat("operator", 10)} {
		data := filepath.Join(t.TempDir(), "data")
		refused(t, command(t, data, "ENVIRONMENT=production", "OPERATOR_TOKEN="+weak),
			"OPERATOR_TOKEN is too weak for production")
		require.NoDirExists(t, data, "nothing written")
	}
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "operator.token"),
		[]byte("operator-of-operators-shop\n"), 0o600))
	p := begin(t, command(t, data, public, "ENVIRONMENT=production"), data)
	require.Nil(t, p.run.Demo)
	require.Greater(t, len(p.run.OperatorToken), 32, "a weak one that was kept is made anew")
	client{t, p.run.BaseURL, "operator-of-operators-shop"}.do(401, "GET", "/operator/shops", nil)
	p.stop(syscall.SIGTERM)
	require.Contains(t, p.out.String(), "a new token was made")
	data = t.TempDir()
	begin(t, command(t, data, public, "ENVIRONMENT=production", "OPERATOR_TOKEN=q7Zt0kV9mB3xR8sLw2Yd"),
		data).stop(syscall.SIGTERM)
	for _, name := range []string{strings.Repeat("x", 32), "_.-"} {
		data := t.TempDir()
		begin(t, command(t, data, "DEMO=0", "ENVIRONMENT="+name), data).stop(syscall.SIGTERM)
	}
}

func TestABadSettingIsOneClearLineAndNothingElse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	for _, x := range [][2]string{
		{"ADDR", "nowhere"}, {"ADDR", "127.0.0.1"}, {"ADDR", "127.0.0.1:http"}, {"ADDR", "127.0.0.1:65536"},
		{"ADDR", "127.0.0.1:-1"},
		{"ADDR", taken.Addr().String()}, {"ENVIRONMENT", "my place"}, {"ENVIRONMENT", "../up"},
		{"SECURITY_CONTACT", "security@example.com"},
		{"ENVIRONMENT", strings.Repeat("x", 33)}, {"ENVIRONMENT", "zkouška"},
		{"DEMO", "yes"}, {"DEMO", "2"}, {"CANARY", "yes"},
		{"LOG", "xml"}, {"OPERATOR_TOKEN", "two words of a good length"},
		{"OPERATOR_TOKEN", "nineteen-characters"},
	} {
		t.Run(x[0]+"="+x[1], func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			refused(t, command(t, data, x[0]+"="+x[1]), x[0])
			require.NoDirExists(t, data, "nothing written")
		})
	}
	t.Run("DATA that is a file", func(t *testing.T) {
		data := filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.WriteFile(data, []byte("mine"), 0o600))
		refused(t, command(t, data), "DATA")
	})
}

// refused wants exit code 1 and one line on stderr that names what is wrong.
func refused(t *testing.T, cmd *exec.Cmd, named string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.Error(t, cmd.Run())
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	require.Regexp(t, `^eshop: [^\n]+\n$`, errs.String())
	require.Contains(t, errs.String(), named)
	require.Empty(t, out.String())
}

// TestADamagedFileOpensNothing starts the platform on what a power cut, or a hand, leaves of its files.
func TestADamagedFileOpensNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	at := func(name string) string { return filepath.Join(data, name) }
	p := begin(t, command(t, data), data)
	first := p.run
	p.stop(syscall.SIGTERM)
	short := []string{"", "short", "nineteen-characters", "two words of a good length"}
	for _, left := range append([]string{"\n", "short\n", strings.Repeat("\x00", 48)}, short...) {
		for _, name := range []string{"operator.token", "demo.token", "run.json"} {
			require.NoError(t, os.WriteFile(at(name), []byte(left), 0o600))
		}
		p := begin(t, command(t, data), data)
		for name, token := range map[string]string{"operator.token": p.run.OperatorToken,
			"demo.token": p.run.Demo.Token} {
			kept, err := os.ReadFile(at(name))
			require.NoError(t, err)
			require.Equal(t, token+"\n", string(kept))
			require.GreaterOrEqual(t, len(token), 20, "%q", left)
			require.NotContains(t, []string{first.OperatorToken, first.Demo.Token}, token)
			require.EqualValues(t, 0o600, mode(t, at(name)))
		}
		for _, token := range append([]string{first.OperatorToken, p.run.Demo.Token}, short...) {
			client{t, p.run.BaseURL, token}.do(401, "GET", "/operator/shops", nil)
		}
		answer, err := http.Get(p.run.BaseURL + "/operator/shops")
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, 401, answer.StatusCode, "without a header, where the file held %q", left)
		client{t, p.run.BaseURL, p.run.OperatorToken}.get("/operator/shops")
		p.demo().get("/api-engine/status")
		p.stop(syscall.SIGTERM)
		require.Empty(t, p.errs.String())
		for _, name := range []string{"operator.token", "demo.token"} {
			require.Contains(t, p.out.String(), `"a new token was made" file=`+name+` error="it held none"`)
		}
	}
	require.NoError(t, os.Remove(at("operator.token")))
	require.NoError(t, os.Mkdir(at("operator.token"), 0o700))
	refused(t, command(t, data), "operator.token")
	require.NoError(t, os.Remove(at("operator.token")))
	for _, left := range []string{"", "\n", "00ff\n", strings.Repeat("\x00", 65)} {
		require.NoError(t, os.WriteFile(at("secret.key"), []byte(left), 0o600))
		refused(t, command(t, data), "secret.key")
		kept, err := os.ReadFile(at("secret.key"))
		require.NoError(t, err)
		require.Equal(t, left, string(kept),
			"what is left of a key is its owner's to mend: a new one would open nothing")
	}
	all, err := os.ReadDir(data)
	require.NoError(t, err)
	files := []string{"eshop.db", "files", "operator.token", "demo.token", "demo-receiver.token",
		"demo-configurator.token", "run.json", "secret.key", "format"}
	for _, f := range all {
		require.Contains(t, files, f.Name(), "nothing is left beside them")
	}
}

func TestASecondProcessOnTheSameFolderIsRefused(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	before, err := os.ReadFile(filepath.Join(data, "run.json"))
	require.NoError(t, err)
	refused(t, command(t, data), "another process has it open")
	after, err := os.ReadFile(filepath.Join(data, "run.json"))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	p.demo().get("/api-engine/status")
	p.stop(syscall.SIGTERM)
}

func TestASignalToMakeEndsThePlatform(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]func(pid int) error{
		"to make's group":     func(pid int) error { return syscall.Kill(-pid, syscall.SIGTERM) },
		"to make itself":      func(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) },
		"SIGINT to the group": func(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			binary(t)
			cmd := exec.Command("make", "run")
			cmd.Dir = "../.."
			cmd.Env = environment("ADDR=127.0.0.1:0", "DATA="+data)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			p := begin(t, cmd, data)
			t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // what is left of a failure
			p.demo().get("/api-engine/status")
			began := time.Now()
			require.NoError(t, to(cmd.Process.Pid))
			p.ends() // its output is closed: make and all its children have ended
			require.Less(t, time.Since(began), 10*time.Second)
			_, err := net.Dial("tcp", strings.TrimPrefix(p.run.BaseURL, "http://"))
			require.Error(t, err)
			again := begin(t, command(t, data), data)
			again.stop(syscall.SIGTERM)
		})
	}
}

// A signal comes twice where make's whole group is sent it, for make sends it on to its child, and from whoever presses
// the keys again.
func TestAFurtherSignalDoesNotCutTheStopShort(t *testing.T) {
	t.Parallel()
	for name, signals := range map[string][2]syscall.Signal{
		"SIGTERM twice":           {syscall.SIGTERM, syscall.SIGTERM},
		"SIGINT twice":            {syscall.SIGINT, syscall.SIGINT},
		"SIGTERM and then SIGINT": {syscall.SIGTERM, syscall.SIGINT},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			p := begin(t, command(t, data, "DEMO=0"), data)
			tn := p.world().shopWith(t, everything...)
			a := tn.listens()
			reached, answer := make(chan struct{}, 1), make(chan struct{})
			a.answers(func(w http.ResponseWriter, c call) { reached <- struct{}{}; <-answer; w.WriteHeader(200) })
			tn.customer()
			<-reached
			for _, signal := range signals {
				require.NoError(t, p.cmd.Process.Signal(signal))
				eventually(t, patience, func() bool { _, err := tn.send("GET", "/healthz", nil); return err != nil })
			}
			close(answer)
			p.ends()
			require.Equal(t, 0, p.cmd.ProcessState.ExitCode(), p.errs.String())
			a.answers(nil)
			tn = tn.in(begin(t, command(t, data, "DEMO=0"), data))
			tn.hearsOnly(a, "customerCreate")
		})
	}
}

// in is the tenant on another process of the same folder.
func (tn *tenant) in(p *process) *tenant {
	c := client{tn.t, p.run.BaseURL, tn.token}
	return &tenant{client: c, w: p.world(), shop: tn.shop, pkg: tn.pkg, access: tn.access}
}

// TestALogForProgramsIsAnObjectALine: nothing else is on stdout, the addresses neither.
func TestALogForProgramsIsAnObjectALine(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cmd := command(t, data, "LOG=json")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	var all []fields
	next := func() fields {
		require.True(t, lines.Scan())
		var line fields
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line), lines.Text())
		require.NotEmpty(t, line["time"])
		all = append(all, line)
		return line
	}
	for next()["msg"] != "serving" {
	}
	run := readRun(t, data)
	require.Equal(t, run.BaseURL, all[len(all)-1]["baseUrl"])
	asked := client{t, run.BaseURL, run.Demo.Token}.get("/api-engine/shop")
	for next()["requestId"] != asked.header.Get("X-Request-Id") {
	}
	require.Equal(t, "/api-engine/shop", all[len(all)-1]["path"])
	require.Equal(t, 200.0, all[len(all)-1]["status"])
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	for lines.Scan() {
		require.True(t, json.Valid(lines.Bytes()), lines.Text())
		require.NotContains(t, lines.Text(), run.Demo.Token)
	}
	require.NoError(t, cmd.Wait())
}

// TestTheDeliveryOfAPingIsThereAtOnce in the one process: a GET of the Location, however soon, shows it.
func TestTheDeliveryOfAPingIsThereAtOnce(t *testing.T) {
	t.Parallel()
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(to.Close)
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	id := p.demo().post("/api-engine/webhooks", fields{"url": to.URL}).id()
	for range 30 {
		pinged := p.demo().do(202, "POST", "/api-engine/webhooks/"+id+"/ping", nil)
		require.Equal(t, "ping", p.demo().get(pinged.header.Get("Location")).text("event"))
	}
	p.demo().do(404, "GET", "/api-engine/webhook-deliveries/"+id, nil)
	p.stop(syscall.SIGTERM)
}
