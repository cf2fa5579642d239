// The program is a journey with a client of ogen.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"journey/oas"
)

// token is the access's.
type token string

func (t token) BearerAuth(context.Context, oas.OperationName) (oas.BearerAuth, error) {
	return oas.BearerAuth{Token: string(t)}, nil
}

func must[T any](v any, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	is, ok := v.(T)
	if !ok {
		log.Fatalf("%T: %+v", v, v)
	}
	return is
}

func main() {
	ctx := context.Background()
	api, err := oas.NewClient(os.Getenv("BASE"), token(os.Getenv("TOKEN")))
	if err != nil {
		log.Fatal(err)
	}
	made := must[*oas.CreateCustomerCreatedHeaders](api.CreateCustomer(ctx, &oas.CustomerNew{
		Email: "ogen@example.cz", FirstName: "Jana", LastName: "Nováková", Phone: oas.NewOptString("+420 601 123 456"),
	}, oas.CreateCustomerParams{IdempotencyKey: oas.NewOptString("ogen-1")}))
	customer := made.Response
	null := oas.OptNilString{Set: true, Null: true}
	changed := must[*oas.ChangeCustomerOKHeaders](api.ChangeCustomer(ctx,
		&oas.ChangeCustomerReqApplicationMergePatchJSON{Phone: null},
		oas.ChangeCustomerParams{ID: customer.ID, IfMatch: made.ETag}))
	if changed.Response.Phone.Set {
		log.Fatal("null clears")
	}
	products := must[*oas.ProductListHeaders](api.ListProducts(ctx,
		oas.ListProductsParams{ItemsPerPage: oas.NewOptInt64(2)}))
	feed := must[*oas.ChangeListHeaders](api.ListChanges(ctx, oas.ListChangesParams{
		Types: []oas.ListChangesTypesItem{oas.ListChangesTypesItemCustomers},
		From:  oas.NewOptDateTime(customer.Created)}))
	fmt.Println(len(products.Response.Items), len(feed.Response.Items))
	deliveries := must[*oas.WebhookDeliveryListHeaders](api.ListDeliveries(ctx, oas.ListDeliveriesParams{}))
	for _, d := range deliveries.Response.Items {
		whole := must[*oas.WebhookDelivery](api.ReadDelivery(ctx, oas.ReadDeliveryParams{ID: d.ID}))
		if ping, is := whole.Body.GetPingWebhook(); !is || ping.Data.Nonce == "" {
			log.Fatalf("no ping: %+v", whole.Body)
		}
	}
	must[*oas.DeleteCustomerNoContent](api.DeleteCustomer(ctx, oas.DeleteCustomerParams{ID: customer.ID}))
	fmt.Println("done")
}
