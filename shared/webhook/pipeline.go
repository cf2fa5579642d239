package webhook

import (
	"log/slog"

	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
)

// Pipeline is the table with the deliveries, and the queues with the messages that say where to look. Rows and releases
// are the truth. When a message cannot be sent the sweeper sends another one, so that is no more than a warning in the
// log.
type Pipeline struct {
	Rows  store.Table
	Fresh queue.Sender // bells of receivers that are well: for a first attempt, or let go by a drain
	Retry queue.Sender // bells of suspect receivers and of further attempts, and all steps
	Log   *slog.Logger
}
