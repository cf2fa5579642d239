package main

import (
	"math/rand/v2"

	"eshop/infra/proof/model"
)

// checkout is a shopper who puts a few pieces into a basket and orders them. The order is sent under a key: a shopper
// who got no answer sends it again, and the platform says what became of it.
func (p *products) checkout(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		product, quantity := p.ids[r.IntN(len(p.ids))], 1+r.IntN(3)
		shopper := x.sim.client("")
		shopper.host = x.host
		added := shopper.insist(r, "POST", "/basket/items", fields{"productId": product, "quantity": quantity})
		shopper.cookie = added.cookie("basket")
		if added.Status != 201 || shopper.cookie == "" {
			return // there is too little, or the answer that is kept has no cookie
		}
		begun := x.sim.History.Now()
		a := shopper.insist(r, "POST", "/checkout", fields{"email": "jana@example.cz", "firstName": "Jana",
			"lastName": "Nováková", "phone": "+420 601 123 456", "billingAddress": fields{"street": "Dlouhá 12",
				"city": "Brno", "zip": "602 00", "country": "CZ"}})
		if a.Status == 201 {
			x.sim.did("a checkout")
		}
		p.ordered(x, model.Shopper, begun, a, &placed{id: a.text("orderId"), product: product, quantity: quantity})
	}
}
