package webhook

import (
	"context"
	"strings"
	"time"

	"eshop/shared/base/id"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/job"
)

// Release lets deliveries of a receiver go at a pace: a Drain those that are parked, a Replaying those that have ended.
// It is a job, which says what the next step is and when it is due: whoever takes the step moves the job, of two who do
// so at once one has lost. A message asks for a step that is due soon. The sweeper asks for later steps, and for those
// whose message was lost.
type Release struct {
	job.Head `json:"-"`
	Receiver string `json:"receiverId"`
	Shop     string `json:"shopId"`
	Access   string `json:"accessId"`
	After    string `json:"after,omitempty"` // the last delivery that a step looked at
	Name     string `json:"-"`               // drainName, or of a replay replayName and its id
}

// StepInterval is how long after a step of a release the next step is due, unless it waits for something. A step that
// is due within it when it is written gets a message; later ones are the sweeper's.
const StepInterval = time.Second

// item is the release as it is stored. doc is the whole of it, a Drain or a Replaying.
func (r Release) item(doc any) store.Item {
	return Releases.Item(r.Head, r.Receiver+"#"+r.Name,
		store.Item{Key: releaseKey(r.Receiver, r.Name), Doc: record.Document(doc)})
}

// releaseOf reads the part of an item that all releases have.
func releaseOf(i *store.Item) (r Release, err error) {
	err = i.Into(&r)
	r.Name, r.Head = i.SK, Releases.Head(i)
	return r, err
}

// Step is a message that says: take the next step of this release, if its version is still this one. However many
// messages there are with one version, one step is taken.
type Step struct{ Shop, Access, Receiver, Name, Version string }

// StepWord begins the messages of steps, and no other message.
const StepWord = "step"

// Step is the message for the release's next step.
func (r Release) Step() Step { return Step{r.Shop, r.Access, r.Receiver, r.Name, r.Version} }

// IsDrain says whether the release is the receiver's drain.
func (s Step) IsDrain() bool { return s.Name == drainName }

// Key is the key of the step's release.
func (s Step) Key() store.Key { return releaseKey(s.Receiver, s.Name) }

// Message is the step as a queue takes it, to be taken after the delay.
func (s Step) Message(delay time.Duration) queue.Message {
	return queue.Message{Body: strings.Join([]string{StepWord, s.Shop, s.Access, s.Receiver, s.Name, s.Version}, " "),
		Group: s.Receiver, Delay: min(max(delay, 0), queue.MaxDelay)}
}

// ParseStep reads the body that Message wrote.
func ParseStep(body string) (Step, bool) {
	f := strings.Split(body, " ")
	if len(f) != 6 || f[0] != StepWord {
		return Step{}, false
	}
	return Step{f[1], f[2], f[3], f[4], f[5]}, true
}

// SendStep sends the message for the release's next step, if that is due soon. Whoever has written a release calls it
// next, so that releases begin at once and the sweeper has only what was lost.
func (p Pipeline) SendStep(ctx context.Context, r Release, now time.Time) error {
	if wait := r.Due.Sub(now); wait <= StepInterval {
		return p.Retry.Send(ctx, r.Step().Message(wait))
	}
	return nil
}

// start is SendStep for commands that succeed whether or not the message can be sent.
func (p Pipeline) start(ctx context.Context, r Release, now time.Time) {
	if err := p.SendStep(ctx, r, now); err != nil {
		p.Log.Warn("the sweeper will begin with what is to be let go", "receiver", r.Receiver, "error", err)
	}
}

// lostAfter is how long after its step was due a message counts as lost, so that the sweeper sends another one.
const lostAfter = 10 * time.Second

// RingStep sends the message for a release's step that is due, unless the step should have one already.
func RingStep(ctx context.Context, u *change.Unit, pipeline Pipeline, i *store.Item) error {
	release, err := releaseOf(i)
	if err != nil {
		return err
	}
	made := id.Time(release.Version)
	hasMessage := release.Due.Sub(made) <= StepInterval && !release.Due.Before(made)
	if hasMessage && u.Now().Sub(release.Due) < lostAfter {
		return nil
	}
	return pipeline.Retry.Send(ctx, release.Step().Message(0))
}
