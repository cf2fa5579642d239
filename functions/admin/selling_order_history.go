package admin

import (
	"cmp"
	"context"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/sale"
)

// orderHistory is the states that an order was in, with who brought it there. Names are read by one call behind the
// order, and none is made for an order that only its shopper has made: an order keeps ids, so that it shows the name
// that somebody has now, and none of somebody who is gone.
func (d door) orderHistory(
	ctx context.Context, v *visit, o sale.Order, states []sale.OrderState,
) ([]orderMove, error) {
	all := o.History()
	var by []events.Actor
	for _, m := range all {
		by = append(by, m.By)
	}
	names, err := d.actorNames(ctx, v, by)
	if err != nil {
		return nil, err
	}
	moves := make([]orderMove, len(all))
	for i, m := range all {
		moves[i] = orderMove{tagOf(states, m.State), v.moment(m.At), names[m.By]}
	}
	return moves, nil
}

// actorNames are the names of who acted.
func (d door) actorNames(ctx context.Context, v *visit, all []events.Actor) (map[events.Actor]string, error) {
	names := map[events.Actor]string{events.Shopper: v.say("order.byShopper")}
	var who []events.Actor
	var keys []store.Key
	for _, by := range all {
		if _, known := names[by]; known {
			continue
		}
		switch {
		case by.Person() != "":
			names[by] = v.say("order.byPerson")
			who, keys = append(who, by), append(keys, staff.Key(v.shop.ID, by.Person()))
		case by.Package() != "":
			names[by] = v.say("order.byAddon")
			who, keys = append(who, by), append(keys, addon.PackageKey(by.Package()))
		}
	}
	if len(keys) == 0 {
		return names, nil
	}
	items, err := store.GetReadable(ctx, d.Main, keys)
	if err != nil {
		return nil, err
	}
	for i, item := range items {
		if !record.Missing(item) {
			names[who[i]] = cmp.Or(v.actorName(who[i], item), names[who[i]])
		}
	}
	return names, nil
}

// actorName is the name of a person or an add-on by its item; "" of an item that cannot be read.
func (v *visit) actorName(who events.Actor, item *store.Item) string {
	if who.Person() != "" {
		a, err := staff.Admins.Decode(item)
		if err != nil {
			return ""
		}
		return string(a.Name)
	}
	p, err := addon.PackageOf(item)
	if err != nil {
		return ""
	}
	return v.say("order.addon") + " " + string(p.Name)
}
