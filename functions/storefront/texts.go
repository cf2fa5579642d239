package storefront

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"

	"eshop/shared/field"
)

// language is one that pages are written in.
type language int

const (
	czech language = iota
	slovak
)

// languageOf is the language of a shop's locale.
func languageOf(locale string) language {
	if locale == "sk_SK" {
		return slovak
	}
	return czech
}

// code is the language as HTML names it.
func (l language) code() string { return [...]string{"cs", "sk"}[l] }

// text is one text in each language.
type text [2]string

// texts are all texts of the pages, by the names that templates ([[name]]) and code use.
var texts = map[string]text{
	"skip":       {"Přejít k obsahu", "Prejsť na obsah"},
	"mainMenu":   {"Kategorie", "Kategórie"},
	"userMenu":   {"Košík a účet", "Košík a účet"},
	"breadcrumb": {"Kde jste", "Kde ste"},
	"home":       {"Úvod", "Úvod"},
	"basket":     {"Košík", "Košík"},
	"account":    {"Můj účet", "Môj účet"},
	"signIn":     {"Přihlásit se", "Prihlásiť sa"},
	"signOut":    {"Odhlásit se", "Odhlásiť sa"},
	"register":   {"Vytvořit účet", "Vytvoriť účet"},
	"shopping":   {"Nákup", "Nákup"},
	"cookies":    {"Nastavení cookies", "Nastavenie cookies"},

	"newest":       {"Novinky v nabídce", "Novinky v ponuke"},
	"welcome":      {"Vybíráme pečlivě, posíláme s láskou.", "Vyberáme starostlivo, posielame s láskou."},
	"browse":       {"Prohlédnout nabídku", "Pozrieť ponuku"},
	"emptyShop":    {"Nabídku právě připravujeme. Zastavte se u nás brzy.", "Ponuku práve pripravujeme. Zastavte sa u nás čoskoro."},
	"products":     {"Produkty", "Produkty"},
	"inside":       {"Podkategorie", "Podkategórie"},
	"emptyHere":    {"V této kategorii teď nic není.", "V tejto kategórii teraz nič nie je."},
	"more":         {"Další produkty", "Ďalšie produkty"},
	"toStart":      {"Na začátek", "Na začiatok"},
	"from":         {"od", "od"},
	"withVAT":      {"Cena s DPH", "Cena s DPH"},
	"inStock":      {"Skladem", "Na sklade"},
	"soldOut":      {"Není skladem", "Nie je na sklade"},
	"last":         {"Poslední", "Posledné"},
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
	"yourNote":      {"Vaše zadání", "Vaše zadanie"},
	"picture":       {"Náhled", "Náhľad"},
	"coupon":        {"Slevový kód", "Zľavový kód"},
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
	"billingAddress":  {"Fakturační adresa", "Fakturačná adresa"},
	"buyForCompany":   {"Nakupuji na firmu", "Nakupujem na firmu"},
	"elsewhere":       {"Doručit na jinou adresu", "Doručiť na inú adresu"},
	"deliveryAddress": {"Doručovací adresa", "Doručovacia adresa"},
	"deliveryPayment": {"Doprava a platba", "Doprava a platba"},
	"delivery":        {"Doprava", "Doprava"},
	"payment":         {"Platba", "Platba"},
	"deliveryHome":    {"Doručení na adresu", "Doručenie na adresu"},
	"deliveryPickUp":  {"Osobní odběr", "Osobný odber"},
	"paymentTransfer": {"Bankovním převodem", "Bankovým prevodom"},
	"paymentOnTake":   {"Při převzetí", "Pri prevzatí"},
	"note":            {"Poznámka k objednávce", "Poznámka k objednávke"},
	"placeOrder":      {"Objednat s povinností platby", "Objednať s povinnosťou platby"},
	"pricesChanged":   {"Ceny v košíku se mezitím změnily. Zkontrolujte je prosím a objednejte znovu.", "Ceny v košíku sa medzitým zmenili. Skontrolujte ich prosím a objednajte znova."},
	"changeBasket":    {"Upravit košík", "Upraviť košík"},

	"thanks":      {"Děkujeme za objednávku", "Ďakujeme za objednávku"},
	"thanksIs":    {"Objednávku jsme přijali. Brzy se vám ozveme e-mailem.", "Objednávku sme prijali. Čoskoro sa vám ozveme e-mailom."},
	"orderNumber": {"Číslo objednávky", "Číslo objednávky"},
	"ordered":     {"Objednáno", "Objednané"},
	"state":       {"Stav", "Stav"},
	"orderItems":  {"Objednané zboží", "Objednaný tovar"},

	"email":                {"E-mail", "E-mail"},
	"password":             {"Heslo", "Heslo"},
	"newPassword":          {"Nové heslo", "Nové heslo"},
	"currentPassword":      {"Současné heslo", "Súčasné heslo"},
	"firstName":            {"Jméno", "Meno"},
	"lastName":             {"Příjmení", "Priezvisko"},
	"phone":                {"Telefon", "Telefón"},
	"company":              {"Firma", "Firma"},
	"companyId":            {"IČO", "IČO"},
	"vatId":                {"DIČ", "IČ DPH"},
	"street":               {"Ulice a číslo", "Ulica a číslo"},
	"city":                 {"Město", "Mesto"},
	"zip":                  {"PSČ", "PSČ"},
	"country":              {"Země", "Krajina"},
	"CZ":                   {"Česko", "Česko"},
	"SK":                   {"Slovensko", "Slovensko"},
	"DE":                   {"Německo", "Nemecko"},
	"AT":                   {"Rakousko", "Rakúsko"},
	"PL":                   {"Polsko", "Poľsko"},
	"HU":                   {"Maďarsko", "Maďarsko"},
	"optional":             {"nepovinné", "nepovinné"},
	"passwordHint":         {"Alespoň 10 znaků.", "Aspoň 10 znakov."},
	"keepPassword":         {"Vyplňte, jen když chcete heslo změnit.", "Vyplňte, len keď chcete heslo zmeniť."},
	"whyPassword":          {"Potřebujeme ho jen ke změně e-mailu nebo hesla.", "Potrebujeme ho len na zmenu e-mailu alebo hesla."},
	"changePassword":       {"Změna hesla", "Zmena hesla"},
	"save":                 {"Uložit změny", "Uložiť zmeny"},
	"saved":                {"Změny jsme uložili.", "Zmeny sme uložili."},
	"registerIs":           {"S účtem budete mít příště objednávku hotovou rychleji.", "S účtom budete mať nabudúce objednávku hotovú rýchlejšie."},
	"newHere":              {"Jste tu poprvé?", "Ste tu prvýkrát?"},
	"setPassword":          {"Nastavení hesla", "Nastavenie hesla"},
	"setPasswordIs":        {"Zvolte si heslo ke svému účtu.", "Zvoľte si heslo k svojmu účtu."},
	"savePassword":         {"Uložit heslo", "Uložiť heslo"},
	"personal":             {"Osobní údaje", "Osobné údaje"},
	"addresses":            {"Adresy", "Adresy"},
	"company.section":      {"Firemní údaje", "Firemné údaje"},
	"faults":               {"Zkontrolujte prosím tyto údaje", "Skontrolujte prosím tieto údaje"},
	"consentTitle":         {"Cookies", "Cookies"},
	"consentIs":            {"Pomáhají nám zlepšovat obchod. Bez vašeho souhlasu použijeme jen ty nezbytné.", "Pomáhajú nám zlepšovať obchod. Bez vášho súhlasu použijeme len tie nevyhnutné."},
	"consentYes":           {"Souhlasím", "Súhlasím"},
	"consentNo":            {"Jen nezbytné", "Len nevyhnutné"},
	"notFound":             {"Tuto stránku jsme nenašli", "Túto stránku sme nenašli"},
	"notFoundIs":           {"Možná se přestěhovala, nebo už neexistuje. Zkuste to z úvodní stránky.", "Možno sa presťahovala, alebo už neexistuje. Skúste to z úvodnej stránky."},
	"refused":              {"Tohle se nepovedlo", "Toto sa nepodarilo"},
	"refusedIs":            {"Požadavek nemůžeme zpracovat. Vraťte se prosím a zkuste to znovu.", "Požiadavku nemôžeme spracovať. Vráťte sa prosím a skúste to znova."},
	"failed":               {"Něco se pokazilo", "Niečo sa pokazilo"},
	"failedIs":             {"Chyba je na naší straně. Zkuste to prosím za chvíli znovu.", "Chyba je na našej strane. Skúste to prosím o chvíľu znova."},
	"tooMany":              {"Příliš mnoho pokusů", "Príliš veľa pokusov"},
	"tooManyIs":            {"Počkejte prosím minutu a zkuste to znovu.", "Počkajte prosím minútu a skúste to znova."},
	"toHome":               {"Na úvodní stránku", "Na úvodnú stránku"},
	"fault.required":       {"Vyplňte prosím", "Vyplňte prosím"},
	"fault.too_long":       {"Je to příliš dlouhé", "Je to príliš dlhé"},
	"fault.too_small":      {"Je to příliš málo", "Je to príliš málo"},
	"fault.too_big":        {"Je to příliš mnoho", "Je to príliš veľa"},
	"fault.too_many":       {"V košíku už není místo na další položku", "V košíku už nie je miesto na ďalšiu položku"},
	"fault.too_short":      {"Je to příliš krátké", "Je to príliš krátke"},
	"fault.bad_format":     {"Zkontrolujte prosím, zda je to správně", "Skontrolujte prosím, či je to správne"},
	"fault.not_found":      {"To už v nabídce není", "To už v ponuke nie je"},
	"fault.inactive":       {"To se teď neprodává", "To sa teraz nepredáva"},
	"fault.other":          {"Zkontrolujte prosím tento údaj", "Skontrolujte prosím tento údaj"},
	"sign_in_failed":       {"E-mail nebo heslo nesouhlasí.", "E-mail alebo heslo nesúhlasí."},
	"email_taken":          {"Účet s tímto e-mailem už existuje. Přihlaste se prosím.", "Účet s týmto e-mailom už existuje. Prihláste sa prosím."},
	"wrong_password":       {"Současné heslo nesouhlasí", "Súčasné heslo nesúhlasí"},
	"link_invalid":         {"Odkaz už neplatí. Požádejte prosím obchod o nový.", "Odkaz už neplatí. Požiadajte prosím obchod o nový."},
	"insufficient":         {"Tolik kusů už bohužel nemáme. Skladem zbývá:", "Toľko kusov už bohužiaľ nemáme. Na sklade zostáva:"},
	"quote_invalid":        {"Nabídka ceny neplatí. Nakonfigurujte prosím produkt znovu.", "Ponuka ceny neplatí. Nakonfigurujte prosím produkt znova."},
	"quote_used":           {"Tato nabídka ceny už je v košíku nebo byla použita.", "Táto ponuka ceny už je v košíku alebo bola použitá."},
	"quote_expired":        {"Platnost nabídky ceny vypršela. Nakonfigurujte prosím produkt znovu.", "Platnosť ponuky ceny vypršala. Nakonfigurujte prosím produkt znova."},
	"coupon.unknown":       {"Takový slevový kód neznáme.", "Taký zľavový kód nepoznáme."},
	"coupon.inactive":      {"Tento slevový kód teď neplatí.", "Tento zľavový kód teraz neplatí."},
	"coupon.not_yet_valid": {"Tento slevový kód ještě neplatí.", "Tento zľavový kód ešte neplatí."},
	"coupon.expired":       {"Platnost slevového kódu už skončila.", "Platnosť zľavového kódu už skončila."},
	"coupon.minimum":       {"Na tento slevový kód je nákup příliš malý.", "Na tento zľavový kód je nákup príliš malý."},
	"coupon.used_up":       {"Slevový kód už byl vyčerpán.", "Zľavový kód už bol vyčerpaný."},
	"piece.one":            {"kus", "kus"},
	"piece.few":            {"kusy", "kusy"},
	"piece.many":           {"kusů", "kusov"},
	"tooShort.password":    {"Heslo má mít 10 až 200 znaků", "Heslo má mať 10 až 200 znakov"},
}

// say is a text by its name. A name that is not there is a fault of the program, which a test finds.
func (l language) say(name string) string { return texts[name][l] }

// worded matches a text's place in a template.
var worded = regexp.MustCompile(`\[\[([A-Za-z.]+)\]\]`)

// word puts the texts of the language into a template, escaped for HTML.
func (l language) word(template string) string {
	return worded.ReplaceAllStringFunc(template, func(place string) string {
		name := strings.Trim(place, "[]")
		if _, has := texts[name]; !has {
			panic("storefront: no text " + name)
		}
		return html.EscapeString(l.say(name))
	})
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
	return grouped(n) + nbsp + l.say(form)
}

// nbsp keeps a number with its unit, and its groups of three digits, on one line.
const nbsp = "\u00a0"

// grouped is a number with its digits in groups of three.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	if len(s) <= 3 {
		return s
	}
	var b strings.Builder
	for i, digit := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteString(nbsp)
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// money is an amount as people write it: 119 Kč, 1 234,50 Kč, 12,90 €. Whole crowns have no places.
func money(m field.Money, currency string) string {
	sign := ""
	if m < 0 {
		sign, m = "−", -m
	}
	places := fmt.Sprintf(",%02d", m%100)
	unit := currency
	switch currency {
	case "CZK":
		unit = "Kč"
		if m%100 == 0 {
			places = ""
		}
	case "EUR":
		unit = "€"
	}
	return sign + grouped(int64(m/100)) + places + nbsp + unit
}

// months are the months as dates name them.
var months = [2][12]string{
	{"ledna", "února", "března", "dubna", "května", "června", "července", "srpna", "září", "října", "listopadu", "prosince"},
	{"januára", "februára", "marca", "apríla", "mája", "júna", "júla", "augusta", "septembra", "októbra", "novembra", "decembra"},
}

// prague is the time of both countries. Where the system does not know it, it is one hour ahead of UTC all year.
var prague = func() *time.Location {
	l, err := time.LoadLocation("Europe/Prague")
	if err != nil {
		return time.FixedZone("CET", 3600)
	}
	return l
}()

// date is a day as people write it: 22. listopadu 2026.
func (l language) date(t time.Time) string {
	t = t.In(prague)
	return fmt.Sprintf("%d.%s%s%s%d", t.Day(), nbsp, months[l][t.Month()-1], nbsp, t.Year())
}
