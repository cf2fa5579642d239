package imports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAColumnIsKnownByTheNamesThatPeopleGiveIt(t *testing.T) {
	for field, names := range map[string][]string{
		"email":     {"email", "E-mail", "Email", " EMAIL ", "e mail", "E-mail *", "Mail", "E-mailová adresa"},
		"firstName": {"firstName", "Jméno", "jmeno", "MENO", "First name", "first_name", "Křestní jméno"},
		"lastName":  {"Příjmení", "Priezvisko", "prijmeni", "Last name", "Surname"},
		"phone":     {"Telefon", "Telefón", "Mobil", "Phone"},
		"company":   {"Firma", "Společnost", "Company"},
		"companyId": {"IČO", "ICO", "ičo", "Company ID"},
		"vatId":     {"DIČ", "IČ DPH", "VAT ID"},

		"billingAddress.street":  {"Ulice", "Ulica", "Street", "billingaddress.street"},
		"billingAddress.city":    {"Město", "Mesto", "City"},
		"billingAddress.zip":     {"PSČ", "psc", "ZIP", "Postcode"},
		"billingAddress.country": {"Země", "Krajina", "Stát", "Country"},
		"deliveryAddress.city":   {"Dodací město", "Dodacie mesto", "Delivery city"},
		"note":                   {"Poznámka", "Note"},
		"":                       {"", "*", "Oblíbená barva", "Kód", "Cena"},
	} {
		for _, name := range names {
			require.Equal(t, field, Customers.Field(name), name)
		}
	}
	for field, names := range map[string][]string{
		"code":           {"code", "Kód", "kod", "SKU", "Code"},
		"name":           {"Název", "Názov", "Name", "Název produktu"},
		DefaultPrice:     {"Cena", "CENA", "Price", "Cena s DPH", "priceLevels.default"},
		"stock.quantity": {"Sklad", "Množství", "Množstvo", "Skladem", "Počet kusů", "Quantity", "stock.quantity"},
		"ean":            {"EAN", "Čárový kód"},
		"description":    {"Popis", "Description"},
		"manufacturer":   {"Výrobce", "Výrobca", "Značka", "Brand"},
		"vatRate":        {"DPH", "DPH %", "Sazba DPH", "DPH (%)", "VAT"},
		"":               {"", "Barva", "E-mail"},
	} {
		for _, name := range names {
			require.Equal(t, field, Products.Field(name), name)
		}
	}
}

func TestNoNameIsOfTwoFields(t *testing.T) {
	for of, fields := range headers {
		owner := map[string]string{}
		for _, h := range fields {
			for _, name := range append([]string{h.Field, h.Label}, h.Names...) {
				name = plain(name)
				require.NotEmpty(t, name)
				if before, has := owner[name]; has {
					require.Equal(t, before, h.Field, "%s: %q", of, name)
				}
				owner[name] = h.Field
			}
			require.GreaterOrEqual(t, len(h.Names), 2, h.Field)
		}
		require.NotEmpty(t, owner[of.Key()])
	}
}

func TestAGuessIsSureWhenEachColumnIsAFieldOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		of     Type
		names  []string
		fields []string
		sure   bool
	}{
		{Customers, []string{"E-mail", "Jméno"}, []string{"email", "firstName"}, true},
		{Customers, []string{"E-mail", "email"}, []string{"email", ""}, false},
		{Customers, []string{"E-mail", "Barva"}, []string{"email", ""}, false},
		{Customers, []string{"Jméno"}, []string{"firstName"}, false},
		{Customers, []string{"E-mail", ""}, []string{"email", ""}, false},
		{Customers, []string{"E-mail", "priceLevels.vip"}, []string{"email", ""}, false},
		{Products, []string{"Kód", "priceLevels. vip", "Cena"},
			[]string{"code", "priceLevels.vip", DefaultPrice}, true},
		{Products, []string{"Kód", "priceLevels."}, []string{"code", ""}, false},
		{Products, nil, nil, false},
	} {
		fields, sure := c.of.Guess(c.names)
		require.Equal(t, c.fields, fields, c.names)
		require.Equal(t, c.sure, sure, c.names)
	}
}
