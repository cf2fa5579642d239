// Package goods is what the demo shop sells, a Czech tea house: names and diacritics as such a shop has them, some
// goods with variants. The demo shop of a laptop sells it, and developers' test shops do on wish.
package goods

import (
	"context"
	"encoding/json"
	"fmt"

	"eshop/shared/catalog"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Categories are the shop's three categories.
var Categories = []string{"Čaje", "Káva", "Porcelán a doplňky"}

// Product is one of the goods. Packs are its variants.
type Product struct {
	Code, Category, Name, Short, Price string
	Stock                              int
	Packs                              []Pack
}

// Pack is one variant of a product.
type Pack struct{ Name, Price string }

// Gift is the code of the product by which the demo shows its example of an add-on, which sells products as gifts.
const Gift = "SMES-001"

// Variants that several products have.
var (
	byWeight = []Pack{{"50 g", "89.00"}, {"100 g", "159.00"}, {"250 g", "349.00"}}
	ground   = []Pack{{"zrnková 250 g", "219.00"}, {"mletá 250 g", "219.00"}, {"zrnková 1 kg", "769.00"}}
	colours  = []Pack{{"bílá", "249.00"}, {"modrá", "249.00"}, {"zelená", "259.00"}, {"červená", "259.00"}}
)

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

// Body is the product as the API takes it, with the ids of categories by their names. It says that it is sold: Fill
// makes it without the API, which alone has the values of what a body does not say.
func (p Product) Body(categories map[string]string) map[string]any {
	b := map[string]any{"code": p.Code, "name": p.Name, "active": true, "shortDescription": p.Short,
		"description": Texts[p.Code].Description, "vatRate": "12.00",
		"manufacturer": "Čajovna U Zvonu", "stock": map[string]any{"quantity": p.Stock},
		"priceLevels": prices(p.Price), "categoryIds": []string{categories[p.Category]}}
	var variants []map[string]any
	for i, pack := range p.Packs {
		variants = append(variants, map[string]any{"code": fmt.Sprintf("%s-%d", p.Code, i+1), "name": pack.Name,
			"active": true, "parameters": []map[string]string{{"name": "Provedení", "value": pack.Name}},
			"stock": map[string]any{"quantity": 15 + 10*i}, "priceLevels": prices(pack.Price)})
	}
	if variants != nil {
		b["variants"] = variants
	}
	return b
}

// prices is a price list with the default level alone.
func prices(p string) []map[string]string {
	return []map[string]string{{"level": "default", "price": p}}
}

// Fill makes the categories and products in the unit's shop, without pictures.
func Fill(ctx context.Context, u *change.Unit, c catalog.Catalog) error {
	ids := map[string]string{}
	for _, name := range Categories {
		made, err := c.CreateCategory(ctx, asked(u), catalog.CategoryFields{Name: field.Name(name)})
		if err != nil {
			return err
		}
		ids[name] = made.ID
	}
	for _, p := range Products {
		body, err := json.Marshal(p.Body(ids))
		if err != nil {
			return err
		}
		var fields catalog.ProductNew
		if err := json.Unmarshal(body, &fields); err != nil {
			return err
		}
		if _, err := c.CreateProduct(ctx, asked(u), fields); err != nil {
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
