package canary

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"eshop/shared/addon"
	"eshop/shared/canary"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/host"
	"eshop/shared/manage"
	"eshop/shared/permission"
	"eshop/shared/problem"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// shop makes sure that the canary has a shop and a token. For another domain than that of the last run there is a new
// one, and so there is when the operator has deleted the old one.
func (v *visit) shop(ctx context.Context) (err error) {
	if v.platform == nil {
		if v.platform, err = host.SecretKey(ctx, v.Main, v.Secrets); err != nil {
			return err
		}
	}
	if v.own == nil {
		if v.own, err = canary.ReadOwn(ctx, v.Main, v.Secrets); err != nil {
			return err
		}
	}
	if v.own != nil && v.own.Domain == v.Canary {
		s, err := shop.Read(ctx, v.Main, v.own.Shop)
		switch {
		case err == nil && s.Closed():
			return fmt.Errorf("its shop %s is closed: restore it, or give the canary another domain", s.ID)
		case err == nil:
			return nil
		case !problem.Is(err, "not_found"):
			return err
		} // it was deleted: the canary makes another
	}
	v.own, err = v.makeShop(ctx)
	return err
}

// makeShop makes a shop, and a package with an access there, as the operator would by hand. All else the canary makes
// by the API with its token.
func (v *visit) makeShop(ctx context.Context) (*canary.Own, error) {
	operates := manage.Door{Platform: v.Platform}
	by := &change.Caller{}
	u := v.Unit()
	email := field.Email("canary@" + v.Canary)
	s, err := operates.Own(by).Create(ctx, u, shop.Fields{Name: "Canary", Domain: field.Domain(v.Canary),
		Locale: "cs_CZ", Currency: "CZK", Owner: shop.Owner{Email: email}})
	if err != nil {
		return nil, err
	}
	p, err := operates.Packages(by).Create(ctx, u, addon.PackageFields{Name: "Canary",
		Code: field.Code("canary-" + strings.ToLower(s.ID)),
		Permissions: field.Permissions{permission.ReadProducts, permission.WriteProducts, permission.ReadOrders,
			permission.WriteOrders}})
	if err != nil {
		return nil, err
	}
	u.Shop = s.ID
	a, err := v.Addons().Install(ctx, u, addon.NewAccess{Package: p.ID})
	if err != nil {
		return nil, err
	}
	own := &canary.Own{Domain: v.Canary, Shop: s.ID, Token: a.Token}
	return own, own.Save(ctx, v.Main, v.Secrets)
}

// makeProduct makes what the canary sells, and looks up where its orders go.
func (v *visit) makeProduct(ctx context.Context) error {
	if v.own.Product != "" {
		return nil
	}
	var states struct {
		Items []struct{ ID, Key string }
	}
	err := v.program().ask(ctx, http.StatusOK, "GET "+v.BaseURL+"/api-engine/order-states", nil, &states)
	if err != nil {
		return err
	}
	for _, s := range states.Items {
		if s.Key == sale.KeyCancelled {
			v.own.Cancelled = s.ID
		}
	}
	var made struct{ ID string }
	err = v.program().ask(ctx, http.StatusCreated, "POST "+v.BaseURL+products,
		fields{"code": "CANARY-" + v.NewID(), "name": productName,
			"priceLevels": []fields{{"level": "default", "price": "1.00"}}}, &made)
	if err != nil {
		return err
	}
	v.own.Product = made.ID
	return v.save(ctx)
}

// makeKey makes the signing key, which is shown once.
func (v *visit) makeKey(ctx context.Context) error {
	if v.own.Key != "" {
		return nil
	}
	var made struct{ Key string }
	err := v.program().ask(ctx, http.StatusCreated, "POST "+v.BaseURL+"/api-engine/webhook-signing-keys", nil, &made)
	if err != nil {
		return err
	}
	v.own.Key = made.Key
	return v.save(ctx)
}

// makeReceiver registers the receiver, and waits until it has answered its ping.
func (v *visit) makeReceiver(ctx context.Context) error {
	var made struct{ ID string }
	err := v.program().ask(ctx, http.StatusCreated, "POST "+v.BaseURL+receivers,
		fields{"url": v.address(), "events": []string{"productChange"}}, &made)
	if err != nil {
		return err
	}
	v.own.Receiver = made.ID
	if err := v.save(ctx); err != nil {
		return err
	}
	return v.enabled(ctx)
}

// save keeps what the canary has by now, so that no run makes anything a second time.
func (v *visit) save(ctx context.Context) error { return v.own.Save(ctx, v.Main, v.Secrets) }

// address is the receiver's.
func (v *visit) address() string { return canary.Address(v.BaseURL, v.platform) }
