package events

import (
	"encoding/json"
	"slices"
)

// Parts are changes of at most max bytes each, encoded, that together say what this one does. A change that is no
// longer than max is its only part. A record that is longer by itself makes a part that is longer.
//
// Records with an event come first. The chunks of the parts' calls count on from part to part, so that no two calls
// have one webhook id.
func (c Change) Parts(max int) []Change {
	if len(c.Encode()) <= max {
		return []Change{c}
	}
	records := slices.Clone(c.merged())
	slices.SortStableFunc(records, func(a, b Record) int { return withoutEvent(a) - withoutEvent(b) })
	var parts []Change
	for begin := 0; begin < len(records) || len(parts) == 0; {
		part := c
		// The first part has the notices: they are told once.
		if part.Records = nil; len(parts) > 0 {
			part.Notices = nil
			part.Chunk = parts[len(parts)-1].nextChunk()
		}
		part.Records = records[begin : begin+fitting(records[begin:], max-part.overhead())]
		begin += len(part.Records)
		parts = append(parts, part)
	}
	return parts
}

// withoutEvent is 1 of a record that has no event, 0 of others.
func withoutEvent(r Record) int {
	if r.Event() == "" {
		return 1
	}
	return 0
}

// nextChunk is the chunk behind the change's calls.
func (c Change) nextChunk() int {
	n := c.Chunk
	for _, name := range c.Events() {
		n = max(n, c.Chunk+len(c.Calls(name, nil)))
	}
	return n
}

// overhead is how many bytes the change is without its records, at most.
func (c Change) overhead() int {
	c.Records = []Record{{}}
	return len(c.Encode())
}

// fitting is how many of the records are no longer than max bytes together, at least one.
func fitting(records []Record, max int) int {
	bytes := 0
	for i, r := range records {
		b, err := json.Marshal(r)
		if err != nil {
			panic("events: a record always encodes: " + err.Error())
		}
		if bytes += len(b) + 1; bytes > max && i > 0 {
			return i
		}
	}
	return len(records)
}
