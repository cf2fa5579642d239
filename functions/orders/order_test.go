package orders

import (
	"testing"

	"eshop/shared/base/id"
	"eshop/shared/record"
	"eshop/shared/sale"
	shops "eshop/shared/shop"

	"github.com/stretchr/testify/require"
)

func TestAnOrderIsASnapshotOfWhatIsSold(t *testing.T) {
	w := newWorld(t)
	w.state(sale.KeyNew)
	tea := w.product("TEA", "119.00", 10)
	cup := w.product("CUP", "249.00", 0,
		object{"variants": []object{variant("CUP-W", "", 5), variant("CUP-B", "259.50", 7)}})
	blue := cup.At("variants.1.id").(string)
	customer := w.do("POST", "/api-engine/customers",
		object{"email": "jana@example.cz", "firstName": "Jana", "lastName": "Nováková"}).Is(201)
	address := object{"firstName": "Jana", "lastName": "Nováková", "street": "Dlouhá 12", "city": "Brno",
		"zip": "602 00", "country": "CZ"}
	body := of(line(tea.ID(), 2), with(with(line(cup.ID(), 3), "variantId", blue), "note", "Wrap it"))
	for name, v := range (object{
		"customerId": customer.ID(), "phone": "+420 601", "billingAddress": address, "note": "Ring",
		"orderDeliveryPayment": object{"delivery": "Zásilkovna", "payment": "Kartou"}}) {
		body[name] = v
	}
	made := w.order(body)
	require.Equal(t, []string{"orders created", "products changed [stock]",
		"products changed [stock] 1 variants"}, w.told())
	require.Equal(t, pathOf(made.ID()), made.Header.Get("Location"))
	require.Equal(t, object{
		"id": made.ID(), "number": "2026000001", "stateId": w.state(sale.KeyNew), "customerId": customer.ID(),
		"email": "jana@example.cz", "phone": "+420 601",
		"billingAddress": address, "currency": "CZK", "items": []any{
			object{"id": made.At("items.0.id"), "productId": tea.ID(), "code": "TEA", "name": "Product TEA",
				"quantity": 2.0, "unitPrice": "119.00", "total": "238.00",
				"vatRate": "21.00", "images": []any{}},
			object{"id": made.At("items.1.id"), "productId": cup.ID(), "variantId": blue, "code": "CUP-B",
				"name": "Product CUP", "variantName": "Variant CUP-B",
				"quantity": 3.0, "unitPrice": "259.50", "total": "778.50", "vatRate": "21.00", "note": "Wrap it",
				"images": []any{}},
		},
		"discountCoupons": []any{}, "totals": object{"items": "1016.50", "discount": "0.00", "total": "1016.50"},
		"orderDeliveryPayment": object{"delivery": "Zásilkovna", "payment": "Kartou", "trackingNumber": nil,
			"trackingLink": nil},
		"note": "Ring", "created": made.Body["created"], "changed": made.Body["created"],
	}, made.Body)
	read := w.do("GET", pathOf(made.ID()), nil).Is(200)
	require.Equal(t, made.Body, read.Body)
	require.Equal(t, made.ETag(), read.ETag())
	w.do("GET", pathOf(made.ID()), nil, "If-None-Match", read.ETag()).Is(304)
	require.Equal(t, 8, w.stock(tea.ID()))
	require.Equal(t, 4, w.stock(cup.ID(), "CUP-B"))
	require.Equal(t, 5, w.stock(cup.ID(), "CUP-W"))

	w.do("PATCH", "/api-engine/products/"+tea.ID(), object{"name": "Other", "priceLevels": levels("1.00")}).Is(200)
	w.do("DELETE", "/api-engine/products/"+cup.ID(), nil).Is(204)
	w.do("DELETE", "/api-engine/customers/"+customer.ID(), nil).Is(204)
	require.Equal(t, made.Body, w.do("GET", pathOf(made.ID()), nil).Body, "an order stays what it was")
}

// TestAnOrderThatIsPickedUpNeedsNoStreet: contract, "Ways of delivery and payment".
func TestAnOrderThatIsPickedUpNeedsNoStreet(t *testing.T) {
	w := newWorld(t)
	w.Put(w.Main, shops.Shop{Head: record.Head{ID: shop, Version: id.Stamp(w.Clock.Now())},
		Fields: shops.Fields{Domain: "shop.test", Locale: "cs_CZ"}}.Item())
	address := object{"firstName": "Jana", "lastName": "Nováková", "city": "Brno", "zip": "602 00", "country": "CZ"}
	tea := w.product("TEA", "119.00", 10)
	body := func(delivery string) object {
		return with(with(of(line(tea.ID(), 1)), "billingAddress", address), "orderDeliveryPayment",
			object{"delivery": delivery})
	}
	for _, delivery := range []string{"Zásilkovna", "Doručení na adresu"} {
		w.do("POST", "/api-engine/orders", body(delivery)).
			Is(422, "invalid", "body.billingAddress.street: required")
	}
	w.do("POST", "/api-engine/orders", with(body("Osobní odběr"), "deliveryAddress", address)).
		Is(422, "invalid", "body.deliveryAddress.street: required")
	require.Equal(t, "", w.order(body("Osobní odběr")).At("billingAddress.street"))
}
