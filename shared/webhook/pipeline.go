package webhook

import (
	"log/slog"

	"eshop/shared/queue"
	"eshop/shared/store"
)

// Pipeline is where deliveries lie, and the queues of the messages by which somebody looks at them. Rows and releases
// are the truth: for a message that could not be sent the sweeper sends another one, so that is a warning in the log.
type Pipeline struct {
	Rows  store.Table
	Fresh queue.Queue // bells of receivers that are well: for a first attempt, or let go by a drain
	Retry queue.Queue // bells of suspect receivers and of further attempts, and all steps
	Log   *slog.Logger
}
