package admin

import "eshop/shared/page"

var orderStateTexts = page.Words{
	"orderState.new":  {"Nový stav objednávky", "Nový stav objednávky", "New order state"},
	"orderState.kind": {"Druh", "Druh", "Kind"},
	"orderState.final": {"Konečný stav: objednávka z něj už neodejde", "Konečný stav: objednávka z neho už neodíde",
		"Final: no order leaves this state"},
	"orderState.isFinal": {"Konečný", "Konečný", "Final"},
	"orderState.deleted": {"Smazaný", "Zmazaný", "Deleted"},
	"orderState.listIs": {"Kudy objednávka projde. Nová objednávka začíná v prvním stavu.",
		"Kade objednávka prejde. Nová objednávka začína v prvom stave.",
		"What an order goes through. A new order begins in the first state."},
	"orderState.positionIs": {"Pořadí v seznamu, první má nejnižší číslo. Prázdné: na konec.",
		"Poradie v zozname, prvý má najnižšie číslo. Prázdne: na koniec.",
		"The place in the list, lowest first. Empty: at the end."},
	"orderState.colorIs":     {"Barva jako #1f9d55.", "Farba ako #1f9d55.", "A color such as #1f9d55."},
	"orderState.showDeleted": {"Zobrazit i smazané", "Zobraziť aj zmazané", "Show deleted ones, too"},
	"orderState.hideDeleted": {"Skrýt smazané", "Skryť zmazané", "Hide deleted ones"},
	"orderState.returns": {"Přesun objednávky do tohoto stavu vrátí její zboží na sklad.",
		"Presun objednávky do tohto stavu vráti jej tovar na sklad.",
		"Moving an order into this state puts its goods back into stock."},
	"orderState.goneSince": {"Smazaný", "Zmazaný", "Deleted"},
	"orderState.goneIs": {"Objednávky, které v něm jsou, v něm zůstaly.",
		"Objednávky, ktoré v ňom sú, v ňom zostali.", "The orders that are in it stayed there."},
	"orderState.delete": {"Smazat stav", "Zmazať stav", "Delete this state"},
	"orderState.deleteIs": {"Objednávky, které v něm jsou, v něm zůstanou, ale žádnou další do něj nepřesunete. " +
		"Smazání nelze vzít zpět.",
		"Objednávky, ktoré v ňom sú, v ňom zostanú, ale žiadnu ďalšiu doň nepresuniete. Zmazanie nemožno vziať späť.",
		"Orders that are in it stay there, but no other order can be moved into it. This cannot be undone."},
	"orderState.color":    {"Barva", "Farba", "Color"},
	"orderState.position": {"Pořadí", "Poradie", "Position"},

	"refused.last_state": {"Je to poslední stav. Nejdřív vytvořte jiný.", "Je to posledný stav. Najprv vytvorte iný.",
		"This is the only state left. Make another one first."},
	"refused.state_deleted": {"Tento stav je smazaný: nelze ho měnit ani do něj přesunout objednávku.",
		"Tento stav je zmazaný: nemožno ho meniť ani doň presunúť objednávku.",
		"This state is deleted: it cannot be changed, and no order can be moved into it."},
	"refused.too_many_states": {"Víc stavů už obchod mít nemůže. Upravte některý z nich.",
		"Viac stavov už obchod mať nemôže. Upravte niektorý z nich.",
		"The shop has as many states as it can have. Change one of them."},
}
