package admin

import "eshop/shared/page"

var packageTexts = page.Words{
	"packages.about": {"Doplňky, které má váš e-shop nainstalované: co smějí a zda pracují.",
		"Doplnky, ktoré má váš e-shop nainštalované: čo smú a či pracujú.",
		"The add-ons that are installed on your shop: what they may do, and whether they work."},
	"none.packages": {"Váš e-shop zatím žádný doplněk nemá. Instaluje je provozovatel platformy.",
		"Váš e-shop zatiaľ žiadny doplnok nemá. Inštaluje ich prevádzkovateľ platformy.",
		"Your shop has no add-on yet. The platform's operator installs them."},

	"package.is.installed":   {"Nainstalovaný", "Nainštalovaný", "Installed"},
	"package.is.active":      {"Aktivní", "Aktívny", "Active"},
	"package.is.deactivated": {"Vypnutý", "Vypnutý", "Deactivated"},
	"package.about.installed": {"Doplněk je nainstalovaný, ale ještě nezačal pracovat: k vašim datům se " +
		"nedostane, dokud ho nezapnete.",
		"Doplnok je nainštalovaný, ale ešte nezačal pracovať: k vašim dátam sa nedostane, kým ho nezapnete.",
		"The add-on is installed, but does not work yet: it reaches none of your data until you activate it."},
	"package.about.active": {"Doplněk pracuje: smí, co je uvedeno níže, a dozvídá se o změnách ve vašem e-shopu.",
		"Doplnok pracuje: smie, čo je uvedené nižšie, a dozvedá sa o zmenách vo vašom e-shope.",
		"The add-on works: it may do what is listed below, and hears of changes in your shop."},
	"package.about.deactivated": {"Doplněk je vypnutý: k vašim datům se nedostane a o změnách se nedozvídá.",
		"Doplnok je vypnutý: k vašim dátam sa nedostane a o zmenách sa nedozvedá.",
		"The add-on is deactivated: it reaches none of your data, and hears of no change."},
	"package.permissions": {"Oprávnění", "Oprávnenia", "Permissions"},
	"package.noPermissions": {"Nesmí nic číst ani měnit.", "Nesmie nič čítať ani meniť.",
		"It may read and change nothing."},
	"package.changePermissions": {"Změnit oprávnění", "Zmeniť oprávnenia", "Change the permissions"},
	"package.links":             {"Přejít na", "Prejsť na", "Go to"},
	"package.webhooks":          {"Webhooky", "Webhooky", "Webhooks"},
	"package.instructions":      {"Návod k instalaci", "Návod na inštaláciu", "Installation instructions"},
	"package.open": {"Otevřít návod k instalaci", "Otvoriť návod na inštaláciu",
		"Open the installation instructions"},
	"package.noInstructions": {"Tento doplněk žádný návod nemá.", "Tento doplnok žiadny návod nemá.",
		"This add-on has no instructions."},
	"package.activate":      {"Zapnout doplněk", "Zapnúť doplnok", "Activate the add-on"},
	"package.activateAgain": {"Znovu zapnout doplněk", "Znova zapnúť doplnok", "Activate the add-on again"},
	"package.activated":     {"Doplněk je zapnutý.", "Doplnok je zapnutý.", "The add-on is active."},
	"package.deactivate":    {"Vypnout doplněk", "Vypnúť doplnok", "Deactivate the add-on"},
	"package.deactivated":   {"Doplněk je vypnutý.", "Doplnok je vypnutý.", "The add-on is deactivated."},
	"package.leave":         {"Nechat zapnutý", "Nechať zapnutý", "Leave it active"},

	"package.deactivation": {"Vypnutí doplňku", "Vypnutie doplnku", "Deactivating the add-on"},
	"package.deactivationIs": {"Než doplněk vypnete, podívejte se, co se stane s kódy, které vložil do stránek " +
		"vašeho e-shopu.",
		"Skôr ako doplnok vypnete, pozrite sa, čo sa stane s kódmi, ktoré vložil do stránok vášho e-shopu.",
		"Before you deactivate the add-on, see what becomes of the codes that it has put into the pages of your shop."},
	"package.deactivateIs": {"Doplněk hned přestane pracovat: k datům se nedostane a webhooky mu nepřijdou. " +
		"Nastavení a tokeny zůstanou, takže ho můžete znovu zapnout. Odstraněné kódy se tím ale nevrátí.",
		"Doplnok hneď prestane pracovať: k dátam sa nedostane a webhooky mu neprídu. Nastavenia a tokeny " +
			"zostanú, takže ho môžete znova zapnúť. Odstránené kódy sa tým však nevrátia.",
		"The add-on stops working at once: it reaches no data, and gets no webhooks. Its settings and tokens " +
			"stay, so you can activate it again. That does not bring back the codes that were removed."},
	"package.removes":        {"Odstraní se ze stránek", "Odstráni sa zo stránok", "Will be removed from your pages"},
	"package.removesNothing": {"Neodstraní se nic.", "Neodstráni sa nič.", "Nothing will be removed."},
	"package.keeps":          {"Zůstane ve stránkách", "Zostane v stránkach", "Will stay in your pages"},
	"package.keepsIs": {"Doplněk neřekl, že se mají tyto kódy odstranit. Zůstanou a budou se dál zobrazovat; po " +
		"vypnutí je smažete v části Osiřelé kódy.",
		"Doplnok nepovedal, že sa majú tieto kódy odstrániť. Zostanú a budú sa ďalej zobrazovať; po vypnutí ich " +
			"zmažete v časti Osirelé kódy.",
		"The add-on has not asked for these codes to be removed. They stay, and are still shown; afterwards you " +
			"can delete them under Orphaned codes."},
	"package.keepsNothing": {"Nezůstane nic.", "Nezostane nič.", "Nothing will stay."},

	"package.report": {"Co se stalo při vypnutí", "Čo sa stalo pri vypnutí", "What the deactivation did"},
	"package.reportIs": {"Doplněk je vypnutý. Tady vidíte, co se stalo s kódy, které vložil do stránek vašeho e-shopu.",
		"Doplnok je vypnutý. Tu vidíte, čo sa stalo s kódmi, ktoré vložil do stránok vášho e-shopu.",
		"The add-on is deactivated. Here is what became of the codes that it had put into the pages of your shop."},
	"package.wasRemoved":     {"Odstranili jsme ze stránek", "Odstránili sme zo stránok", "Removed from your pages"},
	"package.nothingRemoved": {"Nic jsme neodstranili.", "Nič sme neodstránili.", "Nothing was removed."},
	"package.wasKept":        {"Zůstalo ve stránkách", "Zostalo v stránkach", "Still in your pages"},
	"package.keptIs": {"Tyto kódy se dál zobrazují. Pokud je nechcete, můžete je smazat:",
		"Tieto kódy sa ďalej zobrazujú. Ak ich nechcete, môžete ich zmazať:",
		"These codes are still shown. If you do not want them, you can delete them:"},
	"package.nothingKept": {"Nezůstalo nic.", "Nezostalo nič.", "Nothing stayed."},
	"package.toOrphans":   {"Osiřelé kódy", "Osirelé kódy", "Orphaned codes"},

	"may.customers:read":  {"Číst zákazníky", "Čítať zákazníkov", "Read customers"},
	"may.customers:write": {"Měnit zákazníky", "Meniť zákazníkov", "Change customers"},
	"may.products:read":   {"Číst produkty a kategorie", "Čítať produkty a kategórie", "Read products and categories"},
	"may.products:write": {"Měnit produkty, ceny, sklad a kategorie", "Meniť produkty, ceny, sklad a kategórie",
		"Change products, prices, stock and categories"},
	"may.orders:read":   {"Číst objednávky", "Čítať objednávky", "Read orders"},
	"may.orders:write":  {"Vytvářet a měnit objednávky", "Vytvárať a meniť objednávky", "Make and change orders"},
	"may.coupons:read":  {"Číst slevové kódy", "Čítať zľavové kódy", "Read discount codes"},
	"may.coupons:write": {"Měnit slevové kódy", "Meniť zľavové kódy", "Change discount codes"},
	"may.urls:read":     {"Číst adresy URL", "Čítať adresy URL", "Read URLs"},
	"may.urls:write":    {"Měnit adresy URL", "Meniť adresy URL", "Change URLs"},
	"may.quotes:write": {"Určovat ceny produktů na míru v košíku", "Určovať ceny produktov na mieru v košíku",
		"Set prices of configured products in the basket"},
	"may.codes:read": {"Číst své kódy ve stránkách", "Čítať svoje kódy v stránkach",
		"Read its own codes in pages"},
	"may.warning.codes": {"Kód běží ve všech stránkách e-shopu: může číst a měnit, co v nich zákazníci vidí, píšou a " +
		"dělají, i v košíku, objednávce a účtu. Do této administrace se nedostane.",
		"Kód beží vo všetkých stránkach e-shopu: môže čítať a meniť, čo v nich zákazníci vidia, píšu a robia, " +
			"aj v košíku, objednávke a účte. Do tejto administrácie sa nedostane.",
		"The code runs in every page of the shop: it can read and change what shoppers see, type and do there, in " +
			"the basket, at the checkout and in their account, too. It does not reach this admin."},
	"may.codes:write": {"Vkládat kódy do stránek e-shopu", "Vkladať kódy do stránok e-shopu",
		"Put codes into the shop's pages"},
	"may.shop:read": {"Číst údaje o e-shopu", "Čítať údaje o e-shope", "Read about the shop"},
}
