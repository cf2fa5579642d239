//go:build linux || darwin || freebsd

package local

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockTimeout is how long Lock waits for another process: one that is just being stopped.
const lockTimeout = time.Second

// Lock keeps other processes out of a data folder until what it returns is closed, and writes nothing. A file system
// that locks no folders leaves that to the lock of the data file.
func Lock(folder string) (*os.File, error) {
	file, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockTimeout); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return file, nil
		}
		if time.Now().After(end) {
			return nil, errors.Join(fmt.Errorf("the data folder %s: another process has it open: end that one, or "+
				"name another folder, as by DATA=.data2", folder), file.Close())
		}
	}
}
