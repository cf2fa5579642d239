package bolt

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// The pages of the file that the process has looked at stay in its memory while the machine has room. They are clean:
// the system takes them back when it wants to, but a limit on the process's memory counts them nonetheless. So the
// committer, the only one that can move the map, releases all of them each time it has written releaseAfter bytes, if
// there are more than maxMapped bytes. They stay in the system's cache, from which the next look at a page costs about
// a microsecond. A process that only reads keeps what is mapped.
const (
	maxMapped    = 96 << 20 // bytes
	releaseAfter = 2 << 20  // bytes
)

// releasePages releases the file's pages if there are too many. Only the committer calls it, between two commits. Where
// it fails nothing is lost: it is advice to the system.
func (d *DB) releasePages() {
	if mapped() <= maxMapped {
		return
	}
	if info, err := os.Stat(d.file.Path()); err == nil {
		whole := info.Size() / int64(os.Getpagesize()) * int64(os.Getpagesize())
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, d.file.Info().Data, uintptr(whole), syscall.MADV_DONTNEED)
	}
}

// mapped is how many bytes of files are in the process's memory; 0: unknown.
func mapped() int {
	b, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 3 {
		return 0
	}
	pages, err := strconv.Atoi(string(fields[2]))
	if err != nil {
		return 0
	}
	return pages * os.Getpagesize()
}
