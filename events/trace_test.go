package events_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
)

func TestATraceGoesOnAsANewSpan(t *testing.T) {
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	trace := events.TraceOf("00-" + id + "-" + span + "-01")
	require.Equal(t, "00-"+id+"-6162636465666768-01", trace.Parent(strings.NewReader("abcdefgh")))
	require.Equal(t, events.TraceOf("00-"+id+"-"+span+"-01"), events.TraceOf("00-"+id+"-"+span+"-ff"))
	require.Equal(t, events.Trace(id+"-00"), events.TraceOf("00-"+id+"-"+span+"-02"))
	for _, none := range []string{"", "00-" + id + "-" + span, "01-" + id + "-" + span + "-01",
		"00-" + strings.ToUpper(id) + "-" + span + "-01", "00-" + id + "-" + strings.Repeat("0", 16) + "-01",
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01", "00-" + id + "-" + span + "-01\n", "traceparent",
		"00-" + id + "-" + span + "-01-more"} {
		require.Empty(t, events.TraceOf(none), none)
	}
}
