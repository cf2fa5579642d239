package webhooks

import (
	"context"
	"strings"
	"time"

	"eshop/shared/host"
	"eshop/shared/queue"
)

// Step is a message of the queues: take the next step about what is parked for this receiver, unless somebody did. There
// is one for each version of a drain that is worth having, however many there are.
type Step struct{ Shop, Access, Receiver, Version string }

// StepWord begins the messages of steps: no bell begins so.
const StepWord = "step"

// Step is the drain's next one.
func (d Drain) Step() Step { return Step{d.Shop, d.Access, d.Receiver, d.Version} }

// Message is the step as a queue takes it, to be taken after the delay.
func (s Step) Message(delay time.Duration) queue.Message {
	return queue.Message{Body: strings.Join([]string{StepWord, s.Shop, s.Access, s.Receiver, s.Version}, " "),
		Group: s.Receiver, Delay: min(max(delay, 0), queue.MaxDelay)}
}

// StepOf reads the body that Message wrote.
func StepOf(body string) (Step, bool) {
	f := strings.Split(body, " ")
	if len(f) != 5 || f[0] != StepWord {
		return Step{}, false
	}
	return Step{f[1], f[2], f[3], f[4]}, true
}

// Soon is how soon a step is due, when it is written down, that has a message. The sweeper has the later ones.
const Soon = time.Second

// Follow sends the message of the drain's next step, which is written down, if it is due soon. Whoever writes one down calls
// it then: so drains begin at once, and the sweeper has only what was lost in between.
func (d Drain) Follow(ctx context.Context, p *host.Platform) error {
	if wait := d.Due.Sub(p.Now()); wait <= Soon {
		return p.Retry.Send(ctx, d.Step().Message(wait))
	}
	return nil
}

// begin follows for those who have done what they were to do, with the message or without.
func (d Drain) begin(ctx context.Context, p *host.Platform) {
	if err := d.Follow(ctx, p); err != nil {
		p.Log.Warn("the sweeper will begin with what is parked", "receiver", d.Receiver, "error", err)
	}
}
