package bolt

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// What the process has looked at of its file stays in its memory as long as the machine has room: clean pages that the
// system takes back when it wants, and that a limit on the process counts nonetheless. Where there is more than
// mostMapped of them the committer, who alone can move the map, lets go of them each time it has written so much. They
// stay in the system's cache: the next look at one costs about a microsecond. Who only reads keeps what is mapped.
const (
	mostMapped = 96 << 20
	letGoAfter = 2 << 20
)

// letGo lets go of the file's pages, if there are too many. It is the committer's, between two commits.
func (d *DB) letGo() {
	if mapped() <= mostMapped {
		return
	}
	if info, err := os.Stat(d.file.Path()); err == nil {
		whole := info.Size() / int64(os.Getpagesize()) * int64(os.Getpagesize())
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, d.file.Info().Data, uintptr(whole), syscall.MADV_DONTNEED) // it is advice
	}
}

// mapped is how much of files is in the process's memory, in bytes; 0: unknown.
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
