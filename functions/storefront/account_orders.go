package storefront

import (
	"context"
	"html/template"
	"net/http"

	"eshop/shared/api"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/frontend"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// ordersPath is where customers see what they have ordered.
const ordersPath = "/account/orders"

// registerOrders registers what customers see of their own orders. Nobody else's are there: 404.
func (d door) registerOrders(a *api.API) {
	const tag = "Storefront"
	api.Add(a, d.op(api.Op{Route: "GET " + ordersPath, ID: "listShopperOrders", Tag: tag,
		Summary: "List the orders of who is signed in",
		Doc:     "Newest first, ten in a page. 401 when nobody is signed in.",
		Refuses: []int{401}}, answers{page: door.ordersPage}), d.listOrders)
	api.Add(a, d.op(api.Op{Route: "GET " + ordersPath + "/{id}", ID: "readShopperOrder", Tag: tag,
		Summary: "Read an order of who is signed in",
		Doc:     "One order of the shopper; anybody else's is 404. 401 when nobody is signed in.",
		Refuses: []int{401}}, answers{page: door.ownOrderPage}), d.readOrder)
}

// ShopperOrder is an order as its customer sees it: as `orderSubmitted` tells it, and what has become of it.
type ShopperOrder struct {
	ID       string              `json:"id"`
	Number   string              `json:"number" example:"2026000123"`
	Created  field.Time          `json:"created"`
	State    string              `json:"state" doc:"The name of its state" example:"Nová"`
	Currency string              `json:"currency" example:"CZK"`
	Total    field.Money         `json:"total"`
	Discount field.Money         `json:"discount"`
	Coupons  []sale.BasketCoupon `json:"coupons"`
	Items    []ShopperOrderLine  `json:"items"`
	Shipping sale.OrderShipping  `json:"orderDeliveryPayment"`

	of       *sale.Order
	state    sale.OrderState          // the zero one if the shop has it no more
	comesHow template.HTML            // what the shop says of its delivery
	payHow   template.HTML            // what the shop says of paying it
	transfer *Transfer                // by which it is paid; nil: otherwise
	pictures map[string]catalog.Image // of its products, by their ids, once readPictures has read them
}

// ShopperOrderLine is what was sold, at the price of then.
type ShopperOrderLine struct {
	ProductID string      `json:"productId"`
	VariantID string      `json:"variantId,omitempty"`
	Code      field.Code  `json:"code"`
	Name      string      `json:"name" doc:"The name of the product, with that of its variant behind a dash" example:"Tričko – červené"`
	Quantity  int64       `json:"quantity"`
	UnitPrice field.Money `json:"unitPrice"`
}

// shopperOrder is the order for its customer.
func shopperOrder(o *sale.Order, states []sale.OrderState) ShopperOrder {
	state, _ := sale.FindState(states, o.StateID)
	shown := ShopperOrder{ID: o.ID, Number: o.Number, Created: o.Created, State: string(state.Name),
		Currency: o.Currency, Total: o.Totals.Total, Discount: o.Totals.Discount, Shipping: o.Shipping,
		Coupons: []sale.BasketCoupon{}, Items: []ShopperOrderLine{}, of: o, state: state}
	for _, c := range o.DiscountCoupons {
		shown.Coupons = append(shown.Coupons, sale.BasketCoupon{Code: c.Code, Discount: c.Discount})
	}
	for _, l := range o.Shown() {
		shown.Items = append(shown.Items, ShopperOrderLine{l.ProductID, l.VariantID, l.Code, l.Name, l.Quantity,
			l.UnitPrice})
	}
	return shown
}

// readPictures reads the pictures of the order's products as the shop shows them now. A product that is gone has none,
// and none has one while they cannot be read.
func (d door) readPictures(c *api.Call, o *ShopperOrder) {
	var products []string
	for _, l := range o.Items {
		products = append(products, l.ProductID)
	}
	heads, err := catalog.Heads(c, d.Main, visitOf(c).shop.ID, products)
	if err != nil {
		d.Log.WarnContext(c, "an order is shown without pictures", "requestId", c.RequestID, "error", err)
	}
	o.pictures = map[string]catalog.Image{}
	for _, h := range heads {
		if h != nil {
			o.pictures[h.ID] = h.FirstImage()
		}
	}
}

// states are the shop's order states.
func (d door) states(c *api.Call) ([]sale.OrderState, error) {
	shop := visitOf(c).shop.ID
	return d.States.Get(c, shop, func(ctx context.Context) ([]sale.OrderState, error) {
		return sale.AllStates(ctx, d.Main, shop)
	})
}

// orderList is the input of the list.
type orderList struct {
	Cursor string `query:"cursor" maxLength:"8192" doc:"The place where the page begins: nextCursor of the page before"`
}

// listOrders lists the orders of who is signed in. A page names the order behind which it begins itself, as `after`.
func (d door) listOrders(c *api.Call, _ *orderList) (*api.Collection[ShopperOrder], error) {
	v, err := d.mustBeSigned(c)
	if err != nil {
		return nil, err
	}
	after := c.Position()
	if c.WantsPage() {
		after = c.HTTP().URL.Query().Get("after")
	}
	orders, next, err := sale.OrdersBy(c, d.Main, v.shop.ID, v.customer.ID, after)
	if err != nil {
		return nil, err
	}
	states, err := d.states(c)
	if err != nil {
		return nil, err
	}
	list := &api.Collection[ShopperOrder]{}
	list.Body.Items = []ShopperOrder{}
	for i := range orders {
		list.Body.Items = append(list.Body.Items, shopperOrder(&orders[i], states))
	}
	if next != "" {
		list.GoOn(c, next)
	}
	return list, nil
}

// readOrder reads an order of who is signed in, and how the shop says it is paid.
func (d door) readOrder(c *api.Call, in *api.ByID) (*api.Plain[ShopperOrder], error) {
	v, err := d.mustBeSigned(c)
	if err != nil {
		return nil, err
	}
	if !id.Valid(in.ID) {
		return nil, problem.NotFound()
	}
	items, err := d.Main.Get(c, sale.OrderKey(v.shop.ID, in.ID), shop.FaceKey(v.shop.ID))
	if err != nil {
		return nil, err
	}
	if record.Missing(items[0]) {
		return nil, problem.NotFound()
	}
	order, err := sale.Orders.Decode(items[0])
	if err != nil {
		return nil, err
	}
	if order.CustomerID != v.customer.ID {
		return nil, problem.NotFound()
	}
	face, err := shop.FaceOf(items[1], v.shop.Locale)
	if err != nil {
		return nil, err
	}
	states, err := d.states(c)
	if err != nil {
		return nil, err
	}
	shown := shopperOrder(&order, states)
	if c.WantsPage() {
		d.readPictures(c, &shown)
		err = d.readWays(c, &shown, face.Ways)
	}
	return api.PlainOf(shown), err
}

// ordersPage lists the orders. A visitor who is not signed in is led to sign in first, and then back here.
func (d door) ordersPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	return d.ownPage(c, v, func(view Setting) content {
		list := outcome.Body.(*api.Items[ShopperOrder])
		return view.orders(list.Items, list.NextCursor != "", c.HTTP().URL.Query().Has("after"))
	})
}

// ownOrderPage shows one order, for as long as the customer has an account.
func (d door) ownOrderPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	return d.ownPage(c, v, func(view Setting) content {
		return view.ownOrder(outcome.Body.(*ShopperOrder))
	})
}

// ownPage is a page of who is signed in, which show makes. A visitor who is not is led to sign in first, and then back.
func (d door) ownPage(c *api.Call, v *visit, show func(Setting) content) (response, error) {
	if err := d.readVisitor(c, v); err != nil {
		return response{}, err
	}
	if v.customer == nil {
		return to(http.StatusSeeOther, "/account/sign-in?to="+v.path), nil
	}
	return response{page: show(d.view(v, frontend.Page{Type: frontend.Account}))}, nil
}
