package admin

import (
	"slices"

	"eshop/shared/addon"
	"eshop/shared/ports/store"
	"eshop/shared/search"
	"eshop/shared/shop"
)

// lookedAt is how many of the shop's newest products the dashboard looks at for one with a picture.
const lookedAt = 200

// step is what a new shop needs before it sells: its name (data-step), in words, and where it is done.
type step struct {
	Name, Text, Path string
	Done             bool
}

// begun is what the shop has to begin with, beside its face and its add-ons.
type begun struct {
	category bool
	products []search.Hit // the newest
}

// steps are the first steps, each done by what is there; none when all are.
func (v *visit) steps(want wanted, first begun, items map[store.Key]*store.Item) ([]step, error) {
	face, err := shop.FaceOf(items[shop.FaceKey(want.shop)], v.shop.Locale)
	if err != nil {
		return nil, err
	}
	text, product := "contact", productsPath
	if face.Contact != "" {
		text = "terms"
	}
	if len(first.products) == 0 {
		product += "/new"
	}
	var all []step
	add := func(name, path, of string, done bool) {
		all = append(all, step{name, called(v.say("step."+name), of), path, done})
	}
	add("logo", shopPath+"#logo", "", face.Logo.URL != "")
	add("texts", shopPath+"#"+text, "", face.Contact != "" && face.Terms != "")
	add("payment", shopPath+"#payment", "", saysHowToPay(face))
	add("category", categoriesPath+"/new", "", first.category)
	add("product", product, "", slices.ContainsFunc(first.products, func(h search.Hit) bool {
		return h.Offer != nil && h.Pictured && !h.Hidden
	}))
	for _, a := range want.hooks.Accesses {
		if a.State == addon.Installed {
			add("addon", packagesPath+"/"+a.ID, packageOf(a, items), false)
		}
	}
	if !slices.ContainsFunc(all, func(s step) bool { return !s.Done }) {
		return nil, nil
	}
	return all, nil
}

// saysHowToPay says whether the shop tells its customers how to pay, which a transfer needs.
func saysHowToPay(f shop.Face) bool {
	on := f.Ways.On().Payment
	return !slices.ContainsFunc(on, func(w shop.Way) bool { return w.Key == shop.Transfer }) ||
		slices.ContainsFunc(on, func(w shop.Way) bool { return w.Note != "" || w.IBAN != "" })
}
