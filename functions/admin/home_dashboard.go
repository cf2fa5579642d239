package admin

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/guard"
	"eshop/shared/catalog"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
	"eshop/shared/shop"
	"eshop/shared/webhook"
)

// dashboard registers the first page: what has come in, what is wrong, and where to do something about it.
func (d door) dashboard() {
	look(d, root, func(c *api.Call, v *visit, _ *nothing) (screen, error) { return d.showDashboard(c, v) })
}

// What the dashboard shows: the last day, and of its orders only so many.
const (
	lately      = 24 * time.Hour
	newestShown = 5
)

// overview is the dashboard. Its parts are orders, receivers, limits and orphans (contract, "Admin markup").
type overview struct {
	Fine      bool   // add-ons are active, and nothing is wrong
	Steps     []step // of a shop that is not ready
	Quiet     bool   // nothing is to be done
	Orders    []orderRow
	Count     string // of the orders; with a + where there are more than were counted
	Receivers []failing
	Limits    []highUser
	Unread    bool // the use of limits cannot be read now
	Orphans   []orphaned
	Orphaned  int64
	ToDo      toDo
}

type (
	// failing is a receiver that does not take all webhooks.
	failing struct {
		ID, URL, Package, Access string
		State                    webhook.ReceiverState
		Health                   shownState
		Why                      string
	}
	// highUser is an access near one of its limits.
	highUser struct {
		Access, Package string
		State           addon.AccessState
		Meters          []meter
	}
	// orphaned is an inactive package with codes that stay in the shop's pages.
	orphaned struct {
		Access, Package string
		State           addon.AccessState
		Count           string
	}
)

// showDashboard shows what is to be done, what has come in, and what is wrong. It reads in rounds: first which
// orders, accesses and receivers there are, then what is shown of them, and last, where there were orders, what is left
// of their products. The limits' use is read beside the second round; without it the page says that it could not be
// read.
func (d door) showDashboard(ctx context.Context, v *visit) (screen, error) {
	now := d.Now()
	var data overview
	var ids []string
	var more bool
	var hooks webhook.Hooks
	var open openOrders
	var first begun
	// The first round: which orders there were, which accesses and receivers there are, and what the shop begins with.
	err := guard.Beside(ctx, d.Near,
		func() (err error) {
			ids, more, err = sale.MadeSince(ctx, d.Main, v.shop.ID, now.Add(-lately))
			return
		},
		func() (err error) { hooks, err = webhook.ReadHooks(ctx, d.Main, v.shop.ID); return },
		func() error {
			// Not the menu: what it remembers may be older than the category.
			one := store.Query{Index: store.Index1, PK: catalog.CategoriesOf(v.shop.ID), Limit: 1}
			page, err := d.Main.Query(ctx, one)
			first.category = len(page.Items) > 0
			return err
		},
		func() (err error) { first.products, err = d.Search().Newest(ctx, v.shop.ID, lookedAt); return },
		func() (err error) { open, err = d.readOpenOrders(ctx, v.shop.ID); return })
	if err != nil {
		return screen{}, err
	}
	if data.Count = strconv.Itoa(len(ids)); more {
		data.Count += "+"
	}
	// The second round: what the page shows of them, in one call for all items of the main table.
	want := wanted{shop: v.shop.ID, orders: ids[:min(maxLately, len(ids))], shipped: open.shipped, hooks: hooks}
	var items map[store.Key]*store.Item
	var used []limit.Used
	err = guard.Beside(ctx, d.Near,
		func() (err error) { items, err = want.read(ctx, d.Main); return },
		func() error { used = d.usedToday(ctx, hooks.Accesses, now); return nil })
	if err != nil {
		return screen{}, err
	}
	data.Orders = v.orderLines(want, items, open.states)
	data.ToDo = v.toDo(open, ids, items, now)
	if data.ToDo.Short, err = d.readShort(ctx, v, orderedLately(want.shop, want.orders, items)); err != nil {
		return screen{}, err
	}
	v.troubles(&data, want, items, now)
	v.highUsers(&data, want, items, used, now)
	if data.Steps, err = v.steps(want, first, items); err != nil {
		return screen{}, err
	}
	data.Quiet = data.ToDo.Nothing() && len(data.Receivers) == 0
	// What could not be read is not fine, and neither is what does not run.
	runs := slices.ContainsFunc(hooks.Accesses, func(a addon.Access) bool { return a.State == addon.Active })
	data.Fine = len(data.Receivers)+len(data.Limits)+len(data.Orphans)+len(data.ToDo.Unanswered) == 0 &&
		!data.Unread && runs
	return screen{name: "dashboard", title: v.say("dashboard"), data: data}, nil
}

// wanted is what the second round reads.
type wanted struct {
	shop    string
	orders  []string // of the last day
	shipped []store.Key
	hooks   webhook.Hooks
}

// read reads the shop's face, the orders, among them those that are shipped, the package of each access, how many codes
// each inactive access has left, and the health of each receiver of the others.
func (w wanted) read(ctx context.Context, table store.Table) (map[store.Key]*store.Item, error) {
	keys := append(slices.Clone(w.shipped), shop.FaceKey(w.shop))
	for _, id := range w.orders {
		if key := sale.OrderKey(w.shop, id); !slices.Contains(w.shipped, key) {
			keys = append(keys, key)
		}
	}
	for _, a := range w.hooks.Accesses {
		keys = append(keys, addon.PackageKey(a.Package))
		if a.State != addon.Active {
			// An access that is not active gets no webhooks, so the health of its receivers says nothing.
			keys = append(keys, addon.CountKey(w.shop, a.Package))
			continue
		}
		for _, r := range w.hooks.Receivers[a.ID] {
			keys = append(keys, webhook.HealthKey(r.ID))
		}
	}
	// One item that cannot be read does not take the dashboard away: its part is left out.
	items, err := store.GetReadable(ctx, table, keys)
	if err != nil {
		return nil, err
	}
	found := make(map[store.Key]*store.Item, len(keys))
	for i, key := range keys {
		found[key] = items[i]
	}
	return found, nil
}

// packageOf is the name of an access's package; its id if the package cannot be read.
func packageOf(a addon.Access, items map[store.Key]*store.Item) string {
	if item := items[addon.PackageKey(a.Package)]; item != nil {
		if p, err := addon.PackageOf(item); err == nil {
			return string(p.Name)
		}
	}
	return a.Package
}

// usedToday is what each of the accesses was charged today; nil if that cannot be read.
func (d door) usedToday(ctx context.Context, accesses []addon.Access, now time.Time) []limit.Used {
	days := make([]limit.Day, len(accesses))
	for i, a := range accesses {
		days[i] = limit.Day{Access: a.ID, At: now}
	}
	return d.used(ctx, days)
}

// orderLines are the orders of the last day as the dashboard shows them. An order that is gone meanwhile is left out.
func (v *visit) orderLines(w wanted, items map[store.Key]*store.Item, states []sale.OrderState) (lines []orderRow) {
	for _, id := range w.orders[:min(newestShown, len(w.orders))] {
		if o, is := orderIn(items[sale.OrderKey(w.shop, id)]); is {
			lines = append(lines, v.orderRow(o, states))
		}
	}
	return lines
}

// troubles are the receivers that fail, the codes that are orphaned, the add-ons whose set-up waits for somebody, and
// those that have not answered their activation.
func (v *visit) troubles(data *overview, want wanted, items map[store.Key]*store.Item, now time.Time) {
	for _, access := range want.hooks.Accesses {
		if access.Setup == addon.SetupRequired {
			data.ToDo.Setups = append(data.ToDo.Setups, waitingSetup{access.ID, packageOf(access, items)})
		}
		if access.State != addon.Active {
			if n := addon.CodesCounted(items[addon.CountKey(want.shop, access.Package)]); n > 0 {
				data.Orphaned += n
				data.Orphans = append(data.Orphans, orphaned{access.ID, packageOf(access, items), access.State,
					v.lang.Number(n)})
			}
			continue
		}
		if access.Unanswered != 0 && now.Sub(access.Unanswered.Go()) >= answersWithin {
			data.ToDo.Unanswered = append(data.ToDo.Unanswered,
				silentAddon{access.ID, packageOf(access, items), v.moment(access.Unanswered)})
		}
		for _, r := range want.hooks.Receivers[access.ID] {
			h := webhook.HealthOf(items[webhook.HealthKey(r.ID)])
			level := h.Level(r, now)
			if level == webhook.HealthOK || level == webhook.HealthOff {
				continue
			}
			why := cmp.Or(v.failure(h.LastFailure), v.say("dashboard.whyUnknown"))
			data.Receivers = append(data.Receivers,
				failing{r.ID, r.URL, packageOf(access, items), access.ID, r.State, v.receiverHealth(level), why})
		}
	}
}

// highUsers are the accesses that have used more than highUse percent of one of their limits.
func (v *visit) highUsers(data *overview, w wanted, items map[store.Key]*store.Item, used []limit.Used, now time.Time) {
	// The loop below has nothing to go through then.
	data.Unread = used == nil
	for i, u := range used {
		a := w.hooks.Accesses[i]
		if !u.Above(highUse, a.Limits(), now) {
			continue
		}
		// Only the limits that are nearly used up are shown.
		near := slices.DeleteFunc(v.meters(u, a.Limits(), now), func(m meter) bool { return !m.High })
		data.Limits = append(data.Limits, highUser{a.ID, packageOf(a, items), a.State, near})
	}
}

// Path is where the receiver is shown.
func (f failing) Path() string { return accessesPath + "/" + f.Access + "/receivers" }
