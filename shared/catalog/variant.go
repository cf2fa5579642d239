package catalog

import (
	"reflect"
	"slices"
	"strconv"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/record/field"
)

// MaxVariants is how many variants a product can have; one request brings at most 60 of them (contract, "Bounds").
const MaxVariants = 500

// Variant of a product as answers show it.
type Variant struct {
	ID string `json:"id"`
	VariantDetails
}

// FullName is what a product is called with its variant, which may have no name: "Tričko – červené".
func FullName(product, variant field.Name) string {
	if variant == "" {
		return string(product)
	}
	return string(product) + " – " + string(variant)
}

// VariantDetails are what a client can write of a variant.
type VariantDetails struct {
	Code        field.Code  `json:"code" doc:"The code, unique over all products and variants of the shop" example:"TR-100-M"`
	EAN         field.Line  `json:"ean,omitempty"`
	Name        field.Name  `json:"name,omitempty" example:"Modré, M"`
	Parameters  []Parameter `json:"parameters" required:"false" maxItems:"50"`
	Active      bool        `json:"active" required:"false" doc:"Whether it is active; true unless it is said otherwise"`
	Stock       Stock       `json:"stock" required:"false"`
	PriceLevels []Price     `json:"priceLevels" required:"false" maxItems:"50" doc:"The variant's own prices by level; at any other level it is sold at the product's price"`
}

// Parameter is what a variant differs by.
type Parameter struct {
	Name  field.Name `json:"name" example:"size"`
	Value field.Line `json:"value" example:"M"`
}

// Defaults are the values of what a body does not say.
func (d *VariantDetails) Defaults() {
	*d = VariantDetails{Active: true, Parameters: []Parameter{}, PriceLevels: []Price{}}
}

// VariantFields are what a client writes of a variant.
type VariantFields struct{ VariantDetails }

// Check finds what is wrong with the details whatever is stored; prefix is where they stand, with a dot at its end.
func (d VariantDetails) Check(f *problem.Faults, prefix string) {
	checkPrices(f, prefix+"priceLevels", d.PriceLevels)
}

// groups are what the change touched of a variant, its stock apart.
func (d VariantDetails) groups(after VariantDetails) (g []events.Group) {
	if !slices.Equal(d.PriceLevels, after.PriceLevels) {
		g = append(g, events.Prices)
	}
	if !reflect.DeepEqual(d.plain(), after.plain()) {
		g = append(g, events.Variants)
	}
	return g
}

// plain is what the group variants is about.
func (d VariantDetails) plain() VariantDetails {
	d.Stock, d.PriceLevels = Stock{}, nil
	if len(d.Parameters) == 0 {
		d.Parameters = nil
	}
	return d
}

// at is the location of a field in a list's entry: images[2].url.
func at(list string, i int, field string) string {
	s := list + "[" + strconv.Itoa(i) + "]"
	if field != "" {
		s += "." + field
	}
	return s
}
