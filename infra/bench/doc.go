// Package bench measures the one-process host over real HTTP, in a process of its own, beside the machine's limits: a
// plain net/http answer, a plain keep-alive loop of signed POSTs, and a change of three commits and one POST. It tells
// of one table. It needs Linux, whose /proc tells processor time and memory.
//
//	eshop bench                     # the table, for 1,000 products
//	make bench                      # and for 100,000
//	eshop bench --dearest-list      # one part alone
//
// # A tour
//
// Begin with bench.go: run starts the platform, fills a shop and goes through the rows. load.go makes the requests,
// process.go starts processes and reads their processor time and memory, report.go is the table.
//
// The other files are groups of rows: storefront.go what shoppers do, webhooks.go (with receiver.go) changes and their
// deliveries, imports.go files, neighbours.go what another shop notices, dearest.go and dearestlist.go the most
// expensive requests, allocations.go what one request allocates. loop.go and leastchange.go are the limits of the
// machine.
//
// # Terms
//
//   - row: a line of the table, measured for Span.
//   - c: how many workers make requests, each the next one when the last is answered.
//   - a rate: so many requests a second, each begun when it is due. Its time counts from then, so waiting for a worker
//     counts, too.
//   - CPU: the processor time of the platform's process, from /proc, right to 10 ms.
//   - PSS, anonymous: the platform's memory with its share of the data file's pages, and without.
//   - limit: what a program that does only the least does on the same machine.
//
// The program runs itself as the other processes (the platform, hello, loop, leastchange), so that a limit has a
// process of its own as the platform has.
package bench

import (
	"errors"
	"strings"
	"time"
)

// Settings say what is measured.
type Settings struct {
	Products, Customers int           // that the shop is filled with; products of two variants each
	Waiting             int           // deliveries that wait and are then drained
	Importing           int           // rows of an import
	Beside              int           // rows of the import beside which another shop is measured
	Span                time.Duration // how long each row is measured
	DearestList         bool          // that part and nothing else
}

// Usual are the settings of the table.
var Usual = Settings{Products: 1_000, Customers: 3_000, Waiting: 20_000, Importing: 50_000, Beside: 100_000,
	Span: 3 * time.Second}

// Run measures, and gives tell each line of the table.
func Run(s Settings, tell func(Line)) error {
	b := &bench{Settings: s, tell: tell}
	err := b.run()
	// Allocations come last. They are counted in this process, in which a second platform runs for it.
	if err == nil && !s.DearestList {
		err = b.allocations()
	}
	return err
}

// Process is the name in the environment by which Run starts the program as another process: its value is for Child.
const Process = "ESHOP_BENCH_PROCESS"

// Child is what the program does as another process of a run, which it names. Only Run starts it.
func Child(process string) error {
	words := strings.Fields(process)
	switch {
	case len(words) == 2 && words[0] == "hello":
		return hello(words[1])
	case len(words) == 4 && words[0] == "loop":
		return looped(words[1], words[2], words[3])
	case len(words) == 4 && words[0] == "leastchange":
		return leastChanged(words[1], words[2], words[3])
	}
	return errors.New("bench: no such process")
}
