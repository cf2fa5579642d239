// The program is a journey with a client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"

	"github.com/oapi-codegen/nullable"

	"journey/eshop"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func wants(what string, is bool) {
	if !is {
		log.Fatal(what)
	}
}

func main() {
	ctx, key, phone := context.Background(), "oapi-1", "+420 601 123 456"
	api, err := eshop.NewClientWithResponses(os.Getenv("BASE"),
		eshop.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
			return nil
		}))
	check(err)

	made, err := api.CreateCustomerWithResponse(ctx, &eshop.CreateCustomerParams{IdempotencyKey: &key},
		eshop.CustomerNew{Email: "oapi@example.cz", FirstName: "Jana", LastName: "Nováková", Phone: &phone})
	check(err)
	wants("a customer", made.JSON201 != nil)
	customer, tag := made.JSON201, made.HTTPResponse.Header.Get("ETag")

	changed, err := api.ChangeCustomerWithResponse(ctx, customer.Id, &eshop.ChangeCustomerParams{IfMatch: &tag},
		eshop.CustomerPatch{Phone: nullable.NewNullNullable[string]()})
	check(err)
	wants("null clears", changed.JSON200 != nil && customer.Phone != nil && changed.JSON200.Phone == nil)

	two, nine := int64(2), int64(9)
	products, err := api.ListProductsWithResponse(ctx, &eshop.ListProductsParams{ItemsPerPage: &two})
	check(err)
	wants("products", products.JSON200 != nil && len(products.JSON200.Items) == 2)
	batch, err := api.ChangeProductsStockWithResponse(ctx, nil, eshop.BatchStock{
		Items: []eshop.BatchStockItem{{Id: products.JSON200.Items[0].Id, Quantity: &nine}}})
	check(err)
	wants("a stock", batch.JSON200 != nil && batch.JSON200.Results[0].Status != "failed")

	types := []eshop.ListChangesParamsTypes{eshop.ListChangesParamsTypesCustomers}
	feed, err := api.ListChangesWithResponse(ctx, &eshop.ListChangesParams{Types: &types, From: &customer.Created})
	check(err)
	wants("the customer in the feed", feed.JSON200 != nil &&
		slices.ContainsFunc(feed.JSON200.Items, func(c eshop.Change) bool { return c.Id == customer.Id }))

	nobody, err := api.ReadCustomerWithResponse(ctx, "01KYFXV0000000000000000000", nil)
	check(err)
	problem := nobody.ApplicationproblemJSON404
	wants("a problem with its code", problem != nil && problem.Code == "not_found")

	gone, err := api.DeleteCustomerWithResponse(ctx, customer.Id, nil)
	check(err)
	wants("its end", gone.StatusCode() == http.StatusNoContent)
	fmt.Println("done")
}
