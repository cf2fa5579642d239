package lambda

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/ports/queue"
)

// bells is a function that fails the second of its messages.
var bells = host.Function{Name: "bells",
	Messages: &host.Messages{Handler: func(p *host.Platform) func(context.Context, []queue.Received) []queue.Received {
		return func(ctx context.Context, all []queue.Received) []queue.Received {
			p.Log.InfoContext(ctx, "rung", "times", len(all))
			return all[1:2]
		}
	}}}

// TestMain lets the tests' own program be a Lambda's.
func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		Serve(bells)
	}
	os.Exit(m.Run())
}

// TestServe runs a function against Lambda's Runtime API: one event in, its answer out, the log with the invocation's
// id.
func TestServe(t *testing.T) {
	answers, rest := make(chan string, 1), make(chan struct{})
	event, err := os.ReadFile("testdata/queue/three.json")
	require.NoError(t, err)
	events := make(chan []byte, 1)
	events <- event
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/extension/register"):
			w.Header().Set("Lambda-Extension-Identifier", "1")
		case strings.HasSuffix(r.URL.Path, "/invocation/next"):
			select {
			case e := <-events:
				w.Header().Set("Lambda-Runtime-Aws-Request-Id", "inv-1")
				w.Header().Set("Lambda-Runtime-Deadline-Ms",
					strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10))
				w.Write(e)
			case <-rest:
			}
		case strings.HasSuffix(r.URL.Path, "/invocation/inv-1/response"):
			b, _ := io.ReadAll(r.Body)
			w.WriteHeader(http.StatusAccepted)
			answers <- string(b)
		default: // an extension's next event, which never comes
			<-rest
		}
	}))
	defer api.Close()
	defer close(rest)

	lambda := exec.Command(os.Args[0])
	for name, value := range lambdas() {
		lambda.Env = append(lambda.Env, name+"="+value)
	}
	lambda.Env = append(lambda.Env, "AWS_LAMBDA_RUNTIME_API="+strings.TrimPrefix(api.URL, "http://"))
	out, err := lambda.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, lambda.Start())
	defer lambda.Wait()
	defer lambda.Process.Kill()

	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "rung") {
	}
	var line map[string]any
	require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
	require.Equal(t, "inv-1", line["invocation"])
	require.Equal(t, 3.0, line["times"])
	require.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"m2"}]}`, <-answers)
}
