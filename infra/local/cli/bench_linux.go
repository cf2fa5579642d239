package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"eshop/infra/bench"
)

func (o *options) benchCommand() *cobra.Command {
	s := bench.Usual
	c := &cobra.Command{
		Use: "bench", Short: "Measure a platform on this machine, beside what the machine can do at most",
		Long: `Measure a platform on this machine: requests a second and how long they take, webhooks, memory and
processor time, beside what programs reach here that do only the least. It starts a platform of its
own in a temporary folder, fills a shop over the API and takes some five minutes. Leave the machine
to it meanwhile. What the rows are is at /docs/performance of any platform.`,
		Example: "  eshop bench\n" +
			"  eshop bench --products 100000 --json > after.json",
		Args: takes("", 0),
		RunE: o.run(func(_ context.Context, _ *client, o options) error {
			if process := o.Getenv(bench.Process); process != "" {
				return bench.Child(process)
			}
			o.say("%s\n", bench.Head())
			return bench.Run(s, func(l bench.Line) { o.tell(l, "%s", l) })
		}),
	}
	for _, f := range []struct {
		name, usage string
		value       *int
	}{
		{"products", "how many products of two variants the shop has, `N`", &s.Products},
		{"customers", "how many customers it has, `N`", &s.Customers},
		{"waiting", "how many webhooks pile up and are then drained, `N`", &s.Waiting},
		{"import", "how many rows an import has, `N`", &s.Importing},
		{"beside", "how many rows the import has beside which another shop is measured, `N`", &s.Beside},
	} {
		c.Flags().IntVar(f.value, f.name, *f.value, f.usage)
	}
	c.Flags().DurationVar(&s.Span, "span", s.Span, "how long each row is measured, a `TIME` like 10s")
	c.Flags().BoolVar(&s.DearestList, "dearest-list", false, "measure lists of the largest products, and nothing else")
	c.PreRunE = func(*cobra.Command, []string) error {
		if s.Products < 250 || min(s.Customers, s.Waiting, s.Importing, s.Beside) < 1 || s.Span < time.Second {
			return errors.New("a shop of 250 products is the least that can be measured, each row for a second")
		}
		return nil
	}
	return o.shows(c)
}
