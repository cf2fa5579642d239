package orders

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bodies are where the fuzzers begin; TEA stands for the product's id, STATE for a state's.
var bodies = []string{
	`{"email":"jana@example.cz","items":[{"productId":"TEA","quantity":2,"note":"x"}],"discountCoupons":["TEN"],"note":"n"}`,
	`{"email":"jana@example.cz","items":[{"productId":"TEA","quantity":1}],"stateId":"STATE","orderDeliveryPayment":{"delivery":"D","payment":null}}`,
	`{"email":"jana@example.cz","items":[{"productId":"TEA","variantId":"TEA","quantity":1e400}],"customerId":"TEA"}`,
	`{"email":"jana@example.cz","items":[{"productId":"TEA","quantity":999999999999}],"discountCoupons":["TEN","ten"]}`,
	`{"email":null,"items":null,"billingAddress":{"firstName":"J"},"deliveryAddress":null}`,
	`{"stateId":"STATE","note":null}`, `{"stateId":"","note":""}`,
	`{"trackingNumber":"1","trackingLink":"https://x.cz/\u0000"}`,
	`{"trackingNumber":null,"trackingLink":"HTTP://[::1]:80/%zz"}`,
	`{"name":"N","position":1e3,"final":true,"color":"\u202e"}`,
	`{"id":"1","totals":{"items":0},"":"","items":[[[[]]]]}`, `{"items":[],"items":[]}`, `null`, `[]`, `"x"`,
	`{`, ``, `{}{}`,
}

func FuzzBodies(f *testing.F) {
	for _, b := range bodies {
		for op := range byte(5) {
			f.Add(op, b)
		}
	}
	w := newWorld(f)
	w.seed()
	tea := w.product("TEA", "10.00", 1_000_000).ID()
	w.coupon("TEN", "percentage", "10.00")
	made, state := w.order(of(line(tea, 1))).ID(), w.do("POST", statesPath, object{"name": "Own"}).Is(201).ID()
	f.Fuzz(func(t *testing.T, op byte, body string) {
		w.T = t
		body = strings.NewReplacer("TEA", tea, "STATE", state).Replace(body)
		place := []struct{ method, path string }{{"POST", path}, {"PATCH", pathOf(made)},
			{"PATCH", pathOf(made, "/order-delivery-payment")},
			{"POST", statesPath}, {"PATCH", statesPath + "/" + state}}[op%5]
		before := w.stock(tea)
		r := w.do(place.method, place.path, body, "Content-Type", "application/json")
		require.Less(t, r.Status, 500, r.Text)
		if r.Status >= 400 {
			require.Empty(t, w.told(), r.Text)
			require.Equal(t, before, w.stock(tea))
			require.True(t, strings.HasPrefix(r.Header.Get("Content-Type"), "application/problem+json"))
			require.NotEmpty(t, r.Body["code"])
			return
		}
		at := place.path
		if r.Status == http.StatusCreated {
			at += "/" + r.ID()
		}
		if op%5 != 2 {
			require.Equal(t, r.Body, w.do("GET", at, nil).Is(200).Body)
		}
		if op%5 == 3 {
			w.do("DELETE", at, nil).Is(204)
		}
	})
}
