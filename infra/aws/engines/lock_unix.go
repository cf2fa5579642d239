//go:build unix

package engines

import (
	"os"
	"syscall"
)

// lock holds the file for this process, so that tests of several packages fetch one after another: Maven's own store
// does not bear two at once.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
