package developer

import (
	"context"
	"encoding/json"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/host/manage"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/shop"
	"eshop/shared/webhook"
)

// SystemEvent is a system webhook of a package as its systemUrl is sent it.
type SystemEvent struct {
	ID      string          `json:"id" doc:"The webhook id"`
	Event   field.SentEvent `json:"event"`
	Shop    string          `json:"shopId"`
	Created field.Time      `json:"created"`
	Body    json.RawMessage `json:"body" doc:"The body as it is sent. The newest packageActivate of an access has an installCode for 15 minutes, another one each time it is read"`
}

// eventsOf is what the list of system events is asked by.
type eventsOf struct {
	manage.OfPackage
	api.CreatedList
}

// listSystemEvents lists the system webhooks of a package from the caller's test shops, so that an author whose server
// cannot be reached hears what it would have heard. Those of live shops are for systemUrl alone.
func (d door) listSystemEvents(c *api.Call, in *eventsOf) (*api.Collection[SystemEvent], error) {
	if _, err := d.Packages(c.Caller).Read(c, d.Main, "", in.Package); err != nil {
		return nil, err
	}
	own, err := d.ownShops(c)
	if err != nil {
		return nil, err
	}
	rows, _ := webhook.DeliveryList(d.Pipeline, in.Package, webhook.Wanted{}, d.Now())
	return api.Page(c, in.CreatedList, rows,
		func(ctx context.Context, found []store.Item) (all []record.Shown[SystemEvent], err error) {
			all = make([]record.Shown[SystemEvent], len(found))
			for i := range found {
				if all[i], err = d.systemEvent(ctx, &found[i], own); err != nil || all[i].Last {
					return all, err
				}
			}
			return all, nil
		})
}

// systemEvent is the system webhook of a delivery; missing when it is of a shop that is not in own, or kept no more.
// One that was given an install code is the last of its page, so that a GET writes one row at most.
func (d door) systemEvent(ctx context.Context, i *store.Item, own map[string]bool) (record.Shown[SystemEvent], error) {
	listed, there := webhook.ShowDelivery(i, d.Now())
	row := webhook.RowOf(i)
	if !there || !own[row.Shop] {
		return record.Shown[SystemEvent]{Missing: true}, nil
	}
	body, coded, err := d.sent(ctx, row)
	return record.Shown[SystemEvent]{At: listed.Created.Go(), Missing: body == nil, Last: coded,
		Record: SystemEvent{ID: listed.ID, Event: listed.Event, Shop: row.Shop, Created: listed.Created,
			Body: body}}, err
}

// sent is the body of a delivery as an attempt has it: nil when its data is gone. coded says whether it was given an
// install code. Only the newest activation of an access is, and for as long as the code of an attempt is good: a
// deactivation has ended the codes of those before it.
func (d door) sent(ctx context.Context, row webhook.Row) (body []byte, coded bool, err error) {
	body, err = webhook.ReadBody(ctx, d.Pipeline, row)
	if err != nil || body == nil || row.Event != events.PackageActivate ||
		d.Now().Sub(id.Time(row.ID)) >= addon.InstallCodeLife {
		return body, false, err
	}
	a, err := addon.Accesses.Read(ctx, d.Main, row.Shop, row.About)
	if problem.Is(err, "not_found") {
		return body, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if newest, err := a.ActivatedBy(ctx, d.Main, row.ID); err != nil || !newest {
		return body, false, err
	}
	code, err := addon.IssueInstallCode(ctx, d.Unit(), webhook.Activates(row))
	return webhook.WithInstallCode(body, code), true, err
}

// ownShops are the caller's test shops.
func (d door) ownShops(c *api.Call) (map[string]bool, error) {
	kind := d.Own(c.Caller)
	shops, _, err := record.Page(c, kind.Listing(d.Main, ""), record.Asked{Limit: shop.MaxTests},
		record.Load(d.Main, kind.Show))
	own := map[string]bool{}
	for _, s := range shops {
		own[s.ID] = true
	}
	return own, err
}
