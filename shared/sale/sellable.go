package sale

import (
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
)

// refuseProduct adds what keeps a product from being sold, by its head (nil: the shop has none); at is where in the
// body productId and variantId are, "" or ending in a dot.
func refuseProduct(faults *problem.Faults, at string, h *catalog.Head, variantID string) {
	switch {
	case h == nil:
		faults.Add(at+"productId", problem.Unknown, "is no product of this shop")
	case !h.Active():
		faults.Add(at+"productId", problem.Inactive, "is a product that is not active")
	case variantID == "" && h.HasVariants():
		faults.Add(at+"variantId", problem.Required, "is required: the product is sold by its variants")
	case variantID != "" && !h.Has(variantID):
		faults.Add(at+"variantId", problem.Unknown, "is no variant of this product")
	}
}

// refuseVariant adds what keeps the variant that was read from being sold, where one is named.
func refuseVariant(f *problem.Faults, at, variantID string, v catalog.Variant) {
	switch {
	case variantID == "":
	case v.ID == "":
		f.Add(at+"variantId", problem.Unknown, "is no variant of this product")
	case !v.Active:
		f.Add(at+"variantId", problem.Inactive, "is a variant that is not active")
	}
}
