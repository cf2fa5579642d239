package events

import (
	"encoding/hex"
	"io"
	"regexp"
	"strings"
)

// Trace is the trace that a request is part of, as W3C Trace Context (level 1) writes it in the header traceparent:
// trace-id, a hyphen and the flags. "": the client sent none, or one that is none of this version.
type Trace string

// traceparent is version 00 of the header; ids of zeros alone are none.
var traceparent = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$`)

const (
	noTrace = "00000000000000000000000000000000"
	noSpan  = "0000000000000000"
)

// TraceOf reads the header.
func TraceOf(header string) Trace {
	m := traceparent.FindStringSubmatch(header)
	if m == nil || m[1] == noTrace || m[2] == noSpan {
		return ""
	}
	// Of the flags only the last bit has a meaning, that it is recorded; the others are not handed on.
	if strings.Contains("13579bdf", m[3][1:]) {
		return Trace(m[1] + "-01")
	}
	return Trace(m[1] + "-00")
}

// Parent is the header for a call that goes on with the trace, as a new span of it.
func (t Trace) Parent(random io.Reader) string {
	var span [8]byte
	if _, err := io.ReadFull(random, span[:]); err != nil {
		panic("events: randomness does not end: " + err.Error())
	}
	return "00-" + string(t[:32]) + "-" + hex.EncodeToString(span[:]) + string(t[32:])
}
