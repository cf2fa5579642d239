package importer

import (
	"slices"
	"strings"

	values "eshop/shared/field"
	"eshop/shared/slug"
)

// headings are what the columns of people's files are called, in Czech, Slovak and English, without case and accents,
// and the fields that are meant. The fields' own names stand before them. A heading means a field only where a record
// of the import has it.
var headings = map[string][]string{
	"email": {"e-mail", "mail", "e-mailova adresa", "emailova adresa",
		"e-mail address", "email address"},
	"firstName":              {"jmeno", "krestni jmeno", "meno", "krstne meno", "first name", "given name"},
	"lastName":               {"prijmeni", "priezvisko", "last name", "surname", "family name"},
	"phone":                  {"telefon", "mobil", "telefonni cislo", "telefonne cislo", "phone number", "mobile"},
	"company":                {"firma", "spolecnost", "spolocnost", "nazev firmy", "nazov firmy", "company name"},
	"companyId":              {"ico", "ic", "company id", "company number", "registration number"},
	"vatId":                  {"dic", "ic dph", "vat id", "vat number"},
	"priceLevel":             {"cenova hladina", "cenova skupina", "price level", "customer group"},
	"billingAddress.street":  {"ulice", "ulica", "adresa", "ulice a cislo", "ulica a cislo", "street", "address"},
	"billingAddress.city":    {"mesto", "obec", "city", "town"},
	"billingAddress.zip":     {"psc", "postcode", "postal code", "zip code"},
	"billingAddress.country": {"zeme", "stat", "krajina", "country", "country code"},
	"note":                   {"poznamka", "remark"},
	"externalId":             {"externi id", "externe id", "external id"},
	"code": {"kod", "kod produktu", "kod zbozi", "katalogove cislo",
		"sku", "product code"},
	"name": {"nazev", "nazov", "nazev produktu", "nazov produktu",
		"produkt", "title", "product name"},
	"ean":                 {"carovy kod", "ciarovy kod", "gtin", "barcode"},
	"manufacturer":        {"vyrobce", "vyrobca", "znacka", "brand", "vendor"},
	"shortDescription":    {"kratky popis", "short description"},
	"description":         {"popis", "dlouhy popis", "dlhy popis", "long description"},
	"priceLevels.default": {"cena", "cena s dph", "prodejni cena", "predajna cena", "price", "price incl. vat"},
	"vatRate":             {"dph", "sazba dph", "sadzba dph", "vat", "vat rate"},
	"stock.quantity": {"sklad", "skladem", "skladom", "mnozstvi", "mnozstvo", "pocet kusu", "pocet kusov", "zasoba",
		"stock", "quantity", "in stock"},
	"active": {"aktivni", "aktivny", "viditelny", "visible"},
}

// meant is the name of the field that a heading means; the heading itself where it means none that a file can hold.
func meant(heading string, fields map[string]field) string {
	if _, own := fields[heading]; own || strings.HasPrefix(heading, prices) {
		return heading
	}
	folded := strings.Join(strings.Fields(slug.Fold(heading)), " ")
	for name, all := range headings {
		of := name
		if strings.HasPrefix(name, prices) {
			of = prices
		}
		if _, has := fields[of]; has && (strings.EqualFold(folded, name) || slices.Contains(all, folded)) {
			return name
		}
	}
	return heading
}

// typedAmount is an amount or a rate as people type it, with a comma and what it is of behind it, as JSON has it.
func typedAmount(cell string) string {
	cell = strings.TrimSpace(cell)
	for _, unit := range []string{"Kč", "CZK", "€", "EUR", "%"} {
		cell = strings.TrimSpace(strings.TrimSuffix(cell, unit))
	}
	return values.NormalizeAmount(cell)
}

// truths are yes and no as people type them, without case and accents.
var truths = map[string]bool{"ano": true, "yes": true, "ne": false, "nie": false, "no": false}
