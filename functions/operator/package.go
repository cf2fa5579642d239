package operator

import (
	"context"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/problem"
	"eshop/shared/signingkey"
	"eshop/shared/webhook"
)

// system is what webhooks make of the systemUrls of packages.
func (d door) system() addon.System {
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

// createSystemKey makes the key that signs the system webhooks to the package's systemUrl from now on; the key before
// it signs on beside it for a day, the one before that no more.
func (d door) createSystemKey(c *api.Call, in *OfPackage) (*api.Plain[signingkey.Record], error) {
	if _, err := addon.ReadPackage(c, d.Main, in.Package); err != nil {
		return nil, err
	}
	shown := func(k *signingkey.Record) *api.Plain[signingkey.Record] { return api.PlainOf(*k) }
	return api.Do(c, shown, func(u *change.Unit) (*signingkey.Record, error) {
		return signingkey.Rotate(c, u, d.Signing, in.Package)
	})
}

// readSystemWebhook shows what becomes of system webhooks: the state of the systemUrl and its last failure.
func (d door) readSystemWebhook(c *api.Call, in *OfPackage) (*api.Answer[webhook.ReceiverRecord], error) {
	f, err := webhook.Read(c, d.Main, webhook.SystemOwner(in.Package), in.Package)
	if err != nil {
		return nil, err
	}
	return d.shownReceiver(f), nil
}

func (d door) enableSystemWebhook(c *api.Call, in *OfPackage) (*api.Answer[webhook.ReceiverRecord], error) {
	return api.Do(c, d.shownReceiver, func(u *change.Unit) (*webhook.Found, error) {
		return webhook.Enable(c, u, d.Webhooks(), webhook.SystemOwner(in.Package), in.Package)
	})
}

func (d door) shownReceiver(f *webhook.Found) *api.Answer[webhook.ReceiverRecord] {
	return api.Of(f.Record(d.Now()), f.Version)
}

// listDeliveries is the log of system webhooks, which is in no access's (contract, section 5, "Who").
func (d door) listDeliveries(c *api.Call, in *deliveriesOf) (*api.Collection[webhook.Listed], error) {
	if _, err := addon.ReadPackage(c, d.Main, in.Package); err != nil {
		return nil, err
	}
	rows, load := webhook.DeliveryList(d.Pipeline, in.Package, in.Wanted, d.Now())
	return api.Page(c, in, rows, load)
}

func (d door) readDelivery(c *api.Call, in *deliveryOf) (*api.Plain[webhook.Delivery], error) {
	if _, err := addon.ReadPackage(c, d.Main, in.Package); err != nil {
		return nil, err
	}
	found, err := webhook.ReadDelivery(c, d.Pipeline, in.Package, in.Delivery, d.Now())
	if err != nil {
		return nil, err
	}
	return api.PlainOf(*found), nil
}
