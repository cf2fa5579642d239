package products

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// variants registers the operations on the variants of one product. They answer with the product's ETag, which is what
// If-Match means there (contract, "Products").
func (d door) variants(a *api.API) {
	const path = productsPath + "/{id}/variants"
	api.Add(a, api.Op{Route: "POST " + path, ID: "createVariants", Tag: tag, Needs: toWrite, Matches: true,
		Among:   variantsAmong,
		Summary: "Add variants to a product",
		Doc: "Send one variant and get it back, or up to 60 as `items` and get `items`. Tells receivers by " +
			"`productChange`. `ETag` and `If-Match` are the product's. 409 `code_taken`. A product has up to 500 " +
			"variants, of 2 MiB in all; above that 422 with `too_many` or `too_big` at `body`."}, d.addVariants)
	api.Add(a, api.Op{Route: "GET " + path + "/{variantId}", ID: "readVariant", Tag: tag, Needs: toRead,
		Summary: "Read a variant", Doc: "One variant. Its `ETag` is the product's."}, d.readVariant)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{variantId}", ID: "changeVariant", Tag: tag,
		Needs: toWrite, Reads: toRead,
		Summary: "Change a variant",
		Doc: "Changes the fields that you send, and tells receivers by `productChange` when something really " +
			"changed. `ETag` and `If-Match` are the product's. 409 `code_taken`."}, d.changeVariant)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{variantId}", ID: "deleteVariant", Tag: tag, Needs: toWrite,
		Summary: "Delete a variant", Doc: "Takes the variant off the product, and tells receivers by " +
			"`productChange`. `If-Match` is the product's."}, d.removeVariant)
}

// variantsBody is the body of a POST of variants: one variant's fields, or items with up to 60 of them.
type variantsBody struct {
	Items  []catalog.VariantFields // one without items
	Many   bool
	fields map[string]any
}

// Schema lets the frame accept both bodies, one variant's fields or a list of items. What is missing from either is
// found by check.
func (variantsBody) Schema(r huma.Registry) *huma.Schema {
	return oneOrMany[catalog.VariantFields, productVariantListNew](r)
}

// productVariantListNew are the fields of several variants.
type productVariantListNew struct {
	Items []catalog.VariantFields `json:"items" minItems:"1" maxItems:"60"`
}

// Decoded reads either form, and remembers which one it was: the answer has the same form.
func (b *variantsBody) Decoded(body any) error {
	b.fields, _ = body.(map[string]any)
	items, many := b.fields["items"]
	if b.Many = many; many {
		return api.Fill(&b.Items, items)
	}
	b.Items = make([]catalog.VariantFields, 1)
	return api.Fill(&b.Items[0], body)
}

// check finds all faults that can be found without the store, each at its place: `code` of a single variant,
// `items[3].code` of several.
func (b variantsBody) check() error {
	var faults problem.Faults
	switch {
	case b.Many && len(b.fields) > 1:
		faults.Add("items", problem.Conflicting, "stands alone: a body holds one variant or items")
	case b.Many && len(b.Items) == 0:
		faults.Add("items", problem.Required, "needs at least 1 entry")
	case !b.Many && b.fields["code"] == nil:
		faults.Add("code", problem.Required, "is required")
	}
	for i, v := range b.Items {
		prefix := ""
		if b.Many {
			prefix = "items[" + strconv.Itoa(i) + "]."
		}
		v.Check(&faults, prefix)
	}
	return faults.Err()
}

// variantsAnswer is the body of the answer to a POST of variants: the variant, or {items}.
type variantsAnswer struct {
	variants []catalog.Variant
	many     bool
}

// Schema is that of one variant or items.
func (variantsAnswer) Schema(r huma.Registry) *huma.Schema {
	return oneOrMany[catalog.Variant, productVariantList](r)
}

// productVariantList are several variants.
type productVariantList struct {
	Items []catalog.Variant `json:"items" maxItems:"60"`
}

// MarshalJSON writes the form in which the variants were sent.
func (a variantsAnswer) MarshalJSON() ([]byte, error) {
	if a.many {
		return json.Marshal(productVariantList{a.variants})
	}
	return json.Marshal(a.variants[0])
}

// oneOrMany is the schema of either object, as a component named like the first one in the plural: ProductVariantsNew
// of ProductVariantNew. The document shows both objects. The check of a body can go by one object only, so this one has
// the fields of both, and requires none.
func oneOrMany[One, Many any](r huma.Registry) *huma.Schema {
	one, many := r.Schema(reflect.TypeFor[One](), true, ""), r.Schema(reflect.TypeFor[Many](), true, "")
	either := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{},
		OneOf: []*huma.Schema{one, many}}
	for _, ref := range either.OneOf {
		maps.Copy(either.Properties, r.SchemaFromRef(ref.Ref).Properties)
	}
	at := strings.LastIndex(one.Ref, "/") + 1
	name := strings.Replace(one.Ref[at:], "Variant", "Variants", 1)
	r.Map()[name] = either
	return &huma.Schema{Ref: one.Ref[:at] + name}
}

// newVariants is the input of a POST of variants.
type newVariants struct {
	api.ByID
	Body variantsBody
}

// addVariants adds one variant or up to 60 to a product, all or none.
func (d door) addVariants(c *api.Call, in *newVariants) (*api.Answer[variantsAnswer], error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	return api.Do(c, in.Body.answer, func(u *change.Unit) (catalog.AddedVariants, error) {
		return d.Catalog().AddVariants(c, u, in.ID, in.Body.Items)
	})
}

// answer is the answer with the variants as they were added, in the form of the body. Only a single one has a Location.
func (b variantsBody) answer(added catalog.AddedVariants) *api.Answer[variantsAnswer] {
	answer := api.Of(variantsAnswer{variants: added.Variants, many: b.Many}, added.Version)
	if !b.Many {
		answer.Location = productsPath + "/" + added.ID + "/variants/" + added.Variants[0].ID
	}
	return answer
}

// variantsAmong are the variants of a product that have these ids, as a POST of several answers them.
func variantsAmong(product any, ids []string) any {
	variants := slices.DeleteFunc(slices.Clone(product.(*catalog.Product).Variants), func(v catalog.Variant) bool {
		return !slices.Contains(ids, v.ID)
	})
	return variantsAnswer{variants: variants, many: true}
}

// ByVariant is the path of one variant.
type ByVariant struct {
	api.ByID
	Variant string `path:"variantId" doc:"The variant's id"`
}

// readVariant shows one variant. The product is read, because the ETag is the product's.
func (d door) readVariant(c *api.Call, in *ByVariant) (*api.Answer[catalog.Variant], error) {
	w, err := d.product(c, in.ID)
	if err != nil {
		return nil, err
	}
	v, ok := w.Variant(in.Variant)
	if !ok {
		return nil, problem.NotFound()
	}
	return api.Of(v, w.Version), nil
}

// changeOf is the input of a PATCH of a variant.
type changeOf struct {
	ByVariant
	Body api.Patch[catalog.VariantFields]
}

// changeVariant merges the body into one variant. Who may not read products gets the variant's id and the product's
// `changed` (contract, "Answers").
func (d door) changeVariant(c *api.Call, in *changeOf) (*api.Answer[catalog.Variant], error) {
	answer := func(w *catalog.Whole) *api.Answer[catalog.Variant] {
		v, _ := w.Variant(in.Variant)
		return api.Of(v, w.Version).Brief(in.Variant, record.ChangedAt(w.Version))
	}
	return api.Do(c, answer, func(u *change.Unit) (*catalog.Whole, error) {
		return d.Catalog().ChangeVariant(c, u, in.ID, in.Variant, patch(c, in.Body))
	})
}

// removeVariant deletes one variant, and fires the productChange of its product with the variant's id.
func (d door) removeVariant(c *api.Call, in *ByVariant) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return d.Catalog().DeleteVariant(c, u, in.ID, in.Variant) })
}
