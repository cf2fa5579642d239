package admin

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/page"
	"eshop/shared/record/field"
	"eshop/shared/sale"
	"eshop/shared/search"
)

// ordersPath is where the orders are.
const ordersPath = root + "/orders"

// allOrders are the collection as the API has it.
func (d door) allOrders() api.Records[sale.Order, sale.OrderFields] {
	return api.Records[sale.Order, sale.OrderFields]{Kind: sale.Orders, Search: search.For(search.Orders, d.Search)}
}

// orders registers the orders: their list; one of them; …/{id}/state, which takes `stateId`; …/{id}/note, which takes
// `note`; …/{id}/shipment, which takes `trackingNumber` and `trackingLink`. Beside them …/{id}/ship takes the fields of
// state and shipment at once, …/{id}/delivery-note is a page to print, and ordersPath/state moves several orders
// (selling_bulk.go), and selling_new_order.go makes one. None is deleted.
func (d door) orders() {
	lookAt(d, ordersPath, d.allOrders().Query(), d.listOrders)
	d.newOrders()
	lookForm(d, ordersPath+"/{id}", d.orderScreen)
	look(d, ordersPath+"/{id}/delivery-note", d.showDeliveryNote)
	act(d, ordersPath+"/state", d.moveOrders, nil)
	act(d, ordersPath+"/{id}/state", d.moveOrder, d.orderScreen)
	act(d, ordersPath+"/{id}/note", d.noteOrder, d.orderScreen)
	act(d, ordersPath+"/{id}/shipment", d.trackOrder, d.orderScreen)
	act(d, ordersPath+"/{id}/ship", d.shipOrder, d.orderScreen)
}

// tagOf is the order state of an id. A state that does not exist any more shows its id.
func tagOf(all []sale.OrderState, id string) shownState {
	s, _ := sale.FindState(all, id)
	return shownState{Mark: cmp.Or(s.Key, id), Name: cmp.Or(string(s.Name), id), Color: s.Color.Shown()}
}

// orderList is the list, of one customer where that was asked for.
type orderList struct {
	list
	Customer string // the address of the customer; "": the orders are everybody's
	Tabs     []stateTab
	Bulk     []page.Option // the states that several orders can be moved to
	New      string        // the address of the form of a new one, for the customer
	Here     string        // the address of the list, to which a change of several orders leads back
}

// stateTab is the list narrowed to a state, or not.
type stateTab struct {
	page.Link
	State shownState
}

// orderRow is an order in a list.
type orderRow struct {
	ID, Number, Name, Delivery, Total, Made, Select string
	State                                           shownState
}

// listOrders shows the newest first, unless another order is asked for.
func (d door) listOrders(c *api.Call, v *visit, in *api.List) (screen, error) {
	in.Order = cmp.Or(in.Order, "desc")
	found, err := d.allOrders().List(c, in)
	if err != nil {
		return screen{}, err
	}
	states, err := sale.AllStates(c, d.Main, v.shop.ID)
	if err != nil {
		return screen{}, err
	}
	query := c.Asked()
	data := orderList{Tabs: v.stateTabs(query, states), New: newOrderPath, Here: c.HTTP().URL.RequestURI()}
	data.list = listed(v, listOf{query, ordersPath, v.filters(query, "q", "number", "changed[after]",
		"changed[before]")}, found.Body, func(o sale.Order) orderRow { return v.orderRow(o, states) })
	// The state has tabs, and nobody types a customer's id: a search stays within both.
	for _, name := range []string{"stateId", "customerId"} {
		if value := query.Get(name); value != "" {
			data.Kept = append(data.Kept, page.Option{Text: name, Value: value})
		}
	}
	if id := query.Get("customerId"); id != "" {
		data.Customer = customersPath + "/" + url.PathEscape(id)
		data.New += "?" + url.Values{"customerId": {id}}.Encode()
	}
	data.Bulk = v.stateOptions(sale.LiveStates(states))
	return screen{name: "orders", title: v.say("orders"), data: data}, nil
}

// orderRow is an order in a list.
func (v *visit) orderRow(o sale.Order, states []sale.OrderState) orderRow {
	return orderRow{ID: o.ID, Number: o.Number, Name: nameOf(o), Total: v.lang.Money(o.Totals.Total, o.Currency),
		Made: v.moment(o.Created), Select: v.say("order.select") + " " + o.Number,
		Delivery: value(o.Shipping.Delivery), State: tagOf(states, o.StateID)}
}

// stateTabs are the list of all orders, and that of each state by position, within what else the list is narrowed to.
// A deleted state has a tab only while its list is shown. How many orders a state has they do not say: that would be a
// call for each.
func (v *visit) stateTabs(q url.Values, states []sale.OrderState) []stateTab {
	current := q.Get("stateId")
	tab := func(id string, tag shownState) stateTab {
		to := cloned(q)
		to.Set("stateId", id)
		if id == "" {
			to.Del("stateId")
		}
		path := without(ordersPath, to)
		return stateTab{page.Link{Text: tag.Name, Path: path, Current: id == current}, tag}
	}
	tabs := []stateTab{tab("", shownState{Name: v.say("order.all")})}
	live := sale.LiveStates(states)
	for _, s := range live {
		tabs = append(tabs, tab(s.ID, tagOf(states, s.ID)))
	}
	if _, is := sale.FindState(live, current); !is && current != "" {
		tabs = append(tabs, tab(current, tagOf(states, current)))
	}
	return tabs
}

// nameOf is who has ordered, as people know them: the company, else the name, else the e-mail.
func nameOf(o sale.Order) string {
	for _, a := range []*sale.OrderAddress{o.BillingAddress, o.DeliveryAddress} {
		if a != nil {
			return cmp.Or(string(a.Company), strings.TrimSpace(string(a.FirstName)+" "+string(a.LastName)))
		}
	}
	return string(o.Email)
}

// orderPage is the page of an order. Texts are in the visitor's language, money is in the order's own currency.
type orderPage struct {
	page.Form
	ID, Name               string // Name is "order 2026000123": what is said of it
	State                  shownState
	Final                  bool // it stays in its state
	Sent                   bool // it is on its way, or has arrived
	Made                   string
	Email, Phone, Customer string
	Delivery, Payment      string
	Said                   string // the note
	Number, Link           string // of the shipment
	Lines                  []orderLine
	Items, Discount, Total string // Discount is "" of an order without one
	Coupons                []orderCoupon
	Billing, To            []string // lines of addresses
	History                []orderMove
	Ship                   []page.Field // nil of an order that was shipped, or cannot be
	Move, Note, Shipment   orderForm
}

// orderForm is a form that is folded until somebody needs it.
type orderForm struct {
	Fields []page.Field
	Open   bool
}

// orderLine is what was ordered.
type orderLine struct {
	ProductID, Name, Code, Note string
	Quantity, Price, Total      string
	Quoted                      bool
	Images                      []orderImage
}

// orderImage is one of a line's price quote; Text says which one.
type orderImage struct{ URL, Text string }

// orderCoupon is what a discount code took off.
type orderCoupon struct{ ID, Code, Off string }

// orderMove is a state that the order was in, since when, and who brought it there; "" where nobody knows.
type orderMove struct {
	State  shownState
	At, By string
}

// orderScreen is the page of an order: its lines with the notes and images of price quotes, its totals, the history of
// its states, and the forms to move it, to note something and to track its shipment.
func (d door) orderScreen(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	order, err := sale.Orders.Read(c, d.Main, v.shop.ID, c.PathValue("id"))
	if err != nil {
		return screen{}, err
	}
	states, err := sale.AllStates(c, d.Main, v.shop.ID)
	if err != nil {
		return screen{}, err
	}
	money := func(m field.Money) string { return v.lang.Money(m, order.Currency) }
	state, _ := sale.FindState(states, order.StateID)
	data := orderPage{ID: order.ID, Name: v.orderName(order), State: tagOf(states, order.StateID), Final: state.Final,
		Sent: state.Sent(states), Made: v.moment(order.Created), Email: string(order.Email), Phone: string(order.Phone),
		Customer: order.CustomerID, Said: string(order.Note), Delivery: value(order.Shipping.Delivery),
		Payment: value(order.Shipping.Payment), Number: value(order.Shipping.TrackingNumber),
		Link: value(order.Shipping.TrackingLink), Items: money(order.Totals.Items), Total: money(order.Totals.Total),
		Billing: v.addressLines(order.BillingAddress), To: v.addressLines(order.DeliveryAddress)}
	for _, coupon := range order.DiscountCoupons {
		// Only with a coupon is there a discount to show.
		data.Discount = money(-order.Totals.Discount)
		data.Coupons = append(data.Coupons, orderCoupon{coupon.ID, string(coupon.Code), money(-coupon.Discount)})
	}
	for _, l := range order.Items {
		data.Lines = append(data.Lines, v.orderLine(l, money))
	}
	if data.History, err = d.orderHistory(c, v, order, states); err != nil {
		return screen{}, err
	}
	v.orderForms(&data, order, states, sent)
	title := v.say("order") + " " + order.Number
	return screen{name: "order", title: title, above: v.above("orders", ordersPath), data: data}, nil
}

// orderName is what is said of an order: "order 2026000123".
func (v *visit) orderName(o sale.Order) string { return v.say("order.named") + " " + o.Number }

// orderForms fills the page's forms. The form that was refused shows what was sent; the others show what the order has.
// A form is unfolded if it was sent, or is what comes next.
func (v *visit) orderForms(data *orderPage, order sale.Order, states []sale.OrderState, refused page.Sent) {
	stored := url.Values{"note": {string(order.Note)}, "trackingNumber": {data.Number}, "trackingLink": {data.Link}}
	of := v.path[strings.LastIndex(v.path, "/")+1:]
	form := func(name string) *page.Filler {
		sent := page.Sent{Values: maps.Clone(stored), Shown: maps.Clone(stored)}
		if name == of {
			maps.Copy(sent.Values, refused.Values)
			maps.Copy(sent.Shown, refused.Shown)
			refused.Values, refused.Shown = sent.Values, sent.Shown
			sent = refused
		}
		return v.filler(sent).Within(name)
	}
	ship, move, note, shipment := form("ship"), form("state"), form("note"), form("shipment")
	if to, can := shipsTo(order, states); can {
		f := ship.Field("stateId", "off", page.Must)
		f.Label, f.Value = v.say("order.shipTo"), cmp.Or(f.Value, to)
		f.Shown = nil // it is sent as it is preselected, too
		forward := slices.DeleteFunc(statesTo(order, states), sale.OrderState.Returns)
		data.Ship = append(trackingFields(ship, v), f.OneOf(v.stateOptions(forward)...))
	}
	to := move.Field("stateId", "off", page.Must)
	to.Label = v.say("order.moveTo")
	// The first choice is no state, which a required field does not take: nothing is moved by accident.
	choices := v.stateOptions(statesTo(order, states), page.Option{Text: v.say("order.chooseState")})
	data.Move = orderForm{[]page.Field{to.OneOf(choices...).Hinted(v.say("order.moveIs"))},
		of == "state" || data.Ship == nil && !data.Sent}
	data.Note = orderForm{[]page.Field{note.Long("note", 65_536, page.May)}, of == "note"}
	data.Shipment = orderForm{trackingFields(shipment, v), of == "shipment" || data.Sent && data.Number == ""}
	sent := map[string]*page.Filler{"ship": ship, "state": move, "note": note, "shipment": shipment}[of]
	data.Form = cmp.Or(sent, note).Done()
}

// trackingFields are the fields of a shipment.
func trackingFields(f *page.Filler, v *visit) []page.Field {
	number, link := f.Field("trackingNumber", "off", page.May), f.Field("trackingLink", "off", page.May)
	number.Max, link.Max, link.Type, link.Mode = 64, 2_000, "url", "url"
	return []page.Field{number, link.Hinted(v.say("order.linkIs"))}
}

// shipsTo is the id of the state that the order comes into when it is shipped: the one that every new shop has for
// that, else the next one by position. An order that is on its way, or stays in its state, is not shipped.
func shipsTo(o sale.Order, states []sale.OrderState) (string, bool) {
	now, _ := sale.FindState(states, o.StateID)
	if now.Final || now.Sent(states) {
		return "", false
	}
	to, can := sale.NextState(states, now, sale.KeyShipped)
	return to.ID, can
}

// statesTo are the states that the order can be moved to.
func statesTo(o sale.Order, states []sale.OrderState) []sale.OrderState {
	return slices.DeleteFunc(sale.LiveStates(states), func(s sale.OrderState) bool { return s.ID == o.StateID })
}

// stateOptions are the states behind other options.
func (v *visit) stateOptions(states []sale.OrderState, options ...page.Option) []page.Option {
	for _, s := range states {
		text := string(s.Name)
		if s.Final {
			text += " (" + v.say("order.isFinal") + ")"
		}
		options = append(options, page.Option{Value: s.ID, Text: text})
	}
	return options
}

// orderLine is one line of an order, with the note and the images of its price quote.
func (v *visit) orderLine(l sale.OrderLine, money func(field.Money) string) orderLine {
	line := orderLine{ProductID: l.ProductID, Name: l.FullName(), Code: string(l.Code), Note: string(l.Note),
		Quantity: v.lang.Number(l.Quantity), Price: money(l.UnitPrice), Total: money(l.Total), Quoted: l.QuoteID != ""}
	for i, image := range l.Images {
		line.Images = append(line.Images, orderImage{image.URL, v.say("order.image") + " " + strconv.Itoa(i+1)})
	}
	return line
}

// addressLines are an address as an envelope has it; none where there is none.
func (v *visit) addressLines(a *sale.OrderAddress) (lines []string) {
	if a == nil {
		return nil
	}
	// Numbers of a company say nothing without their names.
	labelled := func(name string, line field.Line) string {
		if line == "" {
			return ""
		}
		return v.say(name) + " " + string(line)
	}
	for _, line := range []string{string(a.Company), string(a.FirstName) + " " + string(a.LastName), string(a.Street),
		strings.TrimSpace(string(a.Zip) + " " + string(a.City)), cmp.Or(v.say(a.Country), a.Country),
		labelled("companyId", a.CompanyID), labelled("vatId", a.VATID)} {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// value is a text that may be missing.
func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// stateForm names the state that an order moves to.
type stateForm struct {
	StateID string `json:"stateId" maxLength:"64"`
}

// noteForm is an order's note.
type noteForm struct {
	Note field.Text `json:"note,omitempty"`
}

// changed is where an action on an order leads, with what the next page says of it.
func (v *visit) changed(said, id string, o *sale.Order, err error) (string, error) {
	if err == nil {
		v.saysOf(said, v.orderName(*o))
	}
	return ordersPath + "/" + id, err
}

// moveOrder moves an order to another state, by the API's own command: with the same effect on stock, and the same
// webhook.
func (d door) moveOrder(c *api.Call, v *visit, in *formAbout[stateForm]) (string, error) {
	move := func(f sale.OrderFields) (sale.OrderFields, error) {
		f.StateID = in.Body.StateID
		return f, nil
	}
	o, err := d.Ordering(v.shop.Currency).Change(c, c.Unit(), in.ID, move)
	return v.changed("order.moved", in.ID, o, err)
}

// noteOrder changes an order's note.
func (d door) noteOrder(c *api.Call, v *visit, in *api.Change[noteForm]) (string, error) {
	o, err := d.Ordering(v.shop.Currency).
		Change(c, c.Unit(), in.ID, func(f sale.OrderFields) (sale.OrderFields, error) {
			now, err := api.Apply(c, in.Body, noteForm{f.Note})
			f.Note = now.Note
			return f, err
		})
	return v.changed("saved", in.ID, o, err)
}

// trackOrder changes an order's tracking number and link.
func (d door) trackOrder(c *api.Call, v *visit, in *api.Change[sale.OrderTracking]) (string, error) {
	o, err := d.Ordering(v.shop.Currency).
		Track(c, c.Unit(), in.ID, func(t sale.OrderTracking) (sale.OrderTracking, error) {
			return api.Apply(c, in.Body, t)
		})
	return v.changed("saved", in.ID, o, err)
}

// shipForm is how an order is marked as shipped: by one change of it.
type shipForm struct {
	StateID string `json:"stateId" maxLength:"64"`
	sale.OrderTracking
}

// shipOrder moves an order to the state that means it is on its way, with the number and link of its shipment.
func (d door) shipOrder(c *api.Call, v *visit, in *api.Change[shipForm]) (string, error) {
	sent, err := api.Apply(c, in.Body, shipForm{})
	if err != nil {
		return "", err
	}
	if sent.StateID == "" {
		return "", problem.InvalidAt("stateId", problem.Required, "is missing")
	}
	o, err := d.Ordering(v.shop.Currency).
		Ship(c, c.Unit(), in.ID, sent.StateID, func(t sale.OrderTracking) (sale.OrderTracking, error) {
			now, err := api.Apply(c, in.Body, shipForm{sent.StateID, t})
			return now.OrderTracking, err
		})
	return v.changed("order.shipped", in.ID, o, err)
}
