package webhook

import (
	"log/slog"

	"eshop/shared/queue"
	"eshop/shared/store"
)

// Pipeline is where deliveries lie, and the queues of the messages by which somebody looks at them. Rows and drains are
// the truth: for a message that could not be sent the sweeper sends another one, so that is a warning in the log.
type Pipeline struct {
	Rows  store.Table
	Fresh queue.Queue // of first attempts
	Retry queue.Queue // of all other attempts, of drains and of replays
	Log   *slog.Logger
}
