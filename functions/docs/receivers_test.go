package docs_test

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/local"
	"eshop/shared/webhook/signature"
)

// language is a program of the guide, what runs it, and how it is started.
type language struct {
	file    string
	needs   []string // programs, and paths of files
	command func(t *testing.T, file, port string) *exec.Cmd
}

var languages = []language{
	{"receivers/receiver.go", []string{"go"}, func(t *testing.T, file, _ string) *exec.Cmd {
		program := filepath.Join(t.TempDir(), "receiver")
		out, err := exec.Command("go", "build", "-o", program, file).CombinedOutput()
		require.NoError(t, err, string(out))
		return exec.Command(program)
	}},
	{"receivers/receiver.mjs", []string{"node"}, by("node")},
	{"receivers/receiver.py", []string{"python3"}, by("python3")},
	{"receivers/receiver.php", []string{"php"}, func(_ *testing.T, file, port string) *exec.Cmd {
		return exec.Command("php", "-S", "127.0.0.1:"+port, file)
	}},
}

// by starts a file by the program that runs it.
func by(program string) func(t *testing.T, file, port string) *exec.Cmd {
	return func(_ *testing.T, file, _ string) *exec.Cmd { return exec.Command(program, file) }
}

// receivers are tried by the same tests, whatever they are written in.
var receivers = slices.Concat(languages, frameworks)

// process is a receiver that was started, and what it has said.
type process struct {
	url    string
	folder string        // that of its last argument
	gone   chan struct{} // closed when it ended
	mu     sync.Mutex
	lines  []string
	failed bool // it ended by itself, with an error
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// times is how often it took the webhook with this id.
func (p *process) times(id string) int { return strings.Count(p.said(), "customerCreate "+id+" ") }

// within bounds what real processes are waited for.
const within, look = 2 * time.Minute, 5 * time.Millisecond

// tried skips the test where what runs the program is not here, unless TOOLS=required: make tools installs it.
func (l language) tried(t *testing.T) {
	t.Helper()
	if testing.Short() && strings.HasPrefix(l.file, "frameworks/") {
		t.Skip("frameworks take long to start")
	}
	for _, need := range l.needs {
		_, err := exec.LookPath(need)
		if strings.Contains(need, "/") {
			_, err = os.Stat(need)
		}
		if err != nil && os.Getenv("TOOLS") != "required" {
			t.Skipf("%s is not here: %s is not tried", need, l.file)
		}
		require.NoError(t, err, "%s cannot be tried, and TOOLS=required", l.file)
	}
}

// run starts a receiver with these keys, waits until it listens, and ends it with the test.
func (l language) run(t *testing.T, keys ...string) *process {
	t.Helper()
	p := l.start(t, nil, "WEBHOOK_KEYS="+strings.Join(keys, " "), "WEBHOOK_SEEN="+t.TempDir())
	require.Eventually(t, p.listens, within, look, p.said())
	return p
}

// start starts a receiver. What it hands on goes to out, if there is one: PHP's own server leaves it nothing but
// stderr.
func (l language) start(t *testing.T, out *os.File, environment ...string) *process {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, _ := net.SplitHostPort(free.Addr().String())
	require.NoError(t, free.Close())
	cmd := l.command(t, l.file, port)
	cmd.Env = append(append(append(os.Environ(), cmd.Env...), "PORT="+port), environment...)
	p := &process{url: "http://127.0.0.1:" + port + "/hooks", gone: make(chan struct{}),
		folder: filepath.Dir(cmd.Args[len(cmd.Args)-1])}
	said, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	if out != nil && l.needs[0] == "php" {
		cmd.Stderr = out
	} else if out != nil {
		cmd.Stdout = out
	}
	require.NoError(t, cmd.Start())
	go func() {
		err := cmd.Wait()
		p.mu.Lock()
		p.failed = err != nil
		p.mu.Unlock()
		in.Close()
	}()
	go func() {
		defer close(p.gone)
		for s := bufio.NewScanner(said); s.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // one that ended is none
		<-p.gone
	})
	return p
}

// listens says whether somebody can connect to it.
func (p *process) listens() bool {
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/hooks"))
	if err == nil {
		c.Close()
	}
	return err == nil
}

// refuses says whether it ended with an error.
func (p *process) refuses() bool {
	select {
	case <-p.gone:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.failed
	default:
		return false
	}
}

// hook posts a body with a signature of the given time, "" none, and returns the status and the answer.
func (p *process) hook(t *testing.T, body string, at time.Time, sign string) (int, string) {
	t.Helper()
	return p.stamped(t, body, fmt.Sprint(at.Unix()), sign)
}

// stamped is hook with whatever text for a timestamp.
func (p *process) stamped(t *testing.T, body, stamp, sign string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", p.url, strings.NewReader(body))
	require.NoError(t, err)
	r.Close = true // a server may end the connection after an error
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Webhook-Timestamp", stamp)
	if sign != "" {
		r.Header.Set("X-Webhook-Signature", sign)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(b)
}

// sender is the whole platform in this process, as one access of it calls it.
type sender struct {
	t     *testing.T
	base  string
	token string
}

const operator = "operator-of-the-test"

// serve starts the platform and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	server, err := local.Start(t.Context(),
		local.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Environment: "test", OperatorToken: operator,
			Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop()) })
	return server.BaseURL
}

// newSender is a package of that name, which may read and write these resources, on a shop of its own.
func newSender(t *testing.T, base, name string, resources ...string) *sender {
	t.Helper()
	s := &sender{t: t, base: base, token: operator}
	shop := s.do("POST", "/operator/shops",
		`{"name":"S","domain":"`+name+`.cz","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@a.cz"}}`)
	may := []string{`"shop:read"`}
	for _, r := range resources {
		may = append(may, `"`+r+`:read"`, `"`+r+`:write"`)
	}
	pkg := s.do("POST", "/operator/packages", `{"code":"`+name+`","name":"P","instructions":"","permissions":[`+
		strings.Join(may, ",")+`]}`)
	access := s.do("POST", "/operator/shops/"+shop["id"].(string)+"/accesses", `{"packageId":"`+pkg["id"].(string)+`"}`)
	s.token = access["token"].(string)
	return s
}

// do makes a call that succeeds.
func (s *sender) do(method, path, body string) map[string]any {
	s.t.Helper()
	r, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	require.Less(s.t, answer.StatusCode, 300, "%s %s: %s", method, path, b)
	var m map[string]any
	require.NoError(s.t, json.Unmarshal(b, &m))
	return m
}

// customer makes one, and returns its id.
func (s *sender) customer(email string) string {
	s.t.Helper()
	return s.do("POST", "/api-engine/customers", `{"email":"`+email+`","firstName":"A","lastName":"B"}`)["id"].(string)
}

// arrives waits until the receiver took one webhook that tells of the customer, and returns the webhook's id.
func (s *sender) arrives(p *process, customer string) (id string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		for line := range strings.SplitSeq(p.said(), "\n") {
			if f := strings.Fields(line); len(f) > 2 && f[0] == "customerCreate" && strings.Contains(line, customer) {
				id = f[1]
			}
		}
		return id != ""
	}, within, look, "%s", customer)
	require.Equal(s.t, 1, p.times(id))
	return id
}

// TestReceiversOfTheGuide sends each of them real webhooks of the running platform, while its keys are rotated, and
// then what an attacker would send.
func TestReceiversOfTheGuide(t *testing.T) {
	base := serve(t)
	for i, l := range receivers {
		t.Run(l.file, func(t *testing.T) {
			l.tried(t)
			const keys = "/api-engine/webhook-signing-keys"
			s := newSender(t, base, fmt.Sprint("receiver", i), "customers")
			first, next := s.do("POST", keys, ""), s.do("POST", keys, "")
			p := l.run(t, first["key"].(string), next["key"].(string))
			receiver := s.do("POST", "/api-engine/webhooks",
				`{"url":"`+p.url+`","events":["customerCreate"]}`)["id"].(string)
			require.Eventually(t, func() bool {
				return s.do("GET", "/api-engine/webhooks/"+receiver, "")["state"] == "enabled"
			}, within, look, "%v", p.said())
			s.arrives(p, s.customer("before@example.com"))
			s.do("POST", keys+"/"+next["id"].(string)+"/activate", "")
			id := s.arrives(p, s.customer("after@example.com"))
			forge(t, p, first["key"].(string), id)
			forge(t, p, next["key"].(string), id)
		})
	}
}

// forge sends what must be refused, and doubles what was taken.
func forge(t *testing.T, p *process, text, taken string) {
	t.Helper()
	key, err := signature.Parse(text)
	require.NoError(t, err)
	body := func(id string) string { // which whoever parses it and writes it anew writes otherwise
		return `{"id": "` + id + `", "event":"customerCreate","shopId":"s","apiVersion":"2026-11-01",` +
			`"createdAt":"2026-11-21T02:05:12.583Z","data":{"customerIds":["žž\/"]}}` + "\n"
	}
	sign := func(k signature.Key, body string, at time.Time) string {
		return signature.Hex(k, at.Unix(), []byte(body))
	}
	now := time.Now()
	old, early := now.Add(-6*time.Minute), now.Add(6*time.Minute)
	good := body("forged")
	for name, f := range map[string]struct {
		body, sign string
		at         time.Time
	}{
		"unsigned":               {good, "", now},
		"empty signature":        {good, "sha256=", now},
		"another key":            {good, sign(signature.New(rand.Reader), good, now), now},
		"another body":           {good, sign(key, body("other"), now), now},
		"another time":           {good, sign(key, good, now.Add(-time.Second)), now},
		"an old one":             {good, sign(key, good, old), old},
		"one of the future":      {good, sign(key, good, early), early},
		"bytes that are no text": {good, "\xff\xfe", now},
		"a ping unsigned":        {strings.Replace(good, "customerCreate", "ping", 1), "", now},
	} {
		status, _ := p.hook(t, f.body, f.at, f.sign)
		require.Equal(t, 401, status, name)
	}
	for _, unreadable := range []string{"", "{", "[1", "null", "\xff", `{"id":"` + strings.Repeat("x", 200_000)} {
		status, answer := p.hook(t, unreadable, now, sign(signature.New(rand.Reader), unreadable, now))
		require.Equal(t, 401, status, "%.20q", unreadable)
		require.NotContains(t, answer, "<", "%.20q", unreadable)
	}
	for _, stamp := range []string{"", "-1", "1e9", strings.Repeat("9", 5000)} {
		status, _ := p.stamped(t, good, stamp, sign(key, good, now))
		require.Equal(t, 401, status, "the timestamp %.9q", stamp)
	}
	require.Zero(t, p.times("forged"))
	for range 2 {
		status, _ := p.hook(t, body(taken), now, sign(key, body(taken), now))
		require.Equal(t, 204, status, "what was taken already is answered as the first time")
	}
	genuine := "of" + key.Fingerprint()
	status, _ := p.hook(t, body(genuine), now, sign(key, body(genuine), now))
	require.Equal(t, 204, status)
	require.Eventually(t, func() bool { return p.times(genuine) == 1 }, within, look)
	require.Equal(t, 1, p.times(taken))
	long := strings.Replace(body("long"+key.Fingerprint()), "{", `{"more":"`+strings.Repeat("x", 500_000)+`",`, 1)
	status, _ = p.hook(t, long, now, sign(key, long, now))
	require.Equal(t, 204, status, "a long one is genuine, too")
	ping := `{"id":"p","event":"ping","data":{"nonce":"n0nce"}}`
	status, answer := p.hook(t, ping, now, sign(key, ping, now))
	require.Equal(t, 200, status)
	require.True(t, bytes.Contains([]byte(answer), []byte("n0nce")))
}

// TestAReceiverKnowsOnlyWhatItHandedOn sends webhooks to receivers that cannot hand them on: each must come again, so
// none may be answered as one that is known.
func TestAReceiverKnowsOnlyWhatItHandedOn(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	key := signature.New(rand.Reader)
	body, now := `{"id":"W1","event":"customerCreate","data":{"customerIds":["C1"]}}`, time.Now()
	sign := signature.Hex(key, now.Unix(), []byte(body))
	for _, l := range receivers {
		t.Run(l.file, func(t *testing.T) {
			l.tried(t)
			p := l.start(t, full, "WEBHOOK_KEYS="+key.Text(), "WEBHOOK_SEEN="+t.TempDir())
			require.Eventually(t, p.listens, within, look)
			for range 2 {
				status, _ := p.hook(t, body, now, sign)
				require.Equal(t, 500, status)
			}
		})
	}
	t.Run("a folder that cannot be written", func(t *testing.T) {
		php := languages[slices.IndexFunc(languages, func(l language) bool { return l.needs[0] == "php" })]
		php.tried(t)
		folder := filepath.Join(t.TempDir(), "seen")
		require.NoError(t, os.WriteFile(folder, nil, 0o600)) // nothing can be made in a file, whoever asks
		p := php.start(t, nil, "WEBHOOK_KEYS="+key.Text(), "WEBHOOK_SEEN="+folder)
		require.Eventually(t, p.listens, within, look)
		for range 2 {
			status, _ := p.hook(t, body, now, sign)
			require.Equal(t, 500, status)
		}
		require.NoError(t, os.Remove(folder))
		for range 2 {
			status, _ := p.hook(t, body, now, sign)
			require.Equal(t, 204, status)
		}
		require.Eventually(t, func() bool { return p.times("W1") == 1 }, within, look)
	})
}

// TestAReceiverTakesNoShorterKey: what was signed with an empty key, or with half of one, is anybody's.
func TestAReceiverTakesNoShorterKey(t *testing.T) {
	body, now := `{"id":"W1","event":"customerCreate","data":{"customerIds":["C1"]}}`, time.Now()
	for _, l := range receivers {
		t.Run(l.file, func(t *testing.T) {
			l.tried(t)
			const half = "half of a key..."
			keys := "WEBHOOK_KEYS=whsec_ whsec_" + base64.StdEncoding.EncodeToString([]byte(half))
			p := l.start(t, nil, keys, "WEBHOOK_SEEN="+t.TempDir())
			require.Eventually(t, func() bool { return p.refuses() || p.listens() }, within, look, p.said())
			for _, key := range []string{"", half} {
				if p.refuses() {
					return
				}
				mac := hmac.New(sha256.New, []byte(key))
				fmt.Fprintf(mac, "%d.%s", now.Unix(), body)
				status, _ := p.hook(t, body, now, fmt.Sprintf("sha256=%x", mac.Sum(nil)))
				require.Contains(t, []int{401, 500}, status, "Next.js loads a receiver when it is first asked for")
				require.Zero(t, p.times("W1"))
			}
		})
	}
}
