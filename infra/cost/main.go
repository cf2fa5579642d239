// Command cost says what a month of the platform costs on AWS: prices × units × counts, and no more than that. It
// writes the tables of the guide's pages, or the month of any other load.
//
//	make cost                                          # the tables of scale.md and operations.md
//	go run ./infra/cost -shops 500 -webhooks 1000000   # that month, and the limits that it meets
//
// # A tour
//
// prices.go has AWS's list prices, what is counted of THE list and the template, and what is assumed, each once.
// operations.go has what requests take, as tests count it. spent.go makes dollars of units, month.go a month's bill of
// a load, walls.go the limits that a load meets.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

func main() {
	l := usual()
	flag.Float64Var(&l.Shops, "shops", l.Shops, "how many shops there are")
	flag.Float64Var(&l.Orders, "orders", l.Orders, "checkouts a day; -1: 20 a shop")
	flag.Float64Var(&l.Pages, "pages", l.Pages, "pages that shops show a day; -1: 50 an order")
	flag.Float64Var(&l.Requests, "requests", l.Requests, "requests of add-ons a day; -1: 4000 a shop")
	flag.Float64Var(&l.Changes, "changes", l.Changes, "of a hundred requests, how many change something")
	flag.Float64Var(&l.Lists, "lists", l.Lists, "of a hundred requests, how many get a list of 50 records")
	flag.Float64Var(&l.Webhooks, "webhooks", l.Webhooks, "webhooks a day; -1: 3 a change")
	flag.Float64Var(&l.Records, "records", l.Records, "customers, products and orders that a shop has")
	flag.Float64Var(&l.Files, "files", l.Files, "gigabytes of pictures and other files of a shop")
	flag.DurationVar(&l.Answer, "answer", l.Answer, "how long the slowest receiver of a batch takes to answer")
	flag.BoolVar(&l.Domain, "domain", l.Domain, "whether CloudFront and its firewall stand in front")
	flag.BoolVar(&l.Second, "second", l.Second, "whether a second place has a replica of the main table, and copies")
	flag.Float64Var(&l.Own, "own", l.Own, "shops at domains of their merchants'; -1: a fifth of them")
	flag.Parse()
	if flag.NFlag() > 0 {
		l = l.filled()
		fmt.Println(l.bill(0.005) + "\n" + l.limits())
		return
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err == nil {
			err = os.WriteFile(page, []byte(renewed(string(text))), 0o644)
		}
		if err != nil {
			log.Fatal("cost: ", err)
		}
	}
}

// pages are those of the guide that have tables of ours.
var pages = []string{"functions/docs/scale.md", "functions/docs/operations.md"}

// renewed is a page with its tables of ours as they are now.
func renewed(page string) string {
	for _, table := range []string{large().bill(10), large().limits(), aMillion()} {
		columns := strings.Join(strings.SplitAfterN(table, "\n", 3)[:2], "")
		if before, rest, found := strings.Cut(page, columns); found {
			_, after, _ := strings.Cut(rest, "\n\n")
			page = before + table + "\n" + after
		}
	}
	return page
}

// bill is the table of a month, with the lines of so many dollars at least.
func (l load) bill(least float64) string {
	b := "| service | part | amount | US dollars |\n|---|---|--:|--:|\n"
	sum := 0.0
	for _, line := range l.month() {
		if sum += line.Dollars; line.Dollars >= least {
			b += fmt.Sprintf("| %s | %s | %s | %s |\n", line.Service, line.Part,
				strings.TrimSpace(thousands(line.Amount)+" "+line.Unit), thousands(line.Dollars))
		}
	}
	return b + fmt.Sprintf("| **sum** | | | **%s** |\n", thousands(sum))
}

// limits is the table of what the busiest seconds take of each limit.
func (l load) limits() string {
	b := "| limit | needs | holds | used | raise by |\n|---|--:|--:|--:|---|\n"
	for _, w := range l.walls() {
		b += fmt.Sprintf("| %s, %s | %s | %s | %.0f %% | %s |\n", w.Name, w.Unit, thousands(w.Needs),
			thousands(w.Holds), 100*w.Needs/w.Holds, w.Raise)
	}
	return b
}

// aMillion is the table of what a million of each costs.
func aMillion() string {
	table := "| a million | US dollars |\n|---|--:|\n"
	row := func(what string, dollars ...float64) {
		var each []string
		for _, d := range dollars {
			each = append(each, fmt.Sprintf("%.2f", d))
		}
		table += fmt.Sprintf("| %s | %s |\n", what, strings.Join(each, ", "))
	}
	for _, name := range []string{"GET of a customer", "a list of 50 customers", "PATCH of a customer",
		"POST of a customer", "POST of a product", "POST of an order", "a page of a product", "a checkout"} {
		row(name, operationOf(name).dollars())
	}
	row("a change in the feed, in batches of ten and of one", changed(10).dollars(), changed(1).dollars())
	row("a webhook, answered in 50 ms, in batches of a hundred and of one",
		delivered(10, 100, 50*time.Millisecond).dollars(), delivered(1, 1, 50*time.Millisecond).dollars())
	row("a webhook, answered in a second", delivered(10, 100, time.Second).dollars(),
		delivered(1, 1, time.Second).dollars())
	row("a new customer, product and order in the index of searches",
		operationOf("POST of a customer").indexed().dollars(), operationOf("POST of a product").indexed().dollars(),
		operationOf("POST of an order").indexed().dollars())
	return table
}

// thousands is a number with a comma between thousands.
func thousands(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
