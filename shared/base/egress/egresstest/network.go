// Package egresstest is the network of simulations: receivers in memory, at distances that a test
// gives. It is made for the bubbles of testing/synctest, in which time passes only while everything waits.
package egresstest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// Network is who listens, by address. At any other one a call is refused.
type Network struct {
	mu sync.Mutex
	at map[string]Server
}

// Server answers the calls of one connection, one behind the other, and closes it: a Receiver, or one of a test's own.
type Server interface{ Serve(net.Conn) }

// Receiver is a Server that answers by a function.
type Receiver struct {
	Way time.Duration // of a call to it, or of its answer back
	// Answer takes a call that has arrived, as long as it likes, and gives the status; 0 never answers.
	Answer func(header http.Header, body []byte) int
}

// Listen lets the server listen at "host:port".
func (n *Network) Listen(address string, s Server) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.at == nil {
		n.at = map[string]Server{}
	}
	n.at[address] = s
}

// Dial is for egress.Options. A connection is there at once: who dials when is chance, and would hide who waits for
// whom.
func (n *Network) Dial(_ context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	s := n.at[address]
	n.mu.Unlock()
	if s == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	here, there := net.Pipe()
	go s.Serve(there)
	return here, nil
}

// Serve implements Server.
func (r *Receiver) Serve(conn net.Conn) {
	defer conn.Close()
	calls := bufio.NewReader(conn)
	for {
		call, err := http.ReadRequest(calls)
		if err != nil {
			return
		}
		body, err := io.ReadAll(call.Body)
		if err != nil {
			return
		}
		time.Sleep(r.Way)
		status := r.Answer(call.Header, body)
		if status == 0 {
			_, _ = calls.ReadByte() // until the caller has had enough
			return
		}
		time.Sleep(r.Way)
		if _, err := fmt.Fprintf(conn, "HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n%s", status, len(body),
			body); err != nil {
			return
		}
	}
}
