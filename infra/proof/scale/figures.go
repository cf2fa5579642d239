package main

import (
	"slices"
	"time"

	"eshop/functions"
	"eshop/shared/bill"
	"eshop/shared/host"
)

// What AWS gives, and where it says so. What its documents leave open is assumed, and said so here.
const (
	// DynamoDB, developer guide, "Designing partition keys": a key takes so many write units a second.
	keyUnits = 1000
	// The same, "Partitions and data distribution": a partition of a table holds so much. Each has an open shard in the
	// stream ("Reading and processing a stream").
	partitionSize = 10e9
	// Lambda, developer guide, "Polling and batching streams": four times a second.
	pollEvery = 250 * time.Millisecond
	// Assumed, for "near real time": from a write to its record in the stream.
	streamLag = 100 * time.Millisecond
	// Assumed: how long Lambda waits before it hands over again what it turned away.
	turnedAway = time.Second
	// Lambda, "Configuring scaling behavior for SQS event source mappings": 300 batches at once more a minute while
	// messages wait, from 5 on. Assumed: a fifth as fast down again.
	pollersUp, pollersLeast, pollersDown = 5, 5, 1
	// SQS, developer guide, "How Amazon SQS fair queues work": a group is noisy with more than a tenth of the messages
	// on loan, and 30 at least, until none of its messages is left.
	noisyShare, noisyLeast = 10, 30
	// SQS's quota of messages of a queue on loan.
	mostOnLoan = 120_000
)

// What a call of a function waits for, as the bill has it.
const (
	ownTime  = 3 * time.Millisecond
	waveTime = 5 * time.Millisecond
)

// What code has that is not exported: functions/batcher's connections and the bells that it sends side by side
// (shared/queue/sqs), the units and calls of a new product's row in functions/importer's budget and the rows of its
// transaction, the records that shared/search indexes side by side and the waves of calls in which it does so, and
// contract, section 5, of an attempt.
const (
	connections    = 48
	ringsTogether  = 100
	rowUnits       = 13
	rowCalls       = 0.065
	rowsTogether   = 15
	indexTogether  = 16
	indexWaves     = 5
	wholeAttempt   = 10 * time.Second
	mostPerMinute  = 500 // due deliveries of each shard that a run of the sweeper rings for
	fewestAnswerMs = 100 // a healthy receiver answers in between so long and a second more
	answersWithin  = 1000
)

// Setup is what the stack sets, from THE list.
type Setup struct {
	batcher, delivery, indexer, importer host.Function
	fresh, retry                         host.Queue
	tableUnits                           float64 // write units that a table takes a second
}

// Today is the stack as it is.
func Today() Setup {
	of := func(name string) host.Function {
		return functions.List[slices.IndexFunc(functions.List, func(f host.Function) bool { return f.Name == name })]
	}
	s := Setup{batcher: of("batcher"), delivery: of("delivery"), indexer: of("indexer"), importer: of("importer"),
		tableUnits: walls(bill.Large())["the table `Pipeline`"].Holds}
	for _, q := range s.delivery.Messages.From {
		if q.Resource == host.Fresh {
			s.fresh = q
		} else {
			s.retry = q
		}
	}
	return s
}

// DoubleQuotas is the stack with the quotas of tables that the guide's page asks for.
func DoubleQuotas() Setup {
	s := Today()
	s.tableUnits *= 2
	return s
}

// MoreBatches is the stack with as many batches of first attempts at once as Lambda lets a queue have.
func MoreBatches() Setup {
	s := Today()
	s.fresh.Parallel = 1000
	return s
}

// load is what comes in a second on a day's mean, and peak how many times as much in its busiest seconds.
type load struct {
	shops, heard, shards int
	changes, peak        float64
	doorWrites, indexed  float64 // write units of requests in Main, and of what is indexed of them in Pipeline
}

// large is the large load of the bill.
func large() load {
	l, walls := bill.Large(), walls(bill.Large())
	const day = 24 * 60 * 60
	changes := l.Requests*l.Changes/100 + l.Orders
	pipeline := walls["the table `Pipeline`"]
	peak := walls["the table `Counters`"].Needs * day / l.Requests
	each := changes*bill.Change.Writes + l.Webhooks*bill.Webhook.Writes
	return load{shops: int(l.Shops), heard: int(l.Webhooks / changes),
		shards:  int(l.Shops * l.Records * 4000 / partitionSize),
		changes: changes / day, peak: peak,
		doorWrites: walls["the table `Main`"].Needs / peak, indexed: pipeline.Needs/peak - each/day}
}

// walls are the load's, by their names.
func walls(l bill.Load) map[string]bill.Wall {
	all := map[string]bill.Wall{}
	for _, w := range l.Walls() {
		all[w.Name] = w
	}
	return all
}
