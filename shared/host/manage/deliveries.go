package manage

import (
	"strings"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/record"
	"eshop/shared/webhook"
)

// ShopDelivery is a delivery to a receiver of a package's on some shop.
type ShopDelivery struct {
	Shop   string `json:"shopId"`
	Access string `json:"accessId"`
	webhook.Listed
	Latest *webhook.DeliveryAttempt `json:"lastAttempt,omitempty"`
}

// mostAccesses is how many accesses one page looks at. Each is asked for its own deliveries, in four partitions: there
// is no index of a package's deliveries, which every webhook would pay for.
const mostAccesses = 10

// listAllDeliveries lists the deliveries to the receivers of a package's accesses on all shops, access by access, each
// by `created`. A page may be short or empty and have a next one.
func (d Door) listAllDeliveries(c *api.Call, in *deliveriesOf) (*api.Collection[ShopDelivery], error) {
	at := cursorOf(c.Position())
	accesses, further, err := record.Page(c, addon.Installations(d.Main, in.Package),
		record.Asked{After: at.before, Limit: mostAccesses}, record.Load(d.Main, addon.Accesses.Show))
	if err != nil {
		return nil, err
	}
	out := &api.Collection[ShopDelivery]{Body: api.Items[ShopDelivery]{Items: []ShopDelivery{}}}
	asked := api.PageOf(in)
	for i, access := range accesses {
		asked.After = ""
		if access.ID == at.access {
			asked.After = at.delivery
		}
		rows, load := webhook.DeliveryList(d.Pipeline, access.ID, in.Wanted, d.Now())
		found, more, err := record.Page(c, rows, asked, load)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			out.Body.Items = append(out.Body.Items, shopDelivery(access, one))
		}
		if asked.Limit -= len(found); more != "" {
			out.GoOn(c, cursor{at.before, access.ID, more}.text())
			return out, nil
		}
		at.before = addon.InstalledAt(access)
		if asked.Limit == 0 && i < len(accesses)-1 {
			further = at.before
			break
		}
	}
	if further != "" {
		out.GoOn(c, cursor{before: further}.text())
	}
	return out, nil
}

// shopDelivery is a delivery of an access as the list of all shops shows it.
func shopDelivery(a addon.Access, one webhook.Listed) ShopDelivery {
	out := ShopDelivery{Shop: a.Shop, Access: a.ID, Listed: one}
	if one.Made > 0 {
		out.Latest = &one.Last
	}
	return out
}

// cursor is where the list of all shops goes on: behind the place of an access, and of the next one, if it is still
// this access, behind a delivery.
type cursor struct{ before, access, delivery string }

func (p cursor) text() string { return strings.Join([]string{p.before, p.access, p.delivery}, " ") }

// cursorOf reads a place; the beginning of "".
func cursorOf(text string) cursor {
	p := cursor{}
	if parts := strings.Split(text, " "); len(parts) == 3 {
		p = cursor{parts[0], parts[1], parts[2]}
	}
	return p
}
