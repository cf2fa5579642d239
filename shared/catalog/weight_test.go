package catalog

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/record"
	"eshop/shared/record/field"
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

// TestEachTextOfDetailsIsReckonedWith makes each text of a product in turn very long, also those in its lists: a field
// that mostBytes forgets is found here.
func TestEachTextOfDetailsIsReckonedWith(t *testing.T) {
	var d ProductDetails
	eachText(t, "ProductDetails", reflect.ValueOf(&d).Elem(), func(path string) {
		require.Less(t, len(record.Document(d)), d.mostBytes(), "%s is to be in the sum of mostBytes", path)
	})
}

// eachText sets each text of a value in turn to one of 60,000 bytes as JSON, and calls then. Stock is left out: a
// product keeps it beside its details.
func eachText(t *testing.T, path string, v reflect.Value, then func(path string)) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).Type() != reflect.TypeFor[Stock]() {
				eachText(t, path+"."+v.Type().Field(i).Name, v.Field(i), then)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		eachText(t, path, v.Index(0), then)
		v.SetZero()
	case reflect.String:
		v.SetString(strings.Repeat("\x01", 10_000)) // six bytes each
		then(path)
		v.SetZero()
	case reflect.Bool, reflect.Int64: // of a few bytes, for which mostBytes has room
	default:
		t.Fatalf("%s: say here how large a %s can be", path, v.Type())
	}
}

func TestFullListsOfDetailsAreNoMoreThanTheyAreReckonedToBe(t *testing.T) {
	for _, d := range []ProductDetails{
		{Images: slices.Repeat([]Image{{URL: "a", Alt: "a"}}, 20)}, {CategoryIDs: slices.Repeat([]string{"a"}, 20)},
		{Units: slices.Repeat([]Unit{{Unit: "a", Quantity: 999_999_999_999}}, 20)},
		{PriceLevels: slices.Repeat([]Price{{Level: "a", Price: 999_999_999_999_99}}, 50)},
	} {
		require.Less(t, len(record.Document(d)), d.mostBytes())
	}
}
