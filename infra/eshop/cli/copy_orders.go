package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"eshop/shared/base/slug"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// mostOrders is how many orders a copy is given: those that changed last.
const mostOrders = 100

// theirOrder is what is read of an order.
type theirOrder struct {
	ID, Number, CustomerID, StateID string
	BillingAddress, DeliveryAddress *place
	Items                           []struct {
		ProductID, VariantID string
		Quantity             int64
	}
	DiscountCoupons []struct{ Code field.Code }
	Shipping        *sale.OrderMethods `json:"orderDeliveryPayment"`
}

// readOrders reads the last orders, and notes what they have sold.
func (d *duplicate) readOrders(ctx context.Context) error {
	last, err := ask[page[theirOrder]](ctx, d.from, "GET",
		fmt.Sprint("/api-engine/orders?order[changed]=desc&itemsPerPage=", mostOrders), nil)
	d.orders = last.Items
	slices.Reverse(d.orders) // the copy numbers them in this order
	for _, o := range d.orders {
		for _, line := range o.Items {
			d.sold[line.ProductID] = nil
		}
	}
	return err
}

// copyOrders makes the orders that the copy lacks, at its own prices and under its own numbers. What they have sold may
// be sold out, or not for sale, by now: meanwhile there is plenty of it.
func (d *duplicate) copyOrders(ctx context.Context) error {
	there := map[field.Text]bool{}
	err := walk(ctx, d.to, "/api-engine/orders?itemsPerPage=250", func(page []struct{ Note field.Text }) error {
		for _, o := range page {
			there[o.Note] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	ours, err := d.offers(ctx)
	if err != nil {
		return err
	}
	var missing []sale.OrderNew
	all := 0
	for _, o := range d.orders {
		const gone = "what was sold is not in the copy"
		body := d.orderOf(o, ours)
		name := string(body.Note)
		switch {
		case len(body.Items) == 0:
			d.leave("orders", name, gone)
			continue
		case len(body.Items) < len(o.Items):
			d.leave("orders in part", name, gone)
		}
		if all++; !there[body.Note] {
			missing = append(missing, body)
		}
	}
	made := 0
	if len(missing) > 0 {
		if _, err = d.bring(ctx, "products", d.rowsOfSold(true)); err == nil {
			made, err = d.makeOrders(ctx, missing)
		}
		if back := d.putBack(ctx); err == nil {
			err = back
		}
	}
	if err == nil {
		d.came("orders", all-len(missing)+made, made)
	}
	return err
}

// putBack makes the products that the orders have sold what they are in the source, after an interruption too: for that
// it has a minute, because somebody waits for the end.
func (d *duplicate) putBack(ctx context.Context) error {
	_, err := d.bring(ctx, "products", d.rowsOfSold(false))
	if ctx.Err() == nil {
		return err
	}
	d.progress("interrupted: what the orders have sold gets its own stock back, for a minute at most")
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer stop()
	if _, err = d.bring(ctx, "products", d.rowsOfSold(false)); err != nil {
		d.progress("it has not got it back, and does by the same command: %v", err)
	}
	return err
}

// rowsOfSold are the rows of the products that the orders have sold, as they are or with plenty of each.
func (d *duplicate) rowsOfSold(plenty bool) (rows []row) {
	for _, sold := range d.sold {
		if sold == nil {
			continue
		}
		p := *sold
		if plenty {
			p.Active, p.Stock.Quantity, p.Variants = true, catalog.MaxStock, slices.Clone(p.Variants)
			for i := range p.Variants {
				p.Variants[i].Active, p.Variants[i].Stock.Quantity = true, catalog.MaxStock
			}
		}
		rows = append(rows, rowsOf(p)...)
	}
	return rows
}

// orderOf is an order for the copy, of somebody made up, with those lines whose products are there.
func (d *duplicate) orderOf(o theirOrder, ours map[string]offered) sale.OrderNew {
	somebody := madeUp(cmp.Or(o.CustomerID, o.ID))
	body := sale.OrderNew{Email: somebody.Email, Phone: somebody.Phone, StateID: d.states[o.StateID],
		Note: field.Text("Copy of the order " + o.Number), BillingAddress: somebody.order(o.BillingAddress),
		DeliveryAddress: madeUp(o.ID + " delivery").order(o.DeliveryAddress), Shipping: o.Shipping,
		DiscountCoupons: []field.Code{}}
	for _, c := range o.DiscountCoupons {
		body.DiscountCoupons = append(body.DiscountCoupons, c.Code)
	}
	for _, line := range o.Items {
		if at, is := ours[d.codes[cmp.Or(line.VariantID, line.ProductID)]]; is {
			body.Items = append(body.Items,
				sale.OrderNewLine{ProductID: at.product, VariantID: at.variant, Quantity: line.Quantity})
		}
	}
	return body
}

// makeOrders makes orders, and returns how many of them the copy takes. An order whose coupons do not apply any more is
// made without them.
func (d *duplicate) makeOrders(ctx context.Context, missing []sale.OrderNew) (made int, err error) {
	for _, body := range missing {
		of, err := ask[page[struct{ ID string }]](ctx, d.to, "GET",
			"/api-engine/customers?email="+url.QueryEscape(string(body.Email)), nil)
		if err != nil {
			return made, err
		}
		for _, c := range of.Items {
			body.CustomerID = c.ID
		}
		_, err = ask[object](ctx, d.to, "POST", "/api-engine/orders", body)
		var refused *refusal
		if errors.As(err, &refused) && refused.Code == "coupon_invalid" {
			d.leave("coupons of orders", string(body.Note), "they do not apply any more")
			body.DiscountCoupons = []field.Code{}
			_, err = ask[object](ctx, d.to, "POST", "/api-engine/orders", body)
		}
		switch {
		case err == nil:
			made++
		case errors.As(err, &refused) && (refused.status == http.StatusConflict || refused.status == 422):
			d.leave("orders", string(body.Note), refused.Error())
		default:
			return made, err
		}
	}
	return made, nil
}

// place is what is read of an address.
type place struct{ Country string }

// The names and places of which people are made up.
var (
	firstNames = []field.Name{"Adéla", "Bořek", "Cyril", "Dorota", "Emil", "Hedvika", "Johana", "Přemysl"}
	lastNames  = []field.Name{"Bříza", "Cvrček", "Habr", "Jeřáb", "Kalina", "Ořech", "Sýkora", "Žluva"}
	streets    = []field.Name{"Dlouhá", "Krátká", "Lipová", "Polní", "U Mlýna", "Zahradní"}
	towns      = []customer.Address{{City: "Brno", Zip: "602 00"}, {City: "Košice", Zip: "040 01"},
		{City: "Ostrava", Zip: "702 00"}, {City: "Žilina", Zip: "010 01"}}
)

// person is somebody made up, with an address.
type person struct {
	customer.Profile
	home customer.Address
}

// madeUp is somebody who is nobody, the same for the same id. Mail to example.com reaches nobody, and the numbers
// behind +44 7700 900 are kept for films.
func madeUp(id string) (p person) {
	h := sha256.Sum256([]byte(id))
	p.FirstName, p.LastName = firstNames[int(h[0])%len(firstNames)], lastNames[int(h[1])%len(lastNames)]
	p.Email = field.Email(fmt.Sprintf("%s-%x@example.com", slug.Make(string(p.FirstName+" "+p.LastName)), h[16:24]))
	p.Phone = field.Line(fmt.Sprintf("+44 7700 900%03d", (int(h[2])<<8+int(h[3]))%1000))
	p.home = towns[int(h[4])%len(towns)]
	p.home.Street = field.Name(fmt.Sprint(streets[int(h[5])%len(streets)], " ", 1+int(h[6])))
	return p
}

// at is the person's address in place of another one.
func (p person) at(of *place) *customer.Address {
	if of == nil {
		return nil
	}
	p.home.Country = of.Country
	return &p.home
}

// order is at of an order.
func (p person) order(of *place) *sale.OrderAddress {
	if of == nil {
		return nil
	}
	return &sale.OrderAddress{FirstName: p.FirstName, LastName: p.LastName, Street: field.Line(p.home.Street),
		City: p.home.City, Zip: p.home.Zip, Country: of.Country}
}
