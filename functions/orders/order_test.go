package orders

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnOrderIsASnapshotOfWhatIsSold(t *testing.T) {
	w := newWorld(t)
	w.state(KeyNew)
	tea := w.product("TEA", "119.00", 10)
	cup := w.product("CUP", "249.00", 0, object{"variants": []object{variant("CUP-W", "", 5), variant("CUP-B", "259.50", 7)}})
	blue := cup.at("variants", 1, "id").(string)
	customer := w.do("POST", "/api-engine/customers", object{"email": "jana@example.cz", "firstName": "Jana", "lastName": "Nováková"}).is(201)
	address := object{"firstName": "Jana", "lastName": "Nováková", "street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}
	body := of(line(tea.id(), 2), with(with(line(cup.id(), 3), "variantId", blue), "note", "Wrap it"))
	for name, v := range (object{"customerId": customer.id(), "phone": "+420 601", "billingAddress": address, "note": "Ring",
		"orderDeliveryPayment": object{"delivery": "Zásilkovna", "payment": "Kartou"}}) {
		body[name] = v
	}
	made := w.order(body)
	require.Equal(t, []string{"orders created", "products changed [stock]", "products changed [stock] 1 variants"}, w.told())
	require.Equal(t, path2(made.id()), made.Header().Get("Location"))
	require.Equal(t, object{
		"id": made.id(), "number": "2026000001", "stateId": w.state(KeyNew), "customerId": customer.id(), "email": "jana@example.cz", "phone": "+420 601",
		"billingAddress": address, "currency": "CZK", "items": []any{
			object{"id": made.at("items", 0, "id"), "productId": tea.id(), "code": "TEA", "name": "Product TEA", "quantity": 2.0, "unitPrice": "119.00", "total": "238.00",
				"vatRate": "21.00", "images": []any{}},
			object{"id": made.at("items", 1, "id"), "productId": cup.id(), "variantId": blue, "code": "CUP-B", "name": "Product CUP", "variantName": "Variant CUP-B",
				"quantity": 3.0, "unitPrice": "259.50", "total": "778.50", "vatRate": "21.00", "note": "Wrap it", "images": []any{}},
		},
		"discountCoupons": []any{}, "totals": object{"items": "1016.50", "discount": "0.00", "total": "1016.50"},
		"orderDeliveryPayment": object{"delivery": "Zásilkovna", "payment": "Kartou", "trackingNumber": nil, "trackingLink": nil},
		"note":                 "Ring", "created": made.body["created"], "changed": made.body["created"],
	}, made.body)
	read := w.do("GET", path2(made.id()), nil).is(200)
	require.Equal(t, made.body, read.body)
	require.Equal(t, made.etag(), read.etag())
	w.do("GET", path2(made.id()), nil, "If-None-Match", read.etag()).is(304)
	require.Equal(t, 8, w.stock(tea.id()))
	require.Equal(t, 4, w.stock(cup.id(), "CUP-B"))
	require.Equal(t, 5, w.stock(cup.id(), "CUP-W"))

	w.do("PATCH", "/api-engine/products/"+tea.id(), object{"name": "Other", "priceLevels": levels("1.00")}).is(200)
	w.do("DELETE", "/api-engine/products/"+cup.id(), nil).is(204)
	w.do("DELETE", "/api-engine/customers/"+customer.id(), nil).is(204)
	require.Equal(t, made.body, w.do("GET", path2(made.id()), nil).body, "an order stays what it was")
}
