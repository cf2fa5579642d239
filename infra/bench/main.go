// Command bench measures the one-process host over real HTTP, in a process of its own, beside the machine's limits: a
// plain net/http answer, a plain keep-alive loop of signed POSTs, and a change of three commits and one POST. It prints
// one table.
//
//	make bench                      # the table, for 1000 and for 100000 products
//	.bin/bench -only dearest-list   # one row alone
//
// # A tour
//
// Begin with bench.go: run starts the platform, fills a shop and goes through the rows. load.go makes the requests,
// process.go starts processes and reads their processor time and memory.
//
// The other files are groups of rows: storefront.go what shoppers do, webhooks.go (with receiver.go) changes and their
// deliveries, imports.go files, neighbours.go what another shop notices, dearest.go and dearestlist.go the most
// expensive requests, allocations.go what one request allocates. loop.go and leastchange.go are the limits of the
// machine.
//
// # Terms
//
//   - row: a line of the table, measured for -seconds.
//   - c: how many workers make requests, each the next one when the last is answered.
//   - a rate: so many requests a second, each begun when it is due. Its time counts from then, so waiting for a worker
//     counts, too.
//   - CPU: the processor time of the platform's process, from /proc, right to 10 ms.
//   - PSS, anonymous: the platform's memory with its share of the data file's pages, and without.
//   - limit: what a program that does only the least does on the same machine.
//
// The program runs itself as the other processes (hello, loop, leastchange), so that a limit has a process of its own
// as the platform has.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	// These are the program's own children: see child and loop.
	if len(os.Args) > 1 && os.Args[1] == "hello" {
		hello(os.Args[2])
		return
	}
	if len(os.Args) > 4 && os.Args[1] == "loop" {
		end(looped(os.Args[2], os.Args[3], os.Args[4]))
		return
	}
	if len(os.Args) > 4 && os.Args[1] == "leastchange" {
		end(leastChanged(os.Args[2], os.Args[3], os.Args[4]))
		return
	}
	b := &bench{}
	flag.StringVar(&b.program, "program", ".bin/eshop", "the built platform")
	flag.IntVar(&b.products, "products", 1_000, "products of two variants each")
	flag.IntVar(&b.customers, "customers", 3_000, "customers")
	flag.IntVar(&b.waiting, "waiting", 20_000, "deliveries that wait and are then drained")
	flag.IntVar(&b.importing, "import", 50_000, "rows of an import; the aim of memory is for 1000000")
	flag.IntVar(&b.beside, "beside", 100_000, "rows of the import beside which another shop is measured")
	seconds := flag.Float64("seconds", 3, "how long each row is measured")
	flag.StringVar(&b.only, "only", "", "dearest-list: that row and nothing else")
	flag.Parse()
	b.span = time.Duration(*seconds * float64(time.Second))
	err := b.run()
	// Allocations come last. They are counted in this process, in which a second platform runs for it.
	if err == nil && b.only == "" {
		err = allocations()
	}
	end(err)
}

// end ends the program if there is an error.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
