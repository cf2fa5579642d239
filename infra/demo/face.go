package demo

import "eshop/shared/shop"

// heroOf is the code of the product whose picture is on the first page.
const heroOf = "POR-004"

// demoFace is how the demo shop looks, and what it says of itself.
var demoFace = shop.Face{
	Accent:  "#2f6b3a",
	Welcome: "Čaje, které sami pijeme.",
	Contact: `Čajovna U Zvonu, s. r. o.
Údolní 12, 602 00 Brno

- Telefon: [+420 601 123 456](tel:+420601123456), ve všední dny 9–17 hodin
- E-mail: [info@cajovna.example](mailto:info@cajovna.example)

IČO 12345678, DIČ CZ12345678. Zapsáno u Krajského soudu v Brně, oddíl C, vložka 123.`,
	Terms: `# Objednávka a cena

Objednávka je návrh kupní smlouvy, smlouva vzniká jejím potvrzením. Ceny jsou včetně DPH.

# Doprava a platba

- Zásilku předáváme dopravci do dvou pracovních dnů od přijetí platby, nebo od objednávky na dobírku.
- Dopravu po Česku neúčtujeme.
- Platí se převodem na účet, nebo dopravci při převzetí.

# Vrácení a reklamace

- Zboží můžete do 14 dnů od převzetí vrátit bez udání důvodu, čaj jen v neotevřeném obalu.
- Peníze vracíme do 14 dnů.
- Vady reklamujte e-mailem na info@cajovna.example, vyřídíme je do 30 dnů.

*Tohle je ukázkový obchod: nic z něj neodesíláme a nikomu nic neúčtujeme.*`,
	Privacy: `Jméno, adresu, e-mail a telefon používáme k vyřízení objednávky. Předáváme je jen dopravci.

Účetní doklady uchováváme deset let, jak ukládá zákon. Ostatní smažeme, když o to požádáte na info@cajovna.example.

Cookies, bez kterých obchod nefunguje (košík, přihlášení), ukládáme vždy, ostatní jen s vaším souhlasem.`,
	Ways: shop.Ways{
		Delivery: shop.WayList{
			{Key: "courier", WayFields: shop.WayFields{Name: "Doručení na adresu", On: true,
				Note: "Do dvou pracovních dnů, po celé republice."}},
			{Key: "pickup", WayFields: shop.WayFields{Name: "Osobní odběr", On: true, Pickup: true,
				Note: "Údolní 12, Brno. Ve všední dny 9–17 hodin."}},
		},
		Payment: shop.WayList{
			{Key: "transfer", WayFields: shop.WayFields{Name: "Bankovním převodem", On: true,
				IBAN: "CZ6508000000192000145399", Note: "Zboží odešleme, jakmile peníze dorazí."}},
			{Key: "onDelivery", WayFields: shop.WayFields{Name: "Při převzetí", On: true,
				Note: "{total} zaplatíte při převzetí, hotově nebo kartou."}},
		},
	},
}
