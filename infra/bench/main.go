// Command bench measures the one-process host over real HTTP, in a process of its own, beside the machine's limits: a
// plain net/http answer, a plain keep-alive loop of signed POSTs, and a change of three commits and one POST. It writes
// one table. It needs Linux, whose /proc tells processor time and memory.
//
//	make bench                                     # the table, for 1,000 products and for 100,000
//	go run ./infra/bench -eshop before -json       # of a program that was built before, as JSON
//
// # A tour
//
// Begin with bench.go: run starts the platform, fills a shop and goes through the rows. load.go makes the requests,
// process.go starts processes and reads their processor time and memory, report.go is the table.
//
// The other files are groups of rows: storefront.go what shoppers do, webhooks.go (with receiver.go) changes and their
// deliveries, imports.go files, dearest.go the most expensive requests. loop.go and leastchange.go are the limits of
// the machine.
//
// # Terms
//
//   - row: a line of the table, measured for the span.
//   - c: how many workers make requests, each the next one when the last is answered.
//   - a rate: so many changes a second, each begun when it is due, whatever became of those before.
//   - CPU: the processor time of the platform's process, from /proc, right to 10 ms.
//   - PSS, anonymous: the platform's memory with its share of the data file's pages, and without.
//   - limit: what a program that does only the least does on the same machine.
//
// The program runs itself as these programs (hello, loop, leastchange), so that a limit has a process of its own as the
// platform has.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	if words := os.Args[1:]; len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		if err := limit(words); err != nil {
			log.Fatal("bench: ", err)
		}
		return
	}
	var b bench
	flag.StringVar(&b.eshop, "eshop", ".bin/eshop", "the `PROGRAM` that is measured: make bench builds it")
	flag.IntVar(&b.products, "products", 1_000, "how many products of two variants the shop has, 250 at least")
	flag.IntVar(&b.customers, "customers", 3_000, "how many customers it has")
	flag.IntVar(&b.waiting, "waiting", 20_000, "how many webhooks pile up and are then drained")
	flag.IntVar(&b.importing, "import", 50_000, "how many rows an import has")
	flag.DurationVar(&b.span, "span", 3*time.Second, "how long each row is measured")
	asJSON := flag.Bool("json", false, "write each line as a JSON object")
	flag.Parse()
	b.tell = func(l line) { fmt.Println(l) }
	if *asJSON {
		b.tell = func(l line) { _ = json.NewEncoder(os.Stdout).Encode(l) }
	} else {
		fmt.Println(head())
	}
	if err := b.run(); err != nil {
		log.Fatal("bench: ", err)
	}
}

// limit is what the program does as another process, which only run starts: a limit of the machine, by its words.
func limit(words []string) error {
	switch {
	case len(words) == 2 && words[0] == "hello":
		return hello(words[1])
	case len(words) == 4 && words[0] == "loop":
		return looped(words[1], words[2], words[3])
	case len(words) == 4 && words[0] == "leastchange":
		return leastChanged(words[1], words[2], words[3])
	}
	return errors.New("no such process")
}
