package batcher

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/id"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/queue/memory"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
	"eshop/shared/webhook/changefeed"
)

var moment = time.Date(2026, 11, 21, 23, 59, 59, 583e6, time.UTC)

func newPlatform(t *testing.T, now func() time.Time) *host.Platform {
	return hosttest.Open(t, hosttest.Setup{Start: moment,
		Platform: func(p *host.Parts) { p.Now, p.Traits = now, host.OneProcess }}).P
}

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func put(t *testing.T, p *host.Platform, items ...store.Item) {
	t.Helper()
	for _, i := range items {
		_, err := p.Main.Write(t.Context(), events.Nothing, store.Put(i))
		require.NoError(t, err)
	}
}

func changed(id string) events.Record {
	return events.Record{Kind: events.Customers, ID: id, Did: events.Created, Version: "v" + id}
}

// feedOf is what the change feed has of a shop.
func feedOf(t *testing.T, p *host.Platform, shop string) (changes []events.Change) {
	t.Helper()
	rows, _, err := changefeed.Reader{Rows: p.Pipeline, Now: p.Now, Alone: true}.Read(t.Context(), shop,
		"", false, 1000)
	require.NoError(t, err)
	for i := range rows {
		c, err := changefeed.ChangeOf(&rows[i])
		require.NoError(t, err)
		changes = append(changes, c)
	}
	return changes
}

func TestEveryChangeOfRecordsIsInTheFeedOfItsShop(t *testing.T) {
	for name, oneProcess := range map[string]bool{"on AWS": false, "in the one process": true} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, at(moment))
			p.Traits = hosttest.Traits(oneProcess)
			var all []events.Change
			for i := range 250 {
				all = append(all, events.Change{Request: fmt.Sprint("r", i), ClientRequest: "caller", Shop: "a",
					At: moment.UnixMilli(), Records: []events.Record{changed(fmt.Sprint(i))}})
			}
			all = append(all,
				events.Change{Request: "r", Shop: "b",
					Records: []events.Record{{Kind: events.URLs, ID: "u", Did: events.Deleted}}},
				events.Change{Request: "r", Shop: "a",
					Notices: []events.Notice{{Event: events.ShopOwnerChange, Data: json.RawMessage(`{}`)}}})
			done, err := newBatcher(p).handle(t.Context(), all)
			require.NoError(t, err)
			require.Equal(t, 252, done)
			feed := feedOf(t, p, "a")
			require.Len(t, feed, 250)
			if oneProcess {
				require.Equal(t, all[:250], feed, "in their order")
			} else {
				require.ElementsMatch(t, all[:250], feed)
			}
			require.Len(t, feedOf(t, p, "b"), 1)
		})
	}
}

func TestAShopIsReadOnceForABatch(t *testing.T) {
	p := newPlatform(t, at(moment))
	b := newBatcher(p)
	var all []events.Change
	for i := range 20 {
		all = append(all, events.Change{Request: fmt.Sprint("r", i), Shop: fmt.Sprint("s", i%2), At: moment.UnixMilli(),
			Records: []events.Record{changed("x")}})
	}
	for n := range 2 {
		a := addon.Access{Head: record.Head{ID: fmt.Sprint("a", n), Version: "01M7XXKEG7ZVFRE0EM6N6D5N1T"},
			Terms: addon.Terms{Shop: fmt.Sprint("s", n), Package: "p", State: addon.Active,
				AccessFields: addon.AccessFields{
					Permissions: []permission.Permission{permission.ReadCustomers}}}}
		r := webhook.Receiver{ID: fmt.Sprint("rcv", n), Shop: a.Shop, Access: a.ID, Events: events.Names, Active: true,
			State: webhook.Enabled, Verified: true, Proven: true, Version: a.Version}
		put(t, p, a.Item(), r.Item())
	}
	put(t, p, addon.Package{Head: record.Head{ID: "p", Version: "01M7XXKEG7ZVFRE0EM6N6D5N1T"},
		PackageFields: addon.PackageFields{Permissions: permission.All}}.Item())
	ctx, meter := store.WithMeter(t.Context())
	done, err := b.handle(ctx, all)
	require.NoError(t, err)
	require.Equal(t, 20, done)
	require.Equal(t, 2+1+20+1+1, meter.Calls(),
		"two shops, packages and health together, the rows, the feed's rows at once, after its end once")
}

func TestAShopThatCannotBeReadHoldsUpItsOwnChangesOnly(t *testing.T) {
	p := newPlatform(t, at(moment))
	put(t, p, store.Item{Key: addon.Key("bad", "a"), Doc: []byte("not JSON")})
	change := func(shop string) events.Change {
		return events.Change{Request: rand.Text(), Shop: shop, At: moment.UnixMilli(),
			Records: []events.Record{changed("x")}}
	}
	done, err := newBatcher(p).handle(t.Context(),
		[]events.Change{change("good"), change("good"), change("bad"), change("good")})
	require.Error(t, err)
	require.Equal(t, 2, done)
}

func TestSuspectReceiversBellsGoToTheRetryQueue(t *testing.T) {
	p := newPlatform(t, at(moment))
	a := addon.Access{Head: record.Head{ID: "a", Version: "01M7XXKEG7ZVFRE0EM6N6D5N1T"},
		Terms: addon.Terms{Shop: "s", Package: "p", State: addon.Active}}
	r := webhook.Receiver{ID: "r", Shop: "s", Access: "a", Events: events.Names, Active: true, State: webhook.Enabled,
		Verified: true, Proven: true, Version: a.Version}
	put(t, p, a.Item(), r.Item(), store.Item{Key: webhook.HealthKey("r"), Num: map[string]int64{"failures": 3}})
	tell := func() (fresh, retry int) {
		_, err := newBatcher(p).handle(t.Context(),
			[]events.Change{{Request: rand.Text(), Shop: "s", At: moment.UnixMilli(),
				Notices: []events.Notice{{Event: events.ShopOwnerChange, Data: json.RawMessage(`{}`)}}}})
		require.NoError(t, err)
		fresh, _, _ = p.Fresh.(*memory.Queue).Depth()
		retry, _, _ = p.Retry.(*memory.Queue).Depth()
		return fresh, retry
	}
	fresh, retry := tell()
	require.Equal(t, []int{0, 1}, []int{fresh, retry})
	put(t, p, store.Item{Key: webhook.HealthKey("r"), Num: map[string]int64{"failures": 0}})
	fresh, retry = tell()
	require.Equal(t, []int{1, 1}, []int{fresh, retry})
}

// TestWhatIsStoredDecidesWhoRingsForIt hands a change over again whose delivery was written and then forgotten, because
// the answer to the write was lost or the process ended, while its receiver has come into another state.
func TestWhatIsStoredDecidesWhoRingsForIt(t *testing.T) {
	p := newPlatform(t, at(moment))
	p.Traits = host.Traits{}
	a := addon.Access{Head: record.Head{ID: "a", Version: "01M7XXKEG7ZVFRE0EM6N6D5N1T"},
		Terms: addon.Terms{Shop: "s", Package: "p", State: addon.Active}}
	r := webhook.Receiver{ID: "r", Shop: "s", Access: "a", Events: events.Names, Active: true, State: webhook.Enabled,
		Verified: true, Proven: true, Version: a.Version, Since: field.At(moment)}
	put(t, p, a.Item())
	change := func(request string) events.Change {
		return events.Change{Request: request, Shop: "s", At: moment.UnixMilli(),
			Notices: []events.Notice{{Event: events.ShopOwnerChange, Data: json.RawMessage(`{}`)}}}
	}
	tell := func(request string, state webhook.ReceiverState) (bells int) {
		r.State = state
		put(t, p, r.Item())
		_, err := newBatcher(p).handle(t.Context(),
			[]events.Change{change(request + "0"), change(request + "1"), change(request + "2")})
		require.NoError(t, err)
		rung, err := p.Fresh.(*memory.Queue).Receive(t.Context(), 10, 0)
		require.NoError(t, err)
		require.NoError(t, p.Fresh.(*memory.Queue).Delete(t.Context(), rung...))
		return len(rung)
	}
	steps := func() int {
		ready, delayed, lent := p.Retry.(*memory.Queue).Depth()
		return ready + delayed + lent
	}
	require.Equal(t, 3, tell("01M7XXKEG7ZVFRE0EM6N6D5N1", webhook.Enabled))
	require.Equal(t, 3, tell("01M7XXKEG7ZVFRE0EM6N6D5N1", webhook.Failing), "they wait, and no drain looks at them")

	require.Zero(t, tell("01M7XXKEG7ZVFRE0EM6N6D5N2", webhook.Failing))
	require.Zero(t, steps())
	require.Zero(t, tell("01M7XXKEG7ZVFRE0EM6N6D5N2", webhook.Enabled))
	require.Equal(t, 1, steps(), "they are parked, and the drain that began with the receiver's state may have ended")

	p.Main = hosttest.Poisoned{Table: p.Main, Key: webhook.DrainKey("r"), Poison: hosttest.PanicsOnRead}
	again := change("01M7XXKEG7ZVFRE0EM6N6D5N20")
	others := again
	others.Shop = "t"
	done, err := newBatcher(p).handle(t.Context(), []events.Change{others, again, others})
	require.True(t, store.Poisoned(err), "%v", err)
	require.Equal(t, 1, done, "what is wrong with a drain is no other change's fault")
}

// TestADeliveryWhoseWriteWasNotAnsweredIsRungForThoughItsReceiverIsSwitchedOff loses the answers to two of three
// writes, one of which was not done, and switches the receivers off before the change comes again.
func TestADeliveryWhoseWriteWasNotAnsweredIsRungForThoughItsReceiverIsSwitchedOff(t *testing.T) {
	p := newPlatform(t, at(moment))
	p.Traits = host.Traits{}
	a := addon.Access{Head: record.Head{ID: "a", Version: "01M7XXKEG7ZVFRE0EM6N6D5N1T"},
		Terms: addon.Terms{Shop: "s", Package: "p", State: addon.Active}}
	put(t, p, a.Item())
	receivers := func(active bool) {
		for _, id := range []string{"answered", "done", "lost"} {
			put(t, p, webhook.Receiver{ID: id, Shop: "s", Access: "a", Events: events.Names, Active: active,
				State: webhook.Enabled, Verified: true, Proven: true, Version: a.Version}.Item())
		}
	}
	rung := func() (receivers []string) {
		got, err := p.Fresh.(*memory.Queue).Receive(t.Context(), 10, 0)
		require.NoError(t, err)
		require.NoError(t, p.Fresh.(*memory.Queue).Delete(t.Context(), got...))
		for _, m := range got {
			b, _ := webhook.ParseBell(m.Body)
			receivers = append(receivers, b.Receiver)
		}
		return receivers
	}
	change := []events.Change{{Request: "r", Shop: "s", At: moment.UnixMilli(),
		Notices: []events.Notice{{Event: events.ShopOwnerChange, Data: json.RawMessage(`{}`)}}}}
	rows := p.Pipeline
	p.Pipeline = unanswering{rows}
	receivers(true)
	ctx, meter := store.WithMeter(t.Context())
	done, err := newBatcher(p).handle(ctx, change)
	require.ErrorIs(t, err, store.ErrUnavailable)
	require.Zero(t, done)
	require.ElementsMatch(t, []string{"answered", "done"}, rung())
	require.Equal(t, 2+2+1, meter.Calls(), "who listens, the writes that came to the table, and one read of two rows")

	receivers(false)
	p.Pipeline = rows
	done, err = newBatcher(p).handle(t.Context(), change)
	require.NoError(t, err)
	require.Equal(t, 1, done)
	require.Empty(t, rung(), "nobody listens any more")

	receivers(true)
	change[0].Request = "another"
	ctx, meter = store.WithMeter(t.Context())
	_, err = newBatcher(p).handle(ctx, change)
	require.NoError(t, err)
	require.Equal(t, 2+3, meter.Calls(), "rows are read back only where an answer was lost")
}

// unanswering is a table that loses the answers to writes of deliveries: to the receiver "done" after the write, to the
// receiver "lost" before it.
type unanswering struct{ store.Table }

func (u unanswering) Write(ctx context.Context, c events.Change, ops ...store.Op) (i store.Item, err error) {
	to := ops[0].Item.Text["receiver"]
	if to != "lost" {
		i, err = u.Table.Write(ctx, c, ops...)
	}
	if to == "lost" || to == "done" {
		return store.Item{}, store.ErrUnavailable
	}
	return i, err
}

func TestTwoNoticesOfOneRequestAreTwoCalls(t *testing.T) {
	l := &listener{Standing: webhook.Standing{Receiver: &webhook.Receiver{ID: "r"},
		Access: &addon.Access{Head: record.Head{ID: "a"}, Terms: addon.Terms{State: addon.Active}}}}
	ping := func(receiver string) events.Notice { return events.Notice{Event: events.Ping, Receiver: receiver} }
	calls := noticesTo(l, []events.Notice{ping("r"), ping("other"), ping("r")})
	require.Len(t, calls, 2)
	require.Equal(t, []int{0, 1}, []int{calls[0].Chunk, calls[1].Chunk})

	test := func(e events.Name) events.Notice { return events.Notice{Event: e, Receiver: "r", Test: true} }
	calls = noticesTo(l, []events.Notice{test(events.OrderChange), test(events.CustomerChange),
		test(events.OrderChange)})
	require.Len(t, calls, 3)
	require.Equal(t, []int{0, 0, 1}, []int{calls[0].Chunk, calls[1].Chunk, calls[2].Chunk}, "of each event by itself")
}

func TestLongListsAreKeptOnceForAllReceiversWithTheSameGroups(t *testing.T) {
	c := events.Change{Request: "r", Shop: "s", At: moment.UnixMilli()}
	for i := range 100 {
		c.Records = append(c.Records, events.Record{Kind: events.Customers, ID: fmt.Sprintf("%026d", i),
			Did: events.Changed, Groups: []events.Group{events.Contact}})
	}
	keys := map[store.Key]int{}
	for _, groups := range [][]events.Group{nil, nil, {events.Contact}} {
		call := c.Calls(events.CustomerChange, groups)[0]
		row, list := webhook.NewRow(c, call,
			webhook.Addressee{Access: "a", Receiver: fmt.Sprint(len(keys)), Groups: groups}, moment)
		require.NotNil(t, list)
		require.Less(t, len(row.Doc), 300)
		require.Equal(t, list.Key, webhook.RowOf(&row).List)
		require.Greater(t, list.Expires, row.Expires)
		keys[list.Key]++
	}
	require.Len(t, keys, 2)
}

func TestAPanicAtOneChangeIsNobodyElses(t *testing.T) {
	p := newPlatform(t, at(moment))
	later := moment.Add(time.Hour)
	p.Pipeline = storetest.Faulty{Table: p.Pipeline, Around: func(c storetest.Call, do func() error) error {
		if c.Ops != nil && strings.HasPrefix(c.Ops[0].Key.SK, id.Stamp(later)) &&
			strings.HasPrefix(c.Ops[0].Key.PK, "D#") {
			panic("what nobody foresaw")
		}
		return do()
	}}
	a := addon.Access{Head: record.Head{ID: "a", Version: "01M7XXKEG7ZVFRE0EM6N6D5N1T"},
		Terms: addon.Terms{Shop: "s", Package: "p", State: addon.Active}}
	put(t, p, a.Item())
	for n := range 2 {
		put(t, p, webhook.Receiver{ID: fmt.Sprint("r", n), Shop: "s", Access: "a", Events: events.Names, Active: true,
			State:    webhook.Enabled,
			Verified: true, Proven: true, Version: a.Version}.Item())
	}
	change := func(at time.Time) events.Change {
		return events.Change{Request: rand.Text(), Shop: "s", At: at.UnixMilli(),
			Notices: []events.Notice{{Event: events.ShopOwnerChange, Data: json.RawMessage(`{}`)}}}
	}
	done, err := newBatcher(p).handle(t.Context(), []events.Change{change(moment), change(later), change(moment)})
	require.ErrorContains(t, err, "panic")
	require.Equal(t, 1, done)
}

// TestAShopOfWhichSomethingIsPoisonedHoldsUpItsOwnChangesOnly poisons what the batcher reads of a shop, one after the
// other: an access, a receiver, a package and a receiver's health.
func TestAShopOfWhichSomethingIsPoisonedHoldsUpItsOwnChangesOnly(t *testing.T) {
	const version = "01M7XXKEG7ZVFRE0EM6N6D5N1T"
	change := func(shop string) events.Change {
		return events.Change{Request: rand.Text(), Shop: shop, At: moment.UnixMilli(),
			Records: []events.Record{changed("x")}}
	}
	for name, of := range map[string]func(addon.Access, webhook.Receiver) store.Key{
		"its access":   func(a addon.Access, _ webhook.Receiver) store.Key { return a.Item().Key },
		"its receiver": func(_ addon.Access, r webhook.Receiver) store.Key { return r.Item().Key },
		"its package": func(a addon.Access,
			_ webhook.Receiver) store.Key {
			return addon.PackageKey(a.Package)
		},
		"a receiver's health": func(_ addon.Access, r webhook.Receiver) store.Key { return webhook.HealthKey(r.ID) },
	} {
		for _, poison := range []hosttest.Poison{hosttest.Unreadable, hosttest.PanicsOnRead} {
			for _, oneProcess := range []bool{true, false} {
				t.Run(fmt.Sprint(name, " ", poison, ", in one process ", oneProcess), func(t *testing.T) {
					p := newPlatform(t, at(moment))
					p.Traits = hosttest.Traits(oneProcess)
					var bad store.Key
					for _, shop := range []string{"good", "ill"} {
						a := addon.Access{Head: record.Head{ID: "a" + shop, Version: version},
							Terms: addon.Terms{Shop: shop, Package: "p" + shop, State: addon.Active,
								AccessFields: addon.AccessFields{
									Permissions: []permission.Permission{permission.ReadCustomers}}}}
						r := webhook.Receiver{ID: "r" + shop, Shop: shop, Access: a.ID, Events: events.Names,
							Active: true,
							State:  webhook.Enabled, Verified: true, Proven: true, Version: version}
						put(t, p, a.Item(), r.Item(), store.Item{Key: webhook.HealthKey(r.ID)},
							addon.Package{Head: record.Head{ID: a.Package, Version: version},
								PackageFields: addon.PackageFields{Permissions: permission.All}}.Item())
						bad = of(a, r)
					}
					p.Main = hosttest.Poisoned{Table: p.Main, Key: bad, Poison: poison}
					done, err := newBatcher(p).handle(t.Context(),
						[]events.Change{change("good"), change("good"), change("ill"), change("good")})
					require.True(t, store.Poisoned(err), "%v", err)
					require.Equal(t, 2, done)
					rung, err := p.Fresh.(*memory.Queue).Receive(t.Context(), 10, 0)
					require.NoError(t, err)
					require.Len(t, rung, 3, "for what is written of changes behind it, too")
				})
			}
		}
	}
}

func TestNothingWaitsForItsTurnLongerThanItsBatchMayTake(t *testing.T) {
	p := newPlatform(t, at(moment))
	p.Traits = host.Traits{}
	b := newBatcher(p)
	for range cap(b.writes) { // writes that do not end
		_, err := b.turn(t.Context())
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done, err := b.handle(ctx, []events.Change{{Request: "r", Shop: "a", At: moment.UnixMilli(),
		Records: []events.Record{{Kind: events.URLs, ID: "u", Did: events.Deleted}}}}) // of which nobody is told
	require.Zero(t, done)
	require.ErrorIs(t, err, context.Canceled)
}
