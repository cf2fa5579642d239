// Command bench measures the one-process host over real HTTP, in a process of its own, beside the machine's limits: a
// plain net/http answer, a plain keep-alive loop of signed POSTs, and a change of three commits and one POST. It prints
// one table. `make bench` runs it; -products sets the size of the shop (run it with 1000 and 100000), -seconds how long
// each row is measured, and -only dearest-list runs that row alone.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
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
