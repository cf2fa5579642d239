package catalog

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"eshop/events"
	"eshop/shared/base/each"
	ids "eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/address"
	"eshop/shared/images"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Catalog is the commands on products and categories, and what they need beside their unit of work.
type Catalog struct {
	Addresses address.Addresses // of whom products and categories get theirs
	Log       *slog.Logger
}

// Patch is a merge patch of fields F, as a door has read it.
type Patch[F any] struct {
	Merge func(current F) (F, error)     // the fields with it merged in; what is wrong with it is a *problem.Problem
	Sent  func(field string) (any, bool) // what it says of a field itself, if it says anything
}

// CreateProduct makes a product.
func (c Catalog) CreateProduct(ctx context.Context, u *change.Unit, fields ProductNew) (*Whole, error) {
	if err := fields.check(); err != nil {
		return nil, err
	}
	product := fields.whole(u)
	if err := categoriesExist(ctx, u, nil, product); err != nil {
		return nil, err
	}
	if err := product.checkBounds(); err != nil {
		return nil, err
	}
	return record.Retry(ctx, func() (*Whole, error) {
		next := product.clone()
		_, err := c.write(ctx, u, newWhole(product.ID), next, next)
		return next, err
	})
}

// ChangeProduct changes a product by a patch of its fields, its variants apart.
func (c Catalog) ChangeProduct(
	ctx context.Context, u *change.Unit, id string, patch Patch[ProductFields],
) (*Whole, error) {
	return c.run(ctx, u, id, productCommand{
		form: func() error { _, err := applyPatch(patch, sample()); return err },
		change: func(before, next *Whole) error {
			details, err := applyPatch(patch, before.Details())
			if err != nil {
				return err
			}
			next.setDetails(details)
			return categoriesExist(ctx, u, before, next)
		},
	})
}

// DeleteProduct deletes a product with its variants and URLs: the head becomes a tombstone, which answers 404 for 30
// days, and everything beside it goes.
func (c Catalog) DeleteProduct(ctx context.Context, u *change.Unit, id string) error {
	_, err := record.Retry(ctx, func() (*Whole, error) {
		if !ids.Valid(id) {
			return nil, problem.NotFound()
		}
		product, items, err := readItems(ctx, u.Table, ProductKey(u.Shop, id), "")
		if err != nil {
			return nil, err
		}
		if product == nil {
			return nil, problem.NotFound()
		}
		if err := u.Match(product.Version); err != nil {
			return nil, err
		}
		urls, err := address.Among(items)
		if err != nil {
			return nil, err
		}
		own := events.Record{Kind: events.Products, ID: id, Did: events.Deleted,
			Version: u.NextVersion(product.Version), Variants: product.VariantIDs()}
		hides, err := images.Showing{Product: id, Before: product.imageURLs()}.Ops(ctx, u)
		if err != nil {
			return nil, err
		}
		ops := append([]store.Op{tombstone(product.item.Key, product.Version, own.Version, u.Now())}, hides...)
		for _, category := range product.details.CategoryIDs {
			ops = append(ops, store.Delete(productInCategory(u.Shop, category, id)))
		}
		for _, key := range product.beside() {
			ops = append(ops, store.Delete(key))
		}
		if err := c.writeDeletion(ctx, u, own, ops, urls); err != nil {
			return nil, err
		}
		c.release(ctx, u, ownerOf(id), urls, product.claims(u.Shop)...)
		return product, nil
	})
	return err
}

// AddedVariants are variants as they were added to a product.
type AddedVariants struct {
	*Whole
	Variants []Variant
}

// AddVariants puts variants behind those that the product has.
func (c Catalog) AddVariants(
	ctx context.Context, u *change.Unit, id string, fields []VariantFields,
) (AddedVariants, error) {
	added := newVariants(u, fields)
	w, err := c.run(ctx, u, id, productCommand{
		result: func(w *Whole) any { return AddedVariants{w, added} },
		change: func(_, next *Whole) error { next.addVariants(added); return nil },
	})
	return AddedVariants{w, added}, err
}

// ChangeVariant changes one variant of a product by a patch of its fields.
func (c Catalog) ChangeVariant(
	ctx context.Context, u *change.Unit, id, variant string, patch Patch[VariantFields],
) (*Whole, error) {
	return c.run(ctx, u, id, productCommand{
		variant: variant,
		form:    func() error { _, err := applyVariantPatch(patch, VariantDetails{Code: "x"}); return err },
		change: func(before, next *Whole) error {
			v, _ := before.Variant(variant)
			details, err := applyVariantPatch(patch, v.VariantDetails)
			if err != nil {
				return err
			}
			next.setVariant(Variant{ID: v.ID, VariantDetails: details})
			return nil
		},
	})
}

// ChangeVariants changes several variants of a product together: all of them, or none where something is wrong with
// one. change makes of a variant what it is to be. A variant that is gone is a fault at variants.<id>.
func (c Catalog) ChangeVariants(
	ctx context.Context, u *change.Unit, id string, variants []string, change func(Variant) (VariantFields, error),
) (*Whole, error) {
	return c.run(ctx, u, id, productCommand{change: func(before, next *Whole) error {
		var faults problem.Faults
		var failed error
		for _, id := range variants {
			if !before.Has(id) {
				faults.Add("variants."+id, "not_found", "is a variant that the product has no more")
			}
		}
		next.setVariants(func(variant Variant) (Variant, bool) {
			if !slices.Contains(variants, variant.ID) || failed != nil {
				return variant, true
			}
			fields, err := change(variant)
			if p, is := problem.As(err); is {
				faults = append(faults, p.Errors...)
			} else {
				failed = err
			}
			variant.VariantDetails = fields.VariantDetails
			return variant, true
		})
		return cmp.Or(failed, faults.Err())
	}})
}

// DeleteVariant takes one variant away from a product.
func (c Catalog) DeleteVariant(ctx context.Context, u *change.Unit, id, variant string) error {
	_, err := c.run(ctx, u, id, productCommand{
		variant: variant,
		change:  func(_, next *Whole) error { next.removeVariant(variant); return nil },
	})
	return err
}

// productCommand is a change of one product.
type productCommand struct {
	variant string // that must be there; "" none
	// what is wrong whatever is stored, which comes before 404 and 412; nil: nothing
	form   func() error
	change func(before, next *Whole) error // changes next, a copy of before
	result func(*Whole) any                // what the command answers; nil: the product
}

// run reads a product, changes it and writes it, and begins again when somebody else has written it meanwhile. It
// returns the product as it is afterwards; a change that changes nothing writes nothing.
func (c Catalog) run(ctx context.Context, u *change.Unit, product string, do productCommand) (*Whole, error) {
	return record.Retry(ctx, func() (*Whole, error) {
		before, err := readWhole(ctx, u.Table, u.Shop, product)
		if err != nil {
			return nil, err
		}
		if before == nil || do.variant != "" && !before.Has(do.variant) {
			err = problem.NotFound()
		} else {
			err = u.Match(before.Version)
		}
		if err != nil {
			if do.form != nil {
				err = cmp.Or(do.form(), err)
			}
			return nil, err
		}
		next := before.clone()
		if err := do.change(before, next); err != nil {
			return nil, err
		}
		if err := next.checkBounds(); err != nil {
			return nil, err
		}
		var result any = next
		if do.result != nil {
			result = do.result(next)
		}
		changed, err := c.write(ctx, u, before, next, result)
		if err == nil && !changed {
			return before, nil
		}
		return next, err
	})
}

// write makes next of before, with the images that it shows, and says whether that changes anything. The command
// answers result.
func (c Catalog) write(ctx context.Context, u *change.Unit, before, next *Whole, result any) (bool, error) {
	ops, records, err := plan(ctx, u, &before.known, &next.known, c.Addresses.Names(u))
	if err != nil || len(records) == 0 {
		return false, err
	}
	shown := images.Showing{Product: next.ID, Before: before.imageURLs(), After: next.imageURLs()}
	shows, err := shown.Ops(ctx, u)
	if err != nil {
		return false, err
	}
	// Beside them the transaction has the answer to the Idempotency-Key, and a part of the change.
	if len(shows) > 0 && len(ops)+len(shows) > store.MaxOperations-2 {
		return false, problem.InvalidAt("images", problem.TooMany, "are too many for one request beside so many other "+
			"changes: change them in a second one")
	}
	_, err = u.Write(ctx, result, u.ChangeOf(records), append(ops, shows...)...)
	return true, err
}

// imageURLs are the addresses of the product's images.
func (w *Whole) imageURLs() []string {
	return each.Of(w.details.Images, func(image Image) string { return image.URL })
}

// check finds what is wrong with a new product whatever is stored.
func (n ProductNew) check() error {
	var f problem.Faults
	n.ProductDetails.check(&f)
	checkHasUnits(&f, "", n.HasUnits, n.Units)
	for i, v := range n.Variants {
		v.Check(&f, at("variants", i, "")+".")
	}
	return f.Err()
}

// whole is the new product before it has a version and an address.
func (n ProductNew) whole(u *change.Unit) *Whole {
	w := newWhole(u.NewID())
	w.setDetails(n.ProductDetails)
	w.addVariants(newVariants(u, n.Variants))
	return w
}

func newVariants(u *change.Unit, fields []VariantFields) []Variant {
	return each.Of(fields, func(f VariantFields) Variant { return Variant{u.NewID(), f.VariantDetails} })
}

// sample is a product without a fault, for finding those of a patch alone.
func sample() ProductDetails {
	return ProductDetails{Code: "x", Name: "x", Active: true, PriceLevels: []Price{{Level: DefaultLevel}}}
}

// applyPatch is the details with the patch merged in. hasUnits: false clears the units that are not sent with it.
func applyPatch(patch Patch[ProductFields], details ProductDetails) (ProductDetails, error) {
	next, err := patch.Merge(ProductFields{details})
	if err != nil {
		return details, err
	}
	_, has := patch.Sent("hasUnits")
	_, units := patch.Sent("units")
	if has && !units && !next.HasUnits {
		next.Units = []Unit{}
	}
	var f problem.Faults
	next.ProductDetails.check(&f)
	if units || has {
		checkHasUnits(&f, "", next.HasUnits, next.Units)
	}
	return next.ProductDetails, f.Err()
}

func applyVariantPatch(patch Patch[VariantFields], details VariantDetails) (VariantDetails, error) {
	next, err := patch.Merge(VariantFields{details})
	if err != nil {
		return details, err
	}
	var f problem.Faults
	next.Check(&f, "")
	return next.VariantDetails, f.Err()
}
