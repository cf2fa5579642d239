//go:build stack

package journeys

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	awsevents "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"eshop/events/samples"
	"eshop/functions"
	"eshop/functions/operator"
	"eshop/infra/aws/ministack"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/host/lambda"
)

// emulatedLambda is a program behind Lambda's Runtime Interface Emulator.
type emulatedLambda struct {
	t    *testing.T
	url  string
	cmd  *exec.Cmd
	said *os.File
	gone chan struct{}
}

// inRIE starts the program with this environment. RIE is the emulator's own program.
func inRIE(t *testing.T, program string, env map[string]string) *emulatedLambda {
	rie := os.Getenv("RIE")
	require.NotEmpty(t, rie, "make test-lambda installs the emulator and names it")
	at := freePort(t)
	l := &emulatedLambda{t: t, url: "http://" + at + "/2015-03-31/functions/function/invocations",
		gone: make(chan struct{})}
	l.cmd = exec.Command(rie, "--log-level", "error", "--runtime-interface-emulator-address", at,
		"--runtime-api-address", freePort(t), program)
	l.cmd.Env = environment()
	for name, value := range env {
		l.cmd.Env = append(l.cmd.Env, name+"="+value)
	}
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	l.said, err = os.Create(filepath.Join(t.TempDir(), "said"))
	require.NoError(t, err)
	l.cmd.Stdout, l.cmd.Stderr = l.said, l.said
	require.NoError(t, l.cmd.Start())
	go func() { defer close(l.gone); _ = l.cmd.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL)
		<-l.gone
		if t.Failed() {
			said := l.log()
			t.Log(said[max(0, len(said)-3000):])
		}
	})
	listening(t, at)
	return l
}

// listening waits until somebody listens at the address.
func listening(t testing.TB, address string) {
	t.Helper()
	eventually(t, patience, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, "nobody listens at %s", address)
}

func (l *emulatedLambda) log() string {
	b, err := os.ReadFile(l.said.Name())
	require.NoError(l.t, err)
	return string(b)
}

// invoke hands over an event, and returns the answer and how long it took.
func (l *emulatedLambda) invoke(event []byte) ([]byte, time.Duration) {
	l.t.Helper()
	began := time.Now()
	got, err := caller.Post(l.url, "application/json", bytes.NewReader(event))
	require.NoError(l.t, err)
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	require.NoError(l.t, err)
	return b, time.Since(began)
}

// child is the id of the program's process.
func (l *emulatedLambda) child() int {
	l.t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", l.cmd.Process.Pid))
	require.NoError(l.t, err)
	for _, t := range tasks {
		b, err := os.ReadFile(t)
		if first, _, _ := strings.Cut(string(b), " "); err == nil && first != "" {
			pid, err := strconv.Atoi(first)
			require.NoError(l.t, err)
			return pid
		}
	}
	require.FailNow(l.t, "the program does not run")
	return 0
}

// memory is what the program has had at most, in MiB.
func (l *emulatedLambda) memory() int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.child()))
	require.NoError(l.t, err)
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(l.t, err)
	return kib >> 10
}

// samplesDomain is the name below which the shop of the samples is.
const samplesDomain = "example.com"

// backends are what functions are given: the stack of the data in the emulator of AWS, by the names in their
// environment.
func backends(t *testing.T) map[string]string {
	e := emulator.Start(t)
	data := e.Stack("CreateStack", os.Getenv("CDK_OUT"), "Eshop-"+emulator.Environment+"-Data", nil, emulator.Tamed)
	env := e.Variables()
	env[lambda.Environment], env[lambda.BaseURL] = emulator.Environment, "http://127.0.0.1:8080" // of hosttest
	env[lambda.ReservedSlugs], env[lambda.Domain] = strings.Join(functions.ReservedSlugs(), ","), samplesDomain
	for r, name := range map[host.Resource]string{host.Main: "Main", host.Pipeline: "Pipeline",
		host.Counters: "Counters", host.Fresh: "Fresh",
		host.Retry: "Retry", host.Files: "Files"} {
		env[lambda.Variable[r]] = emulator.Named(t, data, name)
	}
	key := "arn:aws:kms:" + emulator.Region + ":" + emulator.Account + ":key/" + emulator.Named(t, data, "Secrets")
	env[lambda.Variable[host.Secrets]], env[lambda.Variable[host.Signing]] = key, key
	hash := host.TokenHash(hosttest.OperatorToken)
	env[lambda.OperatorTokenHash] = hex.EncodeToString(hash[:])
	return env
}

// TestEveryProgramInLambda runs what is deployed, built for this machine, behind the official emulator of Lambda's
// runtime: each answers its sample of events/samples as the same code does in this process, and tells an event that is
// none apart. What it prints are the sizes, first and later answers and memory, beside a function that does nothing but
// ask its store twice.
func TestEveryProgramInLambda(t *testing.T) {
	env := backends(t)
	row := func(name, program string, event []byte) (*emulatedLambda, []byte) {
		l := inRIE(t, program, env)
		answer, first := l.invoke(event)
		later := time.Hour
		for range 10 {
			_, took := l.invoke(event)
			later = min(later, took)
		}
		is, err := os.Stat(program)
		require.NoError(t, err)
		t.Logf("%-19s %5.1f MB  first answer %6.1f ms  later %5.2f ms  %3d MiB", name, float64(is.Size())/(1<<20),
			float64(first.Microseconds())/1000, float64(later.Microseconds())/1000, l.memory())
		return l, answer
	}
	hello := builtAs(t, "./testdata/hello")
	inRIE(t, hello, env).invoke([]byte("{}")) // the emulators are warm then
	row("hello", hello, []byte("{}"))
	asked := map[string][]byte{}
	for _, f := range functions.List {
		event, err := samples.Read(f.Name)
		require.NoError(t, err)
		asked[f.Name] = event
		l, got := row(f.Name, bootstrap(f.Name), event)
		if f.HTTP != nil {
			sameAnswer(t, f, event, got)
		} else {
			require.Contains(t, []string{`{"batchItemFailures":[]}`, `{}`}, string(got), f.Name)
		}
		none, _ := l.invoke([]byte(`"none"`))
		require.Contains(t, string(none), `"errorType"`, f.Name)
		again, _ := l.invoke(event)
		require.NotContains(t, string(again), `"errorType"`, "%s goes on", f.Name)
	}
	tn := throughRIE(t, env) // from here on the platform is not empty any more
	for _, f := range functions.List {
		counted := slices.ContainsFunc(f.Needs, func(n host.Need) bool { return n.Resource == host.Counters })
		if event := tn.asked(asked[f.Name]); counted && event != nil {
			_, got := row(f.Name+", known", bootstrap(f.Name), event)
			require.Equal(t, http.StatusOK, answered(t, got).StatusCode, "%s: %s", f.Name, got)
		}
	}
}

// builtAs is a command of this module built as functions are.
func builtAs(t *testing.T, command string) string {
	program := filepath.Join(t.TempDir(), "bootstrap")
	out, err := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-ldflags", "-s -w", "-o", program,
		command).CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// throughRIE is an add-on whose access the operator's program has made.
func throughRIE(t *testing.T, env map[string]string) *knownCaller {
	d, l := newDoor(t), inRIE(t, bootstrap("operator"), env)
	d.open(operator.Function, func(_ context.Context,
		e awsevents.APIGatewayV2HTTPRequest) (r awsevents.APIGatewayV2HTTPResponse, err error) {
		event, err := json.Marshal(e)
		if err != nil {
			return r, err
		}
		got, _ := l.invoke(event)
		return r, json.Unmarshal(got, &r)
	})
	w := &world{url: d.url, operator: hosttest.OperatorToken}
	var all []string
	for _, p := range permission.All {
		all = append(all, string(p))
	}
	return &knownCaller{t, w.shopWith(t, all...).token}
}

// knownCaller is who has a token of an access.
type knownCaller struct {
	t     *testing.T
	token string
}

// asked is the event of a partner's call with the token; nil of any other event.
func (k *knownCaller) asked(event []byte) []byte {
	var e awsevents.APIGatewayV2HTTPRequest
	require.NoError(k.t, json.Unmarshal(event, &e))
	if e.Headers["authorization"] == "" || !strings.HasPrefix(e.RawPath, "/api-engine") ||
		e.RequestContext.HTTP.Method != http.MethodGet {
		return nil
	}
	e.Headers["authorization"] = "Bearer " + k.token
	b, err := json.Marshal(e)
	require.NoError(k.t, err)
	return b
}

func answered(t *testing.T, got []byte) (is awsevents.APIGatewayV2HTTPResponse) {
	t.Helper()
	require.NoError(t, json.Unmarshal(got, &is), string(got))
	return is
}

func bootstrap(name string) string { return filepath.Join("../stack/build", name, "bootstrap") }

// sameAnswer holds a program's answer against what its code says here, of an empty platform as well. The request's id
// and the time are each its own.
func sameAnswer(t *testing.T, f host.Function, event, got []byte) {
	t.Helper()
	w := hosttest.Open(t, hosttest.Setup{Functions: []host.Function{f},
		Platform: func(p *host.Parts) { p.Shops.Host = samplesDomain }})
	var request awsevents.APIGatewayV2HTTPRequest
	require.NoError(t, json.Unmarshal(event, &request))
	want, err := lambda.HTTP(w.API)(t.Context(), request)
	require.NoError(t, err)
	is := answered(t, got)
	for _, a := range []*awsevents.APIGatewayV2HTTPResponse{&want, &is} {
		id := a.Headers["X-Request-Id"]
		require.NotEmpty(t, id, f.Name)
		a.Body = strings.ReplaceAll(a.Body, id, "")
		for _, own := range []string{"X-Request-Id", "Content-Length", "X-RateLimit-Hourly-Reset",
			"X-RateLimit-Daily-Reset"} {
			delete(a.Headers, own)
		}
	}
	require.Equal(t, want, is, f.Name)
}

// TestAProgramWithoutItsTableFailsItsRehearsal: it is the broken version that make smoke wants to see taken back.
func TestAProgramWithoutItsTableFailsItsRehearsal(t *testing.T) {
	env := backends(t)
	env[lambda.Variable[host.Pipeline]] = "no-such-table"
	event, err := samples.Read("delivery")
	require.NoError(t, err)
	got, _ := inRIE(t, bootstrap("delivery"), env).invoke(event)
	var answer struct{ BatchItemFailures []any }
	require.NoError(t, json.Unmarshal(got, &answer), string(got))
	require.NotEmpty(t, answer.BatchItemFailures, string(got))
}

// TestAProgramThatPanicsAnswersAndGoesOn: a caller of the API hears 500 and nothing of the panic, a queue keeps its
// messages, and the process is the same afterwards.
func TestAProgramThatPanicsAnswersAndGoesOn(t *testing.T) {
	program := builtAs(t, "./testdata/panics")
	env := map[string]string{lambda.Environment: emulator.Environment, lambda.BaseURL: "http://127.0.0.1:8080",
		"AWS_REGION":        emulator.Region,
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
	event, err := samples.Read("customers")
	require.NoError(t, err)
	var e awsevents.APIGatewayV2HTTPRequest
	require.NoError(t, json.Unmarshal(event, &e))
	e.RawPath = "/customers"
	event, err = json.Marshal(e)
	require.NoError(t, err)
	l := inRIE(t, program, env)
	got, _ := l.invoke(event)
	process := l.child()
	for range 3 {
		is := answered(t, got)
		require.Equal(t, http.StatusInternalServerError, is.StatusCode)
		require.Contains(t, is.Body, `"code":"internal"`)
		got, _ = l.invoke(event)
	}
	require.Equal(t, process, l.child(), "it goes on")
	require.Contains(t, l.log(), `"msg":"panic"`)
	require.NotContains(t, l.log()+string(got), "a secret", "what a panic is about may be somebody's data")

	event, err = samples.Read("delivery")
	require.NoError(t, err)
	env["MESSAGES"] = "1"
	l = inRIE(t, program, env)
	got, _ = l.invoke(event)
	process = l.child()
	require.NotContains(t, string(got), `"batchItemFailures":[]`, "what was not handled is not taken off its queue")
	l.invoke(event)
	require.Equal(t, process, l.child(), "it goes on")
	require.NotContains(t, l.log(), "a secret")
}

// TestAProgramWhoseStoreHangsAnswersInTime: a caller of the API hears 503, a queue that nothing was handled.
func TestAProgramWhoseStoreHangsAnswersInTime(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	env := backends(t)
	env["AWS_ENDPOINT_URL"], env["AWS_LAMBDA_FUNCTION_TIMEOUT"] = "http://"+silent.Addr().String(), "10"
	event, err := samples.Read("customers")
	require.NoError(t, err)
	got, _ := inRIE(t, bootstrap("customers"), env).invoke(event)
	is := answered(t, got)
	require.Equal(t, http.StatusServiceUnavailable, is.StatusCode)
	require.Equal(t, "1", is.Headers["Retry-After"])
	event, err = samples.Read("delivery")
	require.NoError(t, err)
	got, _ = inRIE(t, bootstrap("delivery"), env).invoke(event)
	require.NotContains(t, string(got), `"batchItemFailures":[]`, "what was not handled is not taken off its queue")
}

// TestAProgramWhoseStoreFallsSilentInACallAnswersInTime, and goes on when the store does.
func TestAProgramWhoseStoreFallsSilentInACallAnswersInTime(t *testing.T) {
	env := backends(t)
	store, err := url.Parse(env["AWS_ENDPOINT_URL"])
	require.NoError(t, err)
	var silent atomic.Bool
	over := make(chan struct{})
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(store); r.Out.Host = r.In.Host }}
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if silent.Load() {
			<-over
		}
		proxy.ServeHTTP(w, r)
	}))
	defer between.Close()
	defer close(over)
	event, err := samples.Read("customers")
	require.NoError(t, err)
	event = throughRIE(t, env).asked(event)
	env["AWS_ENDPOINT_URL"], env["AWS_LAMBDA_FUNCTION_TIMEOUT"] = between.URL, "10"
	l := inRIE(t, bootstrap("customers"), env)
	asks := func() int {
		got, _ := l.invoke(event)
		return answered(t, got).StatusCode
	}
	require.Equal(t, http.StatusOK, asks())
	silent.Store(true)
	require.Equal(t, http.StatusServiceUnavailable, asks())
	silent.Store(false)
	require.Equal(t, http.StatusOK, asks())
}

// TestAProgramThatIsToEndWritesItsFigures: Lambda sends SIGTERM half a second before it ends the process.
func TestAProgramThatIsToEndWritesItsFigures(t *testing.T) {
	l := inRIE(t, bootstrap("customers"), backends(t))
	event, err := samples.Read("customers")
	require.NoError(t, err)
	l.invoke(event)
	require.NotContains(t, l.log(), `"Requests":1`)
	require.NoError(t, syscall.Kill(l.child(), syscall.SIGTERM))
	eventually(t, patience, func() bool { return strings.Contains(l.log(), `"Requests":1`) }, "the figures")
}
