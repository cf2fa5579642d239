package configurator

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// ProductCode is the code of the product that the add-on sells: the shop has it in its catalog.
const ProductCode = "SMES-001"

// codeName is the name of the widget's custom code, by which it is found again.
const codeName = "Míchárna čajů"

// widgetHTML is the widget as it stands in the shop's pages. Its placeholders are the JSON of a config and the product.
//
//go:embed widget.html
var widgetHTML string

// config is what the widget is told. It is public.
type config struct {
	ProductID string `json:"productId"`
	Backend   string `json:"backend"` // where quotes are asked for
	Prices    Prices `json:"prices"`
}

// product is the add-on's in the shop.
type product struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// customCode is a custom code as the platform has it.
type customCode struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Code    string `json:"code"`
	Package string `json:"packageId"`
}

// ErrNoProduct says that the shop's catalog has no product of the add-on.
var ErrNoProduct = errors.New("the shop has no product " + ProductCode)

// Install puts the add-on into the shop, and returns its backend there. It can be called again: it then changes only
// what differs, the widget or its addresses. address is the backend's own, as browsers reach it; quotes are at /quotes
// below it.
func Install(ctx context.Context, p Platform, address string) (*Backend, error) {
	sold, err := p.product(ctx)
	if err != nil {
		return nil, err
	}
	widget, err := widget(config{sold.ID, address + "/quotes", List})
	if err != nil {
		return nil, err
	}
	code, err := p.putWidget(ctx, widget)
	if err != nil {
		return nil, err
	}
	if err := p.orderCleanup(ctx, code); err != nil {
		return nil, err
	}
	return newBackend(p, sold, address)
}

// product finds the add-on's product by its code.
func (p Platform) product(ctx context.Context) (product, error) {
	var list struct{ Items []product }
	err := p.call(ctx, http.MethodGet, "/api-engine/products?code="+url.QueryEscape(ProductCode), nil, &list)
	if err == nil && len(list.Items) == 0 {
		err = ErrNoProduct
	}
	if err != nil {
		return product{}, err
	}
	return list.Items[0], nil
}

// widget is the HTML of the widget with its config, and its product where the style needs that. JSON writes <, > and &
// as escapes, so it may stand in a script.
func widget(c config) (string, error) {
	b, err := json.Marshal(c)
	return strings.NewReplacer("{/* config */}", string(b), "/* product */", c.ProductID).Replace(widgetHTML), err
}

// putWidget makes the custom code, or brings it up to date. It never sets `active` of a code that is there: the
// merchant decides whether the code is on.
func (p Platform) putWidget(ctx context.Context, widget string) (customCode, error) {
	var list struct{ Items []customCode }
	if err := p.call(ctx, http.MethodGet, "/api-engine/custom-codes?itemsPerPage=250", nil, &list); err != nil {
		return customCode{}, err
	}
	for _, code := range list.Items {
		if code.Name != codeName {
			continue
		}
		if code.Code == widget {
			return code, nil
		}
		change := map[string]string{"code": widget}
		return code, p.call(ctx, http.MethodPatch, "/api-engine/custom-codes/"+code.ID, change, nil)
	}
	var made customCode
	code := map[string]string{"name": codeName, "position": "bodyEnd", "code": widget}
	return made, p.call(ctx, http.MethodPost, "/api-engine/custom-codes", code, &made)
}

// orderCleanup has the platform remove the widget when the package is deactivated. An order that stands already is 409,
// which is as good. So the next installation completes one that broke off before this step.
func (p Platform) orderCleanup(ctx context.Context, code customCode) error {
	order := map[string]string{"customCodeId": code.ID, "packageId": code.Package}
	err := p.call(ctx, http.MethodPost, "/api-engine/cleanup-orders", order, nil)
	if refused := (*Refusal)(nil); errors.As(err, &refused) && refused.Code == "cleanup_exists" {
		return nil
	}
	return err
}

// origin is the origin of an address, as browsers send it.
func origin(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("no address: %q", address)
	}
	return u.Scheme + "://" + u.Host, nil
}
