package imports

import (
	"slices"
	"strings"
	"unicode"

	"eshop/shared/base/slug"
)

// Header is a field that a column of a CSV can hold, with the names that people give such a column: Czech, Slovak and
// English ones, as other shops and spreadsheets write them. The name of each is without case, accents and what is
// between its words. The first two names are the Czech and the Slovak one that pages show, Label the English one.
type Header struct {
	Field string
	Label string
	Names []string
}

// PriceLevels begins the name of a column with the prices of a level, DefaultPrice is the one that everybody pays who
// has no level, and LeftOut is the name of a column that nobody wants to bring in.
const (
	PriceLevels  = "priceLevels."
	DefaultPrice = PriceLevels + "default"
	LeftOut      = "-"
)

// Category is the column with a product's categories by their names, CategoryIDs the one with their ids. A file has one
// of them at most.
const (
	Category    = "category"
	CategoryIDs = "categoryIds"
)

// Sets is the field of a record that a column of that field sets.
func Sets(field string) string {
	if field == Category {
		return CategoryIDs
	}
	return field
}

// headers are the fields of each type, in the order in which people look for them.
var headers = map[Type][]Header{
	Customers: {
		{"email", "Email", []string{"E-mail", "E-mail", "Mail", "E-mailová adresa", "E-mailová adresa zákazníka",
			"Emailová adresa", "E-mail address", "Email address"}},
		{"firstName", "First name", []string{"Jméno", "Meno", "Křestní jméno", "Krstné meno", "Given name",
			"Forename"}},
		{"lastName", "Last name", []string{"Příjmení", "Priezvisko", "Surname", "Family name"}},
		{"phone", "Phone", []string{"Telefon", "Telefón", "Tel", "Mobil", "Telefonní číslo", "Telefónne číslo",
			"Phone number", "Mobile", "Telephone"}},
		{"company", "Company", []string{"Firma", "Firma", "Společnost", "Spoločnosť", "Název firmy", "Názov firmy",
			"Company name"}},
		{"companyId", "Company number", []string{"IČO", "IČO", "IČ", "Company ID", "Registration number"}},
		{"vatId", "VAT number", []string{"DIČ", "IČ DPH", "VAT ID", "Tax ID"}},
		{"billingAddress.street", "Street", []string{"Ulice", "Ulica", "Ulice a číslo", "Ulica a číslo", "Adresa",
			"Fakturační ulice", "Fakturačná ulica", "Address", "Billing street", "Street and number"}},
		{"billingAddress.city", "City", []string{"Město", "Mesto", "Obec", "Fakturační město", "Fakturačné mesto",
			"Town", "Billing city"}},
		{"billingAddress.zip", "Postcode", []string{"PSČ", "PSČ", "Fakturační PSČ", "Fakturačné PSČ", "ZIP",
			"ZIP code", "Postal code", "Billing postcode"}},
		{"billingAddress.country", "Country", []string{"Země", "Krajina", "Stát", "Štát", "Kód země", "Kód krajiny",
			"Fakturační země", "Fakturačná krajina", "Country code", "Billing country"}},
		{"deliveryAddress.street", "Delivery street", []string{"Dodací ulice", "Dodacia ulica", "Doručovací ulice",
			"Doručovacia ulica", "Dodací adresa", "Dodacia adresa", "Shipping street", "Delivery address"}},
		{"deliveryAddress.city", "Delivery city", []string{"Dodací město", "Dodacie mesto", "Doručovací město",
			"Doručovacie mesto", "Shipping city"}},
		{"deliveryAddress.zip", "Delivery postcode", []string{"Dodací PSČ", "Dodacie PSČ", "Doručovací PSČ",
			"Doručovacie PSČ", "Delivery ZIP", "Shipping ZIP", "Shipping postcode"}},
		{"deliveryAddress.country", "Delivery country", []string{"Dodací země", "Dodacia krajina", "Doručovací země",
			"Doručovacia krajina", "Shipping country"}},
		{"priceLevel", "Price level", []string{"Cenová hladina", "Cenová hladina", "Ceník", "Cenník",
			"Cenová skupina", "Price list", "Customer group"}},
		{"note", "Note", []string{"Poznámka", "Poznámka", "Poznámky", "Notes", "Remark"}},
		{"externalId", "External ID", []string{"Externí ID", "Externé ID", "Externí kód", "Externý kód"}},
	},
	Products: {
		{"code", "Code", []string{"Kód", "Kód", "Kód produktu", "Kód zboží", "Kód tovaru", "Katalogové číslo",
			"Katalógové číslo", "SKU", "Product code", "Item code"}},
		{"name", "Name", []string{"Název", "Názov", "Název produktu", "Názov produktu", "Název zboží", "Názov tovaru",
			"Produkt", "Product", "Product name", "Title"}},
		{DefaultPrice, "Price", []string{"Cena", "Cena", "Cena s DPH", "Prodejní cena", "Predajná cena",
			"Price with VAT", "Price incl VAT"}},
		{"vatRate", "VAT rate", []string{"DPH", "DPH", "Sazba DPH", "Sadzba DPH", "DPH %", "VAT", "Tax rate"}},
		{"stock.quantity", "Stock", []string{"Skladem", "Skladom", "Sklad", "Zásoba", "Množství", "Množstvo",
			"Množství skladem", "Množstvo skladom", "Počet kusů", "Počet kusov", "Kusů skladem", "Kusov na sklade",
			"Kusů na skladě", "Stav skladu", "Quantity", "Qty", "In stock"}},
		{"stock.availability", "Availability", []string{"Dostupnost", "Dostupnosť"}},
		{"ean", "EAN", []string{"EAN", "EAN", "EAN kód", "Čárový kód", "Čiarový kód", "GTIN", "Barcode"}},
		{"manufacturer", "Manufacturer", []string{"Výrobce", "Výrobca", "Značka", "Brand", "Vendor", "Producer"}},
		{"shortDescription", "Short description", []string{"Krátký popis", "Krátky popis", "Stručný popis"}},
		{"description", "Description", []string{"Popis", "Popis", "Dlouhý popis", "Dlhý popis", "Podrobný popis",
			"Long description"}},
		{"active", "Active", []string{"Aktivní", "Aktívny", "Viditelné", "Viditeľné", "Viditelný",
			"Viditeľný", "Zobrazovat", "Visible"}},
		{Category, "Category", []string{"Kategorie", "Kategória", "Kategórie", "Kategorie produktu",
			"Kategória produktu", "Kategorie zboží", "Kategória tovaru", "Categories", "Product category"}},
		{CategoryIDs, "Category IDs", []string{"ID kategorií", "ID kategórií", "Category ID"}},
		{"hasUnits", "Has units", []string{"Má jednotky", "Má jednotky"}},
		{"externalId", "External ID", []string{"Externí ID", "Externé ID", "Externí kód", "Externý kód"}},
	},
}

// The columns of an export whose values the platform makes.
var (
	ID      = Header{"id", "ID", []string{"ID", "ID"}}
	URL     = Header{"url", "Page address", []string{"Adresa stránky", "Adresa stránky"}}
	Created = Header{"created", "Created", []string{"Vytvořeno", "Vytvorené"}}
	Changed = Header{"changed", "Changed", []string{"Změněno", "Zmenené"}}
)

// Wrong is the column of WrongRows with what is wrong with a row.
var Wrong = Header{"_error", "Error", []string{"Chyba", "Chyba"}}

// Made are all of them. An import leaves them out.
var Made = []Header{ID, URL, Created, Changed, Wrong}

// IsMade says whether a column with that name is one of Made.
func IsMade(name string) bool {
	return slices.ContainsFunc(Made, func(h Header) bool {
		return plain(name) == plain(h.Field) || plain(name) == plain(h.Label) ||
			slices.ContainsFunc(h.Names, func(n string) bool { return plain(name) == plain(n) })
	})
}

// Headers are the fields that a column can hold in a CSV of the type, besides further price levels.
func (t Type) Headers() []Header { return slices.Clone(headers[t]) }

// Called is what people call a column that is named by a field. A column with any other name keeps that.
func (t Type) Called(column, language string) string {
	for _, h := range headers[t] {
		if h.Field == column {
			return h.In(language)
		}
	}
	return column
}

// Key is the field that rows of the type name their record by.
func (t Type) Key() string {
	if t == Customers {
		return "email"
	}
	return "code"
}

// Field is the field that people mean by the name of a column; "" if it is none that is known. It knows the field's own
// name, its label and its other names, all without case, accents and what is between their words: "E-mail *" and
// "e mail" are one.
func (t Type) Field(name string) string {
	if level, is := strings.CutPrefix(name, PriceLevels); is && t == Products && strings.TrimSpace(level) != "" {
		return PriceLevels + strings.TrimSpace(level)
	}
	return meant[t][plain(name)]
}

// meant are the fields by the plain names of their columns.
var meant = func() map[Type]map[string]string {
	all := map[Type]map[string]string{}
	for t, fields := range headers {
		all[t] = map[string]string{}
		for _, h := range fields {
			for _, name := range append([]string{h.Field, h.Label}, h.Names...) {
				all[t][plain(name)] = h.Field
			}
		}
		delete(all[t], "")
	}
	return all
}()

// plain is a name without case, accents and what is between its words.
func plain(name string) string {
	return strings.Join(strings.FieldsFunc(slug.Fold(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
}

// In is what the column is called on pages of a language: cs, sk, else English.
func (h Header) In(language string) string {
	switch language {
	case "cs":
		return h.Names[0]
	case "sk":
		return h.Names[1]
	}
	return h.Label
}
