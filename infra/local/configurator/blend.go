package configurator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is a name, or other words, in the languages of the shops.
type Name struct {
	CS string `json:"cs"`
	SK string `json:"sk"`
}

// in is the name in the language of a shop's locale.
func (n Name) in(locale string) string {
	if locale == slovak {
		return n.SK
	}
	return n.CS
}

// The locales of shops.
const (
	czech  = "cs_CZ"
	slovak = "sk_SK"
)

// Ingredient is a base tea or an addition. Price is what it adds to 100 g of a blend, in hellers with VAT; Colour is
// the colour of its leaves, as CSS writes it.
type Ingredient struct {
	ID     string `json:"id"`
	Name   Name   `json:"name"`
	Price  int64  `json:"price"`
	Colour string `json:"colour"`
}

// Weight is a size of bag. Percent is what it costs of the price of 100 g.
type Weight struct {
	Grams   int   `json:"grams"`
	Percent int64 `json:"percent"`
}

// Prices is all that a price is made of. The widget has a copy for its estimate.
type Prices struct {
	Teas         []Ingredient `json:"teas"`
	Additions    []Ingredient `json:"additions"`
	Weights      []Weight     `json:"weights"`
	Label        int64        `json:"label"` // what printing a label costs, in hellers
	Currency     string       `json:"currency"`
	MaxAdditions int          `json:"maxAdditions"`
	MaxLabel     int          `json:"maxLabel"` // characters
}

// List is the price list.
var List = Prices{
	Teas: []Ingredient{
		{"assam", Name{"Černý Assam", "Čierny Assam"}, 129_00, "#6b3a22"},
		{"sencha", Name{"Zelená sencha", "Zelená sencha"}, 149_00, "#7c8c3f"},
		{"oolong", Name{"Oolong Tie Guan Yin", "Oolong Tie Guan Yin"}, 189_00, "#a3824a"},
		{"rooibos", Name{"Rooibos", "Rooibos"}, 99_00, "#b04a2a"},
	},
	Additions: []Ingredient{
		{"orange", Name{"pomerančová kůra", "pomarančová kôra"}, 12_00, "#e48a2c"},
		{"lavender", Name{"levandule", "levanduľa"}, 18_00, "#8572c4"},
		{"mint", Name{"máta", "mäta"}, 9_00, "#3f9f78"},
		{"jasmine", Name{"květ jasmínu", "kvet jazmínu"}, 24_00, "#f2e2a0"},
		{"ginger", Name{"zázvor", "zázvor"}, 14_00, "#d8b25a"},
		{"rose", Name{"okvětí růže", "okvetie ruže"}, 22_00, "#d2607f"},
	},
	Weights:      []Weight{{50, 55}, {100, 100}, {250, 230}},
	Label:        15_00,
	Currency:     "CZK",
	MaxAdditions: 3,
	MaxLabel:     24,
}

// Blend is what a shopper has chosen, as the widget sends it. Locale is the shop's: the note on the order is in its
// language.
type Blend struct {
	Tea       string   `json:"tea"`
	Additions []string `json:"additions"`
	Grams     int      `json:"grams"`
	Label     string   `json:"label"`
	Locale    string   `json:"locale"`
}

// Fault says what is wrong with a field of a blend.
type Fault struct {
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// Faults are all that is wrong with the blend; none when it can be sold.
func (b Blend) Faults() (all []Fault) {
	fault := func(wrong bool, field, message string) {
		if wrong {
			all = append(all, Fault{field, message})
		}
	}
	_, known := ingredient(List.Teas, b.Tea)
	fault(!known, "tea", "There is no such tea.")
	fault(len(b.Additions) > List.MaxAdditions, "additions",
		"A blend has at most "+strconv.Itoa(List.MaxAdditions)+" additions.")
	for i, id := range b.Additions {
		_, known := ingredient(List.Additions, id)
		fault(!known, "additions", "There is no such addition.")
		fault(slices.Contains(b.Additions[:i], id), "additions", "An addition is there once.")
	}
	_, known = weight(b.Grams)
	fault(!known, "grams", "There is no bag of this weight.")
	fault(utf8.RuneCountInString(b.Label) > List.MaxLabel, "label",
		"A label has at most "+strconv.Itoa(List.MaxLabel)+" characters.")
	fault(strings.ContainsFunc(b.Label, unprintable), "label", "A label has letters, digits, spaces and usual signs.")
	fault(b.Locale != czech && b.Locale != slovak, "locale", "The locale is cs_CZ or sk_SK.")
	return all
}

// UnitPrice is what a bag of the blend costs, with VAT, in hellers: the tea and the additions at the bag's weight,
// rounded half up to whole crowns, and the label. The blend has no faults.
func (b Blend) UnitPrice() int64 {
	tea, _ := ingredient(List.Teas, b.Tea)
	sum := tea.Price
	for _, a := range b.additions() {
		sum += a.Price
	}
	bag, _ := weight(b.Grams)
	price := (sum*bag.Percent + 50_00) / 100_00 * 100
	if b.Label != "" {
		price += List.Label
	}
	return price
}

// Note tells the merchant what to mix. The blend has no faults.
func (b Blend) Note() string {
	tea, _ := ingredient(List.Teas, b.Tea)
	additions := Name{"bez přísad", "bez prísad"}.in(b.Locale)
	if all := b.additions(); len(all) > 0 {
		names := make([]string, len(all))
		for i, a := range all {
			names[i] = a.Name.in(b.Locale)
		}
		additions = Name{"s přísadami: ", "s prísadami: "}.in(b.Locale) + strings.Join(names, ", ")
	}
	parts := []string{tea.Name.in(b.Locale), additions, fmt.Sprintf("%d g", b.Grams)}
	if b.Label != "" {
		parts = append(parts, Name{"jmenovka: ", "menovka: "}.in(b.Locale)+b.Label)
	}
	return strings.Join(parts, " · ")
}

// additions are the blend's, in the order of the price list.
func (b Blend) additions() (all []Ingredient) {
	for _, a := range List.Additions {
		if slices.Contains(b.Additions, a.ID) {
			all = append(all, a)
		}
	}
	return all
}

// ingredient finds an ingredient by its id.
func ingredient(of []Ingredient, id string) (Ingredient, bool) {
	i := slices.IndexFunc(of, func(x Ingredient) bool { return x.ID == id })
	if i < 0 {
		return Ingredient{}, false
	}
	return of[i], true
}

// weight finds a size of bag.
func weight(grams int) (Weight, bool) {
	i := slices.IndexFunc(List.Weights, func(w Weight) bool { return w.Grams == grams })
	if i < 0 {
		return Weight{}, false
	}
	return List.Weights[i], true
}

// unprintable says whether a character is none that the label's font has.
func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError || !drawn(r) }

// money is an amount of hellers as the platform writes it.
func money(hellers int64) string { return fmt.Sprintf("%d.%02d", hellers/100, hellers%100) }
