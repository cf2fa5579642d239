package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

// Host is a platform that can be simulated. Its methods are called by one goroutine.
type Host interface {
	// Begin starts a process on what the last one left, and returns its front door.
	Begin(l *Life) http.Handler
	// Kill ends it as kill -9 does: what the store has not committed is lost.
	Kill()
	// Stop ends it in order, as SIGTERM does. It is the one process's alone.
	Stop()
	// OnAWS says whether it is functions in Lambda, whose tables and queues outlive them.
	OnAWS() bool
	// End waits for what killed processes left under way.
	End()
}

// grace is how long a stop waits for requests and attempts that are under way.
const grace = 8 * time.Second

// Life is one life of the platform's process, and its surroundings.
type Life struct {
	sim    *Sim
	random *locked
	door   http.Handler

	mu     sync.Mutex
	asking int  // how many requests are under way
	hungUp bool // those that are under way are not answered any more
	over   bool
	conns  []net.Conn
}

// errOver is what a process that is gone would hear, if it could.
var errOver = errors.New("simulate: this process is gone")

// Now is the time by the clock of the machine, which jumps.
func (l *Life) Now() time.Time {
	l.sim.mu.Lock()
	defer l.sim.mu.Unlock()
	return time.Now().Add(l.sim.skew)
}

// Random is the process's randomness.
func (l *Life) Random() io.Reader { return l.random }

// Disk takes the time of a commit that edits so many items.
func (l *Life) Disk(edits int) error {
	if l.ended() {
		return errOver
	}
	return l.sim.faults().disk(time.Now(), edits)
}

// Dial connects to a receiver in the simulated network. A process that is gone gets no connection, and those that it
// had are closed with it.
func (l *Life) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if len(l.sim.faults().during(time.Now(), away)) > 0 {
		address = "" // where nobody listens
	}
	c, err := l.sim.network.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		c.Close()
		return nil, errOver
	}
	l.conns = append(l.conns, c)
	return c, nil
}

func (l *Life) ended() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.over }

// serve has the process answer a request, and says whether its answer came: the process may be killed, or stop waiting
// for it when it ends.
func (l *Life) serve(w http.ResponseWriter, r *http.Request) (came bool) {
	l.asks(1)
	defer l.asks(-1)
	l.door.ServeHTTP(w, r)
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.over && !l.hungUp
}

// asks counts requests that begin, or with -1 end.
func (l *Life) asks(more int) { l.mu.Lock(); defer l.mu.Unlock(); l.asking += more }

// asked says whether a request is under way.
func (l *Life) asked() bool { l.mu.Lock(); defer l.mu.Unlock(); return l.asking > 0 }

// hangUp waits until no request is under way, but not longer than the grace. After that no request is answered. A real
// process does so by its connections.
func (l *Life) hangUp() {
	for end := time.Now().Add(grace); l.asked() && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hungUp = true
}

// cut ends what the process has to do with others.
func (l *Life) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	for _, c := range l.conns {
		c.Close()
	}
}

// begin starts the platform's next life.
func (s *Sim) begin() {
	s.lives++
	l := &Life{sim: s, random: &locked{r: s.random(uint64(s.lives) << 32)}}
	l.door = s.host.Begin(l)
	s.mu.Lock()
	s.life = l
	s.mu.Unlock()
}

// kill ends the platform's life at once.
func (s *Sim) kill() {
	l := s.leave()
	l.cut()
	s.host.Kill()
}

// stop ends it in order. On AWS a deployment ends nothing that is under way: functions of the old version finish their
// calls beside those of the new one.
func (s *Sim) stop() {
	l := s.leave()
	if s.host.OnAWS() {
		return
	}
	l.hangUp()
	s.host.Stop()
	l.cut()
}

// leave lets nobody in any more: clients wait until the next life serves.
func (s *Sim) leave() *Life {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.life
	s.life = nil
	return l
}

// serving is the life that serves; nil when none does.
func (s *Sim) serving() *Life { s.mu.Lock(); defer s.mu.Unlock(); return s.life }

// locked is randomness for concurrent use.
type locked struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (l *locked) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range b {
		b[i] = byte(l.r.Uint32())
	}
	return len(b), nil
}
