package events

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAChangeThatFitsIsItsOnlyPart(t *testing.T) {
	c := Change{Request: "r", Shop: "s", Records: []Record{{Kind: Products, ID: "1", Did: Deleted}}}
	require.Equal(t, []Change{c}, c.Parts(len(c.Encode())))
	require.Equal(t, []Change{Nothing}, Nothing.Parts(0))
}

func TestPartsFitAndTellTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Change{Request: "request", Shop: "shop", At: 1_700_000_000_000,
			Chunk:   rapid.IntRange(0, 3).Draw(t, "chunk"),
			Notices: []Notice{{Event: PackageActivate, Data: []byte(`{}`)}}}
		for i := range rapid.IntRange(1, 2_000).Draw(t, "records") {
			kind := rapid.SampledFrom([]RecordKind{Products, Customers, URLs, Categories}).Draw(t, "kind")
			c.Records = append(c.Records, Record{Kind: kind, ID: fmt.Sprintf("%026d", i), Did: Deleted, Version: "v"})
		}
		const most = 20_000
		parts := c.Parts(most)
		var records []Record
		told := map[Name]int{}
		for i, p := range parts {
			require.LessOrEqual(t, len(p.Encode()), most)
			require.Equal(t, i == 0, len(p.Notices) == 1)
			records = append(records, p.Records...)
			for _, name := range p.Events() {
				for _, call := range p.Calls(name, nil) {
					require.GreaterOrEqual(t, call.Chunk, told[name], "an id of its own")
					told[name] = call.Chunk + 1
				}
			}
		}
		require.ElementsMatch(t, c.Records, records)
		if len(parts) > 1 {
			require.True(t, slices.IsSortedFunc(records,
				func(a, b Record) int { return withoutEvent(a) - withoutEvent(b) }))
		}
	})
}
