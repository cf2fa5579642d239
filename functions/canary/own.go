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

// shop makes sure that the canary has a shop and a token. It makes another shop when the domain is another, or when the
// operator has deleted the shop.
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
		case err == nil && v.own.Token == "": // the run that made the shop ended there
			return v.makeAccess(ctx)
		case err == nil:
			return nil
		case !problem.Is(err, "not_found"):
			return err
		} // it was deleted: the canary makes another
	}
	return v.makeShop(ctx)
}

// makeShop makes a shop with an access, as the operator would by hand. The shop is kept before anything else is made:
// a later run could not make it again, because it has the domain.
func (v *visit) makeShop(ctx context.Context) error {
	// No names are kept from it: the domain is kept for the canary.
	s, err := shop.Kind(shop.Names{}, v.Accesses.DropShop).Create(ctx, v.Unit(), shop.Fields{Name: "Canary",
		Domain: field.Domain(v.Canary), Locale: "cs_CZ", Currency: "CZK",
		Owner: shop.Owner{Email: field.Email("canary@" + v.Canary)}})
	if err != nil {
		return err
	}
	v.own = &canary.Own{Domain: v.Canary, Shop: s.ID}
	if err := v.save(ctx); err != nil {
		return err
	}
	return v.makeAccess(ctx)
}

// makeAccess makes a package and installs it on the shop. All else the canary makes by the API with the access's token.
// Where a run ended in between, its package is left, and this one is another.
func (v *visit) makeAccess(ctx context.Context) error {
	u := v.Unit()
	p, err := manage.Door{Platform: v.Platform}.Packages(&change.Caller{}).Create(ctx, u, addon.PackageFields{
		Name: "Canary", Code: field.Code("canary-" + strings.ToLower(u.NewID())),
		Permissions: field.Permissions{permission.ReadProducts, permission.WriteProducts, permission.ReadOrders,
			permission.WriteOrders}})
	if err != nil {
		return err
	}
	u.Shop = v.own.Shop
	a, err := v.Addons().Install(ctx, u, addon.NewAccess{Package: p.ID})
	if err != nil {
		return err
	}
	v.own.Token = a.Token
	return v.save(ctx)
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

// save keeps what the canary has by now. A run that ends between an answer and this makes the same once more.
func (v *visit) save(ctx context.Context) error { return v.own.Save(ctx, v.Main, v.Secrets) }

// address is the receiver's.
func (v *visit) address() string { return canary.Address(v.BaseURL, v.platform) }
