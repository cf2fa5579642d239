package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// commandLine is AWS's command line: it finds credentials and the region as CDK's does, and its commands are those of
// the operations guide.
type commandLine struct {
	program  string
	settings []string // of the environment, beside those of this process
}

// ask runs a command and decodes its answer into out, if that is not nil.
func (c commandLine) ask(ctx context.Context, out any, args ...string) error {
	var said, wrong bytes.Buffer
	cmd := command(ctx, c.program, args...)
	cmd.Env = append(append(os.Environ(), c.settings...), "AWS_PAGER=", "AWS_DEFAULT_OUTPUT=json")
	if region := last(cmd.Env, "AWS_REGION="); region != "" { // which version 1 does not know
		cmd.Env = append(cmd.Env, "AWS_DEFAULT_REGION="+region)
	}
	cmd.Stdout, cmd.Stderr = &said, &wrong
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("aws %s: %w: %s", strings.Join(args[:min(2, len(args))], " "), err,
			strings.TrimSpace(wrong.String()))
	}
	if out == nil || said.Len() == 0 {
		return nil
	}
	return json.Unmarshal(said.Bytes(), out)
}

// last is the value of the last setting that begins so, "" without one.
func last(environment []string, begins string) (value string) {
	for _, v := range environment {
		if after, is := strings.CutPrefix(v, begins); is {
			value = after
		}
	}
	return value
}

// command is a program that is interrupted when ctx ends, and has ten seconds to end then.
func command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// eventually asks again and again until nothing is missing. It ends with an error when asking does, and when ctx ends;
// what was missing last is in that one.
func eventually(ctx context.Context, every time.Duration, missing func() (string, error)) error {
	for {
		what, err := missing()
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %s", ctx.Err(), what)
		}
		if what == "" || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", ctx.Err(), what)
		case <-time.After(every):
		}
	}
}

// text is an error's, "" for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
