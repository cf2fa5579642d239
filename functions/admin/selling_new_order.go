package admin

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/guard"
	ids "eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/base/words"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/sale"
	"eshop/shared/search"
	"eshop/shared/shop"
)

// newOrderPath is the form of an order that somebody makes for a customer, as one who calls.
const newOrderPath = ordersPath + "/new"

// maxLines is how many lines an order has at most (contract, "Bounds").
const maxLines = 90

// newOrders registers that form. Its fields are the API's, dotted, and ordersPath takes them. Before there is an order,
// newOrderPath takes the form as it is and shows it again with what one of its own fields asks for: `_customer` and
// `_goods` search, `_pick` and `_nobody` choose the customer, `_add`, `_remove` and `_recount` are of the lines. That
// writes nothing, and nothing that is typed stands in an address.
func (d door) newOrders() {
	look(d, newOrderPath, func(c *api.Call, v *visit, in *newOrderOf) (screen, error) {
		return d.newOrder(c, v, page.Sent{Values: url.Values{"_pick": {in.Customer}, "_keep": {"true"}}})
	})
	api.AddPage(d.api, api.Op{Route: "POST " + newOrderPath, People: d.forSignedIn(nil)},
		func(c *api.Call, _ *api.Create[field.Object]) (any, error) {
			return d.newOrder(c, visitOf(c), page.Sent{Values: c.Form()})
		})
	act(d, ordersPath, d.placeOrder, d.newOrder)
}

// newOrderOf is the query of a new form: for which customer it is, "" for none.
type newOrderOf struct {
	Customer string `query:"customerId" maxLength:"64"`
}

// newOrderPage is the form of an order.
type newOrderPage struct {
	page.Form
	ID                         string // of this form: sent twice, it makes one order
	Customer                   *foundRow
	Customers, Goods           finding
	Contact, Billing, Delivery []page.Field
	Elsewhere                  bool
	Keep                       page.Field
	Lines                      []newLine
	Sum                        string
	Ways, Rest                 []page.Field
}

// finding is a search within the form.
type finding struct {
	page.Field
	Focus  bool
	Asked  bool // something was searched for
	More   bool // there are more than are shown
	Rows   []goodsRow
	People []foundRow
}

// goodsRow is a product, or a variant of one, that can be ordered. Key is what `_add` says.
type goodsRow struct {
	ID, Key, Name, Code, Price, Stock string
	Low                               shownState
}

// newLine is a line of the order.
type newLine struct {
	goodsRow
	N                    int
	ProductID, VariantID string
	Path, Total          string
	Quantity             page.Field
}

// newOrder shows the form with what was sent, after what was asked for was done.
func (d door) newOrder(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	if sent.Values == nil {
		sent.Values = url.Values{}
	}
	values := sent.Values
	if !ids.Valid(values.Get("_id")) {
		values.Set("_id", d.NewID())
	}
	lines := editLines(values)
	data := newOrderPage{ID: values.Get("_id")}
	level := catalog.DefaultLevel
	var chosen *customer.Customer
	var sold map[string]*catalog.Whole
	var ways shop.Ways
	err := guard.Beside(c, d.Near,
		func() (err error) { ways, err = shop.WaysOf(c, d.Main, v.shop.ID); return },
		func() (err error) {
			if chosen, err = d.chooseCustomer(c, v, values); err != nil {
				return err
			}
			if chosen != nil { // what is found is shown at their level
				level = cmp.Or(string(chosen.PriceLevel), level)
				data.Customer = &foundRow{ID: chosen.ID, Path: customersPath + "/" + chosen.ID, Text: fullName(*chosen),
					Small: string(chosen.PriceLevel)}
			}
			return guard.Beside(c, d.Near,
				func() (err error) { sold, err = d.readSold(c, v, lines); return },
				func() (err error) {
					data.Goods.Rows, data.Goods.More, err = d.findGoods(c, v, values.Get("_goods"), level)
					return
				},
				func() (err error) {
					data.Customers.People, data.Customers.More, err = d.findPeople(c, v, values.Get("_customer"))
					return
				})
		})
	if err != nil {
		return screen{}, err
	}
	sent.Faults = lineFaults(sent, lines, sold)
	if sent.Code == sale.Short {
		sent.Notice = ""
	}
	f := v.filler(sent)
	v.newOrderFields(&data, f, lines, sold, level)
	v.orderTermFields(&data, f, ways.On())
	data.Customers.Asked, data.Goods.Asked = values.Get("_customer") != "", values.Get("_goods") != ""
	data.Form = f.Done()
	did := func(name string) bool { return values.Get(name) != "" }
	data.Goods.Focus = did("_add") || did("_remove") || did("_recount") || data.Goods.Asked ||
		did("_pick") && chosen != nil
	data.Customers.Focus = !data.Goods.Focus && (data.Customers.Asked || did("_nobody"))
	return screen{name: "new-order", title: v.say("order.new"), above: v.above("orders", ordersPath), data: data}, nil
}

// chooseCustomer does what the form asks of its customer, and is whom it has then; nil for nobody.
func (d door) chooseCustomer(c *api.Call, v *visit, values url.Values) (*customer.Customer, error) {
	picked := values.Get("_pick")
	if picked != "" {
		values.Set("customerId", picked)
		values.Del("_customer")
	}
	if values.Get("_nobody") != "" {
		for name := range values {
			if slices.Contains([]string{"customerId", "email", "phone"}, name) || strings.Contains(name, "Address.") {
				delete(values, name)
			}
		}
	}
	id := values.Get("customerId")
	if id == "" {
		return nil, nil
	}
	one, err := customer.Customers.Read(c, d.Main, v.shop.ID, id)
	if problem.Is(err, "not_found") {
		values.Del("customerId") // gone meanwhile: what is typed stays
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if picked != "" {
		fillCustomer(values, one)
	}
	return &one, nil
}

// fillCustomer fills in what the form says of a customer: what is known of them, and nothing of anybody else.
func fillCustomer(values url.Values, one customer.Customer) {
	for name, known := range customerValues(one) {
		switch {
		case slices.Contains([]string{"email", "phone"}, name), strings.Contains(name, "Address."):
			values[name] = known
		case slices.Contains([]string{"firstName", "lastName", "company", "companyId", "vatId"}, name):
			if one.BillingAddress != nil {
				values["billingAddress."+name] = known
			}
		}
		if one.DeliveryAddress != nil && slices.Contains([]string{"firstName", "lastName"}, name) {
			values["deliveryAddress."+name] = known
		}
	}
}

// editLines does what the form asks of its lines, and is what they are then, numbered from 0 in values, too.
func editLines(values url.Values) (lines []sale.OrderNewLine) {
	var notes, quantities []string
	removed, _ := strconv.Atoi(cmp.Or(values.Get("_remove"), "-1"))
	for n := range entries(values, "items", maxLines) {
		at := "items." + strconv.Itoa(n) + "."
		l := sale.OrderNewLine{ProductID: values.Get(at + "productId"), VariantID: values.Get(at + "variantId")}
		l.Quantity, _ = strconv.ParseInt(strings.TrimSpace(values.Get(at+"quantity")), 10, 64)
		if l.ProductID != "" && n != removed {
			lines, notes = append(lines, l), append(notes, values.Get(at+"note"))
			quantities = append(quantities, values.Get(at+"quantity"))
		}
		for _, name := range []string{"productId", "variantId", "quantity", "note"} {
			values.Del(at + name)
		}
	}
	if product, variant, _ := strings.Cut(values.Get("_add"), "."); product != "" {
		values.Del("_goods")
		same := func(l sale.OrderNewLine) bool { return l.ProductID == product && l.VariantID == variant }
		if i := slices.IndexFunc(lines, same); i >= 0 {
			lines[i].Quantity++
			quantities[i] = strconv.FormatInt(lines[i].Quantity, 10)
		} else if len(lines) < maxLines {
			lines = append(lines, sale.OrderNewLine{ProductID: product, VariantID: variant, Quantity: 1})
			notes, quantities = append(notes, ""), append(quantities, "1")
		}
	}
	for n, l := range lines {
		at := "items." + strconv.Itoa(n) + "."
		values.Set(at+"productId", l.ProductID)
		values.Set(at+"variantId", l.VariantID)
		values.Set(at+"quantity", quantities[n])
		values.Set(at+"note", notes[n])
	}
	return lines
}

// readSold are the products of lines, by their ids.
func (d door) readSold(c *api.Call, v *visit, lines []sale.OrderNewLine) (map[string]*catalog.Whole, error) {
	var products []string
	for _, l := range lines {
		products = append(products, l.ProductID)
	}
	if len(products) == 0 {
		return nil, nil
	}
	all, err := catalog.ReadProducts(c, d.Main, v.shop.ID, products)
	sold := map[string]*catalog.Whole{}
	for _, w := range all {
		sold[w.ID] = w
	}
	return sold, err
}

// findGoods are the active products that are found, each variant of them by itself, and whether there are more. The one
// whose code was typed comes first, then those whose own words were, the newest first.
func (d door) findGoods(c *api.Call, v *visit, q, level string) (rows []goodsRow, more bool, err error) {
	if q = words.Shortened(q); q == "" {
		return nil, false, nil
	}
	var found search.Found
	var exact *catalog.Whole
	err = guard.Beside(c, d.Near,
		func() (err error) { found, err = d.Search().Find(c, search.Products, v.shop.ID, words.Ask(q)); return },
		func() (err error) { exact, err = catalog.ProductFilter{Code: q}.Find(c, d.Main, v.shop.ID); return })
	if err != nil {
		return nil, false, err
	}
	hits := slices.DeleteFunc(found.Hits, func(h search.Hit) bool {
		return h.Offer != nil && h.Hidden || exact != nil && exact.ID == h.ID
	})
	slices.SortStableFunc(hits, func(a, b search.Hit) int { return cmp.Compare(a.Rank, b.Rank) })
	if exact != nil {
		hits = slices.Insert(hits, 0, search.Hit{ID: exact.ID})
	}
	var products []string
	for _, h := range hits[:min(len(hits), shownOfKind)] {
		products = append(products, h.ID)
	}
	all, err := catalog.ReadProducts(c, d.Main, v.shop.ID, products)
	for _, w := range all {
		p := w.Shown(v.website).Record
		if p.Active && len(p.Variants) == 0 {
			rows = append(rows, v.goodsRow(p.ID, p.ProductDetails, catalog.Variant{}, p.Stock, level))
		}
		for _, x := range p.Variants {
			if p.Active && x.Active {
				rows = append(rows, v.goodsRow(p.ID, p.ProductDetails, x, x.Stock, level))
			}
		}
	}
	return rows, found.Cut || len(hits) > len(products), err
}

// goodsRow is a product, or that variant of it, as it is sold at a price level.
func (v *visit) goodsRow(
	product string, d catalog.ProductDetails, x catalog.Variant, stock catalog.Stock, level string,
) goodsRow {
	row := goodsRow{ID: cmp.Or(x.ID, product), Key: strings.Trim(product+"."+x.ID, "."),
		Name: catalog.FullName(d.Name, x.Name), Code: string(cmp.Or(x.Code, d.Code)),
		Price: v.money(catalog.PriceOf(d, x.VariantDetails, level)), Stock: v.lang.Number(stock.Quantity),
		Low: v.low(stock.Quantity)}
	if x.ID != "" && x.Name == "" {
		row.Name = catalog.FullName(d.Name, field.Name(x.Code))
	}
	return row
}

// findPeople are the newest customers that are found, and whether there are more.
func (d door) findPeople(c *api.Call, v *visit, q string) (rows []foundRow, more bool, err error) {
	if q = words.Shortened(q); q == "" {
		return nil, false, nil
	}
	found, more, err := newest(c, d.Search().Listing(search.Customers, v.shop.ID, words.Ask(q)),
		record.Load(d.Main, customer.Customers.Show))
	for _, one := range found {
		var small []string
		for _, s := range []string{string(one.Company), string(one.Email), string(one.Phone)} {
			if s != "" {
				small = append(small, s)
			}
		}
		rows = append(rows, foundRow{ID: one.ID, Text: fullName(one), Small: strings.Join(small, " · ")})
	}
	return rows, more, err
}

// lineFaults are the faults with those of lines at the one field that a line has. Too little stock is one of each line
// that wants more than there is.
func lineFaults(sent page.Sent, lines []sale.OrderNewLine, sold map[string]*catalog.Whole) []problem.Fault {
	faults := slices.Clone(sent.Faults)
	for i, f := range faults {
		at, is := strings.CutPrefix(f.Location, "body.items.")
		n, _, _ := strings.Cut(at, ".")
		switch {
		case is:
			faults[i].Location = "body.items." + n + ".quantity"
		case f.Location == "body.items" && len(lines) == 0:
			faults[i] = problem.Fault{Location: "body._goods", Code: "no_lines"}
		case strings.HasPrefix(f.Location, "body.discountCoupons"):
			faults[i].Location = "body.discountCoupons"
		}
	}
	if sent.Code != sale.Short {
		return faults
	}
	taken := map[[2]string]int64{}
	for n, l := range lines {
		w := sold[l.ProductID]
		if w == nil {
			continue
		}
		stock, _ := w.StockOf(l.VariantID)
		at := [2]string{l.ProductID, l.VariantID}
		if taken[at] += l.Quantity; taken[at] > stock.Quantity {
			faults = append(faults, problem.Fault{Location: "body.items." + strconv.Itoa(n) + ".quantity",
				Code: sale.Short})
		}
	}
	return faults
}

// newOrderFields are the fields of the form, and its lines with their prices at a level.
func (v *visit) newOrderFields(
	data *newOrderPage, filler *page.Filler, lines []sale.OrderNewLine, sold map[string]*catalog.Whole, level string,
) {
	data.Customers.Field = filler.Named("_customer", "order.findCustomer", "off").Hinted(v.say("order.findCustomerIs"))
	data.Contact = anybody([]page.Field{filler.Email().Halved(), filler.Phone(page.May).Halved()})
	person := func(of, kind string) []page.Field {
		names := []page.Field{filler.Field(of+".firstName", "off", page.May).Halved().Depending(),
			filler.Field(of+".lastName", "off", page.May).Halved().Depending()}
		return anybody(append(names, filler.Address(of, kind, page.May)...))
	}
	data.Billing = append(person("billingAddress", "billing"), anybody(filler.Company("billingAddress.", ""))...)
	data.Delivery = person("deliveryAddress", "shipping")
	data.Elsewhere = page.Filled(data.Delivery)
	data.Keep = filler.Box("_keep", "order.keepCustomer")
	data.Goods.Field = filler.Named("_goods", "order.findGoods", "off")
	var sum field.Money
	for n, l := range lines {
		at := "items." + strconv.Itoa(n)
		line := newLine{N: n, ProductID: l.ProductID, VariantID: l.VariantID, Path: productsPath + "/" + l.ProductID,
			goodsRow: goodsRow{Name: l.ProductID}}
		if w := sold[l.ProductID]; w != nil {
			x, _ := w.Variant(l.VariantID)
			stock, _ := w.StockOf(l.VariantID)
			line.goodsRow = v.goodsRow(w.ID, w.Details(), x, stock, level)
			total := catalog.PriceOf(w.Details(), x.VariantDetails, level) * field.Money(max(0, l.Quantity))
			line.Total, sum = v.money(total), sum+total
		}
		line.Quantity = filler.Labelled(at+".quantity", v.say("order.quantity")+": "+line.Name, "off")
		line.Quantity.Required, line.Quantity.Mode = page.Must, "numeric"
		data.Lines = append(data.Lines, line)
	}
	if len(lines) > 0 {
		data.Sum = v.money(sum)
	}
}

// orderTermFields are the fields of the form on how the order is delivered and paid, its coupon and its note.
func (v *visit) orderTermFields(p *newOrderPage, f *page.Filler, ways shop.Ways) {
	p.Ways = slices.Concat(wayField(f, "delivery", ways.Delivery), wayField(f, "payment", ways.Payment))
	coupon := f.Named("discountCoupons", "order.coupon", "off").Halved()
	coupon.Max = 64
	p.Rest = []page.Field{coupon, f.Long("note", 65_536, page.May)}
}

// wayField is the field in which a way of delivery or payment is chosen. It lists the ways that a checkout offers; if
// there are none, there is no field. If the way that was chosen is not offered any more, none is chosen.
func wayField(f *page.Filler, name string, ways shop.WayList) []page.Field {
	if len(ways) == 0 {
		return nil
	}
	way := f.Named("orderDeliveryPayment."+name, "order."+name, "off").Halved()
	way.Required = page.Must
	var options []page.Option
	if way.Value != "" && ways.Named(way.Value).Key == "" {
		options = append(options, page.Option{})
	}
	for _, way := range ways {
		options = append(options, page.Option{Value: string(way.Name), Text: string(way.Name)})
	}
	return []page.Field{way.OneOf(options...)}
}

// anotherLevel is the fault of an e-mail whose customer buys at other prices than those that were shown.
const anotherLevel = "another_level"

// placeOrder makes the order by the API's own command. Where the form says so the customer is kept, too, once nothing
// is wrong with the order. A form that is sent again as it is makes one order within a day.
func (d door) placeOrder(c *api.Call, v *visit, in *api.Create[sale.OrderNew]) (string, error) {
	want, form, placing := in.Body, c.Form(), d.Ordering(v.shop.Currency)
	keep := form["_keep"]
	if want.CustomerID == "" && len(keep) > 0 && keep[len(keep)-1] == "true" {
		known, err := d.knownCustomer(c, v, want)
		if err != nil {
			return "", err
		}
		if err := keepable(form, known, want); err != nil {
			return "", err
		}
		want.CustomerID = known.ID
		placing.Keep = func() (string, error) {
			kept, err := d.keepCustomer(c, v, want)
			if err == nil {
				err = keepable(form, kept, want)
			}
			return kept.ID, err
		}
	}
	all := orderIDsOf(form, d.Now())
	if len(all) > 1 {
		made, err := d.orderAmong(c, v, all[1:])
		if err != nil {
			return "", err
		}
		if made != nil {
			return v.changed("order.made", made.ID, made, nil)
		}
	}
	o, err := placing.PlaceOnce(c, c.Unit(), all[0], want)
	if err != nil {
		return "", err
	}
	return v.changed("order.made", o.ID, o, nil)
}

// keepable is what is wrong with keeping the customer of an order: who is known may buy at other prices than those that
// were shown, and the form is shown again at theirs. Who is not known (zero) needs a name.
func keepable(form url.Values, known customer.Customer, want sale.OrderNew) error {
	var faults problem.Faults
	switch level := cmp.Or(string(known.PriceLevel), catalog.DefaultLevel); {
	case level != catalog.DefaultLevel:
		form.Set("customerId", known.ID)
		faults.Add("email", anotherLevel, "is of a customer with prices of their own")
	case known.ID == "" && want.BillingAddress == nil:
		for _, name := range []string{"firstName", "lastName"} {
			faults.Add("billingAddress."+name, problem.Required, "is required of who is kept as a customer")
		}
	}
	return faults.Err()
}

// orderIDsOf are the id of the order that a form makes, and those that it may have made before: of the time and the
// randomness of its own id, and of all that it says. So a second click makes no second order, and another order is
// another one. Lists and counts of orders go by the time of ids. So a form that is older than an hour makes an order of
// the hour in which it is sent, and may have made one of any earlier hour of a day, or of its own time. Two clicks on
// such a form at once, one on each side of a full hour, may make two orders: neither sees the one of the other.
func orderIDsOf(form url.Values, now time.Time) (all []string) {
	of := form.Get("_id")
	if !ids.Valid(of) {
		return []string{""}
	}
	sum := sha256.Sum256([]byte(form.Encode()))
	at := func(t time.Time) string { return ids.New(t, bytes.NewReader(sum[:])) }
	made := ids.Time(of)
	if made.After(now) || now.Sub(made) > time.Hour {
		for hour := now.Truncate(time.Hour); len(all) < 25; hour = hour.Add(-time.Hour) {
			all = append(all, at(hour))
		}
	}
	return append(all, at(made))
}

// orderAmong is the order that one of the ids has; nil if none has.
func (d door) orderAmong(c *api.Call, v *visit, all []string) (*sale.Order, error) {
	keys := make([]store.Key, len(all))
	for i, one := range all {
		keys[i] = sale.OrderKey(v.shop.ID, one)
	}
	items, err := store.GetAll(c, d.Main, keys)
	for _, item := range items {
		if item != nil {
			o, err := sale.Orders.Decode(item)
			return &o, err
		}
	}
	return nil, err
}

// knownCustomer is the customer with the order's e-mail; a zero one if there is none.
func (d door) knownCustomer(c *api.Call, v *visit, want sale.OrderNew) (one customer.Customer, err error) {
	item, err := customer.Customers.Find(c, d.Main, v.shop.ID, customer.EmailKey(v.shop.ID, want.Email))
	if err != nil || item == nil {
		return one, err
	}
	return customer.Customers.Decode(item)
}

// keepCustomer makes a customer of what an order says, which has a billing address (keepable).
func (d door) keepCustomer(c *api.Call, v *visit, want sale.OrderNew) (one customer.Customer, err error) {
	a := want.BillingAddress
	address := func(a *sale.OrderAddress) *customer.Address {
		if a == nil || a.Street == "" { // it was picked up
			return nil
		}
		return &customer.Address{Street: field.Name(a.Street), City: a.City, Zip: a.Zip, Country: a.Country}
	}
	one, err = customer.Customers.Create(c, c.Unit(), customer.Fields{Profile: customer.Profile{Email: want.Email,
		FirstName: a.FirstName, LastName: a.LastName, Phone: want.Phone, Company: a.Company, CompanyID: a.CompanyID,
		VATID: a.VATID, BillingAddress: address(a), DeliveryAddress: address(want.DeliveryAddress)}})
	if problem.Is(err, "email_taken") { // made this moment
		return d.knownCustomer(c, v, want)
	}
	return one, err
}
