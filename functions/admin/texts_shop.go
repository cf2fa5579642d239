package admin

import "eshop/shared/page"

var shopTexts = page.Words{
	"shop.name":  {"Název e-shopu", "Názov e-shopu", "Name of the shop"},
	"shop.owner": {"E-mail majitele", "E-mail majiteľa", "Owner's e-mail"},
	"shop.ownerIs": {"Komu e-shop patří. O změně se dozvědí všechny vaše doplňky.",
		"Komu e-shop patrí. O zmene sa dozvedia všetky vaše doplnky.",
		"Whom the shop belongs to. All your add-ons are told when it changes."},
	"shop.given": {"Co je dané", "Čo je dané", "What is given"},
	"shop.givenIs": {"Adresu, jazyk a měnu vám změní provozovatel platformy.",
		"Adresu, jazyk a menu vám zmení prevádzkovateľ platformy.",
		"The platform's operator changes the address, language and currency for you."},
	"shop.website":  {"Adresa", "Adresa", "Address"},
	"shop.language": {"Jazyk", "Jazyk", "Language"},
	"shop.currency": {"Měna", "Mena", "Currency"},
	"shop.id":       {"Id e-shopu", "Id e-shopu", "Shop's id"},
	"shop.cs_CZ":    {"čeština", "čeština", "Czech"},
	"shop.sk_SK":    {"slovenčina", "slovenčina", "Slovak"},
}
