package admin

import "eshop/shared/page"

var dashboardTexts = page.Words{
	"dashboard.fine": {"Vše je v pořádku: doplňky se o změnách dozvídají a nic nepřekáží.",
		"Všetko je v poriadku: doplnky sa o zmenách dozvedajú a nič neprekáža.",
		"All is well: add-ons hear of changes, and nothing is in the way."},
	"dashboard.orders": {"Objednávky za posledních 24 hodin", "Objednávky za posledných 24 hodín",
		"Orders of the last 24 hours"},
	"dashboard.noOrders": {"Za poslední den žádná objednávka nepřišla.", "Za posledný deň žiadna objednávka neprišla.",
		"No order has come in the last day."},
	"dashboard.toOrders": {"Všechny objednávky", "Všetky objednávky", "All orders"},
	"dashboard.number":   {"Číslo", "Číslo", "Number"},
	"dashboard.total":    {"Celkem", "Celkom", "Total"},
	"dashboard.made":     {"Přijata", "Prijatá", "Received"},

	"dashboard.receivers": {"Webhooky, které nedocházejí", "Webhooky, ktoré nedochádzajú",
		"Webhooks that do not arrive"},
	"dashboard.noReceivers": {"Všem doplňkům webhooky docházejí.", "Všetkým doplnkom webhooky dochádzajú.",
		"All add-ons get their webhooks."},
	"dashboard.receiversIs": {"Tyto doplňky se teď nedozvědí o změnách. Nic se neztratí, ale dejte vědět jejich " +
		"dodavateli. Až to opraví, můžete doručování hned spustit.",
		"Tieto doplnky sa teraz nedozvedia o zmenách. Nič sa nestratí, ale dajte vedieť ich dodávateľovi. Keď " +
			"to opraví, môžete doručovanie hneď spustiť.",
		"These add-ons do not hear of changes now. Nothing is lost, but tell their vendors. Once it is mended " +
			"you can start the delivery at once."},
	"dashboard.toReceivers": {"Zobrazit příjemce a spustit doručování", "Zobraziť príjemcu a spustiť doručovanie",
		"See the receiver and start the delivery"},
	"dashboard.whyUnknown": {"Proč, zatím nevíme.", "Prečo, zatiaľ nevieme.", "We do not know why yet."},

	"dashboard.limits": {"Limity API", "Limity API", "API limits"},
	"dashboard.noLimits": {"Žádný doplněk se k limitu neblíží.", "Žiadny doplnok sa k limitu neblíži.",
		"No add-on is near a limit."},
	"dashboard.limitsIs": {"Tyto doplňky využívají přes 80 % limitu. Až ho vyčerpají, musí počkat. Pokud se to " +
		"opakuje, ozvěte se jejich dodavateli.",
		"Tieto doplnky využívajú vyše 80 % limitu. Keď ho vyčerpajú, musia počkať. Ak sa to opakuje, ozvite sa " +
			"ich dodávateľovi.",
		"These add-ons use more than 80 % of a limit. When it is used up they have to wait. If this happens " +
			"often, ask their vendors."},
	"dashboard.toLimits": {"Zobrazit využití", "Zobraziť využitie", "See the use"},

	"dashboard.orphansIs": {"Tyto doplňky už nejsou zapnuté, ale jejich kódy ve stránkách zůstaly. Podívejte " +
		"se, zda je ještě chcete.",
		"Tieto doplnky už nie sú zapnuté, ale ich kódy v stránkach zostali. Pozrite sa, či ich ešte chcete.",
		"These add-ons are no longer active, but their codes are still in your pages. " +
			"See whether you still want them."},
	"dashboard.toOrphans": {"Prohlédnout a smazat", "Prezrieť a zmazať", "Look at them and delete them"},
	"dashboard.noOrphans": {"Ve stránkách nezůstal žádný kód po vypnutém doplňku.",
		"V stránkach nezostal žiadny kód po vypnutom doplnku.",
		"No code of a deactivated add-on is left in your pages."},
}
