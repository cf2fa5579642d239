package delivery

import (
	"context"
	"maps"
	"sync"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
	"eshop/shared/webhook/inflight"
)

// noteWhenSlow notes that an attempt takes long while it is still under way, on AWS only: from then on the batcher
// rings for its receiver in the retry queue. An attempt that hangs holds the places of all messages that came with it;
// with the note, only attempts of the first two seconds or so do that in the fresh queue. The one process has its lanes
// for this. The caller ends the watch by what is returned.
func (c *courier) noteWhenSlow(ctx context.Context, r webhook.Row, s webhook.Standing) (over func()) {
	if !c.Process.NotesSlow() || r.Test || s.Receiver.State != webhook.Enabled || !s.Health.SlowNoteDue(c.Now()) {
		return func() {}
	}
	noted := make(chan struct{})
	t := guard.After(ctx, inflight.Slow, func() {
		defer close(noted)
		if now := c.Now(); c.slowReceivers.note(r.Receiver, now) {
			c.writeHealth(ctx, r, webhook.MarkSlow(r.Receiver, field.At(now)))
		}
	})
	return func() {
		if !t.Stop() {
			<-noted // a function is frozen between its calls
		}
	}
}

// slowReceivers are the receivers of which this process has lately noted that an attempt takes long. Of several
// attempts at one that hangs, only the first writes the note.
type slowReceivers struct {
	mu sync.Mutex
	at map[string]time.Time
}

// note says whether the caller is the first to note it within the time that an attempt can take.
func (s *slowReceivers) note(receiver string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.at, func(_ string, at time.Time) bool { return now.Sub(at) > timeout })
	if _, noted := s.at[receiver]; noted {
		return false
	}
	if s.at == nil {
		s.at = map[string]time.Time{}
	}
	s.at[receiver] = now
	return true
}
