package admin

import (
	"html/template"

	"eshop/shared/api"
	"eshop/shared/sale"
)

// deliveryNotePage is the note that goes with an order's goods: what is in the parcel, and for whom. It has no prices,
// because whoever takes the parcel need not know them.
type deliveryNotePage struct {
	ID, Path      string // of the order
	State         shownState
	Shop, Website string
	Contact       template.HTML // as the shop's page has it; "": it has none
	Made          string
	Delivery      string
	Phone, Number string // Number is the shipment's
	To, Billing   []string
	Lines         []orderLine
}

// showDeliveryNote shows an order's delivery note: a page to print, for which the admin's frame is left out.
func (d door) showDeliveryNote(c *api.Call, v *visit, in *api.ByID) (screen, error) {
	order, err := sale.Orders.Read(c, d.Main, v.shop.ID, in.ID)
	if err != nil {
		return screen{}, err
	}
	_, face, err := d.readShop(c, v)
	if err != nil {
		return screen{}, err
	}
	contact, err := d.Texts.Lines(c, string(face.Contact))
	if err != nil {
		return screen{}, err
	}
	path := ordersPath + "/" + order.ID
	data := deliveryNotePage{ID: order.ID, Path: path, State: tagOf(nil, order.StateID), Shop: string(v.shop.Name),
		Website: v.website, Contact: contact, Made: v.moment(order.Created), Phone: string(order.Phone),
		Delivery: value(order.Shipping.Delivery), Number: value(order.Shipping.TrackingNumber),
		To: v.addressLines(order.DeliveryAddress), Billing: v.addressLines(order.BillingAddress)}
	// An order without an address of delivery goes to the one that the invoice goes to.
	if len(data.To) == 0 {
		data.To, data.Billing = data.Billing, nil
	}
	for _, l := range order.Items {
		data.Lines = append(data.Lines, orderLine{Name: l.FullName(), Code: string(l.Code), Note: string(l.Note),
			Quantity: v.lang.Number(l.Quantity)})
	}
	above := append(v.above("orders", ordersPath), v.above("order", path)...)
	above[1].Text += " " + order.Number
	title := v.say("order.deliveryNote") + " " + order.Number
	return screen{name: "delivery-note", title: title, above: above, data: data}, nil
}
