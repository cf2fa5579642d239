package demo

import (
	"fmt"

	"eshop/shared/base/permission"
)

// What the demo shop sells, and to whom, as a Czech shop would name them.

// addonPackage is an add-on of the demo shop, with no more permissions than it needs.
type addonPackage struct {
	code, name, instructions string
	permissions              []permission.Permission
}

// demoPackages are the shop's own access, the demo receiver and gifts, in this order.
var demoPackages = [3]addonPackage{
	{"demo", "Ukázkový doplněk",
		"# Ukázkový doplněk\n\nDoplněk je nainstalovaný a aktivní; není třeba nic nastavovat.", permission.All},
	{"demo-receiver", "Ukázkový příjemce webhooků",
		"# Ukázkový příjemce webhooků\n\nUkazuje ověřené webhooky na adrese `/demo/receiver`.",
		[]permission.Permission{permission.ReadCustomers, permission.ReadProducts, permission.ReadOrders,
			permission.ReadCoupons, permission.ReadURLs, permission.ReadCodes, permission.ReadShop}},
	{"configurator", "Dárkové balení",
		"# Dárkové balení\n\nProdukt bez variant si zákazník nechá zabalit jako dárek, s vlastní jmenovkou. " +
			"Po deaktivaci doplňku z obchodu sám zmizí.",
		[]permission.Permission{permission.ReadProducts, permission.WriteQuotes, permission.ReadCodes,
			permission.WriteCodes, permission.ReadShop}},
}

// address is a custom URL of a product, by its code, or of a category, by its name.
type address struct{ of, item, url string }

// demoURLs are the custom URLs. KAV-003 gets two, so that one of them redirects.
var demoURLs = []address{
	{"product", "CAJ-002", "darjeeling"}, {"product", "CAJ-009", "Dárkový čaj"}, {"product", "KAV-003", "espresso"},
	{"product", "KAV-003", "nase-smes"}, {"product", "POR-001", "Hrnek se zvonkem"},
	{"category", "Káva", "výběrová káva"},
}

// body is the URL as the API takes it.
func (a address) body(products, categories map[string]string) map[string]any {
	item := products[a.item]
	if a.of == "category" {
		item = categories[a.item]
	}
	return map[string]any{"urlItem": map[string]string{"type": a.of, "id": item}, "url": a.url}
}

// What customers are made of. Women have their own form of a family name, as in Czech.
var (
	women   = []string{"Jana", "Eva", "Lucie", "Tereza", "Kateřina"}
	hers    = []string{"Nováková", "Svobodová", "Dvořáková", "Černá", "Procházková"}
	men     = []string{"Jan", "Petr", "Tomáš", "Jiří", "Ondřej"}
	his     = []string{"Novák", "Svoboda", "Dvořák", "Černý", "Procházka"}
	cities  = []string{"Praha", "Brno", "Ostrava", "Plzeň", "Olomouc"}
	streets = []string{"Dlouhá", "Krátká", "Nádražní", "Husova", "Na Příkopě"}
	zips    = []string{"110 00", "602 00", "702 00", "301 00", "779 00"}
)

// demoCustomer is the i-th of 50 customers: every first name with every last name once, every fifth a company's.
func demoCustomer(i int) map[string]any {
	first, last := women, hers
	if i >= 25 {
		first, last = men, his
	}
	f, l := i%25%5, i%25/5
	c := map[string]any{"email": fmt.Sprintf("zakaznik%02d@example.com", i+1), "firstName": first[f],
		"lastName": last[l],
		"phone":    fmt.Sprintf("+420 601 %03d %03d", 100+i, 200+7*i%800), "billingAddress": map[string]any{
			"street": fmt.Sprintf("%s %d", streets[l], 1+3*i), "city": cities[f], "zip": zips[f], "country": "CZ"}}
	if i%5 == 0 {
		c["company"], c["companyId"] = last[l]+" a syn s.r.o.", fmt.Sprintf("%08d", 10_000_000+i*12_347)
	}
	return c
}

// demoCoupons are in force, limited, and no more in force.
var demoCoupons = []map[string]any{
	{"code": "VITEJTE10", "type": "percentage", "value": "10.00"},
	{"code": "ZVON100", "type": "amount", "value": "100.00", "minimumOrder": "500.00", "usageLimit": 50,
		"validTo": "2027-12-31T23:00:00Z"},
	{"code": "LETO2026", "type": "percentage", "value": "15.00", "validFrom": "2026-06-01T00:00:00Z",
		"validTo": "2026-08-31T22:00:00Z"},
}

// demoOrders is how many orders there are.
const demoOrders = 20

// demoOrder is the i-th order: of every second customer, with two or three lines, every third with a coupon. All of it
// follows from i, so each new data folder has the same orders.
func demoOrder(i int, products []sold, customers []made) map[string]any {
	customer := demoCustomer(2 * i)
	address := map[string]any{"firstName": customer["firstName"], "lastName": customer["lastName"]}
	for name, value := range customer["billingAddress"].(map[string]any) {
		address[name] = value
	}
	var lines []map[string]any
	for n := range 2 + i%2 {
		p := products[(3*i+7*n)%len(products)]
		line := map[string]any{"productId": p.ID, "quantity": 1 + (i+n)%2}
		if len(p.Variants) > 0 {
			line["variantId"] = p.Variants[i%len(p.Variants)].ID
		}
		lines = append(lines, line)
	}
	order := map[string]any{"email": customer["email"], "phone": customer["phone"], "customerId": customers[2*i].ID,
		"items": lines, "billingAddress": address,
		"orderDeliveryPayment": map[string]string{
			"delivery": []string{"Zásilkovna", "Česká pošta", "Osobní odběr"}[i%3],
			"payment":  []string{"Kartou", "Převodem", "Dobírka"}[i%3],
		}}
	if i%3 == 0 {
		order["discountCoupons"] = []string{"VITEJTE10"}
	}
	if i%7 == 0 {
		order["note"] = "Prosím zabalit jako dárek."
	}
	return order
}

// demoStates are the states that the i-th order moves through, one after the other; the last orders stay new.
func demoStates(i int) []string {
	switch {
	case i < 7:
		return []string{"processing", "shipped", "delivered"}
	case i < 10:
		return []string{"processing", "shipped"}
	case i < 14:
		return []string{"processing"}
	case i == 14:
		return []string{"processing", "shipped", "delivered", "returned"}
	case i == 15:
		return []string{"cancelled"}
	}
	return nil
}
