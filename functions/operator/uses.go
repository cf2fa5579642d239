package operator

import (
	"context"
	"slices"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host/manage"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// usesOf is what the list of uses is asked by.
type usesOf struct {
	api.List
	Shop    string `query:"shopId" maxLength:"64" doc:"Of this shop"`
	Package string `query:"packageId" maxLength:"64" doc:"Of this package, on all shops"`
}

// registerUses registers the list of accesses across shops with what they have used.
func (d door) registerUses(a *api.API) {
	api.Add(a, api.Op{Route: "GET /operator/accesses", ID: "listUses", Tag: "Operator",
		Summary: "List the accesses of a shop or a package, with their use of today",
		Doc: "By `packageId`, `shopId` or both. `usedThisHour` and `usedToday` are what was charged of " +
			"`hourlyLimit` and `dailyLimit` so far."}, d.listUses)
}

// Use is an access with what it has spent of its limits: Hour since the full hour, Day since midnight, both UTC.
type Use struct {
	manage.Access
	Hour int64 `json:"usedThisHour"`
	Day  int64 `json:"usedToday"`
}

// listUses lists accesses with what they have used. The query names a shop, a package, or both: no index lists the
// accesses of all shops.
func (d door) listUses(c *api.Call, in *usesOf) (*api.Collection[Use], error) {
	from := addon.Accesses.Listing(d.Main, in.Shop)
	switch {
	case in.Shop == "" && in.Package == "":
		return nil, problem.Invalid(problem.Fault{Location: "query.packageId", Code: problem.Required,
			Message: "or `shopId` is required"})
	case in.Shop == "":
		from = addon.Installations(d.Main, in.Package)
	}
	load := record.Load(d.Main, func(item *store.Item) (Use, time.Time, bool, error) {
		a, at, there, err := addon.Accesses.Show(item)
		return Use{Access: manage.ShowAccess(a)}, at, there && (in.Package == "" || a.Package == in.Package), err
	})
	return api.Page(c, in.List, from, func(ctx context.Context, rows []store.Item) ([]record.Shown[Use], error) {
		all, err := load(ctx, rows)
		if err != nil {
			return nil, err
		}
		return all, d.charged(ctx, all)
	})
}

// charged fills in what the accesses of a page were charged in this hour and on this day. It asks the counters in calls
// of 100, the most that one call takes: a page of 250 accesses makes three.
func (d door) charged(ctx context.Context, all []record.Shown[Use]) error {
	now := d.Now()
	for some := range slices.Chunk(all, 100) {
		days := make([]limit.Day, len(some))
		for i, a := range some {
			days[i] = limit.Day{Access: a.Record.ID, At: now}
		}
		used, err := d.Counters.Used(ctx, days...)
		if err != nil {
			return err
		}
		for i, u := range used {
			some[i].Record.Hour, some[i].Record.Day = u.Hours[now.UTC().Hour()], u.Total
		}
	}
	return nil
}
