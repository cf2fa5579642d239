package admin

import "eshop/shared/page"

var apiTexts = page.Words{
	"api.title": {"API doplňku", "API doplnku", "The add-on's API"},
	"api.use":   {"Využití limitů", "Využitie limitov", "Use of the limits"},
	"api.useIs": {"Kolik dotazů na data vašeho e-shopu doplněk posílá. Kdo limit vyčerpá, musí počkat na další " +
		"hodinu nebo den.",
		"Koľko dopytov na dáta vášho e-shopu doplnok posiela. Kto limit vyčerpá, musí počkať na ďalšiu hodinu " +
			"alebo deň.",
		"How many requests for your shop's data the add-on sends. Once a limit is used up it has to wait for " +
			"the next hour or day."},
	"api.hourly": {"Tato hodina", "Táto hodina", "This hour"},
	"api.daily":  {"Tento den (UTC)", "Tento deň (UTC)", "This day (UTC)"},
	"api.of":     {"{used} z {limit}", "{used} z {limit}", "{used} of {limit}"},
	"api.resets": {"Znovu od nuly:", "Znova od nuly:", "Begins anew:"},
	"api.hours":  {"Posledních 48 hodin", "Posledných 48 hodín", "The last 48 hours"},
	"api.summary": {"Celkem {total}, nejvíc za hodinu {highest}, hodinový limit {limit}.",
		"Celkom {total}, najviac za hodinu {highest}, hodinový limit {limit}.",
		"{total} in all, at most {highest} in an hour, hourly limit {limit}."},
	"api.table": {"Zobrazit jako tabulku", "Zobraziť ako tabuľku", "Show as a table"},
	"api.hour":  {"Hodina", "Hodina", "Hour"},
	"api.cost":  {"Dotazy", "Dopyty", "Requests"},
	"api.unread": {"Využití limitů teď nemůžeme zjistit. Zkuste to prosím za chvíli.",
		"Využitie limitov teraz nevieme zistiť. Skúste to prosím o chvíľu.",
		"The use of the limits cannot be read now. Please try again in a moment."},
	"api.limitsIs": {"Hromadná změna počítá jeden dotaz za každých začatých deset změněných položek. Limity " +
		"nastavuje provozovatel platformy.",
		"Hromadná zmena počíta jeden dopyt za každých začatých desať zmenených položiek. Limity nastavuje " +
			"prevádzkovateľ platformy.",
		"A batch counts as one request for every ten items begun that it changed. The platform's operator sets " +
			"the limits."},
	"api.permissions": {"Co doplněk smí", "Čo doplnok smie", "What the add-on may do"},
	"api.permissionsIs": {"Co odškrtnete, to doplněk do půl minuty přestane smět. Bez některých oprávnění " +
		"nemusí fungovat správně.",
		"Čo odškrtnete, to doplnok do pol minúty prestane smieť. Bez niektorých oprávnení nemusí fungovať správne.",
		"What you uncheck it may no longer do within half a minute. Without some of them the add-on may not " +
			"work properly."},
	"fault.permission": {"Takové oprávnění tento doplněk mít nemůže", "Také oprávnenie tento doplnok mať nemôže",
		"This add-on cannot have such a permission"},

	"token.about": {"Token je heslo, kterým se doplněk hlásí k datům vašeho e-shopu. Dejte ho jen dodavateli " +
		"doplňku, nikomu jinému.",
		"Token je heslo, ktorým sa doplnok hlási k dátam vášho e-shopu. Dajte ho len dodávateľovi doplnku, " +
			"nikomu inému.",
		"A token is the password by which the add-on reaches your shop's data. Give it to the add-on's vendor only."},
	"token.new":  {"Nový token", "Nový token", "New token"},
	"token.make": {"Vytvořit token", "Vytvoriť token", "Make a token"},
	"none.tokens": {"Doplněk žádný token nemá, takže se k datům nedostane.",
		"Doplnok žiadny token nemá, takže sa k dátam nedostane.", "The add-on has no token, so it reaches no data."},
	"token.end":     {"Končí na", "Končí na", "Ends with"},
	"token.used":    {"Naposledy použit", "Naposledy použitý", "Last used"},
	"token.never":   {"Ještě nikdy", "Ešte nikdy", "Never yet"},
	"token.forever": {"Bez omezení", "Bez obmedzenia", "No end"},
	"token.over":    {"Vypršel", "Vypršal", "Expired"},
	"expiresAt":     {"Platí do", "Platí do", "Good until"},
	"token.expiresIs": {"Nechte prázdné, má-li platit pořád.", "Nechajte prázdne, ak má platiť stále.",
		"Leave it empty if it is to be good for ever."},
	"token.revoke":  {"Zrušit", "Zrušiť", "Revoke"},
	"token.revoked": {"Token je zrušený.", "Token je zrušený.", "The token is revoked."},
	"token.revokeIs": {"Zrušený token přestane platit do půl minuty a vrátit ho nejde. Kdo ho používá, potřebuje nový.",
		"Zrušený token prestane platiť do pol minúty a vrátiť ho nemožno. Kto ho používa, potrebuje nový.",
		"A revoked token stops working within half a minute, for good. Whoever uses it needs a new one."},

	"code.about": {"HTML a skripty, které doplněk vkládá do stránek vašeho e-shopu. Vidí je všichni návštěvníci.",
		"HTML a skripty, ktoré doplnok vkladá do stránok vášho e-shopu. Vidia ich všetci návštevníci.",
		"HTML and scripts that the add-on puts into the pages of your shop, for all visitors."},
	"none.codes": {"Doplněk do stránek nic nevkládá.", "Doplnok do stránok nič nevkladá.",
		"The add-on puts nothing into your pages."},
	"code.at.head":    {"V hlavičce stránky", "V hlavičke stránky", "In the head of pages"},
	"code.at.bodyEnd": {"Na konci stránky", "Na konci stránky", "At the end of pages"},
	"code.at.orderConfirmed": {"Na stránce s potvrzením objednávky", "Na stránke s potvrdením objednávky",
		"On the page that confirms an order"},
	"code.position": {"Umístění", "Umiestnenie", "Position"},
	"code.cleanup":  {"Při vypnutí doplňku", "Pri vypnutí doplnku", "When the add-on is deactivated"},
	"code.goes": {"Odstraní se (doplněk o to požádal)", "Odstráni sa (doplnok o to požiadal)",
		"It is removed (the add-on has asked for it)"},
	"code.stays":  {"Zůstane ve stránkách", "Zostane v stránkach", "It stays in your pages"},
	"code.shown":  {"Zobrazuje se", "Zobrazuje sa", "Shown"},
	"code.hidden": {"Nezobrazuje se", "Nezobrazuje sa", "Not shown"},
	"code.show":   {"Zobrazovat", "Zobrazovať", "Show it"},
	"code.hide":   {"Nezobrazovat", "Nezobrazovať", "Do not show it"},
	"code.text":   {"Podívat se na kód", "Pozrieť si kód", "Look at the code"},
	"code.cut": {"Kód je delší, toto je jeho začátek.", "Kód je dlhší, toto je jeho začiatok.",
		"The code is longer, this is its beginning."},
	"code.deleteIs": {"Smazaný kód vrátí jen doplněk sám.", "Zmazaný kód vráti len doplnok sám.",
		"Only the add-on itself can bring back what you delete."},
	"code.orphans": {"Doplněk není zapnutý, ale tyto kódy po něm ve stránkách zůstaly. Pokud je nechcete, smažte je.",
		"Doplnok nie je zapnutý, ale tieto kódy po ňom v stránkach zostali. Ak ich nechcete, zmažte ich.",
		"The add-on is not active, but these codes of it are still in your pages. Delete those that you do not want."},

	"orphans.about": {"Kódy ve stránkách e-shopu, které zůstaly po doplňcích, jež už nejsou zapnuté. Nikdo se o " +
		"ně nestará: pokud je nechcete, smažte je.",
		"Kódy v stránkach e-shopu, ktoré zostali po doplnkoch, ktoré už nie sú zapnuté. Nikto sa o ne nestará: " +
			"ak ich nechcete, zmažte ich.",
		"Codes in your shop's pages that were left by add-ons which are no longer active. Nobody looks after " +
			"them: delete those that you do not want."},
	"none.orphans": {"Ve stránkách nezůstal žádný kód po vypnutém doplňku. Není co řešit.",
		"V stránkach nezostal žiadny kód po vypnutom doplnku. Nie je čo riešiť.",
		"No code of a deactivated add-on is left in your pages. There is nothing to do."},
	"orphans.deleteIs": {"Smazaný kód zmizí ze stránek e-shopu a vrátit ho nejde.",
		"Zmazaný kód zmizne zo stránok e-shopu a vrátiť ho nemožno.",
		"A deleted code disappears from your pages, and cannot be brought back."},
}
