package change

import (
	"context"
	"time"
)

// timeLeft is what is left of a run's time when it stops to begin anything.
const timeLeft = 5 * time.Second

// Late says whether the time of a run is as good as over: what it has begun it ends, and it begins nothing more.
func Late(ctx context.Context) bool {
	end, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && time.Until(end) < timeLeft
}
