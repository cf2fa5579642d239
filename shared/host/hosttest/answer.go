package hosttest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Answer is an answer as tests read it.
type Answer struct {
	T      testing.TB
	Status int
	Header http.Header
	Body   Object // of JSON; nil where there is none
	Text   string // the body as it came
}

// Is wants a status and, of a problem, a code.
func (a Answer) Is(status int, code ...string) Answer {
	a.T.Helper()
	require.Equal(a.T, status, a.Status, a.Text)
	if len(code) > 0 {
		require.Equal(a.T, code[0], a.Body["code"], a.Text)
	}
	return a
}

// Fault wants a 422 with just this fault.
func (a Answer) Fault(location, code string) Answer {
	a.T.Helper()
	a.Is(http.StatusUnprocessableEntity, "invalid")
	faults := a.Body["errors"].([]any)
	require.Len(a.T, faults, 1, a.Text)
	fault := faults[0].(Object)
	require.Equal(a.T, []any{location, code}, []any{fault["location"], fault["code"]}, a.Text)
	return a
}

// Says wants the problem's detail to hold these words.
func (a Answer) Says(words string) Answer {
	a.T.Helper()
	require.Contains(a.T, a.Body["detail"], words)
	return a
}

// At is a value inside the body, nil where there is none: At("totals.total"), At("variants.0.code"), At("items", i).
func (a Answer) At(path ...any) any {
	a.T.Helper()
	var v any = a.Body
	for _, p := range path {
		for name := range strings.SplitSeq(fmt.Sprint(p), ".") {
			v = a.inside(v, name)
		}
	}
	return v
}

// inside is a member of an object, or an entry of a list by its index.
func (a Answer) inside(value any, name string) any {
	a.T.Helper()
	if list, is := value.([]any); is {
		i, err := strconv.Atoi(name)
		require.NoError(a.T, err)
		require.Less(a.T, i, len(list), "%s in %s", name, a.Text)
		return list[i]
	}
	require.IsType(a.T, Object{}, value, "%s in %s", name, a.Text)
	return value.(Object)[name]
}

// Get is the text at a path, which must be there.
func (a Answer) Get(path string) string {
	a.T.Helper()
	s, is := a.At(path).(string)
	require.True(a.T, is, "%s in %s", path, a.Text)
	return s
}

// ID is the record's.
func (a Answer) ID() string { a.T.Helper(); return a.Get("id") }

// ETag is the header.
func (a Answer) ETag() string { return a.Header.Get("ETag") }

// Version is the one that the ETag tells.
func (a Answer) Version() string { return strings.Trim(a.ETag(), `"`) }

// Raw is a header whose name is spelt as the contract has it, not as Go does.
func (a Answer) Raw(name string) string { return strings.Join(a.Header[name], ",") }

// Items are the records of a page, never nil.
func (a Answer) Items() []Object {
	a.T.Helper()
	a.Is(http.StatusOK)
	all := []Object{}
	for _, x := range a.Body["items"].([]any) {
		all = append(all, x.(Object))
	}
	return all
}

// Each is the text in a field of each record of a page, "" where there is none.
func (a Answer) Each(field string) []string {
	a.T.Helper()
	all := []string{}
	for _, x := range a.Items() {
		text, _ := x[field].(string)
		all = append(all, text)
	}
	return all
}
