//go:build linux || darwin || freebsd

package folder

import "syscall"

// Free is how many bytes the disk of a folder has left for this process.
func Free(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
