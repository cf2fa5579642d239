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

	"eshop/shared/base/slug"
	"eshop/shared/catalog"
	"eshop/shared/people/customer"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// theirOrder is what is read of an order.
type theirOrder struct {
	ID, Number, CustomerID, StateID string
	BillingAddress, DeliveryAddress *place
	Items                           []struct {
		Code     field.Code
		Quantity int64
	}
	DiscountCoupons []struct{ Code field.Code }
	Shipping        *sale.OrderMethods `json:"orderDeliveryPayment"`
}

// copyOrders makes those of the last hundred orders that the copy lacks, at its own prices and under its own numbers.
// What they have sold may be sold out, or not for sale, by now: meanwhile there is plenty of it.
func (d *duplicate) copyOrders(ctx context.Context) error {
	last, err := ask[page[theirOrder]](ctx, d.from, "GET",
		"/api-engine/orders?order[changed]=desc&itemsPerPage=100", nil)
	if err != nil {
		return err
	}
	there := map[field.Text]bool{}
	err = walk(ctx, d.to, "/api-engine/orders?itemsPerPage=250", func(page []struct{ Note field.Text }) error {
		for _, o := range page {
			there[o.Note] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	products, lines, err := d.sold(ctx, last.Items)
	if err != nil {
		return err
	}
	var missing []sale.OrderNew
	all, made := 0, 0
	for _, o := range slices.Backward(last.Items) { // the copy numbers them in the order in which they have changed
		body := d.orderOf(o, lines)
		const gone = ": what was sold is not in the copy"
		switch {
		case len(body.Items) == 0:
			d.left["orders"+gone]++
			continue
		case len(body.Items) < len(o.Items):
			d.left["orders in part"+gone]++
		}
		if all++; !there[body.Note] {
			missing = append(missing, body)
		}
	}
	if len(missing) > 0 {
		if _, err = d.bring(d.late, "products", plenty(products)); err == nil {
			made, err = d.makeOrders(ctx, missing)
		}
		if _, back := d.bring(d.late, "products", rowsOf(products...)); back != nil {
			d.progress("what was sold has not got its own stock back, and does by the same command: %v", back)
			err = cmp.Or(err, back)
		}
	}
	if err == nil {
		d.came("orders", all-len(missing)+made, made)
	}
	return err
}

// sold reads what the orders have sold and the copy has: its products, and the line of an order by the line's code. A
// product that has variants by now is sold by them alone.
func (d *duplicate) sold(ctx context.Context, orders []theirOrder) (
	products []catalog.Product, lines map[field.Code]sale.OrderNewLine, err error,
) {
	codes := map[field.Code]bool{}
	for _, o := range orders {
		for _, line := range o.Items {
			codes[line.Code] = true
		}
	}
	lines = map[field.Code]sale.OrderNewLine{}
	err = walk(ctx, d.to, "/api-engine/products?itemsPerPage=250", func(page []catalog.Product) error {
		for _, p := range page {
			before := len(lines)
			if len(p.Variants) == 0 && codes[p.Code] {
				lines[p.Code] = sale.OrderNewLine{ProductID: p.ID}
			}
			for _, v := range p.Variants {
				if codes[v.Code] {
					lines[v.Code] = sale.OrderNewLine{ProductID: p.ID, VariantID: v.ID}
				}
			}
			if len(lines) > before {
				products = append(products, p)
			}
		}
		return nil
	})
	return products, lines, err
}

// plenty are rows by which there is as much of the products as there can be, and all of it is for sale.
func plenty(products []catalog.Product) []row {
	products = slices.Clone(products)
	for i, p := range products {
		p.Active, p.Stock.Quantity, p.Variants = true, catalog.MaxStock, slices.Clone(p.Variants)
		for n := range p.Variants {
			p.Variants[n].Active, p.Variants[n].Stock.Quantity = true, catalog.MaxStock
		}
		products[i] = p
	}
	return rowsOf(products...)
}

// orderOf is an order for the copy, of somebody made up, with those lines whose products are there.
func (d *duplicate) orderOf(o theirOrder, lines map[field.Code]sale.OrderNewLine) sale.OrderNew {
	somebody := madeUp(cmp.Or(o.CustomerID, o.ID))
	body := sale.OrderNew{Email: somebody.Email, Phone: somebody.Phone, StateID: d.states[o.StateID],
		Note: field.Text("Copy of the order " + o.Number), BillingAddress: somebody.orderAt(o.BillingAddress),
		DeliveryAddress: madeUp(o.ID + " delivery").orderAt(o.DeliveryAddress), Shipping: o.Shipping,
		DiscountCoupons: []field.Code{}}
	for _, c := range o.DiscountCoupons {
		body.DiscountCoupons = append(body.DiscountCoupons, c.Code)
	}
	for _, line := range o.Items {
		if ours, is := lines[line.Code]; is {
			ours.Quantity = line.Quantity
			body.Items = append(body.Items, ours)
		}
	}
	return body
}

// makeOrders makes orders, and returns how many the copy took. If an order's coupons do not apply any more, it is made
// without them.
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
			d.left["coupons of orders: they do not apply any more"]++
			body.DiscountCoupons = []field.Code{}
			_, err = ask[object](ctx, d.to, "POST", "/api-engine/orders", body)
		}
		switch {
		case err == nil:
			made++
		case errors.As(err, &refused) && (refused.status == http.StatusConflict || refused.status == 422):
			d.left["orders: "+refused.Error()]++
		default:
			return made, err
		}
	}
	return made, nil
}

// copyCustomers makes somebody up for each customer.
func (d *duplicate) copyCustomers(ctx context.Context) error {
	return carry(ctx, d, "customers", func(c struct {
		ID                              string
		PriceLevel                      field.Line
		BillingAddress, DeliveryAddress *place
	}) ([]row, error) {
		somebody := madeUp(c.ID)
		somebody.BillingAddress = somebody.at(c.BillingAddress)
		somebody.DeliveryAddress = madeUp(c.ID + " delivery").at(c.DeliveryAddress)
		body := customer.Fields{Profile: somebody.Profile, PriceLevel: c.PriceLevel}
		return []row{{string(somebody.Email), body}}, nil
	})
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

// at is the person's made-up address in the same country; nil if there was none.
func (p person) at(of *place) *customer.Address {
	if of == nil {
		return nil
	}
	p.home.Country = of.Country
	return &p.home
}

// orderAt is at for an order.
func (p person) orderAt(of *place) *sale.OrderAddress {
	if of == nil {
		return nil
	}
	return &sale.OrderAddress{FirstName: p.FirstName, LastName: p.LastName, Street: field.Line(p.home.Street),
		City: p.home.City, Zip: p.home.Zip, Country: of.Country}
}
