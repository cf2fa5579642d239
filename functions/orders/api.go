// Package orders is the API of orders and order states (contract, "Orders" and "Order states"). What they are and how
// they are changed is shared/sale.
//
// api.go has the orders: they are made, moved to another state, and tracked, and are never deleted. A list and its
// filters are those of any record, so api.Records answers them; the rest is written out, because placing an order takes
// stock and uses coupons. states_api.go has the states, which are plain records.
//
// What a partner can count on: an order's lines are a snapshot, so a product that changes later changes no order.
// Making an order is one transaction: either its stock and its coupons are taken and it is there, or nothing has
// happened. Every change of an order moves `changed` and fires `orderChange`.
package orders

import (
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/record/change"
	"eshop/shared/sale"
	"eshop/shared/search"
)

// Function is the API of orders and order states.
var Function = host.Function{
	Name: "orders", Doc: "Orders and order states: read, list, make, move on, track.",
	HTTP: register, Needs: host.SearchingFrame, Timeout: 10 * time.Second, Memory: 512,
}

const path = "/api-engine/orders"

// register registers the operations on orders, and those on order states, which take the orders' permissions.
func register(p *host.Platform, a *api.API) {
	d := door{p}
	all := api.Records[sale.Order, sale.OrderFields]{Kind: sale.Orders, Search: search.For(search.Orders, p.Search)}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listOrders", Tag: "Orders", Needs: permission.ReadOrders,
		Query: all.Query(), Data: events.Orders,
		Summary: "List orders",
		Doc:     "Sorted by `changed`, then `id`; with `customerId` those of one customer."}, all.List)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createOrder", Tag: "Orders", Needs: permission.WriteOrders,
		Summary: "Create an order",
		Doc: "Makes an order as a checkout does, at the shop's prices: it takes stock and uses coupons, all or " +
			"nothing, and tells receivers by `orderChange`, and by `productChange` of its products. In the states " +
			"`cancelled` and `returned` it takes no stock. 409 `insufficient_stock` with `productId`, `variantId` " +
			"and `available`; 422 `coupon_invalid` with `reason`; 422 `state_deleted`. An order holds up to 300 KiB, " +
			"its lines' notes and names included; above that 422 with `too_big` at `body`."}, d.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readOrder", Tag: "Orders", Needs: permission.ReadOrders,
		Data: events.Orders, Summary: "Read an order"}, d.read)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{id}", ID: "changeOrder", Tag: "Orders",
		Needs: permission.WriteOrders, Reads: permission.ReadOrders, Apart: apart,
		Summary: "Move an order to another state, or change its note",
		Doc: "Tells receivers by `orderChange` when something changed. Moving an order to `cancelled` or `returned` " +
			"puts its stock back, once; no coupon's use comes back, and there is nothing to refund, since the " +
			"platform takes no payments. Lines never change: to cancel a part of an order, cancel all of it and " +
			"[make a new one](/docs/orders#createOrder) of what is left, at the prices of that moment. 409 " +
			"`state_final` out of a final state, 422 `state_deleted` into a deleted one."},
		d.change)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{id}/order-delivery-payment", ID: "changeTracking", Tag: "Orders",
		Needs: permission.WriteOrders, Reads: permission.ReadOrders,
		Summary: "Change an order's tracking number and link",
		Doc: "The shopper sees both with the order. Tells receivers by `orderChange` when something changed. " +
			"`ETag` and `If-Match` are the order's."}, d.track)
	api.AddData[sale.Order](a, api.Data{Kind: events.Orders, Key: sale.OrderKey, Path: path,
		ID: "Order", One: "an order", NeedsToRead: permission.ReadOrders, NeedsToWrite: permission.WriteOrders})
	registerStates(a)
}

// apart are the fields of an order that a PATCH does not take, though a POST does, and why.
var apart = map[string]string{"items": asOrdered, "email": asOrdered, "phone": asOrdered, "customerId": asOrdered,
	"billingAddress": asOrdered, "deliveryAddress": asOrdered, "discountCoupons": asOrdered,
	"orderDeliveryPayment": "change it at " + path + "/{id}/order-delivery-payment"}

const asOrdered = "it stays as it was ordered"

// door answers the operations on orders.
type door struct{ *host.Platform }

// orders are the commands on the orders of the caller's shop, whose prices are in the shop's currency.
func (d door) orders(c *api.Call) sale.Ordering { return d.Ordering(c.Currency) }

// answer is the answer with an order and its ETag.
func answer(o *sale.Order) *api.Answer[sale.Order] { return api.Of(*o, o.Version) }

// placed is answer with the address of the new order.
func placed(o *sale.Order) *api.Answer[sale.Order] { return answer(o).At(path + "/" + o.ID) }

// create places an order. The server takes names, prices, currency and number from the shop; a body that sends them is
// 422. Too little stock is 409 `insufficient_stock` with the product and what there is.
func (d door) create(c *api.Call, in *api.Create[sale.OrderNew]) (*api.Answer[sale.Order], error) {
	return api.Do(c, placed, func(u *change.Unit) (*sale.Order,
		error) {
		return d.orders(c).Place(c, u, in.Body)
	})
}

// read shows one order. 404 for an unknown one and for another shop's alike.
func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[sale.Order], error) {
	o, err := sale.Orders.Read(c, d.Main, c.Shop, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(&o), nil
}

// change moves an order to another state or changes its note. A move into `cancelled` or `returned` puts its stock
// back, once; no move leaves a final state.
func (d door) change(c *api.Call, in *api.Change[sale.OrderFields]) (*api.Answer[sale.Order], error) {
	merge := func(f sale.OrderFields) (sale.OrderFields, error) { return api.Apply(c, in.Body, f) }
	return api.Do(c, answer, func(u *change.Unit) (*sale.Order, error) {
		return d.orders(c).Change(c, u, in.ID, merge)
	})
}

// track changes an order's tracking number and link (contract, "Orders"). It answers orderDeliveryPayment alone, with
// the order's ETag: what moves is the order. Who may not read orders gets the order's id and changed instead.
func (d door) track(c *api.Call, in *api.Change[sale.OrderTracking]) (*api.Answer[sale.OrderShipping], error) {
	tracked := func(o *sale.Order) *api.Answer[sale.OrderShipping] {
		return api.Of(o.Shipping, o.Version).Brief(o.ID, o.Changed).About(o.CustomerID)
	}
	merge := func(t sale.OrderTracking) (sale.OrderTracking, error) { return api.Apply(c, in.Body, t) }
	return api.Do(c, tracked, func(u *change.Unit) (*sale.Order, error) {
		return d.orders(c).Track(c, u, in.ID, merge)
	})
}
