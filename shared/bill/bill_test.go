package bill

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dollars is what a load costs in a month.
func dollars(change func(*Load)) float64 {
	l := Usual()
	change(&l)
	return Sum(l.Filled().Month())
}

func TestMoreOfAnythingCostsMore(t *testing.T) {
	usual := dollars(func(*Load) {})
	for name, more := range map[string]func(*Load){
		"shops": func(l *Load) { l.Shops *= 2 }, "orders": func(l *Load) { l.Orders = 20_000 },
		"pages": func(l *Load) { l.Pages = 900_000 }, "requests": func(l *Load) { l.Requests = 9 * million },
		"changes": func(l *Load) { l.Changes++ }, "lists": func(l *Load) { l.Lists++ },
		"webhooks": func(l *Load) { l.Webhooks = 2 * million }, "slow receivers": func(l *Load) { l.Answer *= 2 },
		"records": func(l *Load) { l.Records *= 2 }, "files": func(l *Load) { l.Files *= 2 },
	} {
		require.Greater(t, dollars(more), usual, name)
	}
}

func TestAPlatformThatNobodyUsesCostsWhatStands(t *testing.T) {
	require.InDelta(t, 46, Sum(Load{}.Month()), 2, "alarms, metrics, dashboard, key, the clock")
	require.InDelta(t, firewallPrice, Sum(Load{Domain: true}.Month())-Sum(Load{}.Month()), 0.01)
}

func TestTheBillIsTheSumOfItsServices(t *testing.T) {
	lines := Large().Month()
	require.InDelta(t, Sum(lines), Sum(Services(lines)), 0.01)
	for _, line := range lines {
		require.Positive(t, line.Amount, line)
	}
}

// TestASlowReceiverCostsItsShareOfABatch: 1 s of a gigabyte, shared by ten.
func TestASlowReceiverCostsItsShareOfABatch(t *testing.T) {
	slower := Delivered(10, 10, time.Second).Dollars() - Delivered(10, 10, 50*time.Millisecond).Dollars()
	require.InDelta(t, 0.95*DeliveryMemory*13.3334/10, slower, 0.001)
}
