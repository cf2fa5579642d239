package importer

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/catalog"
	"eshop/shared/job/imports"
)

func TestEachFieldThatACellCanHoldHasItsHeader(t *testing.T) {
	for _, of := range []imports.Type{imports.Products, imports.Customers} {
		want := fieldsOf(typeOf(of), "", map[string]field{})
		if _, has := want[prices]; has {
			delete(want, prices)
			want[imports.DefaultPrice] = field{}
		}
		var has []string
		for _, h := range of.Headers() {
			has = append(has, h.Field)
		}
		slices.Sort(has)
		require.Equal(t, slices.Sorted(maps.Keys(want)), has)
	}
}

func TestColumnsAreFieldsByTheirNames(t *testing.T) {
	fields := fieldsOf(typeOf(imports.Products), "", map[string]field{})
	unknown := func(names string) string {
		return "Unknown columns: " + names + `. Name each as at /docs/import-a-file#columns, or "-" to leave it out.`
	}
	for _, c := range []struct {
		names, want []string
		message     string
	}{
		{names: []string{"Kód", " NÁZEV ", "Cena", "priceLevels. vip"},
			want: []string{"code", "name", "priceLevels.default", "priceLevels.vip"}},
		{names: []string{"-", "code", " - "}, want: []string{"", "code", ""}},
		{names: []string{"Kód", "code"},
			message: `The columns "Kód" and "code" are one field: name one of them "-" to leave it out.`},
		{names: []string{"Kód", "Barva", "", "Cena", "Sleva"}, message: unknown(`"Barva", "", "Sleva"`)},
		{names: strings.Split("Kód,a,b,c,d,e,f,g", ","), message: unknown(`"a", "b", "c", "d", "e", and more`)},
		{names: []string{"Název"}, message: `There is no column "code", which is the key of the rows.`},
	} {
		columns, bad := columns(c.names, fields, imports.Products)
		if c.message != "" {
			require.NotNil(t, bad, c.names)
			require.Equal(t, c.message, bad.message)
			require.NotEmpty(t, bad.of)
			continue
		}
		require.Nil(t, bad, c.names)
		var is []string
		for _, one := range columns {
			is = append(is, one.name)
		}
		require.Equal(t, c.want, is)
	}
}

func TestCellsAreReadAsPeopleTypeThem(t *testing.T) {
	fields := fieldsOf(typeOf(imports.Products), "", map[string]field{})
	all, bad := columns([]string{"Kód", "Cena", "-", "DPH", "Skladem", "Aktivní"}, fields, imports.Products)
	require.Nil(t, bad)
	r := read(all, []string{"A", "1\u00a0290,50 Kč", "x", "21 %", "7", "Ano"})
	require.Equal(t, catalog.SetPrices{{Level: "default", Price: "1290.50"}}, r.Fields["priceLevels"])
	require.Equal(t, []any{"21.00", true}, []any{r.Fields["vatRate"], r.Fields["active"]})
}

func TestACountryIsReadByItsCodeOrItsName(t *testing.T) {
	all, bad := columns([]string{"email", "Země"}, fieldsOf(typeOf(imports.Customers), "", map[string]field{}),
		imports.Customers)
	require.Nil(t, bad)
	for cell, want := range map[string]string{"CZ": "CZ", "cz": "CZ", "Česko": "CZ", "česká republika": "CZ",
		" Slovensko ": "SK", "Germany": "DE", "Narnie": "Narnie"} {
		r := read(all, []string{"a@example.cz", cell})
		require.Equal(t, map[string]any{"country": want}, r.Fields["billingAddress"])
	}
}

func TestAnAmountIsReadWithWhatItIsOf(t *testing.T) {
	for cell, want := range map[string]string{"1 290,50 Kč": "1290.50", "1\u00a0290,5\u00a0Kč": "1290.50",
		"129,– Kč": "129.00", "12,90 €": "12.90", "12.90 EUR": "12.90", " 5 ": "5.00", "21 %": "21 %",
		"abc": "abc", "": ""} {
		require.Equal(t, want, typedAmount(cell, currencies), cell)
	}
	for cell, want := range map[string]string{"21 %": "21.00", "21%": "21.00", "21": "21.00", "21 Kč": "21 Kč"} {
		require.Equal(t, want, typedAmount(cell, percent), cell)
	}
}
