package cli

import (
	"context"
	"strings"
	"time"

	"eshop/infra/local"
)

// clock moves the platform's clock on, call by call until all of it is done, or shows it.
func clock(ctx context.Context, c *client, opts options) error {
	none := "the clock of " + c.url + " is not to be moved: it is in production, or on AWS"
	if opts.argument == "" {
		at, err := ask[local.Clock](ctx, c, "GET", local.ClockPath, nil)
		if err != nil {
			return unlessThere(err, none)
		}
		opts.tellClock(at)
		return nil
	}
	c.http.Timeout = local.AdvanceAnswers
	for left := strings.TrimPrefix(opts.argument, "+"); ; {
		at, err := ask[local.Clock](ctx, c, "POST", local.ClockPath, object{"advance": left})
		if err != nil {
			return unlessThere(err, none)
		}
		opts.tellClock(at)
		if left = at.Left; left == "" {
			return nil
		}
	}
}

// tellClock shows what time it is on the platform.
func (o options) tellClock(c local.Clock) {
	left := ""
	if c.Left != "" {
		left = ", " + c.Left + " to go"
	}
	o.tell(c, "%s, %s ahead%s", c.Now.Go().Format(time.RFC3339), c.Ahead, left)
}
