package bill

import "time"

// Units are DynamoDB's: a strongly consistent read of 4 KB is one read unit, a write of 1 KB one write unit, of a
// transaction two.
type Units struct{ Reads, Writes float64 }

// Plus is the sum of both.
func (u Units) Plus(more Units) Units { return Units{u.Reads + more.Reads, u.Writes + more.Writes} }

// Dollars are the US dollars of a million of it.
func (u Units) Dollars() float64 { return u.Reads*readPrice + u.Writes*writePrice }

// Spent is what something takes on AWS.
type Spent struct {
	Units
	Requests, Calls, Messages float64 // of the door, of Lambda, of SQS
	Seconds                   float64 // of functions
	Lines                     float64 // of logs
	Sent                      float64 // bytes to the internet
}

// Request is a request whose calls come in so many waves at most, with an answer of so many bytes. The door and the
// function write a line each.
func Request(u Units, waves, answer int) Spent {
	return Spent{Units: u, Requests: 1, Calls: 1, Seconds: ownTime + float64(waves)*waveTime, Lines: 2,
		Sent: float64(answer)}
}

// Times is n of it.
func (s Spent) Times(n float64) Spent {
	return Spent{Units{n * s.Reads, n * s.Writes}, n * s.Requests, n * s.Calls, n * s.Messages, n * s.Seconds,
		n * s.Lines, n * s.Sent}
}

// Plus is the sum of both.
func (s Spent) Plus(o Spent) Spent {
	return Spent{s.Units.Plus(o.Units), s.Requests + o.Requests, s.Calls + o.Calls, s.Messages + o.Messages,
		s.Seconds + o.Seconds, s.Lines + o.Lines, s.Sent + o.Sent}
}

// Dollars are the US dollars of a million of it.
func (s Spent) Dollars() float64 {
	return s.Units.Dollars() + s.Requests*doorPrice + s.Calls*callPrice + s.Messages*messagePrice +
		s.Seconds*gigabytes*secondPrice*million + (s.Lines*lineSize*logPrice+s.Sent*sentPrice)*million/gigabyte
}

const (
	million  = 1e6
	gigabyte = 1e9
)

// Changed is what is behind a change of a record that nobody listens to: the function batcher keeps it in the change
// feed, in one call with so many others.
func Changed(together float64) Spent {
	return Spent{Units: Units{Change.Reads / together, Change.Writes}, Calls: 1 / together,
		Seconds: ownTime + 2*waveTime/together, Lines: 1 / together}
}

// Delivered is a webhook whose receiver takes so long to answer: its row is written with those of other changes, its
// message is sent, received and deleted, and its attempt is made beside so many others. They last as long as the
// slowest receiver.
func Delivered(together float64, answers time.Duration) Spent {
	return Spent{Units: Units{Webhook.Reads / together, Webhook.Writes}, Calls: 1 / together, Messages: 3 / together,
		Seconds: ownTime + (answers.Seconds()+3*waveTime)/together, Lines: 1 / together, Sent: bodySize}
}
