package catalog

import (
	"fmt"
	"maps"
	"slices"

	"eshop/events"
	"eshop/shared/problem"
	"eshop/shared/record"
)

// diff is what changed between two states of a product: the groups, sorted, and the variants touched. Neither: nothing.
func diff(before, after reading) (all []events.Group, touched []string) {
	groups := map[events.Group]bool{}
	note := func(g ...events.Group) {
		for _, x := range g {
			groups[x] = true
		}
	}
	note(before.Details().groups(after.Details())...)
	if before.stock[""] != after.stock[""] {
		note(events.Stock)
	}
	if before.Address.Active != after.Address.Active {
		note(events.InURLs)
	}
	was, is := byID(before.parts()), byID(after.parts())
	for _, id := range after.VariantIDs() {
		old, had := before.stock[id]
		g := []events.Group{events.Variants}
		if had {
			g = was[id].groups(is[id])
		}
		if had && old != after.stock[id] {
			g = append(g, events.Stock)
		}
		if len(g) > 0 {
			note(g...)
			touched = append(touched, id)
		}
	}
	for _, id := range before.VariantIDs() {
		if !after.Has(id) {
			note(events.Variants)
			touched = append(touched, id)
		}
	}
	return slices.Sorted(maps.Keys(groups)), touched
}

// byID are the variants of parts.
func byID(parts []part) map[string]VariantDetails {
	all := map[string]VariantDetails{}
	for _, p := range parts {
		for _, v := range p.variants {
			all[v.ID] = v.VariantDetails
		}
	}
	return all
}

// allowed holds a product against what concerns all of it, as far as it was read: codes once each, so many variants, so
// heavy.
func (h *Head) allowed(variants []part) error {
	seen := map[string]bool{}
	for _, code := range h.codes(variants) {
		if seen[code] {
			return codeTaken(code)
		}
		seen[code] = true
	}
	if n := len(h.stock) - 1; n > MaxVariants {
		return problem.InvalidAt("", problem.TooMany, "would give the product more than 500 variants")
	}
	if f := h.tooHeavy(variants); f != nil {
		return problem.Invalid(*f)
	}
	return nil
}

// allowed is that of all of the product.
func (w *Whole) allowed() error { return w.Head.allowed(w.parts) }

// codes are those that the product and these variants of it claim.
func (h *Head) codes(variants []part) []string {
	all := []string{string(h.details.Code)}
	for _, p := range variants {
		for _, v := range p.variants {
			all = append(all, string(v.Code))
		}
	}
	return all
}

// The most that a product may weigh, in bytes: its head must leave room for what rides on it, and all of it must go
// through one transaction (DynamoDB: 4 MB).
const (
	maxHead  = 300 << 10
	maxWhole = 2 << 20
)

// tooHeavy is the fault of a product that would be larger than the platform keeps; nil when it is not.
func (h *Head) tooHeavy(variants []part) *problem.Fault {
	head, beside := 0, 0
	for _, s := range h.stock {
		if head += 40; s.Availability != "" {
			head += 30 + len(s.Availability)
		}
	}
	for _, p := range h.entries {
		head += 30*len(p.IDs) + 40
	}
	for _, p := range variants {
		beside += len(p.doc)
	}
	kept := h.details
	if t := h.texts; t != nil && t.bytes() <= textBytes {
		kept.ShortDescription, kept.Description = t.Short, t.Long
	}
	if head+kept.mostBytes() > maxHead {
		head += len(record.Document(kept))
	}
	if head <= maxHead && beside <= maxWhole {
		return nil
	}
	return &problem.Fault{Location: "body", Code: problem.TooBig, Message: fmt.Sprintf(
		"would make the product larger than %d KiB without its variants, or them than %d KiB", maxHead>>10, maxWhole>>10)}
}
