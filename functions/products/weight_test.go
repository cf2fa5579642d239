package products

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/api"
)

func TestDetailsAreNeverMoreThanTheyAreReckonedToBe(t *testing.T) {
	line := rapid.Custom(func(t *rapid.T) api.Line { return api.Line(rapid.StringN(0, 40, 160).Draw(t, "text")) })
	few := func(t *rapid.T, what string) int { return rapid.IntRange(0, 20).Draw(t, what) }
	rapid.Check(t, func(t *rapid.T) {
		text := func(what string) string { return string(line.Draw(t, what)) }
		d := Details{Code: api.Code(text("code")), ExternalID: line.Draw(t, "external"), EAN: line.Draw(t, "ean"), Manufacturer: line.Draw(t, "manufacturer"),
			Name: api.Name(text("name")), ShortDescription: api.Text(text("short")), Description: api.Text(text("description")), VATRate: "100.00",
			Stock: Stock{}}
		for range few(t, "images") {
			d.Images = append(d.Images, Image{URL: text("url"), Alt: line.Draw(t, "alt")})
		}
		for range few(t, "units") {
			d.Units = append(d.Units, Unit{Unit: api.Name(text("unit")), Quantity: MaxStock})
		}
		for range few(t, "prices") {
			d.PriceLevels = append(d.PriceLevels, Price{Level: api.Name(text("level")), Price: api.Money(rapid.Int64().Draw(t, "price"))})
		}
		for range few(t, "categories") {
			d.CategoryIDs = append(d.CategoryIDs, text("category"))
		}
		require.LessOrEqual(t, len(marshal(d)), d.mostBytes())
	})
}
