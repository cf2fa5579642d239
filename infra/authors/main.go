// Command authors measures whether an add-on's author can do what they come for with nothing but the documents: ten
// tasks in a customer's words, and for each a checker that looks at what has become of the platform.
//
// Read tasks.go for the tasks and how each is prepared, checks.go for what counts as done, desk.go for how both ask
// the platform, tasks/ for the texts.
//
//	AUTHOR='command' make authors   runs the command once for each task, then checks all: n of 10
//	make authors                    serves, and prints the tasks; end it by SIGINT
//	CHECK=1 make authors            checks what has been done on the platform that serves
//
// The command gets the task's text on stdin, a folder of its own, and the address of the documents in DOCS. What it
// leaves running runs until all tasks are checked.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"eshop/infra/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	n, err := run(ctx, filepath.Join(os.TempDir(), "eshop-authors"), os.Getenv, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "authors:", err)
	}
	if err != nil || n < len(tasks) {
		stop()
		os.Exit(1)
	}
}

// run does what the environment asks for in a folder, and returns how many tasks are done.
func run(ctx context.Context, folder string, getenv func(string) string, out io.Writer) (int, error) {
	file := filepath.Join(folder, "tasks.json")
	if getenv("CHECK") != "" {
		d := &desk{}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, d)
		}
		if err != nil {
			return 0, fmt.Errorf("there is nothing to check, run make authors first: %w", err)
		}
		return d.table(out), nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return 0, err
	}
	server, d, err := open(ctx, folder)
	if err != nil {
		return 0, err
	}
	defer server.Stop()
	text, err := json.Marshal(d)
	if err == nil {
		err = os.WriteFile(file, text, 0o600) // it holds tokens
	}
	if err != nil {
		return 0, err
	}
	author := getenv("AUTHOR")
	for i, g := range d.Given {
		if author == "" {
			fmt.Fprintf(out, "%d. %s\n\n%s\n", i+1, g.Folder, g.Text)
			continue
		}
		group, err := work(ctx, author, g, d.Run.BaseURL+"/docs")
		if group > 0 {
			defer syscall.Kill(-group, syscall.SIGTERM)
		}
		fmt.Fprintf(out, "%d of %d: %s ended: %v\n", i+1, len(tasks), g.Task, err)
	}
	if author == "" {
		fmt.Fprintln(out, "The platform serves until this is ended. CHECK=1 make authors checks what has been done.")
		<-ctx.Done()
		return len(tasks), nil
	}
	return d.table(out), nil
}

// open starts a new platform in the folder, and prepares each task on its demo shop.
func open(ctx context.Context, folder string) (*local.Server, *desk, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, err
	}
	root, err := filepath.Abs(folder)
	if err != nil {
		return nil, nil, err
	}
	server, err := local.Start(ctx, local.Settings{Addr: "127.0.0.1:0", Data: filepath.Join(root, "platform"),
		Environment: "development", Demo: true, Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	d := &desk{Run: server.Run}
	for _, t := range tasks {
		var g *given
		err := try(func() { g = d.prepare(t) })
		if err == nil {
			g.Folder = filepath.Join(root, t.name)
			err = errors.Join(os.MkdirAll(g.Folder, 0o700),
				os.WriteFile(filepath.Join(g.Folder, "TASK.md"), []byte(g.Text), 0o600))
		}
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("cannot prepare %s: %w", t.name, err), server.Stop())
		}
		d.Given = append(d.Given, g)
	}
	return server, d, nil
}

// work runs the author's command for a task, and returns the group of processes that it began. What the command says
// is in the folder's author.log: a file, since a pipe would be waited for as long as a process that stays holds it.
func work(ctx context.Context, command string, g *given, docs string) (group int, err error) {
	log, err := os.Create(filepath.Join(g.Folder, "author.log"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	text, err := os.Open(filepath.Join(g.Folder, "TASK.md"))
	if err != nil {
		return 0, err
	}
	defer text.Close()
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = g.Folder, append(os.Environ(), "DOCS="+docs), text, log, log
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return 0, err
	}
	return c.Process.Pid, c.Wait()
}

// table checks all tasks, and writes what has come of each.
func (d *desk) table(out io.Writer) (done int) {
	fmt.Fprintln(out)
	for i, t := range tasks {
		said := "done"
		if err := try(func() { t.check(d, d.Given[i]) }); err != nil {
			said = "not done: " + err.Error()
		} else {
			done++
		}
		fmt.Fprintf(out, "%-14s %s\n", t.name, said)
	}
	fmt.Fprintf(out, "\n%d of %d\n", done, len(tasks))
	return done
}
