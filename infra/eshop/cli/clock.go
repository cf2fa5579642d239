package cli

import (
	"context"
	"strconv"
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
	by, err := ahead(opts.argument)
	if err != nil {
		return err
	}
	for left := by.String(); ; {
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

// ahead is how far a word moves the clock on. Guides speak of days, so there is a d beside what a Go duration has.
func ahead(word string) (time.Duration, error) {
	word = strings.TrimPrefix(word, "+")
	days, rest, has := strings.Cut(word, "d")
	if !has {
		return time.ParseDuration(word)
	}
	n, err := strconv.ParseUint(days, 10, 16)
	if err != nil || rest == "" {
		return time.Duration(n) * 24 * time.Hour, err
	}
	d, err := time.ParseDuration(rest)
	return time.Duration(n)*24*time.Hour + d, err
}

// tellClock shows what time it is on the platform.
func (o options) tellClock(c local.Clock) {
	left := ""
	if c.Left != "" {
		left = ", " + c.Left + " to go"
	}
	o.tell(c, "%s, %s ahead%s", c.Now.Go().Format(time.RFC3339), c.Ahead, left)
}
