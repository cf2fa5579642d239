// Command scale runs the pipeline of webhooks in simulated time, with the settings of THE list, the loads of
// shared/bill and AWS's figures: an ordinary day's busiest minutes, a flash sale of one shop, many imports at once, a
// region of slow receivers. It prints what each does to everybody else, what is full first, and how long it takes until
// all is as before. The guide's page on scale has the same table, and the test holds the promises.
//
// # A tour
//
// figures.go has what AWS gives and what the stack sets. engine.go has simulated time, tables and keys of which whoever
// comes too late waits, and what counts. world.go is the way of a change: its lane of the stream, a call of the
// batcher, its bells, a batch of the delivery. queues.go has the queues with Lambda's pollers. receivers.go has the
// receivers: their health, breaker, retries and drains, by the rules of shared/webhook. imports.go has importers and
// the indexer, scenarios.go the events and what is seen of them.
//
// # What is left out
//
// What changes no result: the lag of indexes, as no event brings a key of one near its limit; doubled messages, expired
// caches and cold starts, which cost milliseconds; what ordinary changes take of the indexer, about one of its calls.
//
// And what nobody knows. All shops are alike, but for the event's, and have as many receivers. A healthy receiver takes
// between a tenth of a second and a second more, so that the slowest of a batch takes the bill's second. It never
// fails. The tables are warm. A write that DynamoDB throttles is made again until there is room, which here is waiting.
package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

func main() {
	fmt.Fprint(os.Stdout, columns, table(results(1)))
}

// results runs all scenarios, side by side.
func results(seed uint64) []result {
	all := scenarios()
	results := make([]result, len(all))
	var runs sync.WaitGroup
	for i, s := range all {
		runs.Go(func() { results[i] = s.run(seed) })
	}
	runs.Wait()
	return results
}

// columns are the first lines of the table.
const columns = "| event | set | half and 99 of 100, before | meanwhile | longest wait | most waiting | full first | " +
	"as before after |\n|---|---|--:|--:|--:|--:|---|--:|\n"

// table is the table of the guide's page.
func table(results []result) string {
	var rows strings.Builder
	for i, s := range scenarios() {
		r := results[i]
		full := "nothing"
		if len(r.full) > 0 {
			full = r.full[0]
		}
		fmt.Fprintf(&rows, "| %s | %s | %s, %s | %s, %s | %s | %s | %s | %s |\n", s.name, s.set, text(r.before.half),
			text(r.before.most), text(r.during.half), text(r.during.most), text(r.bell), thousands(r.backlog), full,
			text(r.back))
	}
	return rows.String()
}

// text is a time as the page writes it: two digits are enough.
func text(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}

// thousands is a number of thousands.
func thousands(n int) string {
	switch {
	case n < 1_000_000:
		return fmt.Sprintf("%d,000", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f million", float64(n)/1e6)
}
