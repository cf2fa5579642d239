package dynamo

import (
	"time"

	"eshop/shared/base/remember"
	"eshop/shared/ports/limit"
)

// How long an access with nothing left is remembered, which is how long a refund by another process is missed,
// and how many are: some two megabytes of them.
const (
	rememberFor = 10 * time.Second
	maxSpent    = 10_000
)

// spent remembers accesses with nothing left, so that to refuse them costs no call. It only ever refuses: it lets
// nobody past a limit. Each that is forgotten costs one write more.
type spent struct{ remember.Last[string, note] }

// note is how an access stood when it was refused.
type note struct {
	limit.Standing
	limits limit.Limits
	hour   time.Time // the hour of the refusal
	at     time.Time // the moment of the refusal
}

// standing answers a charge of an access that is remembered to have nothing left of these limits in this hour; false of
// any other.
func (s spent) standing(access string, l limit.Limits, cost int64, now time.Time) (limit.Standing, bool) {
	n, has := s.Get(access)
	if !has || n.expired(now) || n.limits != l {
		return limit.Standing{}, false
	}
	return n.Judge(cost), true
}

// expired says whether the note counts no longer: it is too old, or of another hour.
func (n note) expired(now time.Time) bool {
	return now.Before(n.at) || now.Sub(n.at) > rememberFor || !n.hour.Equal(now.Truncate(time.Hour))
}

// note remembers a refused access when one of its windows is empty.
func (s spent) note(access string, l limit.Limits, st limit.Standing, now time.Time) {
	if st.Hourly > 0 && st.Daily > 0 {
		return
	}
	s.Set(access, note{Standing: st, limits: l, hour: now.Truncate(time.Hour), at: now})
}
