package delivery

import (
	"time"

	"eshop/shared/addon"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// settled is the set that concludes a delivery, as it is for one that was asked for once more: it stays at least what it
// was, and goes out again as often as it was asked for. What could not be sent is not asked for any more.
func (c *courier) settled(r webhook.Row, did outcome, set store.Set, wait time.Duration) (store.Set, time.Duration) {
	if r.Asked == 0 && r.Was == "" {
		return set, wait
	}
	set.Drop = append(set.Drop, webhook.AttemptText(r.Made+1-webhook.MostLogged))
	end := webhook.DeliveryState(set.Text[webhook.StateText])
	if r.Was != "" && end != webhook.Delivered {
		end, wait = r.Was, 0
		set = onto(set, as(r, end))
		delete(set.Text, webhook.ReasonText)
	}
	set.Drop = append(set.Drop, webhook.WasText, webhook.AskedNum)
	if left := did.left(r); left > 0 {
		r.State = end
		set = onto(set, webhook.Requeued(r, c.Now()))
		set.Num[webhook.AskedNum], wait = int64(left), time.Millisecond
	}
	return set, wait
}

// left is how many attempts are still asked for: others may have asked while this one was made. One that was asked for and
// could not be made is none of them.
func (o outcome) left(r webhook.Row) int {
	if o.used > 0 && !o.sent() {
		return 0
	}
	return r.Asked - o.used
}

// as is the row as it was before it went out again.
func as(r webhook.Row, s webhook.DeliveryState) store.Set {
	set := webhook.Ended(r, s)
	if s == webhook.Delivered {
		set.Index2 = &store.Key{}
	}
	return set
}

// onto is the set with another one's words in the place of its own.
func onto(set, with store.Set) store.Set {
	for name, v := range with.Text {
		set.Text[name] = v
	}
	if set.Num == nil {
		set.Num = map[string]int64{}
	}
	for name, n := range with.Num {
		set.Num[name] = n
	}
	set.Drop = append(set.Drop, with.Drop...)
	set.Index1, set.Index2 = with.Index1, with.Index2
	return set
}

// stops is why the delivery's attempt may not be made, "" when it may: a test asks for nothing but an active receiver of an
// active access.
func (s standing) stops(r webhook.Row) string {
	why := s.forbids(r.Event)
	switch {
	case r.Test && s.access != nil && s.access.State != addon.Active:
		return webhook.PackageInactive
	case r.Test && (why == webhook.Unsubscribed || why == webhook.PermissionGone):
		return ""
	}
	return why
}

// keeps says whether the delivery waits for its receiver. One that was asked for, and a test, go past an open breaker, to a
// verified address all the same.
func (s standing) keeps(r webhook.Row) bool {
	if r.Test || r.Asked > 0 {
		return !s.receiver.Active || !s.receiver.Verified
	}
	return s.holds(r)
}
