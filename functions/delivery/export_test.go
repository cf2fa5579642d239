package delivery

import (
	"context"
	"testing"
	"time"

	"eshop/shared/host"
)

// ClaimAndDie claims a delivery as a process that then is no more.
func ClaimAndDie(ctx context.Context, p *host.Platform, b Bell) (bool, error) {
	row, _, _, err := newCourier(p).claim(ctx, b)
	return row != nil, err
}

// HurryAtTheStop sets how long attempts may go on after the stop.
func HurryAtTheStop(t *testing.T, d time.Duration) {
	was := lastWords
	lastWords = d
	t.Cleanup(func() { lastWords = was })
}
