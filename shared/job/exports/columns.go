package exports

import (
	"slices"
	"strings"

	"eshop/shared/job/imports"
)

// Column is a column of a CSV: the field of a record that it holds, nested ones dotted, and what people call it. The
// CSV of orders has a row for each line of an order, and a column whose field begins with Lines is of that line.
type Column struct {
	Field  string
	Label  string
	cs, sk string
}

// In is what the column is called in a person's language; the field's own name for programs.
func (c Column) In(language string) string {
	switch {
	case language == "":
		return c.Field
	case language == "cs" && c.cs != "":
		return c.cs
	case language == "sk" && c.sk != "":
		return c.sk
	case c.Label != "":
		return c.Label
	}
	return c.Field
}

// Lines begins the fields of an order's lines, totals those of its amounts as a whole, which only its first row has: so
// a column can be added up.
const (
	Lines  = "items."
	totals = "totals."
)

// OfLine says whether the column is of an order's lines.
func (c Column) OfLine() bool { return strings.HasPrefix(c.Field, Lines) }

// Once says whether only the first row of a record has a value in the column.
func (c Column) Once() bool { return strings.HasPrefix(c.Field, totals) }

// Decimal says whether the column holds decimal numbers, which spreadsheets take with a comma here.
func (c Column) Decimal() bool {
	return strings.HasPrefix(c.Field, imports.PriceLevels) || c.Once() || slices.Contains(decimals, c.Field)
}

var decimals = []string{"vatRate", "items.unitPrice", "items.total", "items.vatRate"}

// State is the column with an order's state: its id for programs, its name for people.
const State = "stateId"

// address are the columns of an address of an order.
func address(field, label, cs, sk string) (all []Column) {
	for _, c := range []Column{{"firstName", "first name", "jméno", "meno"}, {"lastName", "last name", "příjmení",
		"priezvisko"}, {"company", "company", "firma", "firma"}, {"companyId", "company number", "IČO", "IČO"},
		{"vatId", "VAT number", "DIČ", "IČ DPH"}, {"street", "street", "ulice", "ulica"},
		{"city", "city", "město", "mesto"}, {"zip", "postcode", "PSČ", "PSČ"},
		{"country", "country", "země", "krajina"}} {
		all = append(all, Column{field + "." + c.Field, label + ": " + c.Label, cs + ": " + c.cs, sk + ": " + c.sk})
	}
	return all
}

// orders are the columns of orders, a row for each line.
var orders = slices.Concat([]Column{
	{"number", "Number", "Číslo", "Číslo"},
	{State, "State", "Stav", "Stav"},
	{"email", "Email", "E-mail", "E-mail"},
	{"phone", "Phone", "Telefon", "Telefón"},
	{"customerId", "Customer ID", "ID zákazníka", "ID zákazníka"},
	{"items.code", "Code", "Kód", "Kód"},
	{"items.name", "Product", "Produkt", "Produkt"},
	{"items.variantName", "Variant", "Varianta", "Variant"},
	{"items.quantity", "Quantity", "Množství", "Množstvo"},
	{"items.unitPrice", "Unit price", "Cena za kus", "Cena za kus"},
	{"items.total", "Line total", "Cena řádku", "Cena riadku"},
	{"items.vatRate", "VAT rate", "DPH %", "DPH %"},
	{"items.note", "Line note", "Poznámka k řádku", "Poznámka k riadku"},
	{"items.productId", "Product ID", "ID produktu", "ID produktu"},
	{"items.variantId", "Variant ID", "ID varianty", "ID variantu"},
	{"totals.items", "Goods", "Zboží celkem", "Tovar spolu"},
	{"totals.discount", "Discount", "Sleva", "Zľava"},
	{"totals.total", "Total", "Celkem", "Spolu"},
	{"currency", "Currency", "Měna", "Mena"},
	{"orderDeliveryPayment.delivery", "Delivery", "Doprava", "Doprava"},
	{"orderDeliveryPayment.payment", "Payment", "Platba", "Platba"},
	{"orderDeliveryPayment.trackingNumber", "Tracking number", "Číslo zásilky", "Číslo zásielky"},
	{"orderDeliveryPayment.trackingLink", "Tracking link", "Odkaz na zásilku", "Odkaz na zásielku"},
	{"discountCoupons.code", "Coupons", "Kupony", "Kupóny"},
	{"note", "Note", "Poznámka", "Poznámka"}},
	address("billingAddress", "Billing", "Fakturace", "Fakturácia"),
	address("deliveryAddress", "Delivery", "Dodání", "Dodanie"))

// Columns are the columns of a CSV of the type, for a person of a language or, where that is "", for programs. levels
// are the price levels of products other than the default. An import takes the files of customers and products, and
// leaves out the columns that the platform makes (imports.Made).
func (t Type) Columns(levels []string, language string) []Column {
	all := []Column{column(imports.ID)}
	if t == Orders {
		all = append(all, orders...)
	} else {
		ofOther := imports.Category // people read the names of categories, programs take their ids
		if language != "" {
			ofOther = imports.CategoryIDs
		}
		for _, h := range imports.Type(t).Headers() {
			if h.Field != ofOther {
				all = append(all, column(h))
			}
		}
	}
	for _, level := range levels {
		all = append(all, Column{Field: imports.PriceLevels + level})
	}
	if t == Products {
		all = append(all, column(imports.URL))
	}
	return append(all, column(imports.Created), column(imports.Changed))
}

// column is the column of a field that imports know.
func column(h imports.Header) Column { return Column{h.Field, h.Label, h.In("cs"), h.In("sk")} }
