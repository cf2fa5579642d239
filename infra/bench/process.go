package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// platform is the measured process.
type platform struct {
	cmd  *exec.Cmd
	data string
	base string
	run  struct {
		OperatorToken string `json:"operatorToken"`
		Demo          struct{ ShopID, AccessID, Token, StorefrontURL string }
	}
	mu            sync.Mutex
	pss, anon     float64 // the most memory seen since it was last asked for, MiB
	topPSS        float64 // the most seen
	topAnon       float64
	firstResponse time.Duration
}

// start runs the program's platform on a data folder and waits for its first 200.
func start(program, data string) (*platform, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	platform := &platform{data: data, base: "http://" + addr}
	platform.cmd = exec.Command(program, "serve")
	platform.cmd.Env = append(os.Environ(), "ADDR="+addr, "DATA="+data, "ENVIRONMENT=development", "DEMO=1")
	bound(platform.cmd)
	began := time.Now()
	if err := platform.cmd.Start(); err != nil {
		return nil, err
	}
	if err := answering(platform.base + "/healthz"); err != nil {
		return nil, err
	}
	platform.firstResponse = time.Since(began)
	if err := platform.read(); err != nil {
		return nil, err
	}
	go platform.sample()
	return platform, nil
}

// child starts this program as a server of its own, told by name what to be, at which address, and what else; and
// waits for its first answer.
func child(name string, more ...string) (cmd *exec.Cmd, base string, err error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, "", err
	}
	cmd = process(append([]string{name, addr}, more...)...)
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	base = "http://" + addr
	if err := answering(base); err != nil {
		kill(cmd)
		return nil, "", err
	}
	return cmd, base, nil
}

// process is this program as another process, which its words name.
func process(words ...string) *exec.Cmd { return bound(exec.Command("/proc/self/exe", words...)) }

// bound is the process with this one's errors. The kernel kills it if this one dies, however that happens.
func bound(cmd *exec.Cmd) *exec.Cmd {
	cmd.Stderr, cmd.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// kill ends a process at once.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill(); _ = cmd.Wait() }

// freeAddr is an address of this machine that is free now. Another process may take it before it is used, which a bench
// can bear.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// answering asks each millisecond until there is a 200, at most for 30 s.
func answering(url string) error {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if a, err := http.Get(url); err == nil {
			a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return fmt.Errorf("no answer from %s", url)
}

// read reads run.json, which the platform has written before its first 200.
func (p *platform) read() error {
	b, err := os.ReadFile(filepath.Join(p.data, "run.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(b, &p.run)
}

// stop ends the platform as an operator does, and waits for it.
func (p *platform) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.cmd.Wait()
}

// cpu is the processor time that the process has taken.
func (p *platform) cpu() time.Duration { return cpu(p.cmd.Process.Pid) }

// cpu is how much processor time a process has used so far, by /proc, to 10 ms.
func cpu(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The second field is the program's name in brackets, which may hold blanks; the fields are counted from behind it.
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+2:]))
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// sample notes the most memory seen, each 250 ms until the process is gone.
func (p *platform) sample() {
	for pss, anon := memory(p.cmd.Process.Pid); pss > 0; pss, anon = memory(p.cmd.Process.Pid) {
		p.mu.Lock()
		p.pss, p.anon = max(p.pss, pss), max(p.anon, anon)
		p.topPSS, p.topAnon = max(p.topPSS, pss), max(p.topAnon, anon)
		p.mu.Unlock()
		time.Sleep(250 * time.Millisecond)
	}
}

// memory is the process's, in MiB: its proportional share, which includes pages of the data file, and what is
// anonymous, which does not.
func memory(pid int) (pss, anon float64) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(b)) {
		switch w := strings.Fields(line); w[0] {
		case "Pss:":
			pss, _ = strconv.ParseFloat(w[1], 64)
		case "Anonymous:":
			anon, _ = strconv.ParseFloat(w[1], 64)
		}
	}
	return pss / 1024, anon / 1024
}

// most is the most memory seen since the last call.
func (p *platform) most() (pss, anon float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pss, anon, p.pss, p.anon = p.pss, p.anon, 0, 0
	return pss, anon
}

// top is the most memory seen at all.
func (p *platform) top() (pss, anon float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.topPSS, p.topAnon
}
