package hosttest

import (
	"net"
	"sync"
)

// Pipes is a listener whose connections are pipes: what happens on them happens in simulated time. Nobody connects but
// by Dial.
type Pipes struct {
	come   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewPipes is an open listener.
func NewPipes() *Pipes { return &Pipes{come: make(chan net.Conn), closed: make(chan struct{})} }

// Accept waits for a Dial, or for Close.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.come:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close may be called again, as that of a real one.
func (p *Pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

// Addr is an address of this machine.
func (p *Pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// Dial waits until it is accepted.
func (p *Pipes) Dial() net.Conn {
	ours, theirs := net.Pipe()
	p.come <- theirs
	return ours
}
