package operator

import (
	"context"
	"slices"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/limit"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/shop"
	"eshop/shared/store"
)

// Access as answers show it; Token only once, in the answer that makes it.
type Access struct {
	ID          string            `json:"id"`
	Shop        string            `json:"shopId"`
	Package     string            `json:"packageId"`
	State       addon.State       `json:"state" enum:"installed,active,deactivated"`
	Permissions field.Permissions `json:"permissions"`
	Hourly      int64             `json:"hourlyLimit"`
	Daily       int64             `json:"dailyLimit"`
	Token       string            `json:"token,omitempty"`
	Created     field.Time        `json:"created"`
	Changed     field.Time        `json:"changed"`
}

func showAccess(a addon.Access) Access {
	l := a.Limits()
	return Access{ID: a.ID, Shop: a.Shop, Package: a.Package, State: a.State, Permissions: a.Permissions,
		Hourly: l.Hourly, Daily: l.Daily,
		Token: a.Token, Created: a.Created, Changed: a.Changed}
}

func answerAccess(a addon.Access) *api.Answer[Access] { return api.Of(showAccess(a), a.Version) }

func (d door) listAccesses(c *api.Call, in *accessesOf) (*api.Collection[Access], error) {
	if _, err := shop.Read(c, d.Main, in.Shop); err != nil {
		return nil, err
	}
	return api.Page(c, in.List, addon.Accesses.Listing(d.Main, in.Shop),
		record.Load(d.Main, func(item *store.Item) (Access, time.Time, bool, error) {
			a, at, there, err := addon.Accesses.Show(item)
			return showAccess(a), at, there, err
		}))
}

// Use is an access with what it was charged of its limits so far.
type Use struct {
	Access
	Hour int64 `json:"usedThisHour"`
	Day  int64 `json:"usedToday"`
}

// listUses lists the accesses of a shop or of a package, with what they use.
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
		return Use{Access: showAccess(a)}, at, there && (in.Package == "" || a.Package == in.Package), err
	})
	return api.Page(c, in.List, from, func(ctx context.Context, rows []store.Item) ([]record.Shown[Use], error) {
		all, err := load(ctx, rows)
		if err != nil {
			return nil, err
		}
		return all, d.charged(ctx, all)
	})
}

// charged adds what accesses were charged in this hour and on this day.
func (d door) charged(ctx context.Context, all []record.Shown[Use]) error {
	now := d.Now()
	for some := range slices.Chunk(all, 100) { // what one call takes
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

func (d door) readAccess(c *api.Call, in *OfAccess) (*api.Answer[Access], error) {
	a, err := addon.Accesses.Read(c, d.Main, in.Shop, in.Access)
	if err != nil {
		return nil, err
	}
	return answerAccess(a), nil
}

func (d door) createAccess(c *api.Call, in *newAccess) (*api.Answer[Access], error) {
	made := func(a addon.Access) *api.Answer[Access] {
		return answerAccess(a).At(shopsPath + "/" + a.Shop + "/accesses/" + a.ID)
	}
	return api.Do(c, made, func(u *change.Unit) (addon.Access, error) {
		return d.Addons().Install(c, in.of(u), in.Body)
	})
}

func (d door) changeAccess(c *api.Call, in *changeAccess) (*api.Answer[Access], error) {
	return api.Do(c, answerAccess, func(u *change.Unit) (addon.Access, error) {
		return d.Addons().ChangeAccess(c, in.of(u), in.Access,
			func(was addon.AccessFields) (addon.AccessFields, error) {
				return api.Apply(c, in.Body, was)
			})
	})
}

func (d door) activate(c *api.Call, in *OfAccess) (*api.Answer[Access], error) {
	return api.Do(c, answerAccess, func(u *change.Unit) (addon.Access, error) {
		return d.Addons().Activate(c, in.of(u), in.Access)
	})
}

func (d door) deactivate(c *api.Call, in *OfAccess) (*api.Answer[Access], error) {
	return api.Do(c, answerAccess, func(u *change.Unit) (addon.Access, error) {
		return d.Addons().Deactivate(c, in.of(u), in.Access)
	})
}

// Instructions of a package, as its vendor wrote them.
type Instructions struct {
	Instructions field.Text `json:"instructions"`
}

func (d door) openInstructions(c *api.Call, in *OfAccess) (*api.Plain[Instructions], error) {
	shown := func(o addon.OpenedInstructions) *api.Plain[Instructions] {
		return api.PlainOf(Instructions{o.Package.Instructions})
	}
	return api.Do(c, shown, func(u *change.Unit) (addon.OpenedInstructions, error) {
		return d.Addons().OpenInstructions(c, in.of(u), in.Access)
	})
}
