package admin

import "eshop/shared/page"

var customerTexts = page.Words{
	"customer.new":     {"Nový zákazník", "Nový zákazník", "New customer"},
	"customer.name":    {"Jméno", "Meno", "Name"},
	"customer.since":   {"Zákazníkem od", "Zákazníkom od", "Customer since"},
	"customer.orders":  {"Objednávky zákazníka", "Objednávky zákazníka", "The customer's orders"},
	"customer.company": {"Firemní údaje", "Firemné údaje", "Company"},
	"customer.levelIs": {"Za které ceny nakupuje. Prázdné: za běžné.", "Za ktoré ceny nakupuje. Prázdne: za bežné.",
		"Whose prices are paid. Empty: the usual ones."},
	"customer.externalIs": {"Jak zákazníka zná jiný systém.", "Ako zákazníka pozná iný systém.",
		"What another system knows the customer by."},
	"customer.noteIs":   {"Vidíte ji jen vy.", "Vidíte ju iba vy.", "Only you see it."},
	"externalId":        {"Externí id", "Externé id", "External id"},
	"priceLevel":        {"Cenová hladina", "Cenová hladina", "Price level"},
	"filter.email":      {"E-mail", "E-mail", "E-mail"},
	"filter.externalId": {"Externí id", "Externé id", "External id"},

	"customer.link": {"Odkaz k přihlášení", "Odkaz na prihlásenie", "Sign-in link"},
	"customer.linkIs": {"Vytvoříme odkaz, kterým si zákazník zvolí heslo. Platí 24 hodin a použít ho lze " +
		"jednou. Pošlete ho jen zákazníkovi: kdo ho otevře, nastaví heslo.",
		"Vytvoríme odkaz, ktorým si zákazník zvolí heslo. Platí 24 hodín a použiť ho možno raz. Pošlite ho iba " +
			"zákazníkovi: kto ho otvorí, nastaví heslo.",
		"We make a link by which the customer chooses a password. It is good once, for 24 hours. Send it to the " +
			"customer only: whoever opens it sets the password."},
	"customer.makeLink": {"Vytvořit odkaz", "Vytvoriť odkaz", "Make a link"},
	"customer.delete":   {"Smazat zákazníka", "Zmazať zákazníka", "Delete this customer"},
	"customer.deleteIs": {"Zákazník se už nepřihlásí. Jeho objednávky zůstanou. Smazání nelze vzít zpět.",
		"Zákazník sa už neprihlási. Jeho objednávky zostanú. Zmazanie nemožno vziať späť.",
		"The customer cannot sign in any more. Their orders stay. This cannot be undone."},
}
