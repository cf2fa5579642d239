package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions"
)

func TestTheGuideHasTheTablesOfTheBill(t *testing.T) {
	for _, page := range pages {
		text, err := os.ReadFile("../../" + page)
		require.NoError(t, err)
		require.Equal(t, string(text), renewed(string(text)), "the bill has changed: run `make cost`")
	}
}

func TestMoreOfAnythingCostsMore(t *testing.T) {
	dollars := func(change func(*load)) (sum float64) {
		l := usual()
		change(&l)
		for _, line := range l.filled().month() {
			sum += line.Dollars
		}
		return sum
	}
	usual := dollars(func(*load) {})
	for name, more := range map[string]func(*load){
		"shops": func(l *load) { l.Shops *= 2 }, "orders": func(l *load) { l.Orders = 20_000 },
		"pages": func(l *load) { l.Pages = 900_000 }, "requests": func(l *load) { l.Requests = 9 * million },
		"changes": func(l *load) { l.Changes++ }, "lists": func(l *load) { l.Lists++ },
		"webhooks": func(l *load) { l.Webhooks = 2 * million }, "slow receivers": func(l *load) { l.Answer *= 2 },
		"records": func(l *load) { l.Records *= 2 }, "files": func(l *load) { l.Files *= 2 },
		"domains": func(l *load) { l.Own = 300 },
	} {
		require.Greater(t, dollars(more), usual, name)
	}
	require.Less(t, dollars(func(l *load) { l.Second = false }), usual)
}

// TestTheBillIsOfTheList holds what the bill says of functions, queues and metrics against THE list.
func TestTheBillIsOfTheList(t *testing.T) {
	metrics := 2 // requests that could not be counted; what the batcher parks
	for _, f := range functions.List {
		if f.HTTP != nil || f.Feed != nil || f.Messages != nil {
			metrics += 3 // answers; faults, of the function and of its version
		}
		if f.Name == "delivery" {
			metrics += 6 // what became of attempts
			require.Equal(t, []int{deliverySlots, deliveryBatch, deliveryMemory * 1024},
				[]int{f.Messages.From[0].Parallel, f.Messages.From[0].Batch, f.Memory})
		}
		if f.Outside {
			metrics += 2 // runs that failed, and how long a webhook took
		} else if f.Tick != nil {
			require.Equal(t, time.Minute, f.Tick.Every)
		}
	}
	require.Equal(t, ownMetrics, metrics)
}
