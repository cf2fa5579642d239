package delivery_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/record"
	"eshop/shared/webhook"
)

// story is changes of all sorts: of one record and of several kinds, longer than a call, with notices, of two shops.
func story() (all []events.Change) {
	change := func(shop string, records ...events.Record) *events.Change {
		all = append(all, events.Change{Request: fmt.Sprintf("request%02d", len(all)), Shop: shop,
			At: start.UnixMilli() + int64(len(all)), Records: records})
		return &all[len(all)-1]
	}
	product := func(n int, did events.Did) events.Record {
		return events.Record{Kind: events.Products, ID: fmt.Sprint("p", n), Did: did,
			Variants: []string{fmt.Sprint("v", n)}, Groups: []events.Group{events.Stock}}
	}
	for i := range 6 {
		change("shop", customer(fmt.Sprint("c", i)))
		change("other", customer(fmt.Sprint("c", i)), product(i, events.Changed), product(i+100, events.Created),
			product(i+200, events.Deleted))
	}
	long := change("shop")
	for i := range 700 {
		long.Records = append(long.Records, product(i, events.Changed))
	}
	for range 2 {
		change("shop").Notices = []events.Notice{{Event: events.ShopOwnerChange,
			Data: json.RawMessage(`{"ownerEmail":"a@example.cz"}`)},
			{Event: events.ShopOwnerChange, Data: json.RawMessage(`{"ownerEmail":"b@example.cz"}`)}}
	}
	return all
}

// twoShops makes receivers of both shops, the same in each world.
func (w *world) twoShops(url string) (both []addon.Access) {
	w.put(addon.Package{Head: record.Head{ID: "package", Version: w.id()},
		PackageFields: addon.PackageFields{Permissions: permission.All}}.Item())
	for _, shop := range []string{"shop", "other"} {
		a := addon.Access{Head: record.Head{ID: "access-of-" + shop, Version: w.id()},
			Terms: addon.Terms{Shop: shop, Package: "package", State: addon.Active,
				AccessFields: addon.AccessFields{Permissions: permission.All}, APIVersion: "v"}}
		w.put(a.Item())
		for n, groups := range [][]events.Group{nil, {events.Stock}, {events.Prices}} {
			w.receiver(a, url, func(r *webhook.Receiver) { r.ID, r.Groups = fmt.Sprint(shop, n), groups })
		}
		both = append(both, a)
	}
	return both
}

// TestHoweverAStreamsBatchesAreCutDoubledAndShuffledTheCallsAreTheSame compares with each change by itself, once, in
// order.
func TestHoweverAStreamsBatchesAreCutDoubledAndShuffledTheCallsAreTheSame(t *testing.T) {
	t.Parallel()
	var want map[string]string
	for seed := range uint64(8) {
		lot := rand.New(rand.NewPCG(seed, 9))
		all := story()
		if seed > 0 {
			all = append(all, all[:lot.IntN(len(all))]...)
			lot.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		}
		w, s := newWorld(t), serve(t, nil)
		both := w.twoShops(s.URL)
		for len(all) > 0 {
			n := 1
			if seed > 0 {
				n += lot.IntN(len(all))
			}
			w.tell(all[:n]...)
			if lot.IntN(2) == 0 {
				w.run()
			}
			if lot.IntN(2) == 0 {
				w.tell(all[:n]...) // the whole batch again
			}
			all = all[n:]
		}
		w.run()
		got := map[string]string{}
		for _, h := range s.got() {
			id := h.Get("X-Webhook-Id")
			require.NotContains(t, got, id, "each call is made once")
			got[id] = h.event() + h.Get("X-Webhook-Changed") + string(h.body)
		}
		rows := slices.Concat(w.rows(both[0]), w.rows(both[1]))
		require.Len(t, got, len(rows))
		if want == nil {
			want = got
			require.Greater(t, len(want), 60)
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
}
