package webhook

import (
	"strconv"
	"strings"
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// The breaker opens (contract, "Breaker") after failuresInARow, if they are of at least two deliveries and last at
// least failingFor; or when half of the attempts in the Window failed, if there are at least enoughAttempts. Two
// answers of 410 that are goneFor or more apart disable the receiver.
const (
	failuresInARow = 5
	failingFor     = 30 * time.Second
	enoughAttempts = 20
	Window         = 5 * time.Minute
	goneFor        = 10 * time.Minute
)

// bucket is the resolution of the window: an attempt may be counted for up to 30 s longer than the window lasts.
const bucket = 30 * time.Second

// Health is how a receiver does. It is an item of its own, so that traffic never moves the receiver's version. Pings,
// tests and probes are not counted; when the breaker closes the counts begin anew.
type Health struct {
	LastSuccess field.Time       // 0: none yet
	LastFailure string           // a text of lastFailure, kept until the next; "": none yet
	FailedAt    field.Time       // when that was; 0: none yet
	Failures    int64            // the run of failures: attempts in a row that failed
	Since       field.Time       // when the first failure of the run ended
	First       string           // the webhook whose attempt that was
	Several     bool             // the run is of at least two deliveries
	Gone        field.Time       // the first answer of 410 since the last success; 0: none
	Slow        field.Time       // when an attempt was last found to take long; 0: never
	Pinged      field.Time       // when a ping was last asked for; 0: not since the counts began
	counts      map[string]int64 // attempts of the window, by the names of their attributes
}

// The attributes of a health item.
const (
	successNum      = "success"
	failureText     = "failure"
	failedNum       = "failed" // when that was
	failuresNum     = "failures"
	sinceNum        = "since"
	firstText       = "first"
	severalNum      = "several"
	goneNum         = "gone"
	slowNum         = "slow"
	bucketSuccesses = "won#"   // and the number of a bucket: its attempts that were answered 2xx
	bucketFailures  = "lost#"  // and the number of a bucket: its attempts that failed
	pingedNum       = "pinged" // when a ping was asked for
	requestedNum    = "told"   // when a test or a replay was
)

// HealthOf reads a health item. nil stands for a receiver to which nothing was sent yet.
func HealthOf(i *store.Item) Health {
	if i == nil {
		return Health{}
	}
	health := Health{
		LastSuccess: field.Time(i.Num[successNum]), LastFailure: i.Text[failureText],
		FailedAt: field.Time(i.Num[failedNum]), Failures: i.Num[failuresNum], Since: field.Time(i.Num[sinceNum]),
		First: i.Text[firstText], Several: i.Num[severalNum] > 0,
		Gone: field.Time(i.Num[goneNum]), Slow: field.Time(i.Num[slowNum]),
		Pinged: field.Time(i.Num[pingedNum]),
	}
	for name, n := range i.Num {
		if strings.Contains(name, "#") {
			if health.counts == nil {
				health.counts = map[string]int64{}
			}
			health.counts[name] = n
		}
	}
	return health
}

// HealthLevel is how a receiver does, in one word.
type HealthLevel string

// The levels of health. Only the first and the last are no reason to look after a receiver.
const (
	HealthOK       HealthLevel = "ok"       // its last attempts succeeded, or there was none yet
	HealthFailures HealthLevel = "failures" // its last attempt failed, or one of the Window
	HealthFailing  HealthLevel = "failing"  // nothing gets through
	HealthOff      HealthLevel = "off"      // nothing is sent to it
)

// Level says how the receiver does by its last attempts, while its access is active. A breaker opens late, or never if
// all failures are of one delivery, so a run of failuresInARow is failing, too.
func (h Health) Level(r Receiver, now time.Time) HealthLevel {
	_, failed := h.InWindow(now)
	lastFailed := h.Failures > 0 || h.FailedAt > h.LastSuccess
	switch {
	case !r.Active, !r.Verified && !lastFailed:
		return HealthOff
	case !r.Verified, r.State.CanEnable(), h.Failures >= failuresInARow:
		return HealthFailing
	case lastFailed, failed > 0:
		return HealthFailures
	}
	return HealthOK
}

// pingAwaited is how long somebody who has asked for a ping waits for what comes of it.
const pingAwaited = 30 * time.Second

// AwaitsPing says whether a ping was just asked for of which nothing is known yet.
func (h Health) AwaitsPing(now time.Time) bool {
	return h.Pinged > max(h.LastSuccess, h.FailedAt) && now.Sub(h.Pinged.Go()) < pingAwaited
}

// InRun says whether a run of failures or of answers of 410 is under way, which a success ends.
func (h Health) InRun() bool { return h.Failures > 0 || h.Gone > 0 }

// slowFor is how long a receiver is suspect after an attempt at it took long.
const slowFor = time.Minute

// Suspect says whether the receiver's bells go to the retry queue, so that they take no place from others: its last
// attempt failed, or one of the last minute took long.
func (h Health) Suspect(now time.Time) bool { return h.Failures > 0 || now.Sub(h.Slow.Go()) < slowFor }

// SlowNoteDue says whether it is time to note once more that attempts take long.
func (h Health) SlowNoteDue(now time.Time) bool { return now.Sub(h.Slow.Go()) >= slowFor/2 }

// Trips says whether the counts open the breaker.
func (h Health) Trips(now time.Time) bool {
	if h.Failures >= failuresInARow && h.Several && now.Sub(h.Since.Go()) >= failingFor {
		return true
	}
	succeeded, failed := h.InWindow(now)
	all := succeeded + failed
	return all >= enoughAttempts && 2*failed >= all
}

// InWindow counts the attempts of the window.
func (h Health) InWindow(now time.Time) (succeeded, failed int64) {
	for name, n := range h.counts {
		kind, at := countOf(name)
		switch {
		case at < firstBucket(now):
		case kind == bucketSuccesses:
			succeeded += n
		default:
			failed += n
		}
	}
	return succeeded, failed
}

// bucketOf is the number of the bucket that a moment is in; firstBucket is the number of the first bucket in the
// window.
func bucketOf(t time.Time) int64 { return t.UnixMilli() / bucket.Milliseconds() }

// firstBucket is the oldest bucket that still counts.
func firstBucket(now time.Time) int64 { return bucketOf(now.Add(-Window)) }

// countNum is the name of the attribute that counts attempts of a kind, bucketSuccesses or bucketFailures, in the
// bucket of a moment; countOf reads it.
func countNum(kind string, at time.Time) string { return kind + strconv.FormatInt(bucketOf(at), 10) }

// countOf takes a count's name apart: what it counts, and its bucket.
func countOf(name string) (kind string, at int64) {
	kind, digits, _ := strings.Cut(name, "#")
	at, _ = strconv.ParseInt(digits, 10, 64)
	return kind + "#", at
}

// Note is an attempt that is written into the receiver's health: counted, so that the breaker goes by it, or only
// shown. Its operations are refused when the receiver was deleted in the meantime.
type Note struct {
	Receiver  string
	Health    Health // as it was read before the attempt
	Webhook   string
	At        time.Time // when it ended
	Failure   string    // one of the texts of lastFailure
	Gone      bool      // it was answered 410
	Successes int64     // attempts that succeeded and are not written down yet, this one included
}

// CountSuccess counts an attempt that was answered 2xx, which ends a run of failures.
func (n Note) CountSuccess() store.Op {
	set := n.windowUpdate()
	set.Num = map[string]int64{successNum: n.At.UnixMilli(), failuresNum: 0}
	set.Drop = append(set.Drop, sinceNum, firstText, severalNum, goneNum)
	return updateHealth(n.Receiver, set)
}

// CountFailure counts an attempt that failed.
func (n Note) CountFailure() store.Op {
	set := n.windowUpdate()
	last := lastFailure(n.Failure, n.At)
	set.Text, set.Num = last.Text, last.Num
	set.Add[failuresNum]++
	set.Add[countNum(bucketFailures, n.At)]++
	switch {
	case n.Health.Failures == 0:
		set.Num[sinceNum], set.Text[firstText] = n.At.UnixMilli(), n.Webhook
	case n.Health.First != n.Webhook:
		set.Num[severalNum] = 1
	}
	n.noteGone(set)
	return updateHealth(n.Receiver, set)
}

// ShowFailure shows an attempt that failed while the breaker was open. It counts as an answer of 410, if it is one, and
// in nothing else.
func (n Note) ShowFailure() store.Op {
	set := lastFailure(n.Failure, n.At)
	n.noteGone(set)
	return updateHealth(n.Receiver, set)
}

// windowUpdate adds the successes that are not written down yet, and drops the counts that have left the window.
func (n Note) windowUpdate() store.Set {
	set := store.Set{Add: map[string]int64{}}
	for name := range n.Health.counts { // those that have left the window go
		if _, at := countOf(name); at < firstBucket(n.At) {
			set.Drop = append(set.Drop, name)
		}
	}
	if n.Successes > 0 {
		set.Add[countNum(bucketSuccesses, n.At)] = n.Successes
	}
	return set
}

// noteGone notes the first answer of 410 since the last success.
func (n Note) noteGone(set store.Set) {
	if n.Gone && n.Health.Gone == 0 {
		set.Num[goneNum] = n.At.UnixMilli()
	}
}

// Disables says whether the attempt is the second 410, which disables the receiver (contract, "Breaker").
func (n Note) Disables() bool {
	return n.Gone && n.Health.Gone > 0 && n.At.Sub(n.Health.Gone.Go()) >= goneFor
}

// ShowPingFailure shows a ping that failed. It counts in no run of failures.
func ShowPingFailure(receiver, failure string, at time.Time) store.Op {
	return updateHealth(receiver, lastFailure(failure, at))
}

// lastFailure shows the last failure, and when it was.
func lastFailure(failure string, at time.Time) store.Set {
	return store.Set{Text: map[string]string{failureText: failure}, Num: map[string]int64{failedNum: at.UnixMilli()}}
}

// ShowSuccess shows a ping that was answered with its nonce, or an attempt past an open breaker that was answered 2xx.
// It counts in nothing.
func ShowSuccess(receiver string, at field.Time) store.Op {
	return updateHealth(receiver, store.Set{Num: map[string]int64{successNum: int64(at)}})
}

// MarkSlow notes that an attempt takes long, while it is still under way.
func MarkSlow(receiver string, at field.Time) store.Op {
	return updateHealth(receiver, store.Set{Num: map[string]int64{slowNum: int64(at)}})
}

// updateHealth changes the health of a receiver, unless the receiver was deleted.
func updateHealth(receiver string, set store.Set) store.Op {
	return store.Update(HealthKey(receiver), set, store.Present())
}

// resetCounts begins the counts anew and keeps what is shown. success is when the receiver has just taken something; 0
// if it has not.
func resetCounts(receiver string, h Health, success field.Time) store.Op {
	i := store.Item{Key: HealthKey(receiver), Num: map[string]int64{failuresNum: 0}}
	if last := max(h.LastSuccess, success); last > 0 {
		i.Num[successNum] = int64(last)
	}
	if h.LastFailure != "" {
		i.Text, i.Num[failedNum] = map[string]string{failureText: h.LastFailure}, int64(h.FailedAt)
	}
	return store.Put(i, store.Present())
}
