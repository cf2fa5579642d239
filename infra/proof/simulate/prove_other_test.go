//go:build !linux

package main

import (
	"os"
	"testing"
)

// TestProve is of Linux, whose limits fill a disk; who asks for it elsewhere is told so.
func TestProve(t *testing.T) {
	if os.Getenv("DURATION") != "" {
		t.Fatal("make prove needs Linux: it fills the program's disk by a limit of the process")
	}
	t.Skip("NOT RUN: it needs Linux")
}
