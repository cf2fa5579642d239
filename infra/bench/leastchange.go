package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"eshop/shared/webhook/signature"
)

// leastChange measures what a change that comes alone must cost at least: the processor time of a program that does no
// more than is needed. "Alone" means that the change shares its commit with no other.
func (b *bench) leastChange() error {
	const rate = 100 // changes a second: so few that none shares its commits with another
	data, err := os.MkdirTemp("", "eshop-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	in, err := listen()
	if err != nil {
		return err
	}
	defer in.die()
	cmd, base, err := child("leastchange", filepath.Join(data, "data"), in.url)
	if err != nil {
		return err
	}
	defer kill(cmd)
	// At 100 a second a process takes little time, and /proc counts in steps of 10 ms.
	span := b.longer()
	before := cpu(cmd.Process.Pid)
	err = paced(rate, span, func(int) error { return send(request("PATCH", base, "", nil)) })
	if err != nil {
		return err
	}
	want := int64(span.Seconds() * rate)
	if came := reach(want, 30*time.Second, []*receiver{in}); came < want {
		return fmt.Errorf("the least change: %d of %d came", came, want)
	}
	b.tells("limit: three commits and a POST at 100/s", per10k(cpu(cmd.Process.Pid)-before, want, " changes"))
	return nil
}

// longer is how long a row is measured whose processor time is read at a slow pace: there is little of it.
func (b *bench) longer() time.Duration { return 4 * b.span }

// leastChanged is the other process. For each change it makes three commits: that it was made, that it is to be
// delivered, and, once it was posted, what became of it. It answers after the first, as the platform does.
func leastChanged(addr, path, to string) error {
	file, err := create(path)
	if err != nil {
		return err
	}
	key := signature.New(zeros{})
	return http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			return // whether it answers yet
		}
		if err := file.commit(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		go func() {
			err := file.commit()
			if err == nil {
				err = send(signed(key, to))
			}
			if err == nil {
				err = file.commit()
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, "bench:", err)
				os.Exit(1)
			}
		}()
	}))
}

// paged is a file of pages. The first page stands for the root that leads to the others, and is written last in each
// commit.
type paged struct {
	*os.File
	committing sync.Mutex // one at a time
	last       int64      // the page written
	blank      [pageSize]byte
}

const pages, pageSize = 10_000, 4096

// create makes the file as long as it ever gets, so that no commit has to make room.
func create(path string) (*paged, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(make([]byte, (1+pages)*pageSize)); err != nil {
		return nil, err
	}
	return &paged{File: file}, file.Sync()
}

// commit writes a page, and the first one once that is on disk. This is the least that a file needs which may be cut
// off at any moment: before the second write the old root is still good.
func (f *paged) commit() error {
	f.committing.Lock()
	defer f.committing.Unlock()
	f.last = (f.last + 7919) % pages // far from the one before
	for _, page := range []int64{1 + f.last, 0} {
		if _, err := f.WriteAt(f.blank[:], page*pageSize); err != nil {
			return err
		}
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			return err
		}
	}
	return nil
}
