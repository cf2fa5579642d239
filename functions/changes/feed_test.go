package changes

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/record/change"
	"eshop/shared/webhook/changefeed"
)

func TestAnEntryTellsWhatHappenedToARecord(t *testing.T) {
	w := newWorld(t)
	at := start.Add(-time.Second).UnixMilli()
	done, err := w.handle(t.Context(), []events.Change{
		{Request: "R1", ClientRequest: "mine", By: events.Person("ada"), Shop: "shop", At: at, Records: []events.Record{
			{Kind: events.Products, ID: "p", Did: events.Changed, Variants: []string{"v"},
				Groups: []events.Group{events.Basic, events.Stock}, Version: "w1"},
			{Kind: events.States, ID: "s", Did: events.Deleted, Version: "w2"}}},
		{Request: "R2", Shop: "other", At: at, Records: of(events.Products, "foreign")},
		{Request: "R3", Shop: "shop", At: at, Records: of(events.URLs, "u")},
	})
	require.NoError(t, err)
	require.Equal(t, 3, done)
	a := w.get("")
	require.JSONEq(t, `[
		{"type":"products","id":"p","variantIds":["v"],"change":"changed","groups":["basic","stock"],"version":"w1","at":"2026-11-21T23:58:59.000Z","by":"admin","requestId":"mine"},
		{"type":"states","id":"s","change":"deleted","version":"w2","at":"2026-11-21T23:58:59.000Z","by":"admin","requestId":"mine"},
		{"type":"urls","id":"u","change":"created","version":"vu","at":"2026-11-21T23:58:59.000Z","by":"platform","requestId":"R3"}]`,
		a.Text[len(`{"items":`):len(a.Text)-len(fmt.Sprintf(`,"nextCursor":"%s"}`, next(a)))-1])
}

func TestTypesNeedTheirPermission(t *testing.T) {
	w := newWorld(t)
	var all [][]events.Record
	var kinds []events.RecordKind
	for _, s := range events.Subjects {
		all, kinds = append(all, of(s.Kind, string(s.Kind))), append(kinds, s.Kind)
	}
	w.happens(all...)
	for _, s := range events.Subjects {
		kind := string(s.Kind)
		require.Equal(t, []string{kind}, w.as("shop "+string(s.Needs), "types="+kind).Is(200).Each("id"))
		require.Equal(t, string(s.Needs), w.as("shop shop:read", "types="+kind).Is(403).Get("permission"))
	}
	for _, c := range []struct{ token, types, lacks, ids string }{
		{"shop", "", "", fmt.Sprint(kinds)},
		{"shop orders:read", "", "", "[orders states]"},
		{"shop products:read urls:read", "", "", "[products categories urls]"},
		{"shop products:read", "products", "", "[products]"},
		{"shop products:read", "categories,products", "", "[products categories]"},
		{"shop products:read", "products,coupons", "coupons:read", ""},
		{"shop products:read", "states", "orders:read", ""},
		{"shop products:write", "products", "products:read", ""},
		{"shop customers:write", "", "customers:read", ""},
		{"shop shop:read", "itemsPerPage", "", ""},
	} {
		query := "types=" + c.types
		if c.types == "" {
			query = ""
		}
		a := w.as(c.token, query)
		switch {
		case c.lacks != "":
			require.Equal(t, c.lacks, a.Is(403, "insufficient_permission").Get("permission"))
		case c.ids == "":
			a.Is(422, "invalid")
		default:
			require.Equal(t, c.ids, fmt.Sprint(a.Is(200).Each("id")))
		}
	}
	w.as("shop customers:write", "types=customers&itemsPerPage=0").Is(403)
}

func TestACursorCannotOutliveAPermission(t *testing.T) {
	w := newWorld(t)
	permissions := []permission.Permission{permission.ReadOrders}
	w.API.Authenticate = func(ctx context.Context, token string) (*change.Caller, error) {
		c, err := hosttest.AuthenticateByText(ctx, token)
		c.Permissions = permissions
		return c, err
	}
	cursor := next(w.get("types=orders"))
	permissions = []permission.Permission{permission.ReadCustomers}
	require.Equal(t, "orders:read", w.as("shop", "cursor="+cursor).Is(403).Get("permission"))
}

func TestBadInputIsRefused(t *testing.T) {
	w := newWorld(t)
	for query, code := range map[string]string{
		"types=what": "invalid", "types=products,": "invalid", "types=": "invalid", "from=yesterday": "invalid",
		"from=": "invalid", "from=2026-11-21T23:59:01Z": "invalid", "from=2026-11-22": "invalid",
		"itemsPerPage=251": "invalid", "order[changed]=desc": "invalid", "cursor=x": "bad_cursor",
		"cursor=": "bad_cursor",
	} {
		w.as("shop", query).Is(422, code)
	}
	var kinds []string
	for _, s := range events.Subjects {
		kinds = append(kinds, string(s.Kind))
	}
	all := "must be of " + strings.Join(kinds, ", ") + ", with commas between"
	for types, says := range map[string]string{"product": all + "; `products` is one",
		"orders,URL": all + "; `urls` is one", "what": all, "products,": all} {
		require.Contains(t, w.as("shop", "types="+types).Is(422, "invalid").Text, `"message":"`+says+`"`, types)
	}
	cursor := next(w.get("types=orders"))
	w.as("shop", "types=urls&cursor="+cursor).Is(422, "bad_cursor")
	w.as("other", "cursor="+cursor).Is(422, "bad_cursor")
	w.as("shop", "types=orders&cursor="+cursor).Is(200)
}

func TestTheFeedGoesBackThirtyDays(t *testing.T) {
	w := newWorld(t)
	w.happens(of(events.Orders, "old"))
	w.Clock.Pass(time.Hour)
	old := next(w.get(""))
	w.Clock.Pass(29 * 24 * time.Hour)
	require.Equal(t, []string{"old"}, w.get("").Each("id"))
	w.get("cursor=" + old)
	w.Clock.Pass(24 * time.Hour)
	require.Empty(t, w.get("").Each("id"))
	w.as("shop", "cursor="+old).Is(410, "feed_expired")
	w.as("shop", "from=2026-11-21").Is(410, "feed_expired")
	w.as("shop", "from="+w.Clock.Now().Add(-changefeed.Retention-time.Millisecond).Format(time.RFC3339Nano)).
		Is(410, "feed_expired")
	w.get("from=" + w.Clock.Now().Add(-changefeed.Retention).Format(time.RFC3339Nano))
	w.get("from=" + w.Clock.Now().Format(time.RFC3339Nano))
}

func TestFromIsTheTimeOfTheChanges(t *testing.T) {
	w := newWorld(t)
	early := events.Change{Request: "r", Shop: "shop", At: w.Clock.Now().UnixMilli(),
		Records: of(events.Orders, "early")}
	w.Clock.Pass(time.Second)
	from := w.Clock.Now().Format(time.RFC3339)
	w.Clock.Pass(time.Second)
	_, err := w.handle(t.Context(), []events.Change{early}) // written down late
	require.NoError(t, err)
	w.happens(of(events.Orders, "late"))
	ids, _ := w.follow("from=" + from)
	require.Equal(t, []string{"late"}, ids)
}

func TestAPollerThatIsUpToDateHasItsCursorBack(t *testing.T) {
	w := newWorld(t)
	first := w.get("")
	require.Empty(t, first.Items())
	require.Equal(t, next(first), next(w.get("cursor="+next(first))))
	w.happens(of(events.Orders, "1"))
	a := w.get("cursor=" + next(first))
	require.Equal(t, []string{"1"}, a.Each("id"), "there at once in the one process")
	require.Equal(t, next(a), next(w.get("cursor="+next(a))))
	w.happens(of(events.Orders, "2"))
	require.Equal(t, []string{"2"}, w.get("cursor="+next(a)).Each("id"))
}

func TestAQuietPollerNeverExpires(t *testing.T) {
	w := newWorld(t)
	w.happens(of(events.Orders, "1"))
	_, cursor := w.follow("")
	for range 100 {
		w.Clock.Pass(24 * time.Hour)
		var ids []string
		ids, cursor = w.follow("cursor=" + cursor)
		require.Empty(t, ids)
	}
	w.happens(of(events.Orders, "2"))
	ids, _ := w.follow("cursor=" + cursor)
	require.Equal(t, []string{"2"}, ids)
}

func TestAPageGoesOnInTheMiddleOfAChange(t *testing.T) {
	w := newWorld(t)
	w.happens(of(events.Orders, "a", "b", "c", "d", "e"), of(events.URLs, "x"), of(events.Orders, "f"))
	for n := 1; n <= 8; n++ {
		ids, _ := w.follow(fmt.Sprintf("itemsPerPage=%d", n))
		require.Equal(t, []string{"a", "b", "c", "d", "e", "x", "f"}, ids)
		ids, _ = w.follow(fmt.Sprintf("types=orders&itemsPerPage=%d", n))
		require.Equal(t, []string{"a", "b", "c", "d", "e", "f"}, ids)
	}
}

func TestReadersOnAWSStopFiveSecondsBeforeNow(t *testing.T) {
	w := newWorld(t, onAWS)
	w.happens(of(events.Orders, "1"))
	cursor := next(w.get(""))
	require.Empty(t, w.get("cursor="+cursor).Items())
	w.Clock.Pass(5 * time.Second)
	require.Empty(t, w.get("cursor="+cursor).Items())
	w.Clock.Pass(time.Millisecond)
	require.Equal(t, []string{"1"}, w.get("cursor="+cursor).Each("id"))
	require.Empty(t, w.get("from="+w.Clock.Now().Format(time.RFC3339)).Items())

	w.Clock.Pass(55*time.Second - time.Millisecond) // midnight
	w.happens(of(events.Orders, "2"))
	w.Clock.Pass(3 * time.Second)
	ids, cursor := w.follow("cursor=" + cursor)
	require.Equal(t, []string{"1"}, ids)
	w.Clock.Pass(3 * time.Second)
	ids, _ = w.follow("cursor=" + cursor)
	require.Equal(t, []string{"2"}, ids)
}

func TestNothingIsSkippedAtMidnight(t *testing.T) {
	afterRead := func() {}
	w := newWorld(t, func(p *host.Parts) {
		p.Pipeline = storetest.Faulty{Table: p.Pipeline, Around: func(c storetest.Call, do func() error) error {
			err := do()
			if c.Query != nil {
				afterRead()
			}
			return err
		}}
	})
	w.happens(of(events.Orders, "1"))
	_, cursor := w.follow("")
	w.Clock.Pass(time.Minute + time.Millisecond)
	// The reader, a millisecond after midnight, finds nothing more of the old day. Then a row is committed that got its
	// time two milliseconds ago, and one of the new day.
	afterRead = func() {
		afterRead = func() {}
		w.Clock.Pass(-2 * time.Millisecond)
		w.happens(of(events.Orders, "2"))
		w.Clock.Pass(2 * time.Millisecond)
		w.happens(of(events.Orders, "3"))
	}
	ids, _ := w.follow("cursor=" + cursor)
	require.Equal(t, []string{"2", "3"}, ids)
}

func TestOneRequestIsOneCall(t *testing.T) {
	w := newWorld(t)
	for range 20 {
		w.happens(of(events.Orders, numbered(10)...))
	}
	_, cursor := w.follow("itemsPerPage=250")
	w.happens(of(events.Orders, "x"))
	w.Clock.Pass(6 * 24 * time.Hour) // days without a change
	for _, query := range []string{"itemsPerPage=100&from=2026-11-21", "cursor=" + cursor, "types=urls&from=2026-11-21",
		"", "types=urls", "from=2026-11-25"} {
		w.get(query)
		_, write := w.Meter().Units()
		require.Equal(t, 1, w.Meter().Calls()-1, "beside the counter: %s", query)
		require.InDelta(t, 1, write, 0, "the counter")
	}
}

func TestEveryWalkSeesEverythingInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		defer w.DB.Close()
		type follower struct {
			cursor string
			seen   []string
		}
		var model []string
		readers := []*follower{{}, {}, {}}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch rapid.IntRange(0, 2).Draw(rt, "what") {
			case 0:
				var batch [][]events.Record
				for range rapid.IntRange(1, 3).Draw(rt, "changes") {
					var ids []string
					for range rapid.IntRange(1, 4).Draw(rt, "records") {
						ids = append(ids, fmt.Sprintf("%04d", len(model)))
						model = append(model, ids[len(ids)-1])
					}
					batch = append(batch, of(events.Orders, ids...))
				}
				w.happens(batch...)
			case 1:
				w.Clock.Pass(time.Duration(rapid.SampledFrom([]int{1, 1000, 30_000, 61_000, 3_600_000, 86_400_000,
					3 * 86_400_000}).Draw(rt, "pass")) * time.Millisecond)
			default:
				r := rapid.SampledFrom(readers).Draw(rt, "reader")
				query := fmt.Sprintf("itemsPerPage=%d", rapid.IntRange(1, 5).Draw(rt, "size"))
				if r.cursor != "" {
					query += "&cursor=" + url.QueryEscape(r.cursor)
				}
				a := w.as("shop", query)
				if a.Status == 410 {
					return // thirty days have passed
				}
				r.seen, r.cursor = append(r.seen, a.Each("id")...), next(a)
				require.Equal(rt, r.seen, model[:len(r.seen)])
			}
		}
		for _, r := range readers {
			if r.cursor == "" || w.as("shop", "cursor="+url.QueryEscape(r.cursor)).Status == 410 {
				continue
			}
			rest, _ := w.follow("cursor=" + url.QueryEscape(r.cursor))
			require.Equal(rt, model, append(slices.Clone(r.seen), rest...))
		}
	})
}

// TestTheFeedIsCompleteUnderConcurrentWritersAndOverCrashes follows the feed while writers write to the main table and
// the batcher works behind it; the platform is stopped in the middle of what it does and started again.
func TestTheFeedIsCompleteUnderConcurrentWritersAndOverCrashes(t *testing.T) {
	w := newWorld(t)
	var seen []string
	cursor, written := "", 0
	for round := range 4 {
		ctx, crash := context.WithCancel(t.Context())
		var work, pump sync.WaitGroup
		pump.Go(func() { w.pump(ctx, round) })
		for writer := range 8 {
			work.Go(func() {
				for i := range 25 {
					w.write(t, fmt.Sprintf("%d-%d-%d", round, writer, i))
					w.Clock.Pass(time.Second) // over midnight in the first round
				}
			})
		}
		written += 8 * 25
		if cursor == "" {
			a := w.get("itemsPerPage=7")
			seen, cursor = a.Each("id"), next(a) // some may be there already
		}
		stop := make(chan struct{})
		var reading sync.WaitGroup
		reading.Go(func() {
			for {
				a := w.get("itemsPerPage=7&cursor=" + url.QueryEscape(cursor))
				seen, cursor = append(seen, a.Each("id")...), next(a)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
		work.Wait()
		close(stop)
		reading.Wait()
		crash() // some changes are handed over, some are not, some rows are written whose batch is not done
		pump.Wait()
		w.restart()
	}
	ctx, stop := context.WithCancel(t.Context())
	var pump sync.WaitGroup
	pump.Go(func() { w.pump(ctx, 0) })
	require.Eventually(t, func() bool {
		ids, next := w.follow("cursor=" + url.QueryEscape(cursor))
		seen, cursor = append(seen, ids...), next
		return len(distinct(seen)) == written
	}, 2*time.Minute, time.Millisecond)
	stop()
	pump.Wait()
	all, _ := w.follow("itemsPerPage=250")
	require.Len(t, distinct(all), written, "whoever reads from the beginning sees the same")
}

// pump hands the table's changes to the batcher; now and then a batch is not acknowledged though it was done, as in a
// crash.
func (w *world) pump(ctx context.Context, round int) {
	n := 0
	_ = w.DB.Feed("main").Follow(ctx, 10, func(ctx context.Context, changes []events.Change) error {
		done, err := w.handle(ctx, changes)
		if n++; err == nil && (n+round)%5 == 0 {
			return errors.New("crashed after the rows were written")
		}
		if err == nil && done < len(changes) {
			err = errors.New("not all")
		}
		return err
	})
}

func (w *world) write(t *testing.T, id string) {
	change := events.Change{Request: w.P.NewID(), Shop: "shop", At: w.Clock.Now().UnixMilli(),
		Records: of(events.Orders, id)}
	if _, err := w.P.Main.Write(t.Context(), change,
		store.Put(store.Item{Key: store.Key{PK: "X#" + id, SK: "A"}, Doc: []byte("{}")})); err != nil {
		t.Error(err)
	}
}

func distinct(ids []string) map[string]bool {
	all := map[string]bool{}
	for _, i := range ids {
		all[i] = true
	}
	return all
}

func FuzzQuery(f *testing.F) {
	w := newWorld(f)
	w.happens(of(events.Orders, "a", "b"), of(events.URLs, "c"))
	for _, q := range []string{"types=orders", "from=2026-11-21", "itemsPerPage=1",
		"cursor=" + next(w.get("itemsPerPage=1")), "types=%ff", "from=%00",
		"cursor=%zz", "types=orders,orders&from=2026-11-21T10:00:00%2B02:00"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		w.T = t
		a := w.as("shop", query)
		require.Contains(t, []int{200, 410, 422}, a.Status, a.Text)
	})
}

func TestAChangeIsThereAtOnceInTheOneProcess(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	var pump sync.WaitGroup
	pump.Go(func() { w.pump(ctx, 0) })
	for i := range 50 {
		id := fmt.Sprint("order-", i)
		w.write(t, id)
		require.Contains(t, w.get("types=orders&itemsPerPage=250").Each("id"), id)
	}
	stop()
	pump.Wait()
}

func TestAPageWhichIsFullWaitsForNoOne(t *testing.T) {
	w := newWorld(t)
	w.happens(of(events.Orders, "a"), of(events.Orders, "b"))
	w.write(t, "c") // and nobody follows
	began := time.Now()
	require.Equal(t, []string{"a", "b"}, w.get("itemsPerPage=2").Each("id"))
	require.Less(t, time.Since(began), store.LagWait)
}
