package catalog

import (
	"reflect"
	"slices"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/record/field"
)

// Product is a product as answers show it.
type Product struct {
	ID string `json:"id"`
	ProductDetails
	URL      string     `json:"url" doc:"The absolute address of its active URL"`
	Variants []Variant  `json:"variants"`
	Created  field.Time `json:"created"`
	Changed  field.Time `json:"changed"`
}

// ProductDetails are what a client can write of a product, its variants apart.
type ProductDetails struct {
	Code             field.Code `json:"code" doc:"The code, unique over all products and variants of the shop" example:"TR-100"`
	ExternalID       field.Line `json:"externalId,omitempty" doc:"Your own id of the product, unique per shop"`
	EAN              field.Line `json:"ean,omitempty"`
	Manufacturer     field.Line `json:"manufacturer,omitempty"`
	Name             field.Name `json:"name" example:"Tričko s potiskem"`
	ShortDescription field.Text `json:"shortDescription,omitempty"`
	Description      field.Text `json:"description,omitempty"`
	VATRate          field.Rate `json:"vatRate,omitempty"`
	Images           []Image    `json:"images" required:"false" maxItems:"20"`
	Active           bool       `json:"active" required:"false" doc:"Whether it is active; true unless it is said otherwise"`
	HasUnits         bool       `json:"hasUnits" required:"false" doc:"Whether the product is sold in units; false clears them"`
	Units            []Unit     `json:"units" required:"false" maxItems:"20"`
	Stock            Stock      `json:"stock" required:"false" doc:"The stock of the product itself, used only when it has no variants"`
	PriceLevels      []Price    `json:"priceLevels" maxItems:"50" doc:"The prices by level; one at level default is required"`
	CategoryIDs      []string   `json:"categoryIds" required:"false" maxItems:"20"`
}

// Defaults are the values of what a body does not say.
func (d *ProductDetails) Defaults() {
	*d = ProductDetails{Active: true}
	d.fill()
}

// fill makes lists that are not there empty ones.
func (d *ProductDetails) fill() {
	d.Images, d.Units = orEmpty(d.Images), orEmpty(d.Units)
	d.PriceLevels, d.CategoryIDs = orEmpty(d.PriceLevels), orEmpty(d.CategoryIDs)
}

// orEmpty is the list, an empty one for nil: answers show [] and never null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// ProductFields are the body of a PATCH.
type ProductFields struct{ ProductDetails }

// ProductNew is the body of a POST.
type ProductNew struct {
	ProductDetails
	Variants []VariantFields `json:"variants" required:"false" maxItems:"60"`
}

// Image of a product, at an address of the partner's own or of an image that was sent to the platform (shared/images).
type Image struct {
	URL string     `json:"url" maxLength:"2000" doc:"The address of the image, on your own host or that of an image sent to /api-engine/images" example:"https://cdn.example.com/tr-100.jpg"`
	Alt field.Line `json:"alt,omitempty"`
}

// FirstImage is the image that stands for the product in lists. It is zero if the product has no image.
func (d ProductDetails) FirstImage() (first Image) {
	if len(d.Images) > 0 {
		first = d.Images[0]
	}
	return first
}

// Unit is a way of packing: so many pieces.
type Unit struct {
	Unit     field.Name `json:"unit" example:"box"`
	Quantity int64      `json:"quantity" minimum:"1" maximum:"999999999999"`
}

// MaxStock is the most that a stock quantity can be, in pieces.
const MaxStock = 999_999_999_999

// Stock is how much there is of a product or variant.
type Stock struct {
	Quantity     int64      `json:"quantity" required:"false" minimum:"0" maximum:"999999999999"`
	Availability field.Line `json:"availability,omitempty" example:"in stock"`
}

// maxUnits is how many units a product can have.
const maxUnits = 20

// check finds what is wrong with the details whatever is stored: all but whether units fit hasUnits.
func (d ProductDetails) check(f *problem.Faults) {
	for i, image := range d.Images {
		if !field.WebAddress(image.URL) {
			f.Add(at("images", i, "url"), problem.BadFormat, field.WebAddressRule)
		}
	}
	checkUnits(f, "units", d.Units)
	checkPrices(f, "priceLevels", d.PriceLevels)
	if !hasDefault(d.PriceLevels) {
		f.Add("priceLevels", problem.Required, "needs a price at level %s", DefaultLevel)
	}
	twice(f, "categoryIds", "", d.CategoryIDs, func(id string) string { return id })
}

// checkHasUnits: true without any, or false with some, is a fault (contract, "Products").
func checkHasUnits(f *problem.Faults, at string, has bool, units []Unit) {
	switch {
	case has && len(units) == 0:
		f.Add(at+"units", problem.Required, "must hold a unit when hasUnits is true")
	case !has && len(units) > 0:
		f.Add(at+"units", problem.Conflicting, "must be empty when hasUnits is false")
	}
}

func checkUnits(f *problem.Faults, where string, units []Unit) {
	twice(f, where, "unit", units, func(u Unit) string { return string(u.Unit) })
}

// twice faults each entry whose name an earlier one has.
func twice[T any](f *problem.Faults, where, field string, list []T, name func(T) string) {
	seen := make(map[string]bool, len(list))
	for i, x := range list {
		if seen[name(x)] {
			f.Add(at(where, i, field), problem.Duplicate, "is in the list twice")
		}
		seen[name(x)] = true
	}
}

// groups are what the change from before to after touched of a product itself, its stock and variants apart (contract,
// "Headers").
func (d ProductDetails) groups(after ProductDetails) (touched []events.Group) {
	if !reflect.DeepEqual(d.basic(), after.basic()) {
		touched = append(touched, events.Basic)
	}
	if !slices.Equal(d.CategoryIDs, after.CategoryIDs) {
		touched = append(touched, events.InCategories)
	}
	if !slices.Equal(d.PriceLevels, after.PriceLevels) {
		touched = append(touched, events.Prices)
	}
	if d.HasUnits != after.HasUnits || !slices.Equal(d.Units, after.Units) {
		touched = append(touched, events.Units)
	}
	return touched
}

// mostBytes is more than the details can be as JSON, without making it: text grows sixfold at most, by its escapes.
func (d ProductDetails) mostBytes() int {
	n := len(d.Code) + len(d.ExternalID) + len(d.EAN) + len(d.Manufacturer) + len(d.Name) + len(d.VATRate)
	n += len(d.ShortDescription) + len(d.Description)
	for _, i := range d.Images {
		n += len(i.URL) + len(i.Alt) + 10
	}
	for _, u := range d.Units {
		n += len(u.Unit) + 10
	}
	for _, p := range d.PriceLevels {
		n += len(p.Level) + 20
	}
	for _, c := range d.CategoryIDs {
		n += len(c) + 10
	}
	return 6*n + 1024
}

// basic is what no other group has.
func (d ProductDetails) basic() ProductDetails {
	d.Stock, d.CategoryIDs, d.PriceLevels, d.HasUnits, d.Units = Stock{}, nil, nil, false, nil
	if len(d.Images) == 0 {
		d.Images = nil
	}
	return d
}
