package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"eshop/shared/bill"
)

func (o *options) costCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "cost", Short: "Predict what a month of a platform costs on AWS, by service",
		Long: `Predict what a month costs on AWS in US dollars, by service, and which limits its growth meets
first. Numbers are of a day, all shops together. The units of each operation are those that tests
count, the prices AWS's list prices of us-east-1; free tiers and discounts are left out. It asks no
platform.`,
		Example: "  eshop cost --shops 500 --orders 10000 --webhooks 1000000\n" +
			"  eshop cost --shops 500 --json | jq -r 'select(.service) | [.service, .part, .dollars] | @tsv'",
		Args: takes("", 0),
		PreRunE: func(c *cobra.Command, _ []string) error {
			return checkLoad(c, &o.load)
		},
		RunE: o.run(cost),
	}
	o.load = bill.Usual()
	for _, f := range loadFlags(&o.load) {
		c.Flags().Float64Var(f.value, f.name, max(*f.value, 0), f.usage)
	}
	c.Flags().DurationVar(&o.load.Answer, "answer", o.load.Answer,
		"how long the slowest of ten receivers takes to answer, a `TIME` like 300ms")
	c.Flags().BoolVar(&o.load.Domain, "domain", o.load.Domain, "whether CloudFront and its firewall stand in front")
	return o.shows(c)
}

// loadFlag is a flag for a number of a load.
type loadFlag struct {
	name, usage string
	value       *float64
}

// loadFlags are those of the numbers of a load.
func loadFlags(l *bill.Load) []loadFlag {
	return []loadFlag{
		{"shops", "how many `SHOPS` there are", &l.Shops},
		{"orders", "checkouts, `N` a day (default 20 a shop)", &l.Orders},
		{"pages", "pages that shops show, `N` a day (default 50 an order)", &l.Pages},
		{"requests", "requests of add-ons, `N` a day (default 4000 a shop)", &l.Requests},
		{"changes", "of a hundred requests, how many change something, a `PERCENTAGE`", &l.Changes},
		{"lists", "of a hundred requests, how many get a list of 50 records, a `PERCENTAGE`", &l.Lists},
		{"webhooks", "webhooks, `N` a day (default 3 a change)", &l.Webhooks},
		{"records", "customers, products and orders that a shop has, `N`", &l.Records},
		{"files", "pictures and other files of a shop, in `GIGABYTES`", &l.Files},
	}
}

// checkLoad fills in what no flag says, and refuses what cannot be.
func checkLoad(c *cobra.Command, l *bill.Load) error {
	for _, f := range loadFlags(l) {
		switch {
		case !c.Flags().Changed(f.name) && *f.value == 0:
			*f.value = -1 // what is usual for so many shops
		case !(*f.value >= 0 && *f.value <= 1e15):
			return fmt.Errorf("--%s %v is no number that there can be", f.name, *f.value)
		}
	}
	if l.Changes+l.Lists > 100 {
		return fmt.Errorf("--changes %v and --lists %v are more than all requests, which are 100", l.Changes, l.Lists)
	}
	if l.Answer < 0 {
		return fmt.Errorf("--answer %v is no time to wait for", l.Answer)
	}
	*l = l.Filled()
	return nil
}

// cost writes the bill of a month: each service with its parts, the sum, and the limits.
func cost(_ context.Context, _ *client, o options) error {
	l, lines := o.load, o.load.Month()
	o.say("A month of %s shops. A day has %s orders, %s pages, %s requests of add-ons, %s webhooks.\n\n",
		spaced(l.Shops, 0), spaced(l.Orders, 0), spaced(l.Pages, 0), spaced(l.Requests, 0), spaced(l.Webhooks, 0))
	for _, service := range bill.Services(lines) {
		o.say(sumLine, service.Service, spaced(service.Dollars, 2))
		for _, l := range lines {
			if l.Service == service.Service {
				o.tell(l, "  %-17s %9s %-12s %14s", l.Part, spaced(l.Amount, decimals(l.Amount)), l.Unit,
					spaced(l.Dollars, 2))
			}
		}
	}
	sum := bill.Line{Service: "Sum", Dollars: bill.Sum(lines)}
	o.say(sumLine, sum.Service, spaced(sum.Dollars, 2))
	if o.json {
		o.tell(sum, "")
	}
	o.say("\nIts busiest seconds take of each limit:\n")
	plainly := strings.NewReplacer("`", "")
	for _, w := range l.Walls() {
		o.tell(w, "%5.1f %% of %6s %-21s %s; raise: %s", 100*w.Needs/w.Holds, spaced(w.Holds, 0), w.Unit,
			plainly.Replace(w.Name), plainly.Replace(w.Raise))
	}
	return nil
}

// sumLine is a line with what a service, or all of them, come to.
const sumLine = "%-42s %14s $\n"

// say writes what is for people only.
func (o options) say(text string, args ...any) {
	if !o.json {
		fmt.Fprintf(o.Out, text, args...)
	}
}

// decimals are as many as a number is worth.
func decimals(n float64) int {
	if n < 100 && n != float64(int(n)) {
		return 2
	}
	return 0
}

// spaced is a number with so many decimals, and a comma between thousands.
func spaced(n float64, decimals int) string {
	text := fmt.Sprintf("%.*f", decimals, n)
	whole, rest, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		return whole + "." + rest
	}
	return whole
}
