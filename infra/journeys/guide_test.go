package journeys

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// reader follows a page word for word: runs its shell blocks in the order in which they stand.
type reader struct {
	t      *testing.T
	blocks []string // those that are still to be run
	dir    string   // where they are run
	env    []string // what the page says to set
}

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// reads opens a page of the repository. Curl says after each answer what its status was, without a word of the block
// being changed.
func reads(t *testing.T, page string) *reader {
	text, err := os.ReadFile(filepath.Join("../..", page))
	require.NoError(t, err)
	r := &reader{t: t, dir: t.TempDir()}
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		r.blocks = append(r.blocks, block[1])
	}
	require.Empty(t, regexp.MustCompile("(?m)^```\n(curl|make|go|git) ").FindString(string(text)),
		"a command that no test runs")
	curlrc := "silent\nshow-error\nnoproxy = \"*\"\nwrite-out = \"\\n%{http_code}\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, ".curlrc"), []byte(curlrc), 0o600))
	r.env = environment("CURL_HOME=" + r.dir)
	return r
}

// sets a variable as the page says.
func (r *reader) sets(name, value string) { r.env = append(r.env, name+"="+value) }

var (
	promised = regexp.MustCompile(`(?m)^# (\d{3}) (\{.*\})`)
	member   = regexp.MustCompile(`"(\w+)":"([^"…]*)(…?)"`)
	located  = regexp.MustCompile(`(?im)^location: (\S+)\r$`)
)

// runs the next block, which is one call, and holds the answer against what the page says of it: its status, its
// members, and how their values begin. It returns the answer and the address that its Location names.
func (r *reader) runs() (given answer, location string) {
	r.t.Helper()
	require.NotEmpty(r.t, r.blocks, "the page has no further block")
	block := r.blocks[0]
	r.blocks = r.blocks[1:]
	out := r.shell(block)
	text, status := out[:len(out)-4], out[len(out)-3:]
	if found := located.FindStringSubmatch(text); found != nil {
		location = found[1]
		_, text, _ = strings.Cut(text, "\r\n\r\n")
	}
	require.Equal(r.t, "2", status[:1], "%s\n%s", block, out)
	given = answer{t: r.t, body: []byte(text)}
	if says := promised.FindStringSubmatch(block); says != nil {
		require.Equal(r.t, says[1], status, block)
		for _, m := range member.FindAllStringSubmatch(says[2], -1) {
			value := given.text(m[1])
			require.True(r.t, value != "" && strings.HasPrefix(value, m[2]), "%s\n%s", block, text)
			require.True(r.t, m[3] != "" || value == m[2], "%s\n%s", block, text)
		}
	}
	return given, location
}

// shell runs a block, and returns what it prints, a call's status at its end.
func (r *reader) shell(block string) string {
	r.t.Helper()
	shell := exec.Command("bash", "-eu", "-o", "pipefail", "-c", block)
	shell.Dir, shell.Env = r.dir, r.env
	out, err := shell.CombinedOutput()
	require.NoError(r.t, err, "%s\n%s", block, out)
	return string(out)
}

// copied is a receiver that somebody copied from the guide and runs as its own first lines say.
type copied struct {
	r             *reader
	file, command string
	port          string
	cmd           *exec.Cmd
	mu            sync.Mutex
	out           bytes.Buffer
}

var started = regexp.MustCompile(`WEBHOOK_KEYS="whsec_…" .*`)

// copies the receiver; the test is skipped without what runs its language, but not where all tools are required.
func (r *reader) copies(file, tool string) *copied {
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("TOOLS") == "required" {
			r.t.Fatalf("%s is not here, and TOOLS=required: the receiver %s cannot be tried", tool, file)
		}
		r.t.Skipf("%s is not here: the receiver %s is not tried", tool, file)
	}
	source, err := os.ReadFile(filepath.Join("../../functions/docs/receivers", file))
	require.NoError(r.t, err)
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, file), source, 0o600))
	_, port, _ := net.SplitHostPort(freePort(r.t))
	c := &copied{r: r, file: file, command: started.FindString(string(source)), port: port}
	require.Contains(r.t, c.command, file, "its first lines say how it is run")
	r.t.Cleanup(c.stop)
	return c
}

// starts the receiver with these keys, at a free port in place of the page's 8090, and waits until it says that it
// listens: an attempt that finds nobody, as a ping's only one, would be lost.
func (c *copied) starts(keys ...string) {
	c.r.t.Helper()
	line := strings.NewReplacer("whsec_…", strings.Join(keys, " "), "8090", c.port).Replace(c.command)
	c.cmd = exec.Command("bash", "-c", line)
	c.cmd.Dir, c.cmd.Env = c.r.dir, append(c.r.env, "WEBHOOK_SEEN="+filepath.Join(c.r.dir, "seen"))
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Stdout, c.cmd.Stderr = c, c
	listens := func() int { return strings.Count(c.String(), "127.0.0.1:"+c.port) }
	before := listens()
	require.NoError(c.r.t, c.cmd.Start())
	eventually(c.r.t, patience, func() bool { return listens() > before }, "%s does not listen: %s", c.file, c)
}

// stop ends the receiver and what its command started.
func (c *copied) stop() {
	if c.cmd == nil {
		return
	}
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // gone already is gone
	_ = c.cmd.Wait()
	c.cmd = nil
}

// Write keeps what the receiver says.
func (c *copied) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(b)
}

// String is what the receiver said so far.
func (c *copied) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

// took says whether it verified the webhook and handed it on, which it does once.
func (c *copied) took(id string) bool {
	return strings.Count(c.String(), "productChange "+id+" ") == 1
}

// TestTheGuideOfWebhooksWordForWord follows /docs/webhooks against a fresh start of the program, with the receiver of
// each language: from no key to the first, with a pending one, and after it was activated.
func TestTheGuideOfWebhooksWordForWord(t *testing.T) {
	t.Parallel()
	for file, tool := range map[string]string{
		"receiver.go": "go", "receiver.mjs": "node", "receiver.py": "python3", "receiver.php": "php",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := reads(t, "functions/docs/webhooks.md")
			c := r.copies(file, tool)
			data := t.TempDir()
			p := begin(t, command(t, data), data)
			r.sets("BASE", p.run.BaseURL)
			r.sets("TOKEN", p.run.Demo.Token)
			r.sets("HOOK", "http://127.0.0.1:"+c.port+"/hooks")
			r.registersAndRotates(p, c)
			r.sets("CODE", installCode(t, p))
			made, _ := r.runs()
			client{t, p.run.BaseURL, made.text("token")}.get("/api-engine/status")
			set, _ := r.runs()
			require.Equal(t, "done", set.text("setup"))
			require.Empty(t, r.blocks, "each block of the page is run")
		})
	}
}

// registersAndRotates follows the page from the first key to the time when the second one is alone.
func (r *reader) registersAndRotates(p *process, c *copied) {
	demo := p.demo()
	unsigned := newListener(r.t)
	early := demo.post("/api-engine/webhooks", fields{"url": unsigned.url, "events": []string{"productChange"}}).id()
	shown := func(path, name, value string) {
		r.t.Helper()
		var last answer
		eventually(r.t, patience, func() bool {
			var err error
			last, err = demo.send("GET", path, nil)
			return err == nil && last.status == 200 && last.text(name) == value
		}, "%s %s, but is %s; the receiver: %s", path, value, &last, c)
	}
	shown("/api-engine/webhooks/"+early, "state", "enabled")
	samples := -1
	carries := func(header string) bool { // whether the receiver that came before any key gets the next sample with it
		samples++
		demo.do(202, "POST", "/api-engine/webhooks/"+early+"/test", fields{"event": "productChange"})
		calls := unsigned.until(func(calls []call) bool { return len(calls) > samples })
		return calls[samples].header.Get(header) != ""
	}
	require.False(r.t, carries("X-Webhook-Signature"), "nothing is signed without a key")
	first, _ := r.runs()
	eventually(r.t, patience, func() bool { return carries("X-Webhook-Signature") }, "the first key counts")
	c.starts(first.text("key"))
	registered, _ := r.runs()
	shown("/api-engine/webhooks/"+registered.id(), "state", "enabled")
	r.sets("RECEIVER", registered.id())
	sample := r.blocks[0]
	arrives := func(_ answer, delivery string) {
		r.t.Helper()
		require.Contains(r.t, delivery, "/api-engine/webhook-deliveries/")
		path := delivery[strings.Index(delivery, "/api-engine/"):]
		shown(path, "state", "delivered")
		var sent struct{ ID string }
		body := demo.get(path).fields()["body"]
		if text, ok := body.(string); ok {
			require.NoError(r.t, json.Unmarshal([]byte(text), &sent))
		} else {
			sent.ID, _ = body.(fields)["id"].(string)
		}
		require.NotEmpty(r.t, sent.ID)
		eventually(r.t, patience, func() bool { return c.took(sent.ID) }, sent.ID)
	}
	again := func() { r.t.Helper(); r.blocks = append([]string{sample}, r.blocks...); arrives(r.runs()) }
	arrives(r.runs())

	next, _ := r.runs()
	again() // the receiver has the first key only
	c.stop()
	c.starts(first.text("key"), next.text("key"))
	again()
	r.sets("PENDING", next.id())
	r.runs()
	again()
	eventually(r.t, patience, func() bool { return carries("X-Webhook-Signature-Previous") }, "the new key counts")
	c.stop()
	c.starts(next.text("key"))
	again()
}

// installCode activates a package on the demo shop and returns the code that its systemUrl is told.
func installCode(t *testing.T, p *process) string {
	operator := p.world().operate(t)
	vendor := newListener(t)
	pkg := operator.post("/operator/packages", fields{"code": unique("addon"), "name": "Doplněk", "instructions": "",
		"permissions": everything, "systemUrl": vendor.url}).id()
	installed := operator.post("/operator/shops/"+p.run.Demo.ShopID+"/accesses", fields{"packageId": pkg})
	code, _ := vendor.hears("packageActivate", installed.id()).data(t)["installCode"].(string)
	require.NotEmpty(t, code)
	return code
}

// TestTheCallOfTheReadmeAsItStands copies README's call to a fresh start of the program, where its data folder is what
// make run makes of it, and only the port is another.
func TestTheCallOfTheReadmeAsItStands(t *testing.T) {
	t.Parallel()
	r := reads(t, "README.md")
	data := filepath.Join(r.dir, ".data")
	p := begin(t, command(t, data), data)
	var calls []string
	for _, block := range r.blocks {
		if strings.HasPrefix(block, "curl ") {
			calls = append(calls, strings.ReplaceAll(block, "http://127.0.0.1:8080", p.run.BaseURL))
		}
	}
	require.Len(t, calls, 2, "one changes a product, the other shows the webhook")
	r.blocks = calls[:1]
	changed, _ := r.runs()
	r.blocks = calls[1:]
	shown, _ := r.runs()
	newest := shown.items("items")[0]
	require.Equal(t, []any{"productChange", true}, []any{newest["event"], newest["verified"]},
		"the second call waits for it")
	body, err := json.Marshal(newest["body"])
	require.NoError(t, err)
	require.Contains(t, string(body), changed.id())
}
