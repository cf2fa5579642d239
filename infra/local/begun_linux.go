package local

import (
	"net"
	"os"
	"syscall"
)

// shut ends a listener and returns the connections that have begun and that nobody has accepted yet. The kernel resets
// those when a listener is closed, with the requests in them.
func shut(l net.Listener) (begun []net.Conn) {
	if tcp, is := l.(*net.TCPListener); is {
		if raw, err := tcp.SyscallConn(); err == nil {
			var all []int
			_ = raw.Control(func(listener uintptr) {
				for {
					fd, _, err := syscall.Accept4(int(listener), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
					if err == syscall.ECONNABORTED || err == syscall.EINTR {
						continue
					} else if err != nil {
						break
					}
					all = append(all, fd)
				}
				_ = syscall.Shutdown(int(listener), syscall.SHUT_RD) // at once: closing waits for who accepts
			})
			for _, fd := range all {
				f := os.NewFile(uintptr(fd), "")
				if c, err := net.FileConn(f); err == nil {
					begun = append(begun, c)
				}
				_ = f.Close() // it was copied
			}
		}
	}
	_ = l.Close()
	return begun
}
