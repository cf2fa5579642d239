package admin

import "eshop/shared/page"

// accessTexts are the words of what the pages of an access have in common.
var accessTexts = page.Words{
	"access.pages":         {"Stránky doplňku", "Stránky doplnku", "Pages of the add-on"},
	"tab.package":          {"Doplněk", "Doplnok", "Add-on"},
	"tab.api":              {"API", "API", "API"},
	"tab.tokens":           {"Tokeny", "Tokeny", "Tokens"},
	"tab.codes":            {"Kódy ve stránkách", "Kódy v stránkach", "Codes in pages"},
	"tab.receivers":        {"Příjemci webhooků", "Príjemcovia webhookov", "Webhook receivers"},
	"tab.deliveries":       {"Doručování", "Doručovanie", "Deliveries"},
	"tab.webhook-security": {"Zabezpečení webhooků", "Zabezpečenie webhookov", "Webhook security"},
}
