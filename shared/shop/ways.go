package shop

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"eshop/shared/base/paycode"
	"eshop/shared/base/problem"
	"eshop/shared/base/slug"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// Ways are how orders of a shop are delivered and paid (contract, "Ways of delivery and payment").
type Ways struct {
	Delivery WayList `json:"delivery"`
	Payment  WayList `json:"payment"`
}

// WayList are ways in the order in which they are offered. An order holds the name of its way, so no two of a list have
// the same.
type WayList []Way

// Way is one way. Its key stays when its name changes.
type Way struct {
	Key string `json:"key"`
	WayFields
}

// WayFields are what the people of a shop set of a way.
type WayFields struct {
	Name   field.Line `json:"name,omitempty"`
	On     bool       `json:"on,omitempty"`     // offered in a checkout
	Note   field.Text `json:"note,omitempty"`   // Markdown; of a payment {number} and {total} stand for the order's
	Pickup bool       `json:"pickup,omitempty"` // of a delivery: the customer comes for it, so no street is needed
	IBAN   field.Line `json:"iban,omitempty"`   // of a payment: the account that it is paid to
}

// The keys that forms and the platform itself know: NewWay names one way more in a form, Transfer is the way of paying
// that a new shop has and must say an account for.
const (
	NewWay   = "new"
	Transfer = "transfer"
)

// How many ways a list has at most, and how many characters the note of one.
const (
	maxWays = 30
	MaxNote = 2_000
)

// newWays are those of a new shop, in its language.
func newWays(locale field.Locale) Ways {
	in := map[field.Locale][4]field.Line{
		"cs_CZ": {"Doručení na adresu", "Osobní odběr", "Bankovním převodem", "Při převzetí"},
		"sk_SK": {"Doručenie na adresu", "Osobný odber", "Bankovým prevodom", "Pri prevzatí"},
	}[locale]
	return Ways{
		Delivery: WayList{{"courier", WayFields{Name: in[0], On: true}},
			{"pickup", WayFields{Name: in[1], On: true, Pickup: true}}},
		Payment: WayList{{Transfer, WayFields{Name: in[2], On: true}},
			{"onDelivery", WayFields{Name: in[3], On: true}}}}
}

// WaysOf reads the ways of a shop, those that are off included.
func WaysOf(ctx context.Context, t store.Table, shop string) (Ways, error) {
	items, err := t.Get(ctx, Key(shop), FaceKey(shop))
	if err != nil || items[0] == nil {
		return Ways{}, err
	}
	s, err := Decode(items[0])
	if err != nil {
		return Ways{}, err
	}
	face, err := FaceOf(items[1], s.Locale)
	return face.Ways, err
}

// On are the ways that are offered.
func (w Ways) On() Ways { return Ways{w.Delivery.on(), w.Payment.on()} }

func (l WayList) on() WayList {
	return slices.DeleteFunc(slices.Clone(l), func(w Way) bool { return !w.On })
}

// Named is the way that an order names; the zero one if the shop has it no more.
func (l WayList) Named(name string) Way {
	if i := slices.IndexFunc(l, func(w Way) bool { return string(w.Name) == name }); i >= 0 {
		return l[i]
	}
	return Way{}
}

// Fields are what is set of the ways, by their keys, and at NewWay how one more begins.
func (l WayList) Fields() map[string]WayFields {
	all := map[string]WayFields{NewWay: {On: true}}
	for _, w := range l {
		all[w.Key] = w.WayFields
	}
	return all
}

// Set are the ways as Fields sets them: one more if anything is said of it. An account is written as paycode.IBAN has
// it.
func (l WayList) Set(fields map[string]WayFields) WayList {
	set := slices.Clone(l)
	for i, w := range set {
		if f, sent := fields[w.Key]; sent {
			set[i].WayFields = f
		}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		f := fields[key]
		known := slices.ContainsFunc(l, func(w Way) bool { return w.Key == key })
		if !known && (key != NewWay || f != (WayFields{On: f.On})) {
			set = append(set, Way{key, f})
		}
	}
	for i := range set {
		iban, _ := paycode.IBAN(string(set[i].IBAN))
		set[i].IBAN = field.Line(iban)
	}
	return set
}

// check refuses ways at the fields of the form that they come from. was are those that there are.
func (l WayList) check(of string, was WayList, faults *problem.Faults) {
	names := map[field.Line]bool{}
	for i, way := range l {
		at := of + "." + way.Key
		_, iban := paycode.IBAN(string(way.IBAN))
		switch known := i < len(was); {
		case !known && way.Key != NewWay:
			faults.Add(at, problem.UnknownField, "is no way of this shop")
		case i >= maxWays:
			faults.Add(at+".name", problem.TooMany, "is one of more than %d", maxWays)
		case way.Name == "":
			faults.Add(at+".name", problem.Required, "is required")
		case names[way.Name]:
			faults.Add(at+".name", problem.Duplicate, "is the name of another way")
		}
		if utf8.RuneCountInString(string(way.Note)) > MaxNote {
			faults.Add(at+".note", problem.TooLong, "must have at most %d characters", MaxNote)
		}
		switch {
		case way.IBAN != "" && of == "delivery", way.Pickup && of == "payment":
			faults.Add(at, problem.UnknownField, "has a field of another list")
		case way.IBAN != "" && !iban:
			faults.Add(at+".iban", problem.BadFormat, "must be an IBAN with the right check digits")
		}
		names[way.Name] = true
	}
}

// keyed gives a new way a key of its own, by its name.
func (l WayList) keyed() WayList {
	keyed := slices.Clone(l)
	for i := range keyed {
		if keyed[i].Key != NewWay {
			continue
		}
		base := cmp.Or(slug.Make(string(keyed[i].Name)), "way")
		for n, key := 2, base; ; n++ {
			taken := func(w Way) bool { return w.Key == key }
			if key != NewWay && !slices.ContainsFunc(keyed, taken) {
				keyed[i].Key = key
				break
			}
			key = base + "-" + strconv.Itoa(n)
		}
	}
	return keyed
}
