package catalog

import (
	"maps"
	"slices"

	"eshop/events"
)

// diff is what changed between two states of a product: the groups, sorted, and the variants touched. Neither: nothing.
func diff(before, after *known) (all []events.Group, touched []string) {
	groups := map[events.Group]bool{}
	note := func(g ...events.Group) {
		for _, x := range g {
			groups[x] = true
		}
	}
	note(before.details.groups(after.details)...)
	if before.texts != after.texts && *before.texts != *after.texts {
		note(events.Basic)
	}
	if before.stock[""] != after.stock[""] {
		note(events.Stock)
	}
	if before.Address.Active != after.Address.Active {
		note(events.InURLs)
	}
	was, is := byID(before.parts), byID(after.parts)
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
