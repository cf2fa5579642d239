package admin

import "eshop/shared/page"

// hookTexts are the words of the pages about webhooks: their keys, their receivers and their deliveries.
var hookTexts = page.Words{
	"key": {"Klíč", "Kľúč", "Key"},
	"key.about": {"Podpisem příjemce pozná, že webhook opravdu poslal váš e-shop. Klíč k ověření podpisu znáte " +
		"jen vy a příjemce.",
		"Podpisom príjemca spozná, že webhook naozaj poslal váš e-shop. Kľúč na overenie podpisu poznáte len vy " +
			"a príjemca.",
		"By the signature a receiver knows that a webhook really comes from your shop. Only you and the " +
			"receiver know the key that checks it."},
	"key.make": {"Vytvořit klíč", "Vytvoriť kľúč", "Make a key"},
	"key.firstIs": {"Webhooky jím začneme podepisovat hned. Klíč ukážeme jen jednou.",
		"Webhooky ním začneme podpisovať hneď. Kľúč ukážeme len raz.",
		"Webhooks are signed with it at once. The key is shown only once."},
	"key.nextIs": {"Nový klíč nejdřív čeká: příjemce si ho může vyzkoušet a webhooky zatím podepisuje ten " +
		"dosavadní. Klíč ukážeme jen jednou.",
		"Nový kľúč najprv čaká: príjemca si ho môže vyskúšať a webhooky zatiaľ podpisuje ten doterajší. Kľúč " +
			"ukážeme len raz.",
		"A new key waits at first: the receiver can try it while the present one goes on signing. The key is " +
			"shown only once."},
	"key.onlyOne": {"Další klíč můžete vytvořit, až aktivujete nebo zrušíte ten, který čeká.",
		"Ďalší kľúč môžete vytvoriť, až keď aktivujete alebo zrušíte ten, ktorý čaká.",
		"You can make another key once you have activated or revoked the one that waits."},
	"key.activated": {"Podepisuje od", "Podpisuje od", "Signs since"},
	"key.ends":      {"Přestane podepisovat", "Prestane podpisovať", "Stops signing"},
	"key.ended":     {"Zrušen", "Zrušený", "Revoked"},
	"key.activate":  {"Aktivovat klíč", "Aktivovať kľúč", "Activate this key"},
	"key.activateIs": {"Až příjemce ověří X-Webhook-Signature-Next, aktivujte klíč: podpis X-Webhook-Signature " +
		"bude jeho a dosavadní klíč bude podepisovat ještě 24 hodin v X-Webhook-Signature-Previous.",
		"Keď príjemca overí X-Webhook-Signature-Next, aktivujte kľúč: podpis X-Webhook-Signature bude jeho a " +
			"doterajší kľúč bude podpisovať ešte 24 hodín v X-Webhook-Signature-Previous.",
		"Once the receiver verifies X-Webhook-Signature-Next, activate the key: X-Webhook-Signature is this " +
			"key's then, and the present one signs for another 24 hours in X-Webhook-Signature-Previous."},
	"key.revoke": {"Zrušit klíč", "Zrušiť kľúč", "Revoke this key"},
	"key.revoke.pending": {"Zmizí jen zkušební podpis X-Webhook-Signature-Next. Vrátit to nejde.",
		"Zmizne len skúšobný podpis X-Webhook-Signature-Next. Vrátiť to nejde.",
		"Only the trial signature X-Webhook-Signature-Next goes away. This cannot be undone."},
	"key.revoke.retiring": {"Podpis X-Webhook-Signature-Previous hned zmizí: kdo zná jen tento klíč, webhooky " +
		"odmítne. Vrátit to nejde.",
		"Podpis X-Webhook-Signature-Previous hneď zmizne: " +
			"kto pozná len tento kľúč, webhooky odmietne. Vrátiť to nejde.",
		"The signature X-Webhook-Signature-Previous goes away at once: whoever knows only this key will refuse " +
			"webhooks. This cannot be undone."},
	"key.revoke.revoked": {"Klíč už je zrušený.", "Kľúč už je zrušený.", "The key is revoked already."},
	"key.revoke.toPending": {"Hlavním se hned stane klíč, který čeká. Kdo zná jen tento klíč, webhooky odmítne. " +
		"Vrátit to nejde.",
		"Hlavným sa hneď stane kľúč, ktorý čaká. Kto pozná len tento kľúč, webhooky odmietne. Vrátiť to nejde.",
		"The key that waits becomes the primary one at once. Whoever knows only this key will refuse webhooks. " +
			"This cannot be undone."},
	"key.revoke.toRetiring": {"Hlavním se hned znovu stane předchozí klíč. Kdo zná jen tento klíč, webhooky " +
		"odmítne. Vrátit to nejde.",
		"Hlavným sa hneď znova stane predchádzajúci kľúč. " +
			"Kto pozná len tento kľúč, webhooky odmietne. Vrátiť to nejde.",
		"The key before it becomes the primary one again at once. Whoever knows only this key will refuse " +
			"webhooks. This cannot be undone."},
	"key.revoke.toNone": {"Žádný jiný klíč není: webhooky budou hned bez podpisu a příjemce, který ho vyžaduje, " +
		"je odmítne. Vrátit to nejde.",
		"Žiadny iný kľúč nie je: webhooky budú hneď bez podpisu a príjemca, ktorý ho vyžaduje, ich odmietne. Vrátiť " +
			"to nejde.",
		"There is no other key: webhooks go unsigned at once, and a receiver that asks for a signature will " +
			"refuse them. This cannot be undone."},
	"key.isMade": {"Klíč je vytvořen.", "Kľúč je vytvorený.", "The key is made."},
	"key.isActivated": {"Klíč je hlavní: nejpozději za 10 sekund jím podepisujeme.",
		"Kľúč je hlavný: najneskôr o 10 sekúnd ním podpisujeme.",
		"The key is the primary one: within 10 seconds webhooks are signed with it."},
	"key.isRevoked":      {"Klíč je zrušen.", "Kľúč je zrušený.", "The key is revoked."},
	"key.state.pending":  {"Čeká na aktivaci", "Čaká na aktiváciu", "Waits for activation"},
	"key.state.primary":  {"Hlavní", "Hlavný", "Primary"},
	"key.state.retiring": {"Dobíhá", "Dobieha", "Retiring"},
	"key.state.revoked":  {"Zrušen", "Zrušený", "Revoked"},

	"advice": {"Co má příjemce teď dělat", "Čo má príjemca teraz robiť", "What the receiver must do now"},
	"advice.none": {"Webhooky nejsou podepsané a příjemce nepozná, kdo je poslal. Vytvořte klíč a dejte ho " +
		"tomu, kdo příjemce spravuje.",
		"Webhooky nie sú podpísané a príjemca nespozná, kto ich poslal. Vytvorte kľúč a dajte ho tomu, kto príjemcu " +
			"spravuje.",
		"Webhooks are unsigned, so the receiver cannot know who has sent them. Make a key and give it to " +
			"whoever runs the receiver."},
	"advice.primary": {"Ověřujte X-Webhook-Signature klíčem {key}. Webhook, jehož podpis nesouhlasí, odmítněte.",
		"Overujte X-Webhook-Signature kľúčom {key}. Webhook, ktorého podpis nesúhlasí, odmietnite.",
		"Verify X-Webhook-Signature with the key {key}. Refuse a webhook whose signature does not match."},
	"advice.pending": {"Vyzkoušejte nový klíč {key} na X-Webhook-Signature-Next. Když souhlasí, nechte příjemce " +
		"uznávat oba klíče a nový tu aktivujte.",
		"Vyskúšajte nový kľúč {key} na X-Webhook-Signature-Next. Keď súhlasí, nechajte príjemcu uznávať oba kľúče a " +
			"nový tu aktivujte.",
		"Try the new key {key} with X-Webhook-Signature-Next. Once it matches, let the receiver accept either " +
			"key, and activate the new one here."},
	"advice.retiring": {"Předchozí klíč {key} podepisuje v X-Webhook-Signature-Previous do {until}. Do té doby " +
		"má příjemce přejít na hlavní klíč; potom tento z něj odstraňte.",
		"Predchádzajúci kľúč {key} podpisuje v X-Webhook-Signature-Previous do {until}. Dovtedy má príjemca " +
			"prejsť na hlavný kľúč; potom tento z neho odstráňte.",
		"The key before it, {key}, signs in X-Webhook-Signature-Previous until {until}. The receiver must have " +
			"gone over to the primary key by then; remove this one from it afterwards."},
	"advice.standard": {"Klíče poznáte podle otisku: prvních 16 znaků SHA-256. Příjemce s knihovnou Standard " +
		"Webhooks ověřuje hlavičku webhook-signature, ve které jsou podpisy všech platných klíčů.",
		"Kľúče spoznáte podľa odtlačku: prvých 16 znakov SHA-256. Príjemca s knižnicou Standard Webhooks " +
			"overuje hlavičku webhook-signature, v ktorej sú podpisy všetkých platných kľúčov.",
		"Keys are told by their fingerprint: the first 16 characters of the SHA-256. A receiver with a Standard " +
			"Webhooks library verifies the header webhook-signature, which has the signatures of all keys that sign."},

	"receiver.about": {"Na tyto adresy doplňku hlásíme, co se ve vašem e-shopu stalo. Přidává a mění je sám " +
		"doplněk přes API.",
		"Na tieto adresy doplnku hlásime, čo sa vo vašom e-shope stalo. Pridáva a mení ich sám doplnok cez API.",
		"These addresses of the add-on are told what happens in your shop. The add-on adds and changes them " +
			"itself over the API."},
	"receiver.accessInactive": {"Doplněk není aktivní, takže mu nic neposíláme.",
		"Doplnok nie je aktívny, takže mu nič neposielame.", "The add-on is not active, so it is sent nothing."},
	"none.receivers": {"Doplněk zatím žádného příjemce nemá.", "Doplnok zatiaľ žiadneho príjemcu nemá.",
		"The add-on has no receiver yet."},

	"receiver.state.unverified": {"Neověřený", "Neoverený", "Not verified"},
	"receiver.state.enabled":    {"V pořádku", "V poriadku", "Works"},
	"receiver.state.failing":    {"Selhává", "Zlyháva", "Failing"},
	"receiver.state.disabled":   {"Vypnutý pro chyby", "Vypnutý pre chyby", "Disabled"},
	"receiver.is.unverified": {"Adresa ještě neodpověděla na zkušební ping, takže jí nic dalšího neposíláme. Až " +
		"bude příjemce připraven, pošlete ping znovu.",
		"Adresa ešte neodpovedala na skúšobný ping, takže jej nič ďalšie neposielame. Keď bude príjemca pripravený, " +
			"pošlite ping znova.",
		"The address has not answered its ping yet, so it is sent nothing else. Ping it again once the receiver " +
			"is ready."},
	"receiver.is.enabled": {"Webhooky doručujeme.", "Webhooky doručujeme.", "Webhooks are being delivered."},
	"receiver.is.failing": {"Příjemce opakovaně selhal, proto jeho webhooky čekají a občas zkusíme jeden. Nic " +
		"se neztratí. Až bude opravený, můžete ho povolit hned.",
		"Príjemca opakovane zlyhal, preto jeho webhooky čakajú a občas skúsime jeden. Nič sa nestratí. Keď bude " +
			"opravený, môžete ho povoliť hneď.",
		"The receiver has failed repeatedly, so its webhooks wait and one is tried now and then. Nothing is " +
			"lost. Once it is mended you can enable it at once."},
	"receiver.is.disabled": {"Příjemce selhával příliš dlouho nebo odpověděl, že už není. Webhooky pro něj " +
		"necháváme čekat 7 dní. Až bude opravený, povolte ho.",
		"Príjemca zlyhával príliš dlho alebo odpovedal, že už nie je. Webhooky preň nechávame čakať 7 dní. Keď bude " +
			"opravený, povoľte ho.",
		"The receiver was failing for too long, or answered that it is gone. Webhooks for it are kept waiting " +
			"for 7 days. Enable it once it is mended."},
	"receiver.off": {"Zastavený doplňkem", "Zastavený doplnkom", "Switched off by the add-on"},
	"receiver.isOff": {"Doplněk si příjemce vypnul, takže mu nic neposíláme.",
		"Doplnok si príjemcu vypol, takže mu nič neposielame.",
		"The add-on has switched this receiver off, so it is sent nothing."},
	"receiver.missing": {"O části událostí se nedozví, protože doplňku chybí oprávnění",
		"O časti udalostí sa nedozvie, pretože doplnku chýba oprávnenie",
		"It does not hear of some events, because the add-on lacks the permissions"},
	"receiver.toPermissions": {"Upravit oprávnění", "Upraviť oprávnenia", "Change permissions"},
	"receiver.lastFailure":   {"Poslední chyba", "Posledná chyba", "Last failure"},
	"receiver.lastSuccess":   {"Naposledy v pořádku", "Naposledy v poriadku", "Last success"},
	"receiver.nextProbe":     {"Příště to zkusíme", "Nabudúce to skúsime", "Tried again"},
	"receiver.events":        {"Události", "Udalosti", "Events"},
	"receiver.allEvents":     {"Všechny", "Všetky", "All of them"},
	"receiver.noEvents":      {"Žádné", "Žiadne", "None"},
	"receiver.groups":        {"Jen změny těchto údajů", "Len zmeny týchto údajov", "Only changes of these"},
	"receiver.enable":        {"Povolit hned", "Povoliť hneď", "Enable now"},
	"receiver.ping":          {"Poslat ping", "Poslať ping", "Send a ping"},
	"receiver.isEnabled": {"Příjemce je povolen a co na něj čekalo, odchází.",
		"Príjemca je povolený a čo naň čakalo, odchádza.", "The receiver is enabled, and what waited for it goes out."},
	"receiver.isPinged": {"Ping odchází. Výsledek najdete za chvíli zde i v Doručování.",
		"Ping odchádza. Výsledok nájdete o chvíľu tu aj v Doručovaní.",
		"A ping is on its way. In a moment you find here, and in Deliveries, what came of it."},
	"receiver.delete": {"Smazat příjemce", "Zmazať príjemcu", "Delete this receiver"},
	"receiver.deleteIs": {"Webhooky, které na něj čekají, zrušíme a další mu nepřijdou. Přidat ho znovu může " +
		"jen doplněk.", "Webhooky, ktoré naň čakajú, zrušíme a ďalšie mu neprídu. Pridať ho znova môže len doplnok.",
		"Webhooks that wait for it are cancelled, and no others come. Only the add-on can add it again."},

	"failure.status": {"Odpověděl stavem {status}.", "Odpovedal stavom {status}.",
		"It answered with status {status}."},
	"failure.nonce_missing": {"Odpověděl, ale v odpovědi na ping chyběl kód z pingu.",
		"Odpovedal, ale v odpovedi na ping chýbal kód z pingu.", "It answered the ping without the ping's nonce."},
	"failure.timeout": {"Neodpověděl včas, do 10 sekund.", "Neodpovedal včas, do 10 sekúnd.",
		"It did not answer in time, within 10 seconds."},
	"failure.connect": {"Nepodařilo se k němu připojit.", "Nepodarilo sa k nemu pripojiť.",
		"No connection could be made."},
	"failure.tls": {"Zabezpečené spojení selhalo: zkontrolujte jeho certifikát.",
		"Zabezpečené spojenie zlyhalo: skontrolujte jeho certifikát.",
		"The secure connection failed: check its certificate."},
	"failure.reset": {"Spojení přerušil.", "Spojenie prerušil.", "It broke the connection."},
	"failure.address": {"Jeho adresa neexistuje nebo není veřejná.",
		"Jeho adresa neexistuje alebo nie je verejná.", "Its address does not exist, or is not a public one."},
	"failure.answer": {"Jeho odpovědi není rozumět.", "Jeho odpovedi nemožno rozumieť.",
		"Its answer cannot be understood."},

	"replay": {"Poslat znovu", "Poslať znova", "Send again"},
	"replay.about": {"Pošle příjemci znovu webhooky z vybrané doby, třeba když o ně přišel. Přijdou pod " +
		"stejnými id, takže je pozná.",
		"Pošle príjemcovi znova webhooky z vybranej doby, napríklad keď o ne prišiel. Prídu pod rovnakými id, takže " +
			"ich spozná.",
		"Sends the receiver the webhooks of some time once more, for example because it has lost them. They " +
			"come with the same ids, so it can tell."},
	"replay.new":   {"Nové odeslání", "Nové odoslanie", "Send webhooks again"},
	"replay.last":  {"Poslední odeslání", "Posledné odoslanie", "The last time"},
	"replay.begin": {"Začít posílat", "Začať posielať", "Begin"},
	"replay.begun": {"Začali jsme posílat.", "Začali sme posielať.", "It has begun."},
	"replay.sent":  {"Odesláno", "Odoslané", "Sent"},
	"replay.range": {"Webhooky z doby", "Webhooky z doby", "Webhooks of"},
	"replay.reload": {"Kolik už odešlo, uvidíte po obnovení stránky.",
		"Koľko už odišlo, uvidíte po obnovení stránky.", "Reload the page to see how many have gone out by now."},
	"replay.stoppedIs": {"Příjemce selhává nebo mu už nic posílat nelze. Až bude v pořádku, začněte znovu.",
		"Príjemca zlyháva alebo mu už nič posielať nemožno. Keď bude v poriadku, začnite znova.",
		"The receiver is failing, or may be sent nothing any more. Begin again once it works."},
	"replay.state.running": {"Posíláme", "Posielame", "Running"},
	"replay.state.done":    {"Hotovo", "Hotovo", "Done"},
	"replay.state.stopped": {"Zastaveno", "Zastavené", "Stopped"},
	"replay.toIs":          {"Prázdné: do této chvíle.", "Prázdne: do tejto chvíle.", "Empty: until now."},
	"replay.perSecondIs":   {"1 až 100, prázdné: 10.", "1 až 100, prázdne: 10.", "1 to 100; empty: 10."},
	"replay.both":          {"Doručené i nedoručené", "Doručené aj nedoručené", "Delivered and undelivered ones"},
	"replay.exhausted":     {"Jen nedoručené", "Len nedoručené", "Undelivered ones only"},
	"replay.delivered":     {"Jen doručené", "Len doručené", "Delivered ones only"},
	"from":                 {"Od", "Od", "From"},
	"to":                   {"Do", "Do", "Until"},
	"states":               {"Které webhooky", "Ktoré webhooky", "Which webhooks"},
	"perSecond":            {"Kolik za sekundu", "Koľko za sekundu", "How many a second"},

	"delivery.about": {"Každý webhook za posledních 30 dní: komu šel a jak dopadl.",
		"Každý webhook za posledných 30 dní: komu išiel a ako dopadol.",
		"Every webhook of the last 30 days: whom it went to and what came of it."},
	"delivery.any":          {"Vše", "Všetko", "Any"},
	"delivery.event":        {"Událost", "Udalosť", "Event"},
	"delivery.receiver":     {"Příjemce", "Príjemca", "Receiver"},
	"delivery.goneReceiver": {"Smazaný příjemce", "Zmazaný príjemca", "A deleted receiver"},
	"delivery.next":         {"Další pokus", "Ďalší pokus", "Next attempt"},
	"delivery.test":         {"Zkouška", "Skúška", "Test"},
	"delivery.id":           {"Id webhooku", "Id webhooku", "Webhook id"},
	"delivery.attempts":     {"Pokusy", "Pokusy", "Attempts"},
	"delivery.noAttempts":   {"Zatím žádný pokus.", "Zatiaľ žiadny pokus.", "No attempt yet."},
	"delivery.at":           {"Kdy", "Kedy", "When"},
	"delivery.result":       {"Výsledek", "Výsledok", "Result"},
	"delivery.failed":       {"Chyba", "Chyba", "Failed"},
	"delivery.took":         {"Trvalo", "Trvalo", "Took"},
	"delivery.answer":       {"Odpověď příjemce", "Odpoveď príjemcu", "The receiver's answer"},
	"delivery.body":         {"Co posíláme", "Čo posielame", "What is sent"},
	"delivery.bodyIs": {"Tělo webhooku přesně tak, jak odchází při každém pokusu.",
		"Telo webhooku presne tak, ako odchádza pri každom pokuse.",
		"The webhook's body exactly as it goes out in every attempt."},
	"delivery.again": {"Poslat znovu", "Poslať znova", "Send again"},
	"delivery.againIs": {"Příjemci hned přijde tentýž webhook se stejným id.",
		"Príjemcovi hneď príde ten istý webhook s rovnakým id.",
		"The receiver gets the same webhook at once, with the same id."},
	"delivery.isAsked": {"Webhook odchází znovu. Výsledek uvidíte za chvíli mezi pokusy.",
		"Webhook odchádza znova. Výsledok uvidíte o chvíľu medzi pokusmi.",
		"The webhook goes out again. In a moment you see what came of it among the attempts."},
	"delivery.once": {"Pingy a zkoušky se posílají jen jednou. Nový ping můžete poslat u příjemce.",
		"Pingy a skúšky sa posielajú len raz. Nový ping môžete poslať pri príjemcovi.",
		"Pings and tests are sent only once. You can send a new ping at the receiver."},
	"delivery.noMore": {"Zrušený webhook už poslat nejde.", "Zrušený webhook už poslať nejde.",
		"A cancelled webhook cannot be sent any more."},

	"delivery.state.waiting":   {"Čeká", "Čaká", "Waiting"},
	"delivery.state.parked":    {"Odložený", "Odložený", "Parked"},
	"delivery.state.delivered": {"Doručený", "Doručený", "Delivered"},
	"delivery.state.exhausted": {"Nedoručený", "Nedoručený", "Not delivered"},
	"delivery.state.cancelled": {"Zrušený", "Zrušený", "Cancelled"},
	"delivery.is.waiting":      {"Čeká na další pokus.", "Čaká na ďalší pokus.", "It waits for its next attempt."},
	"delivery.is.parked": {"Čeká, až bude příjemce v pořádku; potom odejde sám.",
		"Čaká, kým bude príjemca v poriadku; potom odíde sám.",
		"It waits until the receiver works, and goes out by itself then."},
	"delivery.is.delivered": {"Příjemce ho přijal.", "Príjemca ho prijal.", "The receiver has taken it."},
	"delivery.is.exhausted": {"Žádný pokus se nepovedl a další už sám nepřijde.",
		"Žiadny pokus sa nepodaril a ďalší už sám nepríde.", "No attempt has worked, and no other comes by itself."},
	"delivery.is.cancelled":    {"Nebude odeslán.", "Nebude odoslaný.", "It will not be sent."},
	"reason.receiver_deleted":  {"Příjemce byl smazán.", "Príjemca bol zmazaný.", "The receiver was deleted."},
	"reason.receiver_inactive": {"Příjemce byl vypnut.", "Príjemca bol vypnutý.", "The receiver was switched off."},
	"reason.unsubscribed": {"Příjemce už tuto událost nechce.", "Príjemca už túto udalosť nechce.",
		"The receiver does not want this event any more."},
	"reason.permission_gone": {"Doplněk už k tomu nemá oprávnění.", "Doplnok už na to nemá oprávnenie.",
		"The add-on has not the permission any more."},
	"reason.package_inactive": {"Doplněk není aktivní.", "Doplnok nie je aktívny.", "The add-on is not active."},

	"event.customerCreate": {"Nový zákazník", "Nový zákazník", "New customer"},
	"event.customerChange": {"Změna zákazníka", "Zmena zákazníka", "Customer changed"},
	"event.customerDelete": {"Smazaný zákazník", "Zmazaný zákazník", "Customer deleted"},
	"event.productCreate":  {"Nový produkt", "Nový produkt", "New product"},
	"event.productChange":  {"Změna produktu", "Zmena produktu", "Product changed"},
	"event.productDelete":  {"Smazaný produkt", "Zmazaný produkt", "Product deleted"},
	"event.orderChange": {"Nová objednávka nebo její změna", "Nová objednávka alebo jej zmena",
		"Order made or changed"},
	"event.shopOwnerChange":   {"Změna majitele e-shopu", "Zmena majiteľa e-shopu", "Owner of the shop changed"},
	"event.packageActivate":   {"Aktivace doplňku", "Aktivácia doplnku", "Add-on activated"},
	"event.packageDeactivate": {"Deaktivace doplňku", "Deaktivácia doplnku", "Add-on deactivated"},
	"event.packageOpenInstructions": {"Otevření návodu k doplňku", "Otvorenie návodu k doplnku",
		"Instructions of the add-on opened"},
	"event.ping": {"Ping", "Ping", "Ping"},

	"group.basic":      {"základní údaje", "základné údaje", "basic data"},
	"group.stock":      {"sklad", "sklad", "stock"},
	"group.prices":     {"ceny", "ceny", "prices"},
	"group.units":      {"jednotky", "jednotky", "units"},
	"group.variants":   {"varianty", "varianty", "variants"},
	"group.urls":       {"adresy URL", "adresy URL", "URLs"},
	"group.categories": {"kategorie", "kategórie", "categories"},
	"group.contact":    {"kontakt", "kontakt", "contact"},
	"group.billing":    {"fakturace", "fakturácia", "billing"},
	"group.delivery":   {"doručení", "doručenie", "delivery"},
	"group.created":    {"vznik objednávky", "vznik objednávky", "the making of an order"},
	"group.state":      {"stav", "stav", "state"},
	"group.note":       {"poznámka", "poznámka", "note"},

	"filter.receiverId":     {"Příjemce", "Príjemca", "Receiver"},
	"filter.event":          {"Událost", "Udalosť", "Event"},
	"filter.state":          {"Stav", "Stav", "State"},
	"filter.created.after":  {"Vytvořeno od", "Vytvorené od", "Created from"},
	"filter.created.before": {"Vytvořeno do", "Vytvorené do", "Created until"},

	"refused.key_pending": {"Jeden klíč už čeká: nejdřív ho aktivujte nebo zrušte.",
		"Jeden kľúč už čaká: najprv ho aktivujte alebo zrušte.",
		"A key is waiting already: activate or revoke it first."},
	"refused.key_not_pending": {"Aktivovat lze jen klíč, který čeká. Tento už podepisoval, nebo je zrušený.",
		"Aktivovať možno len kľúč, ktorý čaká. Tento už podpisoval, alebo je zrušený.",
		"Only a key that waits can be activated. This one has signed already, or is revoked."},
	"refused.not_redeliverable": {"Pingy a zkoušky se posílají jen jednou.", "Pingy a skúšky sa posielajú len raz.",
		"Pings and tests are sent only once."},
	"refused.receiver_inactive": {"Příjemce je vypnutý nebo smazaný, takže mu nic poslat nejde. Zapnout ho " +
		"může doplněk.", "Príjemca je vypnutý alebo zmazaný, takže mu nič poslať nejde. Zapnúť ho môže doplnok.",
		"The receiver is switched off or deleted, so it cannot be sent anything. The add-on can switch it on."},
	"refused.receiver_unverified": {"Adresa příjemce ještě neodpověděla na ping. Nejdřív mu pošlete ping.",
		"Adresa príjemcu ešte neodpovedala na ping. Najprv mu pošlite ping.",
		"The receiver's address has not answered a ping yet. Ping it first."},
	"refused.delivery_cancelled": {"Webhook byl zrušen a znovu poslat nejde.",
		"Webhook bol zrušený a znova poslať nejde.", "The webhook was cancelled and cannot be sent again."},
}
