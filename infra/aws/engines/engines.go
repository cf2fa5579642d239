// Package engines is the AWS side of the integration tests: Amazon's DynamoDB Local with Streams and ElasticMQ as SQS,
// on free ports of the loopback address, which hold the suites of the ports; and mappings that hand records and
// messages to functions as Lambda's event source mappings do, for journeys in one process. With AWS_ENDPOINT_URL set
// the suites run against that address, and nothing is started.
//
// # A tour
//
// Begin with engines.go, which starts an engine; fetch.go downloads it once. stream.go is the mapping of a table's
// stream: records come in, and batches in order go out to a function, again and in halves when they fail. queue.go is
// the mapping of a queue.
package engines

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"

	"eshop/shared/ports/awsconf"
)

// Engine is a service that the tests need.
type Engine string

// The engines, by the folders of their coordinates.
const (
	DynamoDB Engine = "dynamodb" // with Streams
	SQS      Engine = "elasticmq"
)

// Running is an engine that answers.
type Running struct {
	Config aws.Config // what its clients are made of
	cmd    *exec.Cmd  // nil: somebody else's, found by AWS_ENDPOINT_URL
	stdin  io.Closer  // the engine ends when this is closed, and so with our process, however that ends
}

// Start fetches the engine if need be, and starts it in a process of its own. The process ends with Stop, or with this
// process. With AWS_ENDPOINT_URL set it starts nothing, and the engine is the one at that address.
func Start(ctx context.Context, engine Engine) (*Running, error) {
	if url := os.Getenv("AWS_ENDPOINT_URL"); url != "" {
		return &Running{Config: config(url)}, nil
	}
	folder, err := Fetch(ctx, engine)
	if err != nil {
		return nil, err
	}
	lib := folder + "/lib"
	cmd := exec.Command("java", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-Djava.library.path="+lib,
		"-cp", folder+string(os.PathListSeparator)+lib+"/*", "Start")
	return launch(cmd, engine)
}

// launch starts the engine's process and waits until it prints "port <number>", a minute at most. What the engine wrote
// to stderr is in the error if it does not start.
func launch(cmd *exec.Cmd, engine Engine) (*Running, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("engines: %s: %w", engine, err)
	}
	late := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if port, ok := strings.CutPrefix(lines.Text(), "port "); ok {
			// Read on, or the engine would stand still once the pipe is full.
			go io.Copy(io.Discard, out)
			return &Running{Config: config("http://127.0.0.1:" + port), cmd: cmd, stdin: stdin}, nil
		}
	}
	cmd.Process.Kill()
	return nil, fmt.Errorf("engines: %s did not start: %w\n%s", engine, cmd.Wait(), said.String())
}

// Stop ends the engine's process and returns when it is gone.
func (r *Running) Stop() {
	if r.cmd == nil {
		return
	}
	r.stdin.Close()
	late := time.AfterFunc(5*time.Second, func() { r.cmd.Process.Kill() })
	defer late.Stop()
	_ = r.cmd.Wait() // how it went does not matter any more
}

// shared are the engines of this process, one of each kind.
var shared = struct {
	sync.Mutex
	running map[Engine]*Running
}{running: map[Engine]*Running{}}

// ForTest is the configuration of the engine's clients. All tests of a process share one engine, so their tables and
// queues need names of their own; it ends with the process.
func ForTest(t testing.TB, engine Engine) aws.Config {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if r := shared.running[engine]; r != nil {
		return r.Config
	}
	r, err := Start(context.Background(), engine)
	if err != nil {
		t.Fatal(err)
	}
	shared.running[engine] = r
	return r.Config
}

// config takes region and credentials from the environment when the engine is elsewhere; ours take any.
func config(url string) aws.Config {
	cfg, err := awsconf.Load(func(name string) string {
		if name == "AWS_ENDPOINT_URL" {
			return url
		}
		if v := os.Getenv(name); v != "" {
			return v
		}
		return map[string]string{
			"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local",
		}[name]
	})
	if err != nil {
		panic(err) // nothing can be missing
	}
	cfg.Retryer = patient
	return cfg
}

// patient makes a call again that waited too long for a lock inside DynamoDB Local. On a busy machine that happens to
// many writes of one item. The engine's error says that nothing was done, and that DynamoDB itself would have done it.
// All other errors come through at once, because the tests are about them.
func patient() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff, o.RateLimiter = 100, 200*time.Millisecond, ratelimit.None
		o.Retryables = []retry.IsErrorRetryable{retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
			return aws.BoolTernary(strings.Contains(err.Error(), "waiting for a lock"))
		})}
	})
}
