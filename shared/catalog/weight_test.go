package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/field"
	"eshop/shared/record"
)

func TestDetailsAreNeverMoreThanTheyAreReckonedToBe(t *testing.T) {
	line := rapid.Custom(func(t *rapid.T) field.Line { return field.Line(rapid.StringN(0, 40, 160).Draw(t, "text")) })
	few := func(t *rapid.T, what string) int { return rapid.IntRange(0, 20).Draw(t, what) }
	rapid.Check(t, func(t *rapid.T) {
		text := func(what string) string { return string(line.Draw(t, what)) }
		d := ProductDetails{Code: field.Code(text("code")), ExternalID: line.Draw(t, "external"),
			EAN: line.Draw(t, "ean"), Manufacturer: line.Draw(t, "manufacturer"),
			Name: field.Name(text("name")), ShortDescription: field.Text(text("short")),
			Description: field.Text(text("description")), VATRate: "100.00", Stock: Stock{}}
		for range few(t, "images") {
			d.Images = append(d.Images, Image{URL: text("url"), Alt: line.Draw(t, "alt")})
		}
		for range few(t, "units") {
			d.Units = append(d.Units, Unit{Unit: field.Name(text("unit")), Quantity: MaxStock})
		}
		for range few(t, "prices") {
			d.PriceLevels = append(d.PriceLevels,
				Price{Level: field.Name(text("level")), Price: field.Money(rapid.Int64().Draw(t, "price"))})
		}
		for range few(t, "categories") {
			d.CategoryIDs = append(d.CategoryIDs, text("category"))
		}
		require.LessOrEqual(t, len(record.Document(d)), d.mostBytes())
	})
}

func TestNoFieldOfDetailsIsMoreThanItIsReckonedToBe(t *testing.T) {
	text := strings.Repeat("\x01", 10_000) // six bytes each as JSON
	for _, d := range []ProductDetails{
		{Code: field.Code(text)}, {ExternalID: field.Line(text)}, {EAN: field.Line(text)},
		{Manufacturer: field.Line(text)},
		{Name: field.Name(text)}, {VATRate: field.Rate(text)}, {ShortDescription: field.Text(text)},
		{Description: field.Text(text)},
		{Images: []Image{{URL: text}}}, {Images: []Image{{Alt: field.Line(text)}}},
		{Units: []Unit{{Unit: field.Name(text)}}},
		{PriceLevels: []Price{{Level: field.Name(text)}}}, {CategoryIDs: []string{text}},
		{Images: slices.Repeat([]Image{{URL: "a", Alt: "a"}}, 20)}, {CategoryIDs: slices.Repeat([]string{"a"}, 20)},
		{Units: slices.Repeat([]Unit{{Unit: "a", Quantity: 999_999_999_999}}, 20)},
		{PriceLevels: slices.Repeat([]Price{{Level: "a", Price: 999_999_999_999_99}}, 50)},
	} {
		require.Less(t, len(record.Document(d)), d.mostBytes())
	}
}
