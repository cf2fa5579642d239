package deliveries_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

func TestADeliveryIsReadWithItsAttempts(t *testing.T) {
	w := open(t)
	one := w.row("receiver", events.ProductChange, attempted(500, 200), in(webhook.Delivered))
	require.Equal(t, object{"id": one, "receiverId": "receiver", "event": "productChange", "state": "delivered",
		"created": "2026-11-21T02:05:12.583Z",
		"body":    w.body(one),
		"attempts": []any{
			object{"number": 1., "at": "2026-11-21T02:05:12.583Z", "status": 500., "durationMs": 12., "answer": "ok",
				"error": "status 500"},
			object{"number": 2., "at": "2026-11-21T02:05:12.583Z", "status": 200., "durationMs": 12., "answer": "ok"},
		}}, w.do("GET", path+"/"+one).Is(200).Body)
	waiting := w.do("GET", path+"/"+w.row("receiver", events.ProductChange)).Is(200).Body
	require.Equal(t, "waiting", waiting["state"])
	require.Equal(t, []any{}, waiting["attempts"], "none yet")
	require.Equal(t, "2026-11-21T02:05:12.583Z", waiting["nextAttemptAt"])
	cancelled := w.do("GET", path+"/"+w.row("receiver", events.ProductChange, in(webhook.Cancelled))).Is(200).Body
	require.Equal(t, "unsubscribed", cancelled["reason"])
	require.NotContains(t, cancelled, "nextAttemptAt")
	w.As("other", "GET", path+"/"+one, nil).Is(404, "not_found")
	w.do("GET", path+"/"+acc).Is(404, "not_found")
	w.do("GET", path+"/x").Is(404, "not_found")
	w.Clock.Pass(webhook.Retention)
	w.do("GET", path+"/"+one).Is(404, "not_found")
	require.Empty(t, w.do("GET", path).Each("id"), "for thirty days")
}

func TestADeliveryShowsItsBodyAsItIsSent(t *testing.T) {
	w := open(t)
	long := func(i *store.Item) {
		at := webhook.ListKey("request", events.ProductChange, 0, nil)
		w.Put(w.P.Pipeline, store.Item{Key: at, Doc: []byte(`{"products":[]}`)})
		i.Doc, i.Text["list"] = []byte(`{"id":"`+i.SK+`","data":`), at.PK+" "+at.SK
	}
	one := w.row("receiver", events.ProductChange, long)
	require.Contains(t, w.do("GET", path+"/"+one).Is(200).Text, `"body":{"id":"`+one+`","data":{"products":[]}}`,
		"its data is shared")
	gone := func(i *store.Item) { i.Text["list"] = "BODY#none A" }
	require.NotContains(t, w.do("GET", path+"/"+w.row("receiver", events.ProductChange, gone)).Is(200).Body, "body",
		"that is no more")
	require.NotContains(t, w.do("GET", path).Body["items"].([]any)[0], "body", "lists leave it out")
}

func TestATestIsMarkedInTheLog(t *testing.T) {
	w := open(t)
	test := w.row("receiver", events.ProductChange, func(i *store.Item) { i.Num["test"] = 1 })
	require.Equal(t, true, w.do("GET", path+"/"+test).Is(200).Body["test"])
	require.Equal(t, true, w.do("GET", path).Body["items"].([]any)[0].(object)["test"])
	require.NotContains(t, w.do("GET", path+"/"+w.row("receiver", events.ProductChange)).Is(200).Body, "test",
		"only of tests")
}

func TestDeliveriesAreListedByCreatedOverAllPartitions(t *testing.T) {
	w := open(t)
	var all []string
	for range 60 {
		all = append(all, w.row("receiver", events.ProductChange, attempted(200)))
		w.Clock.Pass(time.Second)
	}
	got := w.do("GET", path+"?itemsPerPage=7").Is(200)
	require.NotContains(t, got.Body["items"].([]any)[0], "attempts", "lists leave them out")
	var pages []string
	for {
		pages = append(pages, got.Each("id")...)
		next, more := got.Body["nextCursor"].(string)
		if !more {
			break
		}
		got = w.do("GET", path+"?itemsPerPage=7&cursor="+next)
	}
	require.Equal(t, all, pages)
	slices.Reverse(all)
	require.Equal(t, all[:50], w.do("GET", path+"?order[created]=desc").Each("id"))
	require.Len(t, w.do("GET", path+"?created[after]=2026-11-21T02:05:20.583Z"+
		"&created[before]=2026-11-21T02:05:22.583Z").Each("id"), 3)
	require.Len(t, w.do("GET", path+"?created[strictly_after]=2026-11-21T02:05:20.583Z"+
		"&created[strictly_before]=2026-11-21T02:05:22.583Z").Each("id"), 1)
	require.Empty(t, w.As("other", "GET", path, nil).Each("id"))
}

func TestDeliveriesAreFiltered(t *testing.T) {
	w := open(t)
	a := w.row("one", events.ProductChange, in(webhook.Delivered), attempted(500, 200))
	b := w.row("one", events.OrderChange, in(webhook.Exhausted))
	c := w.row("two", events.Ping, in(webhook.Exhausted))
	again := w.row("two", events.OrderChange, func(i *store.Item) { i.Text["was"] = string(webhook.Delivered) })
	for query, want := range map[string][]string{
		"":                   {a, b, c, again},
		"?receiverId=one":    {a, b},
		"?receiverId=none":   {},
		"?event=ping":        {c},
		"?event=orderChange": {b, again},
		"?state=exhausted":   {b, c},
		"?state=delivered":   {a, again},
		"?state=waiting":     {},
		"?state=parked":      {},
		"?failed=true":       {a},
		"?failed=false":      {b, c, again},
		"?state=exhausted&receiverId=two&event=ping": {c},
	} {
		require.ElementsMatch(t, want, w.do("GET", path+query).Each("id"), query)
	}
	w.do("GET", path+"?state=lost").Is(422, "invalid")
	w.do("GET", path+"?event=orderCreate").Is(422, "invalid")
	w.do("GET", path+"?created[after]=x").Is(422, "invalid")
	w.do("GET", path+"?url=x").Is(422, "invalid")
}

func TestARedeliveryIsAttemptedNow(t *testing.T) {
	for _, state := range []webhook.DeliveryState{webhook.Waiting, webhook.Parked, webhook.Delivered,
		webhook.Exhausted} {
		t.Run(string(state), func(t *testing.T) {
			w := open(t)
			r := w.receiver()
			one := w.row(r.ID, events.ProductChange, in(state), attempted(500))
			w.Clock.Pass(time.Hour)
			got := w.do("POST", path+"/"+one+"/redeliver").Is(202)
			require.Equal(t, w.do("GET", path+"/"+one).Body, got.Body)
			require.Equal(t, path+"/"+one, got.Header.Get("Location"))
			want := webhook.Waiting
			if state == webhook.Delivered {
				want = webhook.Delivered
			}
			require.Equal(t, string(want), got.Body["state"])
			require.Equal(t, "2026-11-21T03:05:12.583Z", got.Body["nextAttemptAt"])
			require.Equal(t, []string{acc + " " + one + " " + r.ID + " retry"}, w.retry.sent)
			w.do("POST", path+"/"+one+"/redeliver").Is(202)
			items, err := w.P.Pipeline.Get(context.Background(), webhook.RowKey(acc, one))
			require.NoError(t, err)
			require.True(t, webhook.RowOf(items[0]).Asked)
		})
	}
}

func TestWhatCannotBeRedeliveredSaysWhy(t *testing.T) {
	w := open(t)
	off := func(r *webhook.Receiver) { r.Active = false }
	unproven := func(r *webhook.Receiver) { r.Verified, r.State = false, webhook.Unverified }
	failing := func(r *webhook.Receiver) { r.State = webhook.Failing }
	good, inactive, moved := w.receiver(failing).ID, w.receiver(off).ID, w.receiver(unproven).ID
	deaf := w.receiver(func(r *webhook.Receiver) { r.Events = []events.Name{events.OrderChange} }).ID
	for code, one := range map[string]string{
		"not_redeliverable":   w.row(good, events.Ping, in(webhook.Delivered)),
		"delivery_cancelled":  w.row(good, events.ProductChange, in(webhook.Cancelled)),
		"receiver_inactive":   w.row(inactive, events.ProductChange, in(webhook.Delivered)),
		"receiver_unverified": w.row(moved, events.ProductChange, in(webhook.Exhausted)),
	} {
		w.do("POST", path+"/"+one+"/redeliver").Is(409, code)
	}
	w.do("POST", path+"/"+w.row(deaf, events.ProductChange, in(webhook.Parked))+"/redeliver").
		Is(409, "not_redeliverable")
	test := w.row(good, events.ProductChange, in(webhook.Delivered), func(i *store.Item) { i.Num["test"] = 1 })
	w.do("POST", path+"/"+test+"/redeliver").Is(409, "not_redeliverable")
	w.do("POST", path+"/"+w.row("deleted", events.ProductChange, in(webhook.Delivered))+"/redeliver").
		Is(409, "receiver_inactive")
	w.do("POST", path+"/"+acc+"/redeliver").Is(404, "not_found")
	require.Empty(t, w.retry.sent)
	one := w.row(good, events.ProductChange, in(webhook.Delivered))
	w.As("other", "POST", path+"/"+one+"/redeliver", nil).Is(404, "not_found")
	w.do("POST", path+"/"+one+"/redeliver").Is(202)
}

func TestARedeliveryUnderOneKeyIsAskedForOnce(t *testing.T) {
	w := open(t)
	one := w.row(w.receiver().ID, events.ProductChange, in(webhook.Delivered), attempted(200))
	first := w.do("POST", path+"/"+one+"/redeliver", "Idempotency-Key", "k").Is(202)
	again := w.do("POST", path+"/"+one+"/redeliver", "Idempotency-Key", "k").Is(202)
	require.Equal(t, first.Text, again.Text)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Len(t, w.retry.sent, 1)
}

func TestARedeliveryWhoseBellIsLostWaitsForTheSweeper(t *testing.T) {
	w := open(t)
	w.retry.err = queue.ErrUnavailable
	one := w.row(w.receiver().ID, events.ProductChange, in(webhook.Delivered), attempted(200))
	w.do("POST", path+"/"+one+"/redeliver").Is(202)
	items, err := w.P.Pipeline.Get(context.Background(), webhook.RowKey(acc, one))
	require.NoError(t, err)
	require.NotEmpty(t, items[0].Index1.PK)
}

func TestDeliveriesStayWithinTheirBudgetsOfCalls(t *testing.T) {
	w := open(t)
	one := w.row(w.receiver().ID, events.ProductChange, in(webhook.Delivered))
	for _, c := range []struct {
		method, path string
		calls        int
	}{{"GET", "/" + one, 1}, {"GET", "", webhook.RowShards}, {"POST", "/" + one + "/redeliver", 3}} {
		a := w.do(c.method, path+c.path)
		require.Less(t, a.Status, 300, a.Text)
		require.LessOrEqual(t, w.Meter().Calls(), c.calls+1, fmt.Sprint(c.method, c.path, ": and the counter"))
	}
}
