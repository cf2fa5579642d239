// The program is a journey with a client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

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
	ctx, key := context.Background(), "oapi-1"
	api, err := eshop.NewClientWithResponses(os.Getenv("BASE"),
		eshop.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
			return nil
		}))
	check(err)
	made, err := api.CreateCustomerWithResponse(ctx, &eshop.CreateCustomerParams{IdempotencyKey: &key},
		eshop.CustomerNew{Email: "oapi@example.cz", FirstName: "Jana", LastName: "Nováková"})
	check(err)
	wants("a customer", made.JSON201 != nil)
	customer := made.JSON201
	tag := made.HTTPResponse.Header.Get("ETag")
	note := "Calls before noon"
	changed, err := api.ChangeCustomerWithResponse(ctx, customer.Id, &eshop.ChangeCustomerParams{IfMatch: &tag},
		eshop.CustomerPatch{Note: &note})
	check(err)
	wants("its note", changed.JSON200 != nil && changed.JSON200.Note != nil && *changed.JSON200.Note == note)
	feed, err := api.ListChangesWithResponse(ctx, &eshop.ListChangesParams{From: &customer.Created})
	check(err)
	wants("a feed", feed.JSON200 != nil && len(feed.JSON200.Items) > 0)
	gone, err := api.DeleteCustomerWithResponse(ctx, customer.Id, &eshop.DeleteCustomerParams{})
	check(err)
	wants("its end", gone.StatusCode() == http.StatusNoContent)
	fmt.Println("done")
}
