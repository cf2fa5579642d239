//go:build !race

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"eshop/infra/local"
	"eshop/shared/base/egress/egresstest"
)

// Prove is in real time, with the real program under load. The program is killed kills times, and its disk is full
// between two of the kills.
type Prove struct {
	length time.Duration
	kills  int
}

var proving = tempo{pace: 1.0 / 100_000, // a pause of three minutes is one of two milliseconds
	patience: 2 * time.Minute, arrival: 2 * time.Minute, writing: 2 * time.Second, insists: true,
	excused: 100} // a kill every few seconds, and hundreds of webhooks on their way

func (p Prove) tempo() tempo { return proving }

// draw draws kills, and one full disk between two of them.
func (p Prove) draw(r *rand.Rand, _ bool) plan {
	all := plan{length: p.length, start: time.Now()}
	each := p.length / time.Duration(p.kills)
	for n := range p.kills {
		at := time.Duration(n)*each + time.Duration(r.Int64N(int64(each/2)))
		if n == p.kills/2 {
			all.faults = append(all.faults, fault{At: at, Length: each / 4, Kind: fullDisk})
			at += each / 2
		}
		all.faults = append(all.faults, fault{At: at, Kind: crash})
	}
	return all
}

// listen has the server listen on this machine.
func (p Prove) listen(s *Sim, _ string, server egresstest.Server) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(s.T, err)
	s.T.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go server.Serve(c)
		}
	}()
	return l.Addr().String()
}

// provenIn is the variable that has this test be the program, on that folder.
const provenIn = "PROVEN_IN"

// TestProve kills the real program under load and holds what its clients saw against the model: for a few seconds, or
// as long and as often as DURATION and KILLS say.
func TestProve(t *testing.T) {
	if data := os.Getenv(provenIn); data != "" {
		settings := map[string]string{"DATA": data, "ADDR": "127.0.0.1:0", "DEMO": "0", "OPERATOR_TOKEN": Operator}
		getenv := func(name string) string { return settings[name] }
		if lie := lies[os.Getenv("BREAK")]; lie != nil {
			lying(getenv, lie)
		}
		os.Exit(local.Main(getenv, os.Stdout, os.Stderr))
	}
	length, err := time.ParseDuration(cmp.Or(os.Getenv("DURATION"), "12s"))
	require.NoError(t, err)
	lie := os.Getenv("BREAK")
	require.True(t, lie == "" || lies[lie] != nil, "BREAK is one of %v", slices.Sorted(maps.Keys(lies)))
	p := &program{t: t, data: t.TempDir()}
	s := newSim(t, number(t, "SEED", 1), p, Prove{length, int(number(t, "KILLS", 5))})
	s.begin()
	s.run()
	s.kill()
	p.End()
}

// program is the real program as a host. It is this test once more.
type program struct {
	t     *testing.T
	data  string
	lives int
	began time.Time // of this life, or the end of the one before
	cmd   *exec.Cmd
	gone  sync.WaitGroup // what goes on with a life
	over  chan struct{}  // closed with the life
}

// Begin starts the program on the folder, and waits until it says where it serves.
func (p *program) Begin(l *Life) http.Handler {
	var errs bytes.Buffer
	p.cmd = exec.Command(os.Args[0], "-test.run=^TestProve$")
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), provenIn+"="+p.data), &errs
	out, err := p.cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, p.cmd.Start())
	p.t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	says, address := bufio.NewReader(out), ""
	for err == nil && address == "" {
		var line string
		line, err = says.ReadString('\n')
		if _, at, has := strings.Cut(line, "serves at http://"); has {
			address, _, _ = strings.Cut(at, " ")
		}
	}
	require.NoError(p.t, err, "it did not start: %s", &errs)
	if p.lives++; p.lives > 1 {
		p.t.Logf("back after %s", time.Since(p.began).Round(time.Millisecond))
	}
	p.began = time.Now()
	p.over = make(chan struct{})
	pid, over := p.cmd.Process.Pid, p.over
	p.gone.Go(func() { _, _ = io.Copy(io.Discard, says) })
	p.gone.Go(func() { fills(l, pid, over) })
	return forwards(address)
}

// forwards sends requests on to the program, and its whole answers back.
func forwards(address string) http.Handler {
	return &httputil.ReverseProxy{
		Transport: &http.Transport{MaxIdleConnsPerHost: 100},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", address
		},
		ModifyResponse: func(a *http.Response) error {
			body, err := io.ReadAll(a.Body)
			a.Body = io.NopCloser(bytes.NewReader(body))
			return err
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.WriteHeader(http.StatusBadGateway) // nothing came
		},
	}
}

// fills takes the program's room to write while the plan says so: no file of its can be written.
func fills(l *Life, pid int, over chan struct{}) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	is := false
	for {
		select {
		case <-look.C:
		case <-over:
			return
		}
		if full := len(l.sim.faults().during(time.Now(), fullDisk)) > 0; full != is {
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
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed
	p.t.Logf("killed: life %d, which had lasted %s", p.lives, time.Since(p.began).Round(time.Millisecond))
	p.began = time.Now()
}

// Stop is not planned.
func (p *program) Stop() { require.FailNow(p.t, "nobody stops it in order") }

// OnAWS is false.
func (p *program) OnAWS() bool { return false }

// End waits for what went on with its lives.
func (p *program) End() { p.gone.Wait() }
