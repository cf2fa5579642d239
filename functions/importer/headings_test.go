package importer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/catalog"
	"eshop/shared/imports"
)

func TestFilesAreReadByTheHeadingsThatPeopleHave(t *testing.T) {
	products := fieldsOf(typeOf(imports.Products), "", map[string]field{})
	customers := fieldsOf(typeOf(imports.Customers), "", map[string]field{})
	for heading, want := range map[string]string{"E-mail": "email", "EMAIL": "email", "Jméno": "firstName",
		"Priezvisko": "lastName", "  IČO ": "companyId", "PSČ": "billingAddress.zip",
		"Ulice a  číslo": "billingAddress.street", "billingAddress.city": "billingAddress.city",
		"Cena": "Cena", "nic": "nic"} {
		require.Equal(t, want, meant(heading, customers), heading)
	}
	for heading, want := range map[string]string{"Kód": "code", "Název": "name", "Názov produktu": "name",
		"Cena": "priceLevels.default", "priceLevels.vip": "priceLevels.vip", "DPH": "vatRate",
		"Skladem": "stock.quantity", "EAN": "ean", "E-mail": "E-mail"} {
		require.Equal(t, want, meant(heading, products), heading)
	}
	// No heading means two fields of one record, and each field that is meant is there.
	for of, fields := range map[string]map[string]field{"products": products, "customers": customers} {
		seen := map[string]string{}
		for name, all := range headings {
			_, has := fields[name]
			if !has && !(name == "priceLevels.default" && of == "products") {
				continue
			}
			for _, one := range all {
				require.Empty(t, seen[one], "%s in %s", one, of)
				seen[one] = name
			}
		}
		require.NotEmpty(t, seen)
	}
	for name := range headings {
		_, ofCustomers := customers[name]
		_, ofProducts := products[name]
		require.True(t, ofCustomers || ofProducts || name == "priceLevels.default", name)
	}
}

func TestCellsAreReadAsPeopleTypeThem(t *testing.T) {
	fields := fieldsOf(typeOf(imports.Products), "", map[string]field{})
	all, bad := columns([]string{"Kód", "Cena", "DPH", "Skladem", "Aktivní"}, fields, "code")
	require.Nil(t, bad)
	r := read(all, []string{"A", "1\u00a0290,50 Kč", "21 %", "7", "Ano"})
	require.Equal(t, catalog.SetPrices{{Level: "default", Price: "1290.50"}}, r.Fields["priceLevels"])
	require.Equal(t, []any{"21.00", true}, []any{r.Fields["vatRate"], r.Fields["active"]})
	_, bad = columns([]string{"Kód", "code"}, fields, "code")
	require.Equal(t, "code", bad.location, "a column and what it is called are one")
}
