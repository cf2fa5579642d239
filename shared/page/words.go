package page

// Common are the words of forms, which all pages share.
var Common = Words{
	"optional": {"nepovinné", "nepovinné", "optional"},
	"faults":   {"Zkontrolujte prosím tyto údaje", "Skontrolujte prosím tieto údaje", "Please check these fields"},

	"email":           {"E-mail", "E-mail", "E-mail"},
	"password":        {"Heslo", "Heslo", "Password"},
	"newPassword":     {"Nové heslo", "Nové heslo", "New password"},
	"firstName":       {"Jméno", "Meno", "First name"},
	"lastName":        {"Příjmení", "Priezvisko", "Last name"},
	"phone":           {"Telefon", "Telefón", "Phone"},
	"company":         {"Firma", "Firma", "Company"},
	"companyId":       {"IČO", "IČO", "Company number"},
	"vatId":           {"DIČ", "IČ DPH", "VAT number"},
	"street":          {"Ulice a číslo", "Ulica a číslo", "Street and number"},
	"city":            {"Město", "Mesto", "City"},
	"zip":             {"PSČ", "PSČ", "Postcode"},
	"country":         {"Země", "Krajina", "Country"},
	"billingAddress":  {"Fakturační adresa", "Fakturačná adresa", "Billing address"},
	"deliveryAddress": {"Doručovací adresa", "Doručovacia adresa", "Delivery address"},
	"CZ":              {"Česko", "Česko", "Czechia"},
	"SK":              {"Slovensko", "Slovensko", "Slovakia"},
	"DE":              {"Německo", "Nemecko", "Germany"},
	"AT":              {"Rakousko", "Rakúsko", "Austria"},
	"PL":              {"Polsko", "Poľsko", "Poland"},
	"HU":              {"Maďarsko", "Maďarsko", "Hungary"},

	"passwordHint": {"Alespoň 10 znaků.", "Aspoň 10 znakov.", "At least 10 characters."},
	"signIn":       {"Přihlásit se", "Prihlásiť sa", "Sign in"},
	"signOut":      {"Odhlásit se", "Odhlásiť sa", "Sign out"},
	"setPassword":  {"Nastavení hesla", "Nastavenie hesla", "Set a password"},
	"savePassword": {"Uložit heslo", "Uložiť heslo", "Save the password"},
	"save":         {"Uložit změny", "Uložiť zmeny", "Save changes"},
	"saved":        {"Změny jsme uložili.", "Zmeny sme uložili.", "Your changes are saved."},

	"sign_in_failed": {"E-mail nebo heslo nesouhlasí.", "E-mail alebo heslo nesúhlasí.", "The e-mail or the password is wrong."},
	"too_many_tries": {"Počkejte prosím minutu a zkuste to znovu.", "Počkajte prosím minútu a skúste to znova.", "Please wait a minute and try again."},
	"link_invalid":   {"Odkaz už neplatí. Požádejte prosím obchod o nový.", "Odkaz už neplatí. Požiadajte prosím obchod o nový.", "This link is not good any more. Please ask for a new one."},

	"fault.required":   {"Vyplňte prosím", "Vyplňte prosím", "Please fill this in"},
	"fault.too_long":   {"Je to příliš dlouhé", "Je to príliš dlhé", "This is too long"},
	"fault.too_small":  {"Je to příliš málo", "Je to príliš málo", "This is too little"},
	"fault.too_big":    {"Je to příliš mnoho", "Je to príliš veľa", "This is too much"},
	"fault.bad_format": {"Zkontrolujte prosím, zda je to správně", "Skontrolujte prosím, či je to správne", "Please check that this is right"},
	"fault.other":      {"Zkontrolujte prosím tento údaj", "Skontrolujte prosím tento údaj", "Please check this"},
	"fault.password":   {"Heslo má mít 10 až 200 znaků", "Heslo má mať 10 až 200 znakov", "A password has 10 to 200 characters"},
}
