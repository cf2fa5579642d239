package delivery

import "eshop/shared/webhook"

// A bell on loan, on both hosts.
const (
	// timeout is how long one batch of bells may take: so long its claims keep others away.
	timeout = webhook.Lease
	// visibility is how long a bell is on loan: longer than its function may take, so that none is heard twice at once, and
	// no longer than that needs, because one that failed waits so long.
	visibility = 2 * timeout
	// receives is how often a bell is heard before it is a dead letter: its row is rung for by the sweeper anyway.
	receives = 5
)
