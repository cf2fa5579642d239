package products

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/api"
)

// variants registers the operations on the variants of one product. They answer with the product's ETag, which is what
// If-Match means there (contract, section 4, "Products").
func (g group) variants(a *api.API) {
	read, write := api.ReadProducts, api.WriteProducts
	const path = "/api-engine/products/{id}/variants"
	api.Add(a, api.Op{Route: "POST " + path, ID: "createVariants", Tag: tag, Needs: write,
		Summary: "Add variants to a product",
		Doc: "One variant, answered by itself, or `items` of up to 60, answered as `items`. A product has up to 500. " +
			"Fires `productChange`. 409 `code_taken`."}, g.addVariants)
	api.Add(a, api.Op{Route: "GET " + path + "/{variantId}", ID: "readVariant", Tag: tag, Needs: read,
		Summary: "Read a variant", Doc: "`ETag` is the product's."}, g.readVariant)
	api.Add(a, api.Op{Route: "PATCH " + path + "/{variantId}", ID: "changeVariant", Tag: tag, Needs: write, Reads: read,
		Summary: "Change a variant",
		Doc: "`ETag` and `If-Match` are the product's. Fires `productChange` when something really changed. " +
			"409 `code_taken`. Without `products:read` the answer is the variant's `id` and the product's `changed` only."}, g.changeVariant)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{variantId}", ID: "deleteVariant", Tag: tag, Needs: write,
		Summary: "Delete a variant", Doc: "`If-Match` is the product's. Fires `productChange`."}, g.removeVariant)
}

// Added is the body of a POST of variants: one variant's fields, or items with up to 60 of them.
type Added struct {
	Items []VariantFields // one without items
	Many  bool
	raw   map[string]json.RawMessage
}

// Schema is that of one variant's fields, none of them required, and items.
func (Added) Schema(r huma.Registry) *huma.Schema {
	return oneOrMany(r, reflect.TypeFor[VariantFields](), maxVariantsAtOnce)
}

// UnmarshalJSON reads either form.
func (a *Added) UnmarshalJSON(b []byte) error {
	if err := unmarshal(b, &a.raw); err != nil {
		return err
	}
	var many struct{ Items []VariantFields }
	if err := unmarshal(b, &many); err != nil {
		return err
	}
	if _, a.Many = a.raw["items"]; a.Many {
		a.Items = many.Items
		return nil
	}
	var one VariantFields
	err := unmarshal(b, &one)
	a.Items = []VariantFields{one}
	return err
}

// check finds what is wrong with the variants whatever is stored.
func (a Added) check() error {
	var f api.Faults
	switch _, code := a.raw["code"]; {
	case a.Many && len(a.raw) > 1:
		f.Add("items", api.Conflicting, "stands alone: a body holds one variant or items")
	case a.Many && len(a.Items) == 0:
		f.Add("items", api.Required, "needs at least 1 entries")
	case !a.Many && (!code || string(a.raw["code"]) == "null"):
		f.Add("code", api.Required, "is required")
	}
	for i, v := range a.Items {
		prefix := ""
		if a.Many {
			prefix = at("items", i, "") + "."
		}
		v.check(&f, prefix)
	}
	return f.Err()
}

// Made is the answer to a POST of variants: the variant, or {items}.
type Made struct {
	variants []Variant
	many     bool
}

// Schema is that of one variant, and items.
func (Made) Schema(r huma.Registry) *huma.Schema {
	return oneOrMany(r, reflect.TypeFor[Variant](), maxVariantsAtOnce)
}

// MarshalJSON writes either form.
func (m Made) MarshalJSON() ([]byte, error) {
	if m.many {
		return json.Marshal(api.Items[Variant]{Items: m.variants})
	}
	return json.Marshal(m.variants[0])
}

// oneOrMany is the schema of an object of that type, or of one that holds a list of them as items.
func oneOrMany(r huma.Registry, t reflect.Type, most int) *huma.Schema {
	ref := r.Schema(t, true, "")
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
	s.Properties["items"].PrecomputeMessages()
	s.PrecomputeMessages()
	return &s
}

// add is the input of a POST of variants.
type add struct {
	api.ByID
	Body Added
}

func (g group) addVariants(ctx context.Context, in *add) (*api.Answer[Made], error) {
	call := api.From(ctx)
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	added := newVariants(call, in.Body.Items)
	answer := func(w *Whole) *api.Answer[Made] { return in.Body.made(w, added) }
	w, err := g.edit(ctx, in.ID, edit{
		form:   func() error { return nil },
		answer: func(w *Whole) any { return answer(w) },
		change: func(_, next *Whole) error {
			next.addVariants(append([]Variant(nil), added...))
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	return answer(w), nil
}

// made is the answer with the variants as they were added.
func (a Added) made(w *Whole, added []Variant) *api.Answer[Made] {
	answer := api.Of(Made{variants: added, many: a.Many}, w.Version)
	if !a.Many {
		answer.Location = "/api-engine/products/" + w.ID + "/variants/" + added[0].ID
	}
	return answer
}

// ByVariant is the path of one variant.
type ByVariant struct {
	api.ByID
	Variant string `path:"variantId" doc:"The variant's id"`
}

func (g group) readVariant(ctx context.Context, in *ByVariant) (*api.Answer[Variant], error) {
	call := api.From(ctx)
	w, err := Read(ctx, g.p.Main, call.Shop, in.ID)
	if err != nil {
		return nil, err
	}
	if w != nil {
		if v, ok := w.Variant(in.Variant); ok {
			return api.Of(v, w.Version), nil
		}
	}
	return nil, api.NotFound()
}

// changeOf is the input of a PATCH of a variant.
type changeOf struct {
	ByVariant
	Body api.Patch[VariantFields]
}

func (g group) changeVariant(ctx context.Context, in *changeOf) (*api.Answer[Variant], error) {
	call := api.From(ctx)
	answer := func(w *Whole) *api.Answer[Variant] {
		v, _ := w.Variant(in.Variant)
		return api.Of(v, w.Version)
	}
	w, err := g.edit(ctx, in.ID, edit{
		variant: in.Variant,
		form:    func() error { _, err := patchedVariant(ctx, in.Body, VariantDetails{Code: "x"}); return err },
		answer:  func(w *Whole) any { call.Brief(in.Variant, changedAt(w.Version)); return answer(w) },
		change: func(before, next *Whole) error {
			v, _ := before.Variant(in.Variant)
			d, err := patchedVariant(ctx, in.Body, v.VariantDetails)
			if err != nil {
				return err
			}
			next.setVariant(Variant{ID: v.ID, VariantDetails: d})
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	call.Brief(in.Variant, changedAt(w.Version))
	return answer(w), nil
}

func patchedVariant(ctx context.Context, patch api.Patch[VariantFields], d VariantDetails) (VariantDetails, error) {
	next, err := api.Apply(ctx, patch, VariantFields{d})
	if err != nil {
		return d, err
	}
	var f api.Faults
	next.check(&f, "")
	return next.VariantDetails, f.Err()
}

func (g group) removeVariant(ctx context.Context, in *ByVariant) (*api.None, error) {
	_, err := g.edit(ctx, in.ID, edit{
		variant: in.Variant,
		form:    func() error { return nil },
		answer:  func(*Whole) any { return &api.None{} },
		change:  func(_, next *Whole) error { next.removeVariant(in.Variant); return nil },
	})
	return &api.None{}, err
}
