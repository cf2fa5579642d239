package webhook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
)

// The entries of all accesses lie in as many partitions as there are: a partition takes a thousand writes a second.
func TestTheEntriesOfWaitingDeliveriesSpreadEvenly(t *testing.T) {
	const each = 200
	now := time.Unix(1795226712, 0)
	entries := map[string]int{}
	for n := range DueRows.Shards * each {
		c := events.Change{Request: time.Duration(n).String(), Shop: "s", At: now.UnixMilli()}
		entries[DueRows.Entry(c.WebhookID(events.CustomerChange, "r", 0), now).PK]++
	}
	require.Len(t, entries, DueRows.Shards)
	for n := range DueRows.Shards {
		require.InDelta(t, each, entries[DueRows.Partition(n)], each/2)
	}
}
