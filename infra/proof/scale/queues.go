package main

import "eshop/shared/host"

// bell is a message of the queues of deliveries.
type bell struct {
	receiver int32
	born     uint32 // when its change was made, in milliseconds
	made     uint8  // attempts so far
	kind     uint8
	fails    bool // the attempt under way
}

// What a bell asks for.
const (
	attempt uint8 = iota
	probe         // an attempt through an open breaker
	step          // the next deliveries of a drain
)

// line is one queue, with Lambda's pollers before it.
type line struct {
	host.Queue
	batch  int
	slots  int // batches at once that the pollers have grown to
	busy   int
	onLoan int
	size   int // messages that wait
	ready  fifo[bell]
	noisy  map[int32]*fifo[bell]
	loans  []int32 // by group, which is a shop
	heard  int32
}

func newLine(s Setup, q host.Queue, l load) *line {
	return &line{Queue: q, batch: q.Batch, slots: q.Parallel, heard: int32(l.heard),
		noisy: map[int32]*fifo[bell]{}, loans: make([]int32, l.shops)}
}

// group is whose turn the message takes: webhook.Bell's shop.
func (l *line) group(b bell) int32 { return b.receiver / l.heard }

// put puts a message in.
func (l *line) put(b bell) {
	l.size++
	if its := l.noisy[l.group(b)]; its != nil {
		its.push(b)
		return
	}
	l.ready.push(b)
}

// take takes up to a batch of messages: first those of quiet groups, then of the noisy group with the fewest on loan.
func (l *line) take() []bell {
	batch := make([]bell, 0, min(l.batch, l.size))
	for len(batch) < l.batch && l.size > 0 {
		var b bell
		if l.ready.len() > 0 {
			b = l.ready.pop()
			if g := l.group(b); l.isNoisy(g) {
				if l.noisy[g] == nil {
					l.noisy[g] = &fifo[bell]{}
				}
				l.noisy[g].push(b)
				continue
			}
		} else {
			b = l.takeNoisy()
		}
		l.size--
		l.onLoan++
		l.loans[l.group(b)]++
		batch = append(batch, b)
	}
	return batch
}

func (l *line) isNoisy(g int32) bool {
	return l.noisy[g] != nil || l.loans[g] >= noisyLeast && int(l.loans[g])*noisyShare > l.onLoan
}

func (l *line) takeNoisy() bell {
	quietest := int32(-1)
	for g := range l.noisy {
		if quietest < 0 || l.loans[g] < l.loans[quietest] || l.loans[g] == l.loans[quietest] && g < quietest {
			quietest = g
		}
	}
	b := l.noisy[quietest].pop()
	if l.noisy[quietest].len() == 0 {
		delete(l.noisy, quietest)
	}
	return b
}

// giveBack ends the loan of a batch, which was handled.
func (l *line) giveBack(batch []bell) {
	l.busy--
	l.onLoan -= len(batch)
	for _, b := range batch {
		l.loans[l.group(b)]--
	}
}

// scale is what Lambda does with the pollers in a second.
func (l *line) scale() {
	switch {
	case l.size > 0 && l.busy >= l.slots:
		l.slots = min(l.slots+pollersUp, l.Parallel)
	case l.size == 0 && l.busy < l.slots:
		l.slots = max(l.slots-pollersDown, l.busy, min(pollersLeast, l.Parallel))
	}
}

// others is how many messages wait that ask for the steps of drains.
func (l *line) others() (n int) {
	waiting := [][]bell{l.ready.all[l.ready.head:]}
	for _, its := range l.noisy {
		waiting = append(waiting, its.all[its.head:])
	}
	for _, some := range waiting {
		for _, b := range some {
			if b.kind != attempt {
				n++
			}
		}
	}
	return n
}
