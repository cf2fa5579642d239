package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"eshop/shared/signature"
)

// byHand prints the limit of a change at a slow pace, where no two are so close that they share a commit: what it costs
// a program that does no more than it must.
func (b *bench) byHand(in *receiver) error {
	const rate = 100
	data, err := os.MkdirTemp("", "eshop-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	addr, err := freeAddr()
	if err != nil {
		return err
	}
	me, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(me, "byhand", addr, filepath.Join(data, "data"), in.url)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if err := answering("http://" + addr); err != nil {
		return err
	}
	before := cpu(cmd.Process.Pid)
	err = paced(rate, b.span, func(int) error { return send(request("PATCH", "http://"+addr, "", nil)) })
	each := (cpu(cmd.Process.Pid) - before).Seconds() / (b.span.Seconds() * rate)
	fmt.Printf("%-44s %15.1f s CPU per 10,000 changes\n", "limit: three commits and a POST at 100/s", 10_000*each)
	return err
}

// changing is the other process: it answers once the change is on disk, notes that it is to be delivered, posts it
// signed, and notes what became of it.
func changing(addr, path, to string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	key := signature.New(zeros{})
	var last atomic.Int64
	return http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			return // whether it answers yet
		}
		n := int(last.Add(7919)) // far from the one before
		if err := commit(file, n); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		go func() {
			if err := deliver(key, to, func() error { return commit(file, n) }); err != nil {
				end(err)
			}
		}()
	}))
}

// commit writes a page and then, once that is on disk, the first one that leads to it: the least that a file does which
// may be cut off at any moment.
func commit(file *os.File, n int) error {
	const pages, size = 10_000, 4096
	for _, page := range []int{1 + n%pages, 0} {
		if _, err := file.WriteAt(make([]byte, size), int64(page*size)); err != nil {
			return err
		}
		if err := syscall.Fdatasync(int(file.Fd())); err != nil {
			return err
		}
	}
	return nil
}

// deliver posts a change between two notes.
func deliver(key signature.Key, to string, note func() error) error {
	if err := note(); err != nil {
		return err
	}
	if err := send(signed(key, to)); err != nil {
		return err
	}
	return note()
}

// signed is a webhook as a receiver gets it.
func signed(key signature.Key, to string) *http.Request {
	now := time.Now().Unix()
	body := []byte(`{"id":"01","event":"productChange",` +
		`"data":{"products":[{"id":"01J00000000000000000000000","variantIds":[]}]}}`)
	r, _ := http.NewRequest(http.MethodPost, to, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Webhook-Timestamp", fmt.Sprint(now))
	r.Header.Set("X-Webhook-Signature", signature.Hex(key, now, body))
	return r
}
