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
	GigabyteSeconds           float64 // of functions: their seconds times the gigabytes of their memory
	Lines                     float64 // of logs
	Sent                      float64 // bytes to the internet
}

// Request is a request whose calls come in so many waves at most, with an answer of so many bytes. The door and the
// function write a line each.
func Request(u Units, waves, answer int) Spent {
	s := Spent{Units: u, Requests: 1, Calls: 1, Lines: 2, Sent: float64(answer)}
	return s.lasting(ownTime+float64(waves)*waveTime, gigabytes)
}

// lasting adds a call of a function that lasts so many seconds and has so many gigabytes of memory.
func (s Spent) lasting(seconds, memory float64) Spent {
	s.Seconds, s.GigabyteSeconds = seconds, seconds*memory
	return s
}

// Times is n of it.
func (s Spent) Times(n float64) Spent {
	return Spent{Units{n * s.Reads, n * s.Writes}, n * s.Requests, n * s.Calls, n * s.Messages, n * s.Seconds,
		n * s.GigabyteSeconds, n * s.Lines, n * s.Sent}
}

// Plus is the sum of both.
func (s Spent) Plus(o Spent) Spent {
	return Spent{s.Units.Plus(o.Units), s.Requests + o.Requests, s.Calls + o.Calls, s.Messages + o.Messages,
		s.Seconds + o.Seconds, s.GigabyteSeconds + o.GigabyteSeconds, s.Lines + o.Lines, s.Sent + o.Sent}
}

// Dollars are the US dollars of a million of it.
func (s Spent) Dollars() float64 {
	return s.Units.Dollars() + s.Requests*doorPrice + s.Calls*callPrice + s.Messages*messagePrice +
		s.GigabyteSeconds*secondPrice*million + (s.Lines*lineSize*logPrice+s.Sent*sentPrice)*million/gigabyte
}

const (
	million  = 1e6
	gigabyte = 1e9
)

// Changed is what is behind a change of a record that nobody listens to: the function batcher keeps it in the change
// feed, in one call with so many others.
func Changed(together float64) Spent {
	s := Spent{Units: Units{Change.Reads / together, Change.Writes}, Calls: 1 / together, Lines: 1 / together}
	return s.lasting(ownTime+2*waveTime/together, gigabytes)
}

// Delivered is a webhook whose receiver takes so long to answer: its row is written in a call of the batcher with so
// many changes, its message is sent, received and deleted with nine others at most, and its attempt is made in a call
// with so many together, which lasts as long as its slowest receiver.
func Delivered(changes, together float64, answers time.Duration) Spent {
	s := Spent{Units: Units{Webhook.Reads / changes, Webhook.Writes}, Calls: 1 / together,
		Messages: 3 / min(together, sqsBatch), Lines: 1 / together, Sent: bodySize}
	return s.lasting(ownTime+(answers.Seconds()+3*waveTime)/together, DeliveryMemory)
}
