package goods

// inSlovak are the words of categories, makers and variants that are others in Slovak.
var inSlovak = map[string]string{
	"Porcelán a doplňky": "Porcelán a doplnky", "Čajovna U Zvonu": "Čajovňa U zvona", "Provedení": "Vyhotovenie",
	"Mletí": "Mletie", "Balení": "Balenie", "bílá": "biela",
}

// slovakTexts are the Slovak texts of all goods by their codes.
var slovakTexts = map[string]Words{
	"CAJ-001": {Name: "Ľubovníkový čaj 2×50g", Short: "Bylinný čaj z ľubovníka, zo slovenských lúk.",
		Alt: "Dve papierové vrecúška, jedno plné žltých kvetov ľubovníka",
		Description: `Kvitnúca vňať ľubovníka, zbieraná v júli a sušená v tieni; vonia lúkou a chutí jemne trpko.
Lyžicu zalejte štvrťlitrom vriacej vody a nechajte päť až desať minút lúhovať pod pokrievkou.
V balení sú dve papierové vrecúška po 50 g. Ak užívate lieky, poraďte sa o ľubovníku s lekárnikom.`},
	"CAJ-002": {Name: "Darjeeling First Flush", Short: "Prvý jarný zber, kvetinová vôňa.",
		Alt: "Plechová dóza s obrázkom hôr a kôpka svetlých čajových lístkov",
		Description: `Svetlý nálev s vôňou lúčnych kvetov a muškátového hrozna, svieži a len ľahko zvieravý.
Na šálku vezmite dva gramy, zalejte vodou s teplotou 85 °C a po troch minútach zlejte.
Celé listy v plechovej dóze, 50, 100 alebo 250 g.`},
	"CAJ-003": {Name: "Assam TGFOP", Short: "Silný, sladový, do mlieka.",
		Alt: "Nízka červenohnedá dóza a kôpka tmavých čajových lístkov so zlatými špičkami",
		Description: `Plný medený nálev s chuťou sladu a sušených sliviek; zlaté špičky mu dávajú medový záver.
Lyžičku na šálku zalejte vriacou vodou a lúhujte tri až štyri minúty. Mlieko aj cukor znesie.
Sypaný čaj v plechovej dóze, 50, 100 alebo 250 g.`},
	"CAJ-004": {Name: "Sencha Fukamushi", Short: "Zelený čaj, dlho parený.",
		Alt: "Biely tanierik so zelenými ihličkami čaju sencha a vysoká zelená dóza",
		Description: `Dlho parené ihličky dávajú hustý, sýtozelený nálev, sladkastý a plný umami.
Zalejte vodou s teplotou 70 °C a lúhujte minútu; druhému a tretiemu nálevu stačí pár sekúnd.
Dodávame v dóze, ktorá neprepúšťa svetlo, 50, 100 alebo 250 g.`},
	"CAJ-005": {Name: "Earl Grey s bergamotom", Short: "Čierny čaj s pravým bergamotovým olejom.",
		Alt: "Modré vrecúško, kôpka čierneho čaju s lupienkami nevädze a polovica bergamotu",
		Description: `Cejlónsky čierny čaj s olejom z kalábrijského bergamotu a modrými lupienkami nevädze.
Lúhujte tri minúty vo vriacej vode; výborný je s citrónom aj studený s ľadom.
Papierové vrecúško so 100 g sypaného čaju.`},
	"CAJ-006": {Name: "Mätový čaj sypaný", Short: "Mäta pieporná z Moravy.",
		Alt: "Biele vrecúško, kôpka sušenej mäty a čerstvá mätová vetvička",
		Description: `Svieža, chladivá a bez horkosti; od prírody bez kofeínu.
Dve lyžičky zalejte vriacou vodou a nechajte desať minút prikryté, aby silice nevyprchali.
Vo vrecúšku je 50 g ručne drvených listov.`},
	"CAJ-007": {Name: "Rooibos pomaranč", Short: "Bez kofeínu, s kúskami kôry.",
		Alt: "Hrdzavé vrecúško, kôpka červených ihličiek rooibosu a polovica pomaranča",
		Description: `Juhoafrický rooibos s kúskami pomarančovej kôry je sladký, okrúhly a chutí aj deťom.
Zalejte vriacou vodou a nechajte sedem minút; ani dlhšie lúhovaný nezhorkne.
Papierové vrecúško so 100 g sypaného čaju.`},
	"CAJ-008": {Name: "Pu-erh zrejúci sedem rokov", Short: "Tmavý, zemitý, lisovaný do koláča.",
		Alt: "Lisovaný koláč tmavého čaju pu-erh a druhý v bielom papieri s červenou pečaťou",
		Description: `Sedem rokov zrel v Jün-nane a chutí ako les po daždi, kakao a sušené datle.
Odlomte asi päť gramov, prvý nálev hneď zlejte a potom zalievajte vriacou vodou, pokojne osemkrát.
Koláč s hmotnosťou 357 g v bavlnenom papieri. V suchu a bez pachov zreje ďalej.`},
	"CAJ-009": {Name: "Darčeková kazeta šiestich čajov", Short: "Šesť čajov po 25 g v drevenej kazete.",
		Alt: "Otvorená drevená kazeta so šiestimi priehradkami rôznych čajov a zvončekom na veku",
		Description: `Šesť čajov, ku ktorým sa vraciame: rooibos, sencha, pu-erh, darjeeling, mäta a kvetinová zmes.
Ku každému prikladáme kartičku s teplotou vody a časom lúhovania.
Kazeta z bukového dreva, 6 × 25 g; keď čaje dopijete, poslúži ďalej.`},
	"KAV-001": {Name: "Etiópia Yirgacheffe", Short: "Jazmín, bergamot, citrusy.",
		Alt: "Žlté vrecúško kávy s kvetmi jazmínu, kávové zrná a polovica citróna",
		Description: `Premytá arabika z výšky 2 000 metrov, svetlo pražená, voňavá ako čaj a šťavnato kyslá.
Najlepšie vynikne na filtri: 60 g na liter vody s teplotou 94 °C, zalievajte po častiach tri minúty.
Zrnková alebo mletá 250 g, zrnková aj 1 kg. Pražíme každý utorok.`},
	"KAV-002": {Name: "Kolumbia Huila", Short: "Karamel, červené jablko.",
		Alt: "Červené vrecúško kávy s obrázkom hôr, kávové zrná a červené jablko",
		Description: `Vyvážená arabika z horských fariem južnej Kolumbie, stredne pražená, sladká, s dlhou dochuťou.
Hodí sa do prekvapkávača, french pressu aj moka kanvičky.
Zrnková alebo mletá 250 g, zrnková aj 1 kg. Dátum praženia nájdete na vrecúšku.`},
	"KAV-003": {Name: "Espresso U zvona", Short: "Naša zmes: čokoláda a orech.",
		Alt: "Tmavozelené vrecúško kávy so zlatým zvončekom, kávové zrná a šálka espressa",
		Description: `Štyri diely arabiky a jeden diel robusty: husté telo, pevná crema a chuť, ktorá sa v mlieku nestratí.
Na dvojité espresso namelte 18 g; za 27 sekúnd má byť v šálke 36 g.
Zrnková alebo mletá 250 g, zrnková aj 1 kg. Túto kávu varíme aj u nás v čajovni.`},
	"KAV-004": {Name: "Káva bez kofeínu", Short: "Kofeín odstránila voda.",
		Alt: "Svetlomodré vrecúško kávy s kvapkou vody a svetlo pražené zrná",
		Description: `Kofeín odniesla len čistá voda, chuť zostala: mliečna čokoláda, oriešok a jemná sladkosť.
Pripravíte ju akokoľvek, od prekvapkávača po espresso, a pokojne aj neskoro večer.
Zrnková káva, vrecúško 250 g.`},
	"KAV-005": {Name: "Filtračné papiere č. 2", Short: "Sto kusov, nebielené.",
		Alt: "Nebielené papierové filtre a biely prekvapkávač s čerstvou kávou",
		Description: `Pevný nebielený papier, ktorý sa v mokru netrhá a káve nedáva pachuť.
Prehnite oba lisované švy, vložte filter do prekvapkávača a prepláchnite ho horúcou vodou.
Sto filtrov veľkosti 2, na jednu až štyri šálky. Prekvapkávač nie je súčasťou balenia.`},
	"KAV-006": {Name: "Ručný mlynček na kávu", Short: "Keramické kamene, nastaviteľná hrubosť.",
		Alt: "Drevený mlynček s kľukou a zásuvkou, vedľa neho kávové zrná",
		Description: `Bukový mlynček s mosadznou násypkou a zásuvkou, aký stával v každej kuchyni.
Hrubosť nastavíte maticou pod kľukou, od espressa po french press; naraz zomelie asi 30 g.
V škatuli je mlynček, štetček a návod. Kamene neumývajte, stačí ich vymiesť.`},
	"POR-001": {Name: "Hrnček so zvončekom 300 ml", Short: "Ručne maľovaný.",
		Alt: "Biely hrnček s modrým zvončekom, z ktorého sa parí",
		Description: `Porcelánový hrnček so zvončekom našej čajovne; kreslí sa od ruky, a tak žiadne dva nie sú rovnaké.
Znesie umývačku aj mikrovlnku a 300 ml stačí na poctivé ráno.
Jeden hrnček vo farbe podľa výberu, v papierovej škatuľke.`},
	"POR-002": {Name: "Liatinová kanvica 0,8 l", Short: "S antikorovým sitkom.",
		Alt: "Čierna liatinová kanvica s oblúkovou rukoväťou",
		Description: `Ťažká liatinová kanvica, vnútri smaltovaná; čaj v nej zostane teplý takmer hodinu.
Vopred ju vyhrejte horúcou vodou, potom len vypláchnite a osušte. Na platňu ani do umývačky nepatrí.
V škatuli je kanvica s viečkom a vyberateľné sitko, objem 0,8 litra.`},
	"POR-003": {Name: "Antikorové sitko na čaj", Short: "Na šálku aj na kanvicu.",
		Alt: "Antikorové sitko so zelenými lístkami nad šálkou čaju",
		Description: `Hustá sieťka zachytí aj drobný rooibos a za dlhú rukoväť sa dobre drží.
Položte ho na šálku alebo kanvicu a zlejte cez neho čaj; potom opláchnite, znesie aj umývačku.
Jedno sitko z nehrdzavejúcej ocele, priemer 7 cm.`},
	"POR-004": {Name: "Miska na matchu chawan", Short: "Každý kus iný.",
		Alt: "Modrá keramická miska s vyšľahanou matchou",
		Description: `Ručne točená miska s modrou glazúrou, ktorá zakaždým stečie inak; sadne do oboch dlaní.
Dve bambusové odmerky čaju zalejte 70 ml vody s teplotou 80 °C a vyšľahajte metličkou.
Jedna miska s priemerom 12 cm v škatuľke. Umývajte ju ručne.`},
	"POR-005": {Name: "Bambusová metlička chasen", Short: "Osemdesiat lúčov.",
		Alt: "Bambusová metlička a mištička so zeleným práškom matcha",
		Description: `Vyrezaná z jediného kusa bambusu; jemné lúče vyšľahajú hustú penu.
Na minútu ju namočte, šľahajte zo zápästia do písmena M, potom opláchnite a nechajte vyschnúť.
Jedna metlička v ochrannom puzdre. Mištička ani čaj nie sú súčasťou balenia.`},
	"POR-006": {Name: "Cukornička s viečkom", Short: "Biely porcelán z okolia Karlových Varov.",
		Alt: "Biela cukornička s modrými kvetmi a viečkom, vedľa nej kocky cukru",
		Description: `Biely porcelán s maľovanými kvetmi a viečkom, ktoré sedí a nedrnčí.
Zmestí sa do nej štvrť kila cukru, kocky aj kryštál; znesie umývačku.
Cukornička s viečkom, objem 350 ml, v škatuľke.`},
	"POR-007": {Name: "Dóza na čaj 100 g", Short: "Plech s dvojitým viečkom.",
		Alt: "Zelená plechová dóza so zvončekmi, jej vonkajšie viečko leží vedľa",
		Description: `Vnútorné viečko tesní, vonkajšie drží, a tak čaj nevyčuchne ani za pol roka.
Zmestí sa do nej asi 100 g sypaného čaju; po umytí ju nechajte dobre vyschnúť.
Jedna prázdna dóza, výška 12 cm.`},
	Gift: {Name: "Darčeková čajová zmes", Short: "V pohári, s menovkou podľa vás.",
		Alt: "Pohár s vrstvami rôznych čajov, kvetov a bylín a s menovkou",
		Description: `Zmes nášho domu: assam s pomarančovou kôrou a jazmínom, v pohári aj na pohľad.
Zabalíme ju ako darček a na menovku vytlačíme, čo nám napíšete.
Miešame v deň odoslania; v pohári nájdete aj návod na prípravu.`},
}
