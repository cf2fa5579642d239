package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"eshop/infra/proof/model"
)

// products are a shop's few, for which orders, coupons and changes of stock contend.
type products struct {
	mu      sync.Mutex
	made    int // values so far
	ids     []string
	coupons []coupon
	orders  []*placed
	shown   model.Shown
	last    map[string]look // of each product
}

// look is which version of a product somebody saw last, and when they asked.
type look struct {
	version string
	at      time.Time
}

type coupon struct {
	id, code string
	limit    int
}

// placed is an order that was made, and may be cancelled.
type placed struct {
	id, product string
	quantity    int
	cancelled   bool   // somebody has begun to
	canceller   string // who, until they have
}

// How many products a shop has, and pieces of each at the start.
const fewProducts, pieces = 3, 30

// fill makes products and coupons while nothing fails.
func (p *products) fill(x *shop) {
	for n := range fewProducts {
		begun := x.sim.History.Now()
		made := x.partner.must("POST", "/api-engine/products", fields{"code": fmt.Sprint("P-", n),
			"name": fmt.Sprint("Čaj ", n), "vatRate": "21.00", "stock": fields{"quantity": pieces},
			"priceLevels": []fields{{"level": "default", "price": "100.00"}}})
		p.ids = append(p.ids, made.text("id"))
		for _, part := range parts {
			x.edited(x.partner, begun, p.ids[n], part, model.RecordAsk{Do: model.Create, Value: partOf(made, part)},
				made.Status)
		}
		x.told(partners, made.Status, "productCreate", p.ids[n])
		x.stock(p.ids[n], begun, model.StockAsk{Sets: true, To: pieces}, model.StockAnswer{Status: 200})
	}
	p.coupon(x, x.sim.random(1), 5)
	p.last = map[string]look{}
}

// coupon makes another coupon, for a few orders.
func (p *products) coupon(x *shop, r *rand.Rand, limit int) *coupon {
	c := coupon{code: fmt.Sprint("KUPON-", r.Uint64()), limit: limit}
	c.id = x.partner.insist(r, "POST", "/api-engine/discount-coupons", fields{"code": c.code, "type": "amount",
		"value": "1.00", "usageLimit": c.limit}).text("id")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.coupons = append(p.coupons, c)
	return &c
}

// actor is a program that sells, cancels and counts.
func (p *products) actor(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		product := p.ids[r.IntN(len(p.ids))]
		switch what := r.IntN(11); {
		case what < 4:
			p.order(x, product, p.pick(r), r)
		case what < 5:
			p.cancel(x, r, partners, func(o *placed, state string) answer { return p.moveTo(x, r, o, state) })
		case what < 7:
			p.move(x, product, r)
		case what < 9:
			p.look(x, product)
		case what < 10:
			p.edit(x, product, r)
		default:
			p.lookAtCoupon(x, r)
		}
	}
}

// The parts of a product that are edited, each a record of its own in the history: who edits one leaves the other.
const named, priced = "name", "price"

var parts = []string{named, priced}

// partOf is a part of the product that was answered.
func partOf(a answer, part string) (value string) {
	if part == named {
		return a.text("name")
	}
	for _, level := range a.list("priceLevels") {
		value, _ = level["price"].(string)
	}
	return value
}

// edited adds what was asked of a part of a product, and answered.
func (x *shop) edited(c *client, begun int64, product, part string, ask model.RecordAsk, status int) {
	x.sim.History.End(c.number, model.Object{Kind: model.Record, ID: product + " " + part}, begun, ask,
		model.RecordAnswer{Status: status, Value: ask.Value}, status)
}

// price is one that no other edit has, and neither does a name that is made of it.
func (p *products) price() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made++
	return fmt.Sprint(1000+p.made, ".00")
}

// edit changes the name of a product, or its price.
func (p *products) edit(x *shop, product string, r *rand.Rand) {
	value := p.price()
	part, body := priced, fields{"priceLevels": []fields{{"level": "default", "price": value}}}
	if r.IntN(2) == 0 {
		value = "Čaj " + value
		part, body = named, fields{"name": value}
	}
	begun, since := x.sim.History.Now(), time.Now()
	a := x.partner.write(r, "PATCH", "/api-engine/products/"+product, body)
	x.edited(x.partner, begun, product, part, model.RecordAsk{Do: model.Change, Value: value}, a.Status)
	if a.Status == http.StatusOK {
		x.listed(a.version(), since)
	}
	if a.Status == http.StatusOK || a.Status == model.Unknown {
		x.told(partners, a.Status, "productChange", product)
	}
}

// pick is one of the coupons, or none.
func (p *products) pick(r *rand.Rand) *coupon {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.IntN(2) == 0 {
		return nil
	}
	return &p.coupons[r.IntN(len(p.coupons))]
}

// rush is a flash sale: a few pieces and a coupon for two, and many who order at once.
func (p *products) rush(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		product := p.ids[r.IntN(len(p.ids))]
		few := r.IntN(6)
		begun := x.sim.History.Now()
		a := x.partner.insist(r, "PATCH", "/api-engine/products/batch/stock",
			fields{"items": []fields{{"id": product, "quantity": few}}})
		p.moved(x, product, begun, model.StockAsk{Sets: true, To: few}, a)
		with := p.coupon(x, r, 2)
		together(r, 6, func(r *rand.Rand) {
			p.order(x, product, with, r)
			p.look(x, product) // who bought sees no older product than who bought before
		})
	}
}

// together has several act at once, each with a randomness of its own, and waits for all.
func together(r *rand.Rand, many int, act func(*rand.Rand)) {
	var all sync.WaitGroup
	for range many {
		apart := rand.New(rand.NewPCG(r.Uint64(), 0))
		all.Go(func() { act(apart) })
	}
	all.Wait()
}

// order makes an order of a few pieces, perhaps with a coupon, and notes it in the history of the product and the
// coupon.
func (p *products) order(x *shop, product string, with *coupon, r *rand.Rand) {
	quantity := 1 + r.IntN(3)
	body := fields{"email": "a@b.cz", "items": []fields{{"productId": product, "quantity": quantity}}}
	if with != nil {
		body["discountCoupons"] = []string{with.code}
	}
	begun, since := x.sim.History.Now(), time.Now()
	a := x.partner.insist(r, "POST", "/api-engine/orders", body)
	if a.Status == http.StatusCreated {
		x.listed(a.version(), since)
	}
	if with != nil {
		x.sim.History.End(x.partner.number, model.Object{Kind: model.Coupon, ID: with.id}, begun,
			model.CouponAsk{Limit: with.limit}, model.CouponAnswer{Status: a.Status}, a.Status)
	}
	p.ordered(x, partners, begun, a, &placed{id: a.text("id"), product: product, quantity: quantity})
}

// ordered adds an order that somebody made to the history of its product's stock, and keeps it if it was made.
func (p *products) ordered(x *shop, by string, begun int64, a answer, o *placed) {
	is := model.StockAnswer{Status: a.Status, There: -1}
	if a.text("code") == "prices_changed" { // since the basket was made
		is.Status = http.StatusUnprocessableEntity
	}
	if available, short := a.Body["available"].(float64); short {
		is.There = int(available)
	}
	ended := x.stock(o.product, begun, model.StockAsk{By: -o.quantity}, is)
	if a.Status != 201 {
		return
	}
	x.numbers.Add(begun, ended, a.text("number"))
	x.told(by, 201, "orderChange", o.id)
	x.told(by, 201, "productChange", o.product)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.orders = append(p.orders, o)
}

// some is one of the orders, nil when there is none.
func (p *products) some(r *rand.Rand) *placed {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.orders) == 0 {
		return nil
	}
	return p.orders[r.IntN(len(p.orders))]
}

// cancel has somebody cancel an order, by move. Its stock comes back once, even if the order goes on and is cancelled
// again. Only the first to cancel an order adds the stock to the history. Of a merchant and a partner who cancel one at
// once nobody could say who did it: so they don't.
func (p *products) cancel(x *shop, r *rand.Rand, by string, move func(o *placed, state string) answer) {
	o := p.some(r)
	if o == nil {
		return
	}
	p.mu.Lock()
	again, another := o.cancelled, o.canceller != "" && o.canceller != by
	if !again {
		o.cancelled, o.canceller = true, by
	}
	begun := x.sim.History.Now() // before anybody else may cancel it
	p.mu.Unlock()
	switch {
	case another:
		return
	case again:
		if r.IntN(2) == 0 {
			move(o, x.processing)
			x.mayHave(by, "orderChange", o.id)
		}
		move(o, x.cancelled)
		x.mayHave(by, "orderChange", o.id) // or it was there already
		return
	}
	since := time.Now()
	if a := move(o, x.cancelled); a.version() != "" {
		x.listed(a.version(), since)
	}
	p.mu.Lock()
	o.canceller = ""
	p.mu.Unlock()
	x.stock(o.product, begun, model.StockAsk{By: o.quantity}, model.StockAnswer{Status: 200})
	x.told(by, 200, "orderChange", o.id)
	x.told(by, 200, "productChange", o.product)
}

// moveTo moves the order to a state, if it is not there.
func (p *products) moveTo(x *shop, r *rand.Rand, o *placed, state string) answer {
	a := x.partner.insist(r, "PATCH", "/api-engine/orders/"+o.id, fields{"stateId": state})
	if a.Status != 200 {
		x.sim.T.Errorf("an order was not moved: %d %v", a.Status, a.Body)
	}
	return a
}

// move changes a stock by a batch: sets it, or adds to it.
func (p *products) move(x *shop, product string, r *rand.Rand) {
	ask, item := model.StockAsk{By: r.IntN(9) - 4}, fields{"id": product}
	if ask.By == 0 {
		ask.Sets, ask.To = true, r.IntN(2*pieces)
		item["quantity"] = ask.To
	} else {
		item["change"] = ask.By
	}
	begun := x.sim.History.Now()
	a := x.partner.write(r, "PATCH", "/api-engine/products/batch/stock", fields{"items": []fields{item}})
	p.moved(x, product, begun, ask, a)
}

// moved adds what a batch made of a stock.
func (p *products) moved(x *shop, product string, begun int64, ask model.StockAsk, a answer) {
	is := model.StockAnswer{Status: a.Status, There: -1}
	did := ""
	if results := a.list("results"); len(results) == 1 {
		did, _ = results[0]["status"].(string)
	}
	if did == "failed" {
		is.Status = 409
	}
	x.stock(product, begun, ask, is)
	if did == "changed" || a.Status == model.Unknown {
		x.told(partners, a.Status, "productChange", product)
	}
}

// look reads a product's stock, and notes what it saw.
func (p *products) look(x *shop, product string) {
	begun, now := x.sim.History.Now(), time.Now()
	a := x.partner.ask("GET", "/api-engine/products/"+product, nil)
	stock, _ := a.Body["stock"].(fields)
	there, _ := stock["quantity"].(float64)
	ended := x.stock(product, begun, model.StockAsk{Read: true},
		model.StockAnswer{Status: a.Status, There: int(there)})
	if a.Status == http.StatusOK {
		for _, part := range parts {
			x.edited(x.partner, begun, product, part, model.RecordAsk{Do: model.Read, Value: partOf(a, part)}, a.Status)
		}
		p.mu.Lock()
		if last := p.last[product]; last.version != a.version() {
			x.listed(a.version(), last.at)
		}
		p.last[product] = look{a.version(), now}
		p.mu.Unlock()
		delete(a.Body, "url") // it begins with the process's own address, whose port is another after a crash
		content := string(whole(x.sim.T, a.Body))
		if err := p.shown.Add(product, begun, ended, a.Header.Get("ETag"), a.text("changed"), content); err != nil {
			x.sim.T.Error(err)
		}
	}
}

// lookAtCoupon reads how often a coupon was used, and notes what it saw.
func (p *products) lookAtCoupon(x *shop, r *rand.Rand) {
	c := p.pick(r)
	if c == nil {
		return
	}
	begun := x.sim.History.Now()
	a := x.partner.ask("GET", "/api-engine/discount-coupons/"+c.id, nil)
	used, _ := a.Body["used"].(float64)
	x.sim.History.End(x.partner.number, model.Object{Kind: model.Coupon, ID: c.id}, begun,
		model.CouponAsk{Read: true}, model.CouponAnswer{Status: a.Status, Used: int(used)}, a.Status)
}

// stock adds a question about a stock, and its answer, to the history.
func (x *shop) stock(product string, begun int64, ask model.StockAsk, is model.StockAnswer) (ended int64) {
	return x.sim.History.End(x.partner.number, model.Object{Kind: model.Stock, ID: product}, begun, ask, is, is.Status)
}

// quotes is a configurator. It makes a quote, and three shoppers want what it is for: one of them gets it.
func (p *products) quotes(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		product := p.ids[r.IntN(len(p.ids))]
		quote := x.partner.insist(r, "POST", "/basket-price-quotes", fields{"productId": product, "unitPrice": "55.00"})
		if quote.Status != 201 {
			x.sim.T.Errorf("a quote was not made: %d %v", quote.Status, quote.Body)
			return
		}
		together(r, 3, func(*rand.Rand) {
			shopper := x.sim.client("")
			shopper.host = x.host
			if got := shopper.ask("GET", "/basket", nil); got.Status == 200 {
				shopper.cookie = got.cookie("basket")
			}
			begun := x.sim.History.Now()
			a := shopper.ask("POST", "/basket/items", fields{"productId": product, "quantity": 1,
				"quoteToken": quote.text("quoteToken")})
			x.sim.History.End(shopper.number, model.Object{Kind: model.Quote, ID: quote.text("id")}, begun,
				model.QuoteAsk{}, a.Status, a.Status)
		})
	}
}

// cookie is the cookie of a name that the answer sets, as it is sent.
func (a answer) cookie(name string) string {
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if c.Name == name {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}
