package products

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/problem"
	"eshop/shared/record"
)

// variants registers the operations on the variants of one product. They answer with the product's ETag, which is what
// If-Match means there (contract, section 4, "Products").
func (d door) variants(a *api.API) {
	const path = productsPath + "/{id}/variants"
	api.Add(a, api.Op{Route: "POST " + path, ID: "createVariants", Tag: tag, Needs: write, Matches: true,
		Summary: "Add variants to a product",
		Doc: "One variant, answered by itself, or `items` of up to 60, answered as `items`. A product has up to 500, " +
			"of 2 MiB in all: more is a fault of `body`, code `too_many` or `too_big`. " +
			"`ETag` and `If-Match` are the product's. Fires `productChange`. 409 `code_taken`."}, d.addVariants)
	api.Add(a, api.Op{Route: "GET " + path + "/{variantId}", ID: "readVariant", Tag: tag, Needs: read,
		Summary: "Read a variant", Doc: "`ETag` is the product's."}, d.readVariant)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{variantId}", ID: "changeVariant", Tag: tag, Needs: write, Reads: read,
		Summary: "Change a variant",
		Doc: "`ETag` and `If-Match` are the product's. Fires `productChange` when something really changed. " +
			"409 `code_taken`. Without `products:read` the answer is the variant's `id` and the product's `changed` only."}, d.changeVariant)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{variantId}", ID: "deleteVariant", Tag: tag, Needs: write,
		Summary: "Delete a variant", Doc: "`If-Match` is the product's. Fires `productChange`."}, d.removeVariant)
}

// variantsBody is the body of a POST of variants: one variant's fields, or items with up to 60 of them.
type variantsBody struct {
	Items  []catalog.VariantFields // one without items
	Many   bool
	fields map[string]any
}

// Schema is that of one variant's fields, none of them required, and items.
func (variantsBody) Schema(r huma.Registry) *huma.Schema {
	return oneOrMany(r, reflect.TypeFor[catalog.VariantFields](), catalog.MaxVariantsAtOnce)
}

// Decoded reads either form.
func (b *variantsBody) Decoded(body any) error {
	b.fields, _ = body.(map[string]any)
	items, many := b.fields["items"]
	if b.Many = many; many {
		return api.Fill(&b.Items, items)
	}
	b.Items = make([]catalog.VariantFields, 1)
	return api.Fill(&b.Items[0], body)
}

// check finds what is wrong with the variants whatever is stored.
func (b variantsBody) check() error {
	var f problem.Faults
	switch {
	case b.Many && len(b.fields) > 1:
		f.Add("items", problem.Conflicting, "stands alone: a body holds one variant or items")
	case b.Many && len(b.Items) == 0:
		f.Add("items", problem.Required, "needs at least 1 entry")
	case !b.Many && b.fields["code"] == nil:
		f.Add("code", problem.Required, "is required")
	}
	for i, v := range b.Items {
		prefix := ""
		if b.Many {
			prefix = "items[" + strconv.Itoa(i) + "]."
		}
		v.Check(&f, prefix)
	}
	return f.Err()
}

// variantsAnswer is the body of the answer to a POST of variants: the variant, or {items}.
type variantsAnswer struct {
	variants []catalog.Variant
	many     bool
}

// Schema is that of one variant, and items.
func (variantsAnswer) Schema(r huma.Registry) *huma.Schema {
	return oneOrMany(r, reflect.TypeFor[catalog.Variant](), catalog.MaxVariantsAtOnce)
}

// MarshalJSON writes either form.
func (a variantsAnswer) MarshalJSON() ([]byte, error) {
	if a.many {
		return json.Marshal(api.Items[catalog.Variant]{Items: a.variants})
	}
	return json.Marshal(a.variants[0])
}

// oneOrMany is the schema of an object of that type, or of one that holds a list of them as items: a component with the
// type's name in the plural, ProductVariantsNew of ProductVariantNew.
func oneOrMany(r huma.Registry, t reflect.Type, most int) *huma.Schema {
	ref := r.Schema(t, true, "")
	at := strings.LastIndex(ref.Ref, "/") + 1
	name := strings.Replace(ref.Ref[at:], "Variant", "Variants", 1)
	one := ref
	for one.Ref != "" {
		one = r.SchemaFromRef(one.Ref)
	}
	s := *one
	s.Required, s.Properties = nil, map[string]*huma.Schema{}
	for name, p := range one.Properties {
		s.Properties[name] = p
	}
	s.Properties["items"] = &huma.Schema{Type: huma.TypeArray, Items: ref, MaxItems: &most,
		Description: "Several at once, instead of one"}
	r.Map()[name] = &s
	return &huma.Schema{Ref: ref.Ref[:at] + name}
}

// newVariants is the input of a POST of variants.
type newVariants struct {
	api.ByID
	Body variantsBody
}

func (d door) addVariants(ctx context.Context, in *newVariants) (*api.Answer[variantsAnswer], error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	return api.Do(ctx, in.Body.answer, func(u *change.Unit) (catalog.Added, error) {
		return d.catalog().AddVariants(ctx, u, in.ID, in.Body.Items)
	})
}

// answer is the answer with the variants as they were added, in the form of the body.
func (b variantsBody) answer(added catalog.Added) *api.Answer[variantsAnswer] {
	answer := api.Of(variantsAnswer{variants: added.Variants, many: b.Many}, added.Version)
	if !b.Many {
		answer.Location = productsPath + "/" + added.ID + "/variants/" + added.Variants[0].ID
	}
	return answer
}

// ByVariant is the path of one variant.
type ByVariant struct {
	api.ByID
	Variant string `path:"variantId" doc:"The variant's id"`
}

func (d door) readVariant(ctx context.Context, in *ByVariant) (*api.Answer[catalog.Variant], error) {
	w, err := d.product(ctx, in.ID)
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

func (d door) changeVariant(ctx context.Context, in *changeOf) (*api.Answer[catalog.Variant], error) {
	answer := func(w *catalog.Whole) *api.Answer[catalog.Variant] {
		v, _ := w.Variant(in.Variant)
		return api.Of(v, w.Version).Brief(in.Variant, record.ChangedAt(w.Version))
	}
	return api.Do(ctx, answer, func(u *change.Unit) (*catalog.Whole, error) {
		return d.catalog().ChangeVariant(ctx, u, in.ID, in.Variant, patch(ctx, in.Body))
	})
}

func (d door) removeVariant(ctx context.Context, in *ByVariant) (*api.None, error) {
	return api.Done(ctx, func(u *change.Unit) error { return d.catalog().DeleteVariant(ctx, u, in.ID, in.Variant) })
}
