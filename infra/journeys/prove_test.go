package journeys

import (
	"cmp"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"eshop/infra/proof/simulate"
)

// TestProve kills the real program under load and holds what its clients saw against the model: for a few seconds, or
// as long and as often as DURATION and KILLS say.
func TestProve(t *testing.T) {
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return otherwise
		}
		return n
	}
	length, err := time.ParseDuration(cmp.Or(os.Getenv("DURATION"), "12s"))
	require.NoError(t, err)
	simulate.Prove(t, uint64(number("SEED", 1)), length, number("KILLS", 5), &program{t: t, data: t.TempDir()})
}

// program is the real program as a host.
type program struct {
	t    *testing.T
	data string
	p    *process
	disk sync.WaitGroup
	over chan struct{} // closed with the life
}

// Begin starts the program on the folder.
func (p *program) Begin(l *simulate.Life) http.Handler {
	p.p = begin(p.t, command(p.t, p.data, "OPERATOR_TOKEN="+simulate.Operator, "DEMO=0"), p.data)
	p.over = make(chan struct{})
	pid, over := p.p.cmd.Process.Pid, p.over
	p.disk.Go(func() { fills(l, pid, over) })
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	base := p.p.run.BaseURL
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := forward(w, r, transport, base); err != nil {
			w.WriteHeader(http.StatusBadGateway) // nothing came
		}
	})
}

// forward sends a request on to the program, and its answer back.
func forward(w http.ResponseWriter, r *http.Request, transport http.RoundTripper, base string) error {
	on, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.RequestURI(), r.Body)
	if err != nil {
		return err
	}
	on.Header, on.Host, on.ContentLength = r.Header, r.Host, r.ContentLength
	answer, err := transport.RoundTrip(on)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, err = w.Write(body)
	return err
}

// fills takes the program's room to write while the plan says so: no file of its can be written.
func fills(l *simulate.Life, pid int, over chan struct{}) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	is := false
	for {
		select {
		case <-look.C:
		case <-over:
			return
		}
		if full := l.Full(); full != is {
			is = full
			limit := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
			if full {
				limit.Cur = 0
			}
			_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil) // the process may be gone
		}
	}
}

// Kill is kill -9.
func (p *program) Kill() {
	close(p.over)
	p.p.kill()
}

// Stop is not planned.
func (p *program) Stop() { require.FailNow(p.t, "nobody stops it in order") }

// OnAWS is false.
func (p *program) OnAWS() bool { return false }

// End has nothing to wait for but whoever fills the disk.
func (p *program) End() { p.disk.Wait() }
