package main

import "time"

// units are DynamoDB's: a strongly consistent read of 4 KB is one read unit, a write of 1 KB one write unit, of a
// transaction two.
type units struct{ Reads, Writes float64 }

// plus is the sum of both.
func (u units) plus(more units) units { return units{u.Reads + more.Reads, u.Writes + more.Writes} }

// dollars are the US dollars of a million of it.
func (u units) dollars() float64 { return u.Reads*readPrice + u.Writes*writePrice }

// spent is what something takes on AWS.
type spent struct {
	units
	Requests, Calls, Messages float64 // of the door, of Lambda, of SQS
	Seconds                   float64 // of functions
	GigabyteSeconds           float64 // of functions: their seconds times the gigabytes of their memory
	Lines                     float64 // of logs
	Sent                      float64 // bytes to the internet
}

// request is a request whose calls come in so many waves at most, with an answer of so many bytes. The door and the
// function write a line each.
func request(u units, waves, answer int) spent {
	s := spent{units: u, Requests: 1, Calls: 1, Lines: 2, Sent: float64(answer)}
	return s.lasting(ownTime+float64(waves)*waveTime, gigabytes)
}

// lasting adds a call of a function that lasts so many seconds and has so many gigabytes of memory.
func (s spent) lasting(seconds, memory float64) spent {
	s.Seconds, s.GigabyteSeconds = seconds, seconds*memory
	return s
}

// times is n of it.
func (s spent) times(n float64) spent {
	return spent{units{n * s.Reads, n * s.Writes}, n * s.Requests, n * s.Calls, n * s.Messages, n * s.Seconds,
		n * s.GigabyteSeconds, n * s.Lines, n * s.Sent}
}

// plus is the sum of both.
func (s spent) plus(o spent) spent {
	return spent{s.units.plus(o.units), s.Requests + o.Requests, s.Calls + o.Calls, s.Messages + o.Messages,
		s.Seconds + o.Seconds, s.GigabyteSeconds + o.GigabyteSeconds, s.Lines + o.Lines, s.Sent + o.Sent}
}

// dollars are the US dollars of a million of it.
func (s spent) dollars() float64 {
	return s.units.dollars() + s.Requests*doorPrice + s.Calls*callPrice + s.Messages*messagePrice +
		s.GigabyteSeconds*secondPrice*million + (s.Lines*lineSize*logPrice+s.Sent*sentPrice)*million/gigabyte
}

const (
	million  = 1e6
	gigabyte = 1e9
)

// changed is what is behind a change of a record that nobody listens to: the function batcher keeps it in the change
// feed, in one call with so many others.
func changed(together float64) spent {
	s := spent{units: units{changeUnits.Reads / together, changeUnits.Writes}, Calls: 1 / together, Lines: 1 / together}
	return s.lasting(ownTime+2*waveTime/together, gigabytes)
}

// delivered is a webhook whose receiver takes so long to answer: its row is written in a call of the batcher with so
// many changes, its message is sent, received and deleted with nine others at most, and its attempt is made in a call
// with so many together, which lasts as long as its slowest receiver.
func delivered(changes, together float64, answers time.Duration) spent {
	s := spent{units: units{webhookUnits.Reads / changes, webhookUnits.Writes}, Calls: 1 / together,
		Messages: 3 / min(together, sqsBatch), Lines: 1 / together, Sent: bodySize}
	return s.lasting(ownTime+(answers.Seconds()+3*waveTime)/together, deliveryMemory)
}
