package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"eshop/shared/record/field"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// leaf is a body with every kind of value, and a place for bodies within.
type leaf struct {
	Text   field.Line   `json:"text,omitempty"`
	Count  int64        `json:"count,omitempty"`
	Share  float64      `json:"share,omitempty"`
	Is     bool         `json:"is,omitempty"`
	Tags   []field.Code `json:"tags,omitempty" maxItems:"5"`
	Leaves []leaf       `json:"leaves,omitempty" maxItems:"5"`
	Under  *leaf        `json:"under,omitempty"`
}

// ofLeaves decodes a body of a leaf.
func ofLeaves(ctx context.Context, body string) (any, error) {
	a := New(Config{})
	return decode(ctx, a.schemas(), bounded(a.schemas(), a.schemas().Schema(reflect.TypeFor[leaf](), true, "")),
		[]byte(body))
}

// leaves draws a body that a leaf takes, by and large.
func leaves(t *rapid.T, depth int) map[string]any {
	body := map[string]any{}
	for _, name := range []string{"text", "count", "share", "is", "tags", "leaves", "under", "stranger"} {
		switch n := rapid.IntRange(0, 9).Draw(t, name); {
		case n < 4:
		case n == 4:
			body[name] = nil
		case n == 5 && depth > 0:
			body[name] = leaves(t, depth-1)
		case n == 6:
			body[name] = []any{"a", json.Number("7"), leaves(t, 0)}
		case n == 7:
			body[name] = rapid.Bool().Draw(t, name+" is")
		case n == 8:
			body[name] = json.Number(fmt.Sprint(rapid.Int64().Draw(t, name+" number")))
		default:
			body[name] = rapid.StringN(0, 20, -1).Draw(t, name+" text")
		}
	}
	return body
}

func TestABodyIsDecodedAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := leaves(t, 2)
		body, err := json.Marshal(want)
		require.NoError(t, err)
		got, err := ofLeaves(t.Context(), string(body))
		require.NoError(t, err)
		require.Equal(t, any(want), filled(t, want, got))
	})
}

// filled is what was decoded, with what was left out as it was sent.
func filled(t *rapid.T, sent, got any) any {
	switch x := got.(type) {
	case omitted:
		b, err := json.Marshal(sent)
		require.NoError(t, err)
		require.Greater(t, len(b), maxUnknown)
		return sent
	case map[string]any:
		for name, inner := range x {
			x[name] = filled(t, sent.(map[string]any)[name], inner)
		}
	case []any:
		for i, inner := range x {
			x[i] = filled(t, sent.([]any)[i], inner)
		}
	}
	return got
}

func TestNoKeyIsGivenTwiceAnywhere(t *testing.T) {
	many := &strings.Builder{}
	for i := range 300 {
		fmt.Fprintf(many, `"k%d":0,`, i)
	}
	for _, body := range []string{
		`{"text":"a","text":"a"}`,
		`{"text":"a","t\u0065xt":"a"}`,
		`{"under":{"under":{"is":true,"count":1,"is":true}}}`,
		`{"leaves":[{},{"is":true,"is":true}]}`,
		`{"stranger":{"a":1,"a":2}}`,
		`{"stranger":[[{"b":{"a":1,"\u0061":2}}]]}`,
		`{"text":{"a":1,"b":{},"a":2}}`,
		`{"tags":["","","","","","","",{"a":1,"a":2}]}`,
		`{` + many.String() + `"text":"a","k299":1}`,
	} {
		_, err := ofLeaves(t.Context(), body)
		require.ErrorContains(t, err, "is given twice", body)
	}
	for _, body := range []string{
		`{"text":"a","under":{"text":"a"},"leaves":[{"text":"a"},{"text":"a"}]}`,
		`{"stranger":{"text":{"text":1}},"text":"a"}`,
		`{` + many.String() + `"text":"a"}`,
	} {
		_, err := ofLeaves(t.Context(), body)
		require.NoError(t, err, body)
	}
}

// hostile are bodies of a size that no schema takes, by what they are made of.
var hostile = map[string]func(size int) string{
	"zeros in a list":       func(n int) string { return `{"tags":[0` + strings.Repeat(",0", n/2) + `]}` },
	"objects in a list":     func(n int) string { return `{"leaves":[{}` + strings.Repeat(",{}", n/3) + `]}` },
	"lists in lists":        func(n int) string { return `{"tags":[0` + strings.Repeat(",[[0]]", n/6) + `]}` },
	"an unknown list":       func(n int) string { return `{"stranger":[0` + strings.Repeat(",0", n/2) + `]}` },
	"a list for a text":     func(n int) string { return `{"text":[0` + strings.Repeat(",0", n/2) + `]}` },
	"a list for everything": func(n int) string { return `[0` + strings.Repeat(",0", n/2) + `]` },
	"unknown objects": func(n int) string {
		return `{"stranger":[{"a":0}` + strings.Repeat(`,{"a":0}`, n/8) + `]}`
	},
	"unknown fields": func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `"%x":0,`, i)
		}
		return `{` + b.String() + `"text":""}`
	},
	"an escaped text": func(n int) string { return `{"text":"` + strings.Repeat(`\u0041`, n/6) + `"}` },
	"a long number":   func(n int) string { return `{"count":1` + strings.Repeat("0", n) + `}` },
}

func TestWhatNoSchemaTakesIsNotHeld(t *testing.T) {
	const size = 1 << 20
	for name, made := range hostile {
		t.Run(name, func(t *testing.T) {
			body := made(size)
			a := New(Config{})
			schema := bounded(a.schemas(), a.schemas().Schema(reflect.TypeFor[leaf](), true, ""))
			raw := []byte(body)
			held, taken := memory(func() any {
				v, err := decode(t.Context(), a.schemas(), schema, raw)
				require.NoError(t, err)
				return v
			})
			require.Less(t, held, int64(len(body)+len(body)/4), "what is kept of %d bytes", len(body))
			require.Less(t, taken, int64(16*len(body)), "what it took meanwhile, all together")
		})
	}
}

// memory is how many bytes of the heap the result of f takes, and how many it took to make it.
func memory(f func() any) (held, taken int64) {
	var before, after, behind runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v := f()
	runtime.ReadMemStats(&after)
	runtime.GC()
	runtime.ReadMemStats(&behind)
	runtime.KeepAlive(v)
	return int64(behind.HeapAlloc) - int64(before.HeapAlloc), int64(after.TotalAlloc) - int64(before.TotalAlloc)
}

// counting is a context that is over once it was asked so often.
type counting struct {
	context.Context
	left int
}

func (c *counting) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestACallerWhoHasGoneEndsTheDecoding(t *testing.T) {
	for name, made := range hostile {
		body := made(1 << 20)
		if name == "an escaped text" || name == "a long number" {
			continue // one value
		}
		ctx := &counting{t.Context(), 3}
		_, err := ofLeaves(ctx, body)
		require.ErrorIs(t, err, context.Canceled, name)
		require.Equal(t, -1, ctx.left, "%s: it asks no more", name)
	}
}

func TestWhatIsSentIsFoundWhereAFaultSaysItIs(t *testing.T) {
	body, err := ofLeaves(t.Context(), `{"text":"a","leaves":[{"count":7},{"tags":["x","y"]}],"a.b":1,"a":{"b":2,"c[0]":3},"a[0]":4,"is":null,"n":[[5]]}`)
	require.NoError(t, err)
	for at, want := range map[string]string{
		"body.text": `"a"`, "body.leaves[0].count": `7`, "body.leaves[1].tags[1]": `"y"`,
		"body.leaves[1]": `{"tags":["x","y"]}`,
		"body.a.b":       `1`, "body.a.c[0]": `3`, "body.a[0]": `4`, "body.is": `null`, "body.n[0][0]": `5`,
		"body.nope": "", "body.leaves[2]": "", "body.leaves[-1]": "", "body.text.a": "", "body.leaves.0": "",
		"body.n[0]x": "", "body.leaves[": "",
	} {
		v, was := (&Call{sent: body}).sentAt(at)
		require.Equal(t, want != "", was, at)
		if was {
			require.Equal(t, want, string(short(v).(json.RawMessage)), at)
		}
	}
}

func TestNoMoreThanTwoHundredBytesOfJSONAreRepeated(t *testing.T) {
	require.NotNil(t, short(strings.Repeat("a", 198)))
	require.Nil(t, short(strings.Repeat("a", 199)))
	rapid.Check(t, func(t *rapid.T) {
		v := any(leaves(t, 3))
		if rapid.Bool().Draw(t, "text") {
			v = strings.Repeat(rapid.SampledFrom([]string{"a", "\n", "ž", "<", "\u2028"}).Draw(t, "letter"),
				rapid.IntRange(0, 250).Draw(t, "times"))
		}
		var b bytes.Buffer
		require.NoError(t, writeJSON(&b, v))
		want := bytes.TrimSpace(b.Bytes())
		got, is := short(v).(json.RawMessage)
		require.Equal(t, len(want) <= 200, is, "%d bytes", len(want))
		if is {
			require.JSONEq(t, string(want), string(got))
		}
	})
}
