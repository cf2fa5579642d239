package admin

import (
	"cmp"
	"context"

	"eshop/events"
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
	names, _, err := d.actorNames(ctx, v, by, nil)
	if err != nil {
		return nil, err
	}
	moves := make([]orderMove, len(all))
	for i, m := range all {
		moves[i] = orderMove{tagOf(states, m.State), v.moment(m.At), names[m.By]}
	}
	return moves, nil
}

// actorNames are the names of who acted, and by the same call those of the records with these pages.
func (d door) actorNames(
	ctx context.Context, v *visit, all []events.Actor, pages []string,
) (names map[events.Actor]string, records map[string]string, err error) {
	pageOf := func(by events.Actor) string {
		if by.Person() != "" {
			return adminsPath + "/" + by.Person()
		}
		return addonsPath + "/" + by.Package()
	}
	for _, by := range all {
		if by.Person()+by.Package() != "" {
			pages = append(pages, pageOf(by))
		}
	}
	records, err = d.recordNames(ctx, v, pages)
	names = map[events.Actor]string{events.Shopper: v.say("order.byShopper")}
	for _, by := range all {
		name := records[pageOf(by)]
		switch {
		case by.Person() != "":
			person := by.Person() // the end of the id tells those apart whose names are gone
			names[by] = cmp.Or(name, v.say("order.byPerson")+" (…"+person[max(0, len(person)-4):]+")")
		case by.Package() != "" && name == "":
			names[by] = v.say("order.byAddon")
		case by.Package() != "":
			names[by] = v.say("order.addon") + " " + name
		}
	}
	return names, records, err
}
