package delivery

import (
	"eshop/shared/host"
	"eshop/shared/queue"
	"eshop/shared/webhook"
)

// A bell on loan, on both hosts.
const (
	// timeout is how long one batch of bells may take: so long its claims keep others away.
	timeout = webhook.Lease
	// Visibility is how long a bell is on loan: longer than its function may take, so that none is heard twice at once, and
	// no longer than that needs, because one that failed waits so long.
	Visibility = 2 * timeout
	// MaxReceives is how often a bell is heard before it is a dead letter: its row is rung for by the sweeper anyway.
	MaxReceives = 5
	// Batch is how many bells AWS hands over at once: SQS's most.
	Batch = 10
)

// Parallel is how many batches of a queue are handled side by side on AWS. The retry queue has its own, lower number, so that
// sick receivers never take the healthy ones' places; the other has room for what 100 changes a second bring to two receivers
// that hang, until they are known to (slow): less, and the healthy ones wait behind them.
var Parallel = map[host.Resource]int{host.Fresh: 400, host.Retry: 20}

// Settings are those of Fresh and Retry.
func Settings(q host.Resource) queue.Settings {
	return queue.Settings{Name: string(q), Visibility: Visibility, MaxReceives: MaxReceives, DeadLetter: string(q) + "-dead"}
}
