// The program is a journey with a client of ogen.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"journey/eshop"
)

// token is what the client asks for in each request.
type token string

func (t token) BearerAuth(context.Context, eshop.OperationName) (eshop.BearerAuth, error) {
	return eshop.BearerAuth{Token: string(t)}, nil
}

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

// as is an answer as its type, which has one of each status.
func as[T any](answer any, err error) T {
	check(err)
	one, is := answer.(T)
	wants(fmt.Sprintf("a %T, not %#v", one, answer), is)
	return one
}

func main() {
	ctx := context.Background()
	api, err := eshop.NewClient(os.Getenv("BASE"), token(os.Getenv("TOKEN")))
	check(err)

	made := as[*eshop.CustomerHeaders](api.CreateCustomer(ctx, &eshop.CustomerNew{
		Email: "ogen@example.cz", FirstName: "Jana", LastName: "Nováková",
		Phone: eshop.NewOptString("+420 601 123 456"),
	}, eshop.CreateCustomerParams{IdempotencyKey: eshop.NewOptString("ogen-1")}))
	customer := made.Response

	var phone eshop.OptNilString
	phone.SetToNull()
	changed := as[*eshop.ChangeCustomerOKHeaders](api.ChangeCustomer(ctx,
		&eshop.ChangeCustomerApplicationJSON{Phone: phone},
		eshop.ChangeCustomerParams{ID: customer.ID, IfMatch: made.ETag}))
	wants("null clears", customer.Phone.Set && !changed.Response.Phone.Set)

	products := as[*eshop.ProductListHeaders](api.ListProducts(ctx,
		eshop.ListProductsParams{ItemsPerPage: eshop.NewOptInt64(2)})).Response.Items
	wants("two products", len(products) == 2)
	batch := as[*eshop.ChangeProductsStockOK](api.ChangeProductsStock(ctx, &eshop.ChangeProductsStockApplicationJSON{
		Items: []eshop.BatchStockItem{{ID: products[0].ID, Quantity: eshop.NewOptInt64(9)}},
	}, eshop.ChangeProductsStockParams{}))
	wants("a stock", batch.Response.Results[0].Status != "failed")

	feed := as[*eshop.ChangeListHeaders](api.ListChanges(ctx, eshop.ListChangesParams{
		Types: []eshop.ListChangesTypesItem{eshop.ListChangesTypesItemCustomers},
		From:  eshop.NewOptDateTime(customer.Created),
	}))
	wants("the customer in the feed", slices.ContainsFunc(feed.Response.Items,
		func(c eshop.Change) bool { return c.ID == customer.ID }))

	nobody := as[*eshop.Problem404Headers](api.ReadCustomer(ctx,
		eshop.ReadCustomerParams{ID: "01KYFXV0000000000000000000"}))
	wants("a problem with its code", nobody.Response.Code == "not_found")

	as[*eshop.DeleteCustomerNoContent](api.DeleteCustomer(ctx, eshop.DeleteCustomerParams{ID: customer.ID}))
	fmt.Println("done")
}
