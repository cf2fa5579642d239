package shelf_test

import (
	"context"
	"fmt"
	"log/slog"

	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/host/hosttest"
	"eshop/shared/remember"
	"eshop/shared/shelf"
)

// A visitor sees the shop's newest active products, with the lowest price that they are sold at.
func ExampleShelf_Newest() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		product := catalog.ProductNew{ProductDetails: catalog.ProductDetails{Code: "T", Name: "T-shirt", Active: true,
			PriceLevels: []catalog.Price{{Level: catalog.DefaultLevel, Price: 120_00}}}}
		if _, err := (catalog.Catalog{Log: slog.Default()}).CreateProduct(ctx, u, product); err != nil {
			panic(err)
		}
		list, err := shelf.New(u.Table, u.Now, remember.For(u.Now, 0)).Newest(ctx, u.Shop)
		if err != nil {
			panic(err)
		}
		for _, p := range list.Products {
			price, _, _ := p.PriceAt(catalog.DefaultLevel)
			fmt.Println(p.Name, "at", p.Slug, "for", price)
		}
	})
	// Output: T-shirt at t-shirt for 120.00
}
