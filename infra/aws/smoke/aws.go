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

	"eshop/shared/base/guard"
)

// aws runs a command of AWS's command line, which finds credentials and the region as CDK's does, and decodes what it
// answers into out, if that is not nil.
func aws(ctx context.Context, out any, args ...string) error {
	var said, wrong bytes.Buffer
	cmd := command(ctx, "aws", args...)
	cmd.Env = append(os.Environ(), "AWS_PAGER=", "AWS_DEFAULT_OUTPUT=json")
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

// command is a program that is interrupted when ctx ends, and has ten seconds to end then.
func command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// make runs a target of the Makefile for the environment with these settings, and adds what it says to the log. The
// environment's file has its own settings again afterwards.
func (d *day) make(ctx context.Context, target string, settings fields, variables ...string) error {
	if err := d.write(settings); err != nil {
		return err
	}
	defer func() { _ = d.write(d.settings) }()
	log, err := os.OpenFile(d.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := command(ctx, "make", target, "ENV="+d.environment, "CONFIRM="+d.stack(""))
	// what make smoke was called with would be handed on by MAKEFLAGS
	cmd.Env = append(append(os.Environ(), "OPERATOR_TOKEN="+d.operator.token, "EDGE_SECRET=", "MAKEFLAGS=",
		"MAKELEVEL=", "SETTINGS="+d.file), variables...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("make %s: %w; %s says why", target, err, d.log)
	}
	return nil
}

// write writes settings into the environment's file.
func (d *day) write(settings fields) error {
	said, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(d.file, append(said, '\n'), 0o644)
}

// output is the one of a stack whose name has this in it.
func output(ctx context.Context, stack, name string) (value string, err error) {
	err = aws(ctx, &value, "cloudformation", "describe-stacks", "--stack-name", stack, "--query",
		"Stacks[0].Outputs[?contains(OutputKey,'"+name+"')].OutputValue|[0]")
	return value, err
}

// message takes one out of a queue, "" if none comes within some seconds.
func message(ctx context.Context, queue string) (string, error) {
	var got struct {
		Messages []struct{ Body, ReceiptHandle string }
	}
	err := aws(ctx, &got, "sqs", "receive-message", "--queue-url", queue, "--wait-time-seconds", "5")
	if err != nil || len(got.Messages) == 0 {
		return "", err
	}
	m := got.Messages[0]
	return m.Body, aws(ctx, nil, "sqs", "delete-message", "--queue-url", queue, "--receipt-handle", m.ReceiptHandle)
}

// eventually asks each second until nothing is missing. It ends with an error when asking does, and when ctx ends; what
// was missing last is in that one.
func eventually(ctx context.Context, missing func() (string, error)) error {
	for {
		what, err := missing()
		if what == "" || err != nil {
			return err
		}
		if !guard.Wait(ctx, time.Second) {
			return fmt.Errorf("%w: %s", ctx.Err(), what)
		}
	}
}
