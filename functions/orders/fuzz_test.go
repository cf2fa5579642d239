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
	`{"stateId":"STATE","note":null}`, `{"stateId":"","note":""}`, `{"trackingNumber":"1","trackingLink":"https://x.cz/\u0000"}`,
	`{"trackingNumber":null,"trackingLink":"HTTP://[::1]:80/%zz"}`, `{"name":"N","position":1e3,"final":true,"color":"\u202e"}`,
	`{"id":"1","totals":{"items":0},"":"","items":[[[[]]]]}`, `{"items":[],"items":[]}`, `null`, `[]`, `"x"`, `{`, ``, `{}{}`,
}

func FuzzBodies(f *testing.F) {
	for _, b := range bodies {
		for op := range byte(5) {
			f.Add(op, b)
		}
	}
	w := newWorld(f)
	w.seed()
	tea := w.product("TEA", "10.00", 1_000_000).id()
	w.coupon("TEN", "percentage", "10.00")
	made, state := w.order(of(line(tea, 1))), w.do("POST", statesPath, object{"name": "Own"}).is(201)
	f.Fuzz(func(t *testing.T, op byte, body string) {
		w.t = t
		body = strings.NewReplacer("TEA", tea, "STATE", state.id()).Replace(body)
		place := []struct{ method, path string }{{"POST", path}, {"PATCH", path2(made.id())}, {"PATCH", path2(made.id(), "/order-delivery-payment")},
			{"POST", statesPath}, {"PATCH", statesPath + "/" + state.id()}}[op%5]
		before := w.stock(tea)
		r := w.do(place.method, place.path, body, "Content-Type", "application/json")
		require.Less(t, r.Code, 500, r.Body.String())
		if r.Code >= 400 {
			require.Empty(t, w.told(), r.Body.String())
			require.Equal(t, before, w.stock(tea))
			require.True(t, strings.HasPrefix(r.Header().Get("Content-Type"), "application/problem+json"))
			require.NotEmpty(t, r.body["code"])
			return
		}
		at := place.path
		if r.Code == http.StatusCreated {
			at += "/" + r.id()
		}
		if op%5 != 2 {
			require.Equal(t, r.body, w.do("GET", at, nil).is(200).body)
		}
		if op%5 == 3 {
			w.do("DELETE", at, nil).is(204)
		}
	})
}
