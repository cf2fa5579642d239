package changes

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/functions/batcher"
	"eshop/shared/ports/store"
	"eshop/shared/webhook/changefeed"
)

// underway is a table to which what is written comes later, in any order, as puts of many batchers do.
type underway struct {
	store.Table
	rows []row
}

type row struct {
	item  store.Item
	stamp time.Time
}

func (u *underway) Write(_ context.Context, _ events.Change, ops ...store.Op) (store.Item, error) {
	for _, o := range ops {
		u.rows = append(u.rows, row{o.Item, changefeed.TimeOf(o.Item.SK)})
	}
	return store.Item{}, nil
}

// land commits one of the rows.
func (u *underway) land(t require.TestingT, ctx context.Context, i int) {
	_, err := u.Table.Write(ctx, events.Nothing, store.Put(u.rows[i].item))
	require.NoError(t, err)
	u.rows = slices.Delete(u.rows, i, i+1)
}

// late is how long after its time a row may be confirmed, two seconds, with what two clocks may differ by.
const late = 2*time.Second + 2900*time.Millisecond

func TestOnAWSRowsMayComeInAnyOrderAndNoneIsSkipped(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, onAWS)
		defer w.DB.Close()
		w.Clock.Pass(50 * time.Second)
		batchers := *w.P
		puts := &underway{Table: w.P.Pipeline}
		batchers.Pipeline = puts
		var handlers []func(context.Context, []events.Change) (int, error)
		for range 3 {
			handlers = append(handlers, batcher.Function.Feed.Handler(&batchers))
		}
		var model, seen []string
		cursor := next(w.get(""))
		for range rapid.IntRange(5, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				w.handle = rapid.SampledFrom(handlers).Draw(rt, "batcher")
				model = append(model, fmt.Sprintf("%04d", len(model)))
				w.happens(of(events.Orders, model[len(model)-1]))
			case 1:
				w.Clock.Pass(time.Duration(rapid.IntRange(1, 2000).Draw(rt, "ms")) * time.Millisecond)
				for i := len(puts.rows) - 1; i >= 0; i-- {
					if w.Clock.Now().Sub(puts.rows[i].stamp) >= late {
						puts.land(rt, t.Context(), i)
					}
				}
			case 2:
				if len(puts.rows) > 0 {
					puts.land(rt, t.Context(), rapid.IntRange(0, len(puts.rows)-1).Draw(rt, "row"))
				}
			default:
				a := w.get(fmt.Sprintf("itemsPerPage=%d&cursor=%s", rapid.IntRange(1, 4).Draw(rt, "size"),
					url.QueryEscape(cursor)))
				seen, cursor = append(seen, a.Each("id")...), next(a)
			}
		}
		for len(puts.rows) > 0 {
			puts.land(rt, t.Context(), 0)
		}
		w.Clock.Pass(time.Minute)
		rest, _ := w.follow("cursor=" + url.QueryEscape(cursor))
		seen = append(seen, rest...)
		slices.Sort(seen)
		require.Equal(rt, model, append([]string(nil), seen...))
	})
}
