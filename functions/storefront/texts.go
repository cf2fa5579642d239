package storefront

import (
	"time"

	"eshop/shared/field"
	"eshop/shared/page"
)

// language is one that pages are written in.
type language page.Language

const (
	czech  = language(page.Czech)
	slovak = language(page.Slovak)
)

// languageOf is the language of a shop's locale.
func languageOf(locale string) language { return language(page.LanguageOf(locale)) }

// code is the language as HTML names it.
func (l language) code() string { return page.Language(l).Code() }

// texts are all texts of the pages, by the names that templates ([[name]]) and code use.
var texts = page.Common.With(page.Words{
	"skip":       {"Přejít k obsahu", "Prejsť na obsah"},
	"mainMenu":   {"Hlavní menu", "Hlavné menu"},
	"categories": {"Kategorie", "Kategórie"},
	"userMenu":   {"Košík a účet", "Košík a účet"},
	"breadcrumb": {"Kde jste", "Kde ste"},
	"home":       {"Úvod", "Úvod"},
	"basket":     {"Košík", "Košík"},
	"account":    {"Můj účet", "Môj účet"},
	"register":   {"Vytvořit účet", "Vytvoriť účet"},
	"shopping":   {"Nákup", "Nákup"},
	"cookies":    {"Nastavení cookies", "Nastavenie cookies"},

	"newest":  {"Novinky v nabídce", "Novinky v ponuke"},
	"welcome": {"Vítejte v našem obchodě.", "Vitajte v našom obchode."},
	"browse":  {"Prohlédnout nabídku", "Pozrieť ponuku"},
	"emptyShop": {"Nabídku právě připravujeme. Zastavte se u nás brzy.",
		"Ponuku práve pripravujeme. Zastavte sa u nás čoskoro."},
	"inside":       {"Podkategorie", "Podkategórie"},
	"emptyHere":    {"V této kategorii teď nic není.", "V tejto kategórii teraz nič nie je."},
	"more":         {"Další produkty", "Ďalšie produkty"},
	"toStart":      {"Na začátek", "Na začiatok"},
	"from":         {"od", "od"},
	"withVAT":      {"Cena s DPH", "Cena s DPH"},
	"inStock":      {"Skladem", "Na sklade"},
	"soldOut":      {"Není skladem", "Nie je na sklade"},
	"chooseOne":    {"Vyberte variantu", "Vyberte variant"},
	"quantity":     {"Počet kusů", "Počet kusov"},
	"quantityOf":   {"Počet kusů:", "Počet kusov:"},
	"addToBasket":  {"Přidat do košíku", "Pridať do košíka"},
	"notSold":      {"Tento produkt teď nelze objednat.", "Tento produkt teraz nie je možné objednať."},
	"aboutProduct": {"O produktu", "O produkte"},
	"details":      {"Parametry", "Parametre"},
	"code":         {"Kód", "Kód"},
	"ean":          {"EAN", "EAN"},
	"manufacturer": {"Výrobce", "Výrobca"},
	"packing":      {"Balení", "Balenie"},

	"emptyBasket":   {"Košík je zatím prázdný", "Košík je zatiaľ prázdny"},
	"emptyBasketIs": {"Vyberte si, co vám udělá radost.", "Vyberte si, čo vám urobí radosť."},
	"goShopping":    {"Začít nakupovat", "Začať nakupovať"},
	"keepShopping":  {"Pokračovat v nákupu", "Pokračovať v nákupe"},
	"recount":       {"Přepočítat", "Prepočítať"},
	"recountOf":     {"Přepočítat:", "Prepočítať:"},
	"remove":        {"Odebrat", "Odobrať"},
	"removeOf":      {"Odebrat z košíku:", "Odobrať z košíka:"},
	"apiece":        {"za kus", "za kus"},
	"picture":       {"Náhled", "Náhľad"},
	"coupon":        {"Slevový kód", "Zľavový kód"},
	"added":         {"Přidali jsme do košíku.", "Pridali sme do košíka."},
	"lineGone":      {"Tato položka už v košíku není.", "Táto položka už v košíku nie je."},
	"showBasket":    {"Zobrazit košík", "Zobraziť košík"},
	"recounted":     {"Košík jsme přepočítali.", "Košík sme prepočítali."},
	"removed":       {"Odebrali jsme z košíku.", "Odobrali sme z košíka."},
	"applyCoupon":   {"Uplatnit", "Uplatniť"},
	"removeCoupon":  {"Zrušit slevový kód", "Zrušiť zľavový kód"},
	"summary":       {"Souhrn", "Súhrn"},
	"items":         {"Zboží", "Tovar"},
	"discount":      {"Sleva", "Zľava"},
	"total":         {"Celkem s DPH", "Spolu s DPH"},
	"free":          {"Zdarma", "Zadarmo"},
	"toCheckout":    {"Pokračovat k objednávce", "Pokračovať k objednávke"},

	"checkout":        {"Objednávka", "Objednávka"},
	"contact":         {"Kontaktní údaje", "Kontaktné údaje"},
	"haveAccount":     {"Máte u nás účet?", "Máte u nás účet?"},
	"buyForCompany":   {"Nakupuji na firmu", "Nakupujem na firmu"},
	"elsewhere":       {"Doručit na jinou adresu", "Doručiť na inú adresu"},
	"deliveryPayment": {"Doprava a platba", "Doprava a platba"},
	"delivery":        {"Doprava", "Doprava"},
	"payment":         {"Platba", "Platba"},
	"deliveryHome":    {"Doručení na adresu", "Doručenie na adresu"},
	"deliveryPickUp":  {"Osobní odběr", "Osobný odber"},
	"paymentTransfer": {"Bankovním převodem", "Bankovým prevodom"},
	"paymentOnTake":   {"Při převzetí", "Pri prevzatí"},
	"note":            {"Poznámka k objednávce", "Poznámka k objednávke"},
	"placeOrder":      {"Objednat s povinností platby", "Objednať s povinnosťou platby"},
	"pricesChanged": {"Ceny v košíku se mezitím změnily. Zkontrolujte je prosím a objednejte znovu.",
		"Ceny v košíku sa medzitým zmenili. Skontrolujte ich prosím a objednajte znova."},
	"changeBasket": {"Upravit košík", "Upraviť košík"},

	"thanks": {"Děkujeme za objednávku", "Ďakujeme za objednávku"},
	"thanksIs": {"Objednávku jsme přijali. Uložte si prosím adresu této stránky: uvidíte na ní, jak je " +
		"objednávka daleko.",
		"Objednávku sme prijali. Uložte si prosím adresu tejto stránky: uvidíte na nej, ako je objednávka ďaleko."},
	"orderNumber": {"Číslo objednávky", "Číslo objednávky"},
	"ordered":     {"Objednáno", "Objednané"},
	"state":       {"Stav", "Stav"},
	"orderItems":  {"Objednané zboží", "Objednaný tovar"},

	"currentPassword": {"Současné heslo", "Súčasné heslo"},
	"keepPassword":    {"Vyplňte, jen když chcete heslo změnit.", "Vyplňte, len keď chcete heslo zmeniť."},
	"whyPassword": {"Potřebujeme ho jen ke změně e-mailu nebo hesla.",
		"Potrebujeme ho len na zmenu e-mailu alebo hesla."},
	"credentials": {"Přihlašovací údaje", "Prihlasovacie údaje"},
	"registerIs": {"S účtem budete mít příště objednávku hotovou rychleji.",
		"S účtom budete mať nabudúce objednávku hotovú rýchlejšie."},
	"newHere":         {"Jste tu poprvé?", "Ste tu prvýkrát?"},
	"setPasswordIs":   {"Zvolte si heslo ke svému účtu.", "Zvoľte si heslo k svojmu účtu."},
	"passwordSet":     {"Heslo je nastavené. Přihlaste se jím prosím.", "Heslo je nastavené. Prihláste sa ním prosím."},
	"personal":        {"Osobní údaje", "Osobné údaje"},
	"addresses":       {"Adresy", "Adresy"},
	"company.section": {"Firemní údaje", "Firemné údaje"},
	"consentTitle":    {"Cookies", "Cookies"},
	"consentIs": {"Pomáhají nám zlepšovat obchod. Bez vašeho souhlasu použijeme jen ty nezbytné.",
		"Pomáhajú nám zlepšovať obchod. Bez vášho súhlasu použijeme len tie nevyhnutné."},
	"consentYes": {"Souhlasím", "Súhlasím"},
	"consentNo":  {"Jen nezbytné", "Len nevyhnutné"},
	"notFound":   {"Tuto stránku jsme nenašli", "Túto stránku sme nenašli"},
	"notFoundIs": {"Možná se přestěhovala, nebo už neexistuje. Zkuste to z úvodní stránky.",
		"Možno sa presťahovala, alebo už neexistuje. Skúste to z úvodnej stránky."},
	"refused": {"Tohle se nepovedlo", "Toto sa nepodarilo"},
	"refusedIs": {"Požadavek nemůžeme zpracovat. Vraťte se prosím a zkuste to znovu.",
		"Požiadavku nemôžeme spracovať. Vráťte sa prosím a skúste to znova."},
	"failed": {"Něco se pokazilo", "Niečo sa pokazilo"},
	"failedIs": {"Chyba je na naší straně. Zkuste to prosím za chvíli znovu.",
		"Chyba je na našej strane. Skúste to prosím o chvíľu znova."},
	"tooMany":         {"Příliš mnoho pokusů", "Príliš veľa pokusov"},
	"toHome":          {"Na úvodní stránku", "Na úvodnú stránku"},
	"fault.too_many":  {"V košíku už není místo na další položku", "V košíku už nie je miesto na ďalšiu položku"},
	"fault.not_found": {"To už v nabídce není", "To už v ponuke nie je"},
	"fault.inactive":  {"To se teď neprodává", "To sa teraz nepredáva"},
	"fault.email_taken": {"Účet s tímto e-mailem už existuje. Přihlaste se prosím.",
		"Účet s týmto e-mailom už existuje. Prihláste sa prosím."},
	"fault.currentPassword": {"Současné heslo nesouhlasí", "Súčasné heslo nesúhlasí"},
	"insufficient": {"Tolik kusů už bohužel nemáme. Skladem zbývá:",
		"Toľko kusov už bohužiaľ nemáme. Na sklade zostáva:"},
	"quote_invalid": {"Nabídka ceny neplatí. Nakonfigurujte prosím produkt znovu.",
		"Ponuka ceny neplatí. Nakonfigurujte prosím produkt znova."},
	"quote_used": {"Tato nabídka ceny už je v košíku nebo byla použita.",
		"Táto ponuka ceny už je v košíku alebo bola použitá."},
	"quote_expired": {"Platnost nabídky ceny vypršela. Nakonfigurujte prosím produkt znovu.",
		"Platnosť ponuky ceny vypršala. Nakonfigurujte prosím produkt znova."},
	"coupon.unknown":       {"Takový slevový kód neznáme.", "Taký zľavový kód nepoznáme."},
	"coupon.inactive":      {"Tento slevový kód teď neplatí.", "Tento zľavový kód teraz neplatí."},
	"coupon.not_yet_valid": {"Tento slevový kód ještě neplatí.", "Tento zľavový kód ešte neplatí."},
	"coupon.expired":       {"Platnost slevového kódu už skončila.", "Platnosť zľavového kódu už skončila."},
	"coupon.minimum": {"Na tento slevový kód je nákup příliš malý.",
		"Na tento zľavový kód je nákup príliš malý."},
	"coupon.used_up": {"Slevový kód už byl vyčerpán.", "Zľavový kód už bol vyčerpaný."},
	"piece.one":      {"kus", "kus"},
	"piece.few":      {"kusy", "kusy"},
	"piece.many":     {"kusů", "kusov"},
	"fault.password": {"Heslo má mít 10 až 200 znaků", "Heslo má mať 10 až 200 znakov"},
})

// say is a text by its name. A name that is not there is a fault of the program, which a test finds.
func (l language) say(name string) string { return texts.Say(page.Language(l), name) }

// faultIn is what is wrong with a field, in words.
func (l language) faultIn(name, code string) string {
	return texts.FaultIn(page.Language(l), name, code)
}

// pieces is a number of pieces in words: 1 kus, 2 kusy, 5 kusů. Both languages have the same three forms.
func (l language) pieces(n int64) string {
	form := "piece.many"
	switch {
	case n == 1:
		form = "piece.one"
	case n >= 2 && n <= 4:
		form = "piece.few"
	}
	return grouped(n) + page.NBSP + l.say(form)
}

// grouped is a number with its digits in groups of three, as both languages have them.
func grouped(n int64) string { return page.Czech.Number(n) }

// money is an amount as people write it in both languages.
func money(m field.Money, currency string) string { return page.Czech.Money(m, currency) }

// date is a day as people write it: 22. listopadu 2026.
func (l language) date(t time.Time) string { return page.Language(l).Date(t) }
