package admin

import "eshop/shared/page"

var couponTexts = page.Words{
	"coupon.new":        {"Nový slevový kód", "Nový zľavový kód", "New discount code"},
	"coupon.percentage": {"Procenta", "Percentá", "Percents"},
	"coupon.amount":     {"Částka", "Suma", "An amount"},
	"type":              {"Druh slevy", "Druh zľavy", "Kind of discount"},
	"value":             {"Sleva", "Zľava", "Discount"},
	"minimumOrder":      {"Nejnižší hodnota nákupu", "Najnižšia hodnota nákupu", "Smallest order"},
	"usageLimit":        {"Kolikrát ho lze použít", "Koľkokrát ho možno použiť", "How often it can be used"},
	"validFrom":         {"Platí od", "Platí od", "Good from"},
	"validTo":           {"Platí do", "Platí do", "Good until"},
	"used":              {"Použito", "Použité", "Used"},
	"filter.code":       {"Kód", "Kód", "Code"},
	"coupon.delete":     {"Smazat slevový kód", "Zmazať zľavový kód", "Delete this discount code"},
	"coupon.deleteIs": {"Objednávkám zůstane, co jim už odečetl.", "Objednávkam zostane, čo im už odpočítal.",
		"Orders keep what it took off them."},
}
