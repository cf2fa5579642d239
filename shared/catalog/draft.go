package catalog

import (
	"fmt"
	"maps"
	"slices"

	"eshop/events"
	"eshop/shared/problem"
	"eshop/shared/record"
)

// draft is a product that a request is changing: its head, and all of it where more than the head is read.
type draft struct {
	*Head
	whole *Whole // nil: what is beside the head stays as it is
}

// draft is the head to be changed; of nil a draft without one.
func (h *Head) draft() draft { return draft{Head: h} }

// draft is the product to be changed; of nil a draft without a head.
func (w *Whole) draft() draft {
	if w == nil {
		return draft{}
	}
	return draft{Head: &w.Head, whole: w}
}

// clone is a copy to be changed.
func (d draft) clone() draft {
	if d.whole != nil {
		return d.whole.clone().draft()
	}
	return d.Head.clone().draft()
}

// codes are the codes that the product claims, without those of variants that were not read.
func (d draft) codes() []string {
	if d.whole != nil {
		return d.whole.codes()
	}
	return []string{string(d.details.Code)}
}

// variants are those that were read, by id.
func (d draft) variants() map[string]VariantDetails {
	all := map[string]VariantDetails{}
	if d.whole != nil {
		for _, p := range d.whole.variants {
			for _, v := range p.variants {
				all[v.ID] = v.VariantDetails
			}
		}
	}
	return all
}

// diff is what changed between two states of a product: the groups, sorted, and the variants touched. Neither: nothing.
func (d draft) diff(after draft) ([]events.Group, []string) {
	groups := map[events.Group]bool{}
	note := func(g ...events.Group) {
		for _, x := range g {
			groups[x] = true
		}
	}
	note(d.Details().groups(after.Details())...)
	if d.stock[""] != after.stock[""] {
		note(events.Stock)
	}
	if d.Address.Active != after.Address.Active {
		note(events.InURLs)
	}
	touched := d.variantsDiff(after, note)
	return slices.Sorted(maps.Keys(groups)), touched
}

func (d draft) variantsDiff(after draft, note func(...events.Group)) (touched []string) {
	was, is := d.variants(), after.variants()
	for _, id := range after.VariantIDs() {
		old, had := d.stock[id]
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
	for _, id := range d.VariantIDs() {
		if !after.Has(id) {
			note(events.Variants)
			touched = append(touched, id)
		}
	}
	return touched
}

// allowed holds a product against what concerns all of it: codes once each, so many variants, so heavy.
func (d draft) allowed() error {
	seen := map[string]bool{}
	for _, code := range d.codes() {
		if seen[code] {
			return codeTaken(code)
		}
		seen[code] = true
	}
	if n := len(d.stock) - 1; n > MaxVariants {
		return problem.InvalidAt("", problem.TooMany, "a product has at most 500 variants")
	}
	if f := d.tooHeavy(); f != nil {
		return problem.Invalid(*f)
	}
	return nil
}

// The most that a product may weigh, in bytes: its head must leave room for what rides on it, and all of it must go
// through one transaction (DynamoDB: 4 MB).
const (
	maxHead  = 300 << 10
	maxWhole = 2 << 20
)

// tooHeavy is the fault of a product that would be larger than the platform keeps; nil when it is not.
func (d draft) tooHeavy() *problem.Fault {
	head, beside := 0, 0
	for _, s := range d.stock {
		if head += 40; s.Availability != "" {
			head += 30 + len(s.Availability)
		}
	}
	for _, p := range d.parts {
		head += 30*len(p.IDs) + 40
	}
	if d.whole != nil {
		for _, p := range d.whole.variants {
			beside += len(p.doc)
		}
	}
	kept := d.details
	if t := d.texts; t != nil && t.bytes() <= textBytes {
		kept.ShortDescription, kept.Description = t.Short, t.Long
	}
	if head+kept.mostBytes() > maxHead {
		head += len(record.Document(kept))
	}
	if head <= maxHead && beside <= maxWhole {
		return nil
	}
	return &problem.Fault{Location: "body", Code: problem.TooBig, Message: fmt.Sprintf(
		"the product would be larger than %d KiB without its variants, or they than %d KiB", maxHead>>10, maxWhole>>10)}
}
