package manage

import (
	"context"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signingkey"
)

// system ties packages to the pipeline of webhooks, of which shared/addon knows nothing. It says how a systemUrl is
// checked, what is written with a package whose address changes, and how waiting deliveries then begin to go to the new
// address.
func (d Door) system() addon.System {
	return addon.System{
		Check: func(ctx context.Context, faults *problem.Faults, at string, address field.URL) {
			webhook.CheckURL(ctx, d.Callable(), faults, at, address)
		},
		Changed: webhook.SystemOps,
		Follow: func(ctx context.Context, was, now addon.Package, at time.Time) {
			webhook.BeginSystemDrain(ctx, d.Webhooks(), was, now, at)
		},
	}
}

// createSystemKey makes the key that signs the system webhooks to the package's systemUrl from now on. The key before
// it goes on signing beside it for 24 h, in X-Webhook-Signature-Previous; the key before that one ends at once
// (contract, "Signing keys").
func (d Door) createSystemKey(c *api.Call, in *OfPackage) (*api.Plain[signingkey.Record], error) {
	shown := func(k *signingkey.Record) *api.Plain[signingkey.Record] { return api.PlainOf(*k) }
	return api.Do(c, shown, func(u *change.Unit) (*signingkey.Record, error) {
		return signingkey.Rotate(c, u, d.Signing, in.Package)
	})
}

// readSystemWebhook shows how a package's systemUrl does, in the shape of a receiver: its state and its last failure.
// 404 when the package has no systemUrl.
func (d Door) readSystemWebhook(c *api.Call, in *OfPackage) (*api.Answer[webhook.ReceiverRecord], error) {
	f, err := webhook.Read(c, d.Main, webhook.SystemOwner(in.Package), in.Package)
	if err != nil {
		return nil, err
	}
	return d.shownReceiver(f), nil
}

// enableSystemWebhook closes the breaker of a systemUrl, and lets the deliveries go that are parked for it.
func (d Door) enableSystemWebhook(c *api.Call, in *OfPackage) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.shownReceiver, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Enable(c, u, d.Webhooks(), webhook.SystemOwner(in.Package), in.Package)
	})
}

// shownReceiver is the answer with a systemUrl's receiver as it is now, and its ETag.
func (d Door) shownReceiver(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return api.Of(f.Record(d.Now()), f.Version)
}

// listDeliveries lists the deliveries to a package's systemUrl, by `created`. They are in no access's own log, because
// they are the vendor's, of all shops (contract, "System webhooks").
func (d Door) listDeliveries(c *api.Call, in *deliveriesOf) (*api.Collection[webhook.Listed], error) {
	rows, load := webhook.DeliveryList(d.Pipeline, in.Package, in.Wanted, d.Now())
	return api.Page(c, in, rows, load)
}

// readDelivery shows one delivery to a package's systemUrl with its attempts.
func (d Door) readDelivery(c *api.Call, in *deliveryOf) (*api.Plain[webhook.Delivery], error) {
	found, err := webhook.ReadDelivery(c, d.Pipeline, in.Package, in.Delivery, d.Now())
	if err != nil {
		return nil, err
	}
	return api.PlainOf(*found), nil
}

// redeliver asks for one further attempt of a delivery to a package's systemUrl, as an access does for its own.
func (d Door) redeliver(c *api.Call, in *deliveryOf) (*api.Asked[webhook.Delivery], error) {
	delivery, err := webhook.Redeliver(c, c.Unit(), d.Webhooks(), in.Package, in.Delivery,
		c.Header("Idempotency-Key"), c.Admitted)
	if err != nil {
		return nil, err
	}
	return &api.Asked[webhook.Delivery]{Location: d.Path + "/packages/" + in.Package + "/webhook-deliveries/" +
		delivery.ID, Body: *delivery}, nil
}
