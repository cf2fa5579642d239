package admin

import "eshop/shared/page"

var adminTexts = page.Words{
	"admin.name": {"Jméno", "Meno", "Name"},
	"admin.you":  {"to jste vy", "to ste vy", "you"},
	"admin.new":  {"Přidat člověka", "Pridať človeka", "Add a person"},
	"admin.newIs": {"Kdo se sem přihlásí, smí v e-shopu všechno. Po přidání uvidíte odkaz, kterým si nastaví " +
		"heslo: pošlete mu ho.",
		"Kto sa sem prihlási, smie v e-shope všetko. Po pridaní uvidíte odkaz, ktorým si nastaví heslo: pošlite mu ho.",
		"Whoever signs in here may do everything in the shop. You will see a link by which they set their " +
			"password: send it to them."},
	"admin.made": {"Přidáno. Odkaz platí 24 hodin a jen jednou.", "Pridané. Odkaz platí 24 hodín a len raz.",
		"Added. The link is good for 24 hours, and once."},
	"admin.link": {"Nový odkaz k heslu", "Nový odkaz k heslu", "New password link"},
	"admin.linked": {"Nový odkaz platí 24 hodin a jen jednou. Dosavadní heslo platí, dokud ho někdo nepoužije.",
		"Nový odkaz platí 24 hodín a len raz. Doterajšie heslo platí, kým ho niekto nepoužije.",
		"The new link is good for 24 hours, and once. The present password stays until it is used."},
	"admin.deleteIs": {"Hned se odhlásí všude a už se nepřihlásí.", "Hneď sa odhlási všade a už sa neprihlási.",
		"They are signed out everywhere at once and cannot sign in any more."},
	"refused.last_admin": {"Poslední člověk tu musí zůstat: nejdřív přidejte jiného.",
		"Posledný človek tu musí zostať: najprv pridajte iného.",
		"The last person has to stay: add another one first."},
}
