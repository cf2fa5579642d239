// Package goods is what the demo shop sells, a tea house: names and diacritics as such a shop has them, some goods with
// variants, a picture of each. The demo shop of a laptop sells it, and developers' test shops do on wish, in the words
// of their locale and at prices of their currency.
package goods

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"eshop/shared/catalog"
	"eshop/shared/images"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Categories are the shop's three categories, in Czech as all that follows.
var Categories = []string{"Čaje", "Káva", "Porcelán a doplňky"}

// Product is one of the goods, with its price in crowns. Packs are its variants.
type Product struct {
	Code, Category, Name, Short, Price string
	Stock                              int
	Packs                              []Pack
}

// Pack is one variant of a product: what it is by which parameters, and its price in crowns.
type Pack struct {
	Is    []Parameter
	Price string
}

// Parameter is one thing by which variants of a product differ.
type Parameter struct{ Name, Value string }

// Gift is the code of the product by which the demo shows its example of an add-on, which sells products as gifts.
const Gift = "SMES-001"

// Variants that several products have. Ground coffee is not sold by the kilogram.
var (
	byWeight = []Pack{of("50 g", "89.00"), of("100 g", "159.00"), of("250 g", "349.00")}
	ground   = []Pack{milled("zrnková", "250 g", "219.00"), milled("mletá", "250 g", "219.00"),
		milled("zrnková", "1 kg", "769.00")}
	colours = []Pack{of("bílá", "249.00"), of("modrá", "249.00"), of("zelená", "259.00"), of("červená", "259.00")}
)

func of(what, price string) Pack { return Pack{[]Parameter{{"Provedení", what}}, price} }

func milled(how, weight, price string) Pack {
	return Pack{[]Parameter{{"Mletí", how}, {"Balení", weight}}, price}
}

// Products are the goods of the shop: a tea house's, with Czech names and diacritics, some with variants.
var Products = []Product{
	{"CAJ-001", "Čaje", "Ľubovníkový čaj 2×50g", "Bylinný čaj z ľubovníku, ze slovenských luk.", "119.00", 40, nil},
	{"CAJ-002", "Čaje", "Darjeeling First Flush", "První jarní sklizeň, květinová vůně.", "159.00", 0, byWeight},
	{"CAJ-003", "Čaje", "Assam TGFOP", "Silný, sladový, do mléka.", "129.00", 0, byWeight},
	{"CAJ-004", "Čaje", "Sencha Fukamushi", "Zelený čaj, hluboce pařený.", "199.00", 0, byWeight},
	{"CAJ-005", "Čaje", "Earl Grey s bergamotem", "Černý čaj s pravým bergamotovým olejem.", "99.00", 120, nil},
	{"CAJ-006", "Čaje", "Mátový čaj sypaný", "Máta peprná z Moravy.", "69.00", 85, nil},
	{"CAJ-007", "Čaje", "Rooibos pomeranč", "Bez kofeinu, s kousky kůry.", "89.00", 60, nil},
	{"CAJ-008", "Čaje", "Pu-erh sedm let zrající", "Tmavý, zemitý, lisovaný do koláče.", "459.00", 12, nil},
	{"CAJ-009", "Čaje", "Dárková kazeta šesti čajů", "Šest čajů po 25 g v dřevěné kazetě.", "549.00", 25, nil},
	{"KAV-001", "Káva", "Etiopie Yirgacheffe", "Jasmín, bergamot, citrusy.", "219.00", 0, ground},
	{"KAV-002", "Káva", "Kolumbie Huila", "Karamel, červené jablko.", "219.00", 0, ground},
	{"KAV-003", "Káva", "Espresso U Zvonu", "Naše směs: čokoláda a ořech.", "199.00", 0, ground},
	{"KAV-004", "Káva", "Káva bez kofeinu", "Dekofeinovaná vodou.", "239.00", 33, nil},
	{"KAV-005", "Káva", "Filtrační papíry č. 2", "Sto kusů, nebělené.", "79.00", 200, nil},
	{"KAV-006", "Káva", "Ruční mlýnek na kávu", "Keramické kameny, nastavitelná hrubost.", "1290.00", 8, nil},
	{"POR-001", "Porcelán a doplňky", "Hrnek se zvonkem 300 ml", "Ručně malovaný.", "249.00", 0, colours},
	{"POR-002", "Porcelán a doplňky", "Konvice litinová 0,8 l", "S nerezovým sítkem.", "1190.00", 15, nil},
	{"POR-003", "Porcelán a doplňky", "Sítko na čaj nerezové", "Na šálek i na konvici.", "99.00", 140, nil},
	{"POR-004", "Porcelán a doplňky", "Miska na matcha chawan", "Každý kus jiný.", "690.00", 6, nil},
	{"POR-005", "Porcelán a doplňky", "Metlička bambusová chasen", "Osmdesát paprsků.", "390.00", 18, nil},
	{"POR-006", "Porcelán a doplňky", "Cukřenka s víčkem", "Bílý porcelán z Karlovarska.", "329.00", 22, nil},
	{"POR-007", "Porcelán a doplňky", "Dóza na čaj 100 g", "Plech s dvojitým víčkem.", "149.00", 70, nil},
	{Gift, "Čaje", "Dárková čajová směs", "Ve sklenici, se jmenovkou podle vás.", "129.00", 500, nil},
}

// Market is where goods are sold: it has their words and their prices.
type Market struct {
	Locale   field.Locale
	Currency string
}

// slovak says whether the market's words are Slovak; else they are Czech.
func (m Market) slovak() bool { return strings.HasPrefix(string(m.Locale), "sk") }

// Say is a Czech word in the market's language.
func (m Market) Say(word string) string {
	if said, has := inSlovak[word]; has && m.slovak() {
		return said
	}
	return word
}

// Words are the texts of a product in the market's language.
func (m Market) Words(p Product) Words {
	if m.slovak() {
		return slovakTexts[p.Code]
	}
	w := Texts[p.Code]
	w.Name, w.Short = p.Name, p.Short
	return w
}

// price is a price in whole crowns in the market's currency. In euros it is a 25th, up to ten cents below the next
// whole euro: 119 Kč are 4.90 €.
func (m Market) price(crowns string) string {
	if m.Currency != "EUR" {
		return crowns
	}
	n, err := strconv.Atoi(strings.TrimSuffix(crowns, ".00"))
	if err != nil {
		panic("goods: " + err.Error()) // it is a part of the program
	}
	return strconv.Itoa((n+24)/25-1) + ".90"
}

// Body is the product as the API takes it, with the ids of categories by their Czech names. It says that it is sold:
// Fill makes it without the API, which alone has the values of what a body does not say.
func (m Market) Body(product Product, categories map[string]string) map[string]any {
	w := m.Words(product)
	body := map[string]any{"code": product.Code, "name": w.Name, "active": true, "shortDescription": w.Short,
		"description": w.Description, "vatRate": m.vatRate(), "manufacturer": m.Say("Čajovna U Zvonu"),
		"stock": map[string]any{"quantity": product.Stock}, "priceLevels": m.prices(product.Price),
		"categoryIds": []string{categories[product.Category]}}
	var variants []map[string]any
	for i, pack := range product.Packs {
		var name []string
		var is []map[string]string
		for _, of := range pack.Is {
			name = append(name, m.Say(of.Value))
			is = append(is, map[string]string{"name": m.Say(of.Name), "value": m.Say(of.Value)})
		}
		variants = append(variants, map[string]any{"code": fmt.Sprintf("%s-%d", product.Code, i+1),
			"name": strings.Join(name, " "), "active": true, "parameters": is,
			"stock": map[string]any{"quantity": 15 + 10*i}, "priceLevels": m.prices(pack.Price)})
	}
	if variants != nil {
		body["variants"] = variants
	}
	return body
}

// vatRate is the market's reduced rate, at which food is sold.
func (m Market) vatRate() string {
	if m.slovak() {
		return "19.00"
	}
	return "12.00"
}

// prices is a price list with the default level alone.
func (m Market) prices(crowns string) []map[string]string {
	return []map[string]string{{"level": "default", "price": m.price(crowns)}}
}

// Fill makes the categories and the products with their pictures in the unit's shop.
func (m Market) Fill(ctx context.Context, u *change.Unit, into catalog.Catalog, up images.Uploads) error {
	ids := map[string]string{}
	for _, name := range Categories {
		made, err := into.CreateCategory(ctx, asked(u), catalog.CategoryFields{Name: field.Name(m.Say(name))})
		if err != nil {
			return err
		}
		ids[name] = made.ID
	}
	for _, product := range Products {
		image, err := up.Keep(ctx, asked(u), Picture(product.Code))
		if err != nil {
			return err
		}
		body, err := json.Marshal(m.Body(product, ids))
		if err != nil {
			return err
		}
		var fields catalog.ProductNew
		if err := json.Unmarshal(body, &fields); err != nil {
			return err
		}
		fields.Images = []catalog.Image{{URL: image.URL, Alt: field.Line(m.Words(product).Alt)}}
		if _, err := into.CreateProduct(ctx, asked(u), fields); err != nil {
			return err
		}
	}
	return nil
}

// asked is the unit of a request of its own: what each makes is told as one.
func asked(u *change.Unit) *change.Unit {
	one := *u
	one.Request = u.NewID()
	return &one
}
