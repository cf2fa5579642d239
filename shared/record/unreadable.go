package record

import (
	"context"
	"log/slog"

	"eshop/shared/ports/store"
)

// LogUnreadable logs that what is stored at a key cannot be read. A list leaves it out: it is one record's fault, never
// its list's.
func LogUnreadable(ctx context.Context, at store.Key, err error) {
	slog.ErrorContext(ctx, "a stored record cannot be read", "partition", at.PK, "item", at.SK, "error", err)
}
