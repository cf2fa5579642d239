package hosttest

import (
	"context"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/search"
)

// Index indexes all that has changed so far, as the indexer does behind the stream: from then on searches find it.
func (w *World) Index() {
	w.T.Helper()
	handled := w.DB.Table("main").Lag(search.Follower)
	if handled == nil {
		return
	}
	ctx, stop := context.WithTimeout(w.T.Context(), time.Minute)
	var following sync.WaitGroup
	following.Go(func() {
		feed := w.DB.Follower("main", search.Follower)
		_ = feed.Follow(ctx, 500, func(ctx context.Context, all []events.Change) error {
			return w.P.Search().Update(ctx, all)
		})
	})
	err := handled(ctx)
	stop()
	following.Wait()
	require.NoError(w.T, err)
}
