package api

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"eshop/shared/problem"
)

// What an answer tells of a fault: its place, cut, and what was sent there where its JSON is short.
const (
	maxLocation = 200 // bytes
	maxValue    = 200 // bytes of JSON
)

// told are faults as an answer tells them.
func (c *Call) told(faults []problem.Fault) []problem.Fault {
	all := make([]problem.Fault, min(len(faults), problem.MaxFaults))
	for i := range all {
		f := faults[i]
		if v, was := c.sentAt(f.Location); was && len(f.Location) <= maxLocation {
			f.Value = short(v)
		}
		f.Location = cut(f.Location, maxLocation)
		all[i] = f
	}
	return all
}

// sentAt is what the request has at the location of a fault; false when there is nothing.
func (c *Call) sentAt(location string) (v any, was bool) {
	root, _, _ := strings.Cut(location, ".")
	name := strings.TrimPrefix(location, root+".")
	switch {
	case root == "header":
		v := c.r.Header.Get(name)
		return v, v != ""
	case root != "query":
		return within(c.sent, strings.TrimPrefix(location, "body"))
	case len(c.r.URL.RawQuery) > maxQuery:
		return nil, false
	}
	q, _ := url.ParseQuery(c.r.URL.RawQuery)
	if values := q[name]; len(values) > 1 {
		return values, true
	}
	return q.Get(name), q.Has(name)
}

// within is what v holds at a path: ".items[3].quantity". A name may have points and brackets itself, so of the names
// that the path begins with the longest that leads there is meant.
func within(v any, path string) (any, bool) {
	switch x := v.(type) {
	case []any:
		i, rest, is := strings.Cut(strings.TrimPrefix(path, "["), "]")
		if n, err := strconv.ParseUint(i, 10, 31); is && err == nil && int(n) < len(x) {
			return within(x[n], rest)
		}
	case map[string]any:
		for end := len(path); end > 1; end = strings.LastIndexAny(path[:end], ".[") {
			if inner, has := x[path[1:end]]; has {
				if found, is := within(inner, path[end:]); is {
					return found, true
				}
			}
		}
	}
	return v, path == ""
}

// short is the JSON of what was sent; nil when it is longer than an answer repeats.
func short(v any) any {
	var b bytes.Buffer
	if spare(v, maxValue) < 0 || writeJSON(&b, v) != nil {
		return nil
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if len(text) > maxValue {
		return nil
	}
	return json.RawMessage(text)
}

// spare is what is left of room bytes behind the JSON of v, or more; less than 0 when v does not fit. It looks at no
// more of v than has room.
func spare(v any, room int) int {
	switch x := v.(type) {
	case passed:
		return -1
	case string:
		return room - len(x) - len(`""`)
	case json.Number:
		return room - len(x)
	case []any:
		for _, inner := range x {
			if room = spare(inner, room) - len(","); room < 0 {
				break
			}
		}
		return room - len("]") // the first has no comma, and the last no bracket
	case map[string]any:
		for name, inner := range x {
			if room = spare(inner, room-len(name)-len(`"":`)) - len(","); room < 0 {
				break
			}
		}
		return room - len("}")
	}
	return room
}
