package goods

// Words are what the shop says of a product: its name, a line of it, what its picture shows, and three lines of what it
// is like, how it is used, and what is in the package.
type Words struct{ Alt, Description, Name, Short string }

// Texts are the Czech texts of all goods by their codes. Products have the names and the short ones.
var Texts = map[string]Words{
	"CAJ-001": {Alt: "Dva papírové sáčky, jeden plný žlutých květů třezalky",
		Description: `Kvetoucí nať třezalky, sbíraná v červenci a sušená ve stínu; voní po louce a chutná jemně natrpkle.
Lžíci přelijte čtvrtlitrem vroucí vody a nechte pět až deset minut louhovat pod pokličkou.
V balení jsou dva papírové sáčky po 50 g. Užíváte-li léky, poraďte se o třezalce s lékárníkem.`},
	"CAJ-002": {Alt: "Plechová dóza s obrázkem hor a hromádka světlých čajových lístků",
		Description: `Světlý nálev s vůní lučních květů a muškátového hroznu, svěží a jen lehce svíravý.
Na šálek vezměte dva gramy, zalijte vodou o 85 °C a po třech minutách slijte.
Celé listy v plechové dóze, 50, 100 nebo 250 g.`},
	"CAJ-003": {Alt: "Nízká červenohnědá dóza a hromádka tmavých čajových lístků se zlatými špičkami",
		Description: `Plný měděný nálev s chutí sladu a sušených švestek; zlaté špičky mu dodávají medový závěr.
Lžičku na šálek zalijte vroucí vodou a louhujte tři až čtyři minuty. Mléko i cukr snese.
Sypaný čaj v plechové dóze, 50, 100 nebo 250 g.`},
	"CAJ-004": {Alt: "Bílý talířek se zelenými jehličkami čaje sencha a vysoká zelená dóza",
		Description: `Dlouho pařené jehličky dávají hustý, sytě zelený nálev, nasládlý a plný umami.
Zalijte vodou o 70 °C a louhujte minutu; druhému a třetímu nálevu stačí pár vteřin.
Dodáváme v dóze, která nepropouští světlo, 50, 100 nebo 250 g.`},
	"CAJ-005": {Alt: "Modrý sáček, hromádka černého čaje s plátky chrpy a půlka bergamotu",
		Description: `Cejlonský černý čaj s olejem z kalábrijského bergamotu a modrými plátky chrpy.
Louhujte tři minuty ve vroucí vodě; výborný je s citronem i studený s ledem.
Papírový sáček se 100 g sypaného čaje.`},
	"CAJ-006": {Alt: "Bílý sáček, hromádka sušené máty a čerstvá mátová snítka",
		Description: `Svěží, chladivá a bez hořkosti; od přírody bez kofeinu.
Dvě lžičky zalijte vroucí vodou a nechte deset minut přikryté, ať silice nevyprchají.
V sáčku je 50 g ručně drhnutých listů.`},
	"CAJ-007": {Alt: "Rezavý sáček, hromádka červených jehliček rooibosu a půlka pomeranče",
		Description: `Jihoafrický rooibos s kousky pomerančové kůry je sladký, kulatý a chutná i dětem.
Zalijte vroucí vodou a nechte sedm minut; ani déle louhovaný nezhořkne.
Papírový sáček se 100 g sypaného čaje.`},
	"CAJ-008": {Alt: "Lisovaný koláč tmavého čaje pu-erh a druhý v bílém papíru s červenou pečetí",
		Description: `Sedm let zrál v Jün-nanu a chutná po lese po dešti, kakau a sušených datlích.
Odlomte asi pět gramů, první nálev hned slijte a pak zalévejte vroucí vodou, klidně osmkrát.
Koláč o hmotnosti 357 g v bavlněném papíru. V suchu a bez pachů zraje dál.`},
	"CAJ-009": {Alt: "Otevřená dřevěná kazeta se šesti přihrádkami různých čajů a zvonkem na víku",
		Description: `Šest čajů, ke kterým se vracíme: rooibos, sencha, pu-erh, darjeeling, máta a květinová směs.
Ke každému přikládáme kartičku s teplotou vody a dobou louhování.
Kazeta z bukového dřeva, 6 × 25 g; až čaje dopijete, poslouží dál.`},
	"KAV-001": {Alt: "Žlutý sáček kávy s květy jasmínu, kávová zrna a půlka citronu",
		Description: `Promytá arabika z výšky 2 000 metrů, světle pražená, voňavá jako čaj a šťavnatě kyselá.
Nejlépe vynikne na filtru: 60 g na litr vody o 94 °C, zalévejte po částech tři minuty.
Zrnková nebo mletá 250 g, zrnková i 1 kg. Pražíme každé úterý.`},
	"KAV-002": {Alt: "Červený sáček kávy s obrázkem hor, kávová zrna a červené jablko",
		Description: `Vyvážená arabika z horských farem jižní Kolumbie, středně pražená, sladká, s dlouhou dochutí.
Hodí se do překapávače, french pressu i moka konvičky.
Zrnková nebo mletá 250 g, zrnková i 1 kg. Datum pražení najdete na sáčku.`},
	"KAV-003": {Alt: "Tmavě zelený sáček kávy se zlatým zvonkem, kávová zrna a šálek espressa",
		Description: `Čtyři díly arabiky a jeden díl robusty: husté tělo, pevná crema a chuť, která se v mléce neztratí.
Na dvojité espresso namelte 18 g; za 27 vteřin má být v šálku 36 g.
Zrnková nebo mletá 250 g, zrnková i 1 kg. Tuhle kávu vaříme i u nás v čajovně.`},
	"KAV-004": {Alt: "Světle modrý sáček kávy s kapkou vody a světle pražená zrna",
		Description: `Kofein odnesla jen čistá voda, chuť zůstala: mléčná čokoláda, oříšek a jemná sladkost.
Připravíte ji jakkoli, od překapávače po espresso, a klidně i pozdě večer.
Zrnková káva, sáček 250 g.`},
	"KAV-005": {Alt: "Nebělené papírové filtry a bílý překapávač s čerstvou kávou",
		Description: `Pevný nebělený papír, který se v mokru netrhá a kávě nedává pachuť.
Přehněte oba lisované švy, vložte filtr do překapávače a propláchněte ho horkou vodou.
Sto filtrů velikosti 2, na jeden až čtyři šálky. Překapávač není součástí balení.`},
	"KAV-006": {Alt: "Dřevěný mlýnek s klikou a šuplíkem, vedle něj kávová zrna",
		Description: `Bukový mlýnek s mosaznou násypkou a šuplíkem, jaký stával v každé kuchyni.
Hrubost nastavíte maticí pod klikou, od espressa po french press; najednou semele asi 30 g.
V krabici je mlýnek, štěteček a návod. Kameny nemyjte, stačí je vymést.`},
	"POR-001": {Alt: "Bílý hrnek s modrým zvonkem, ze kterého se kouří",
		Description: `Porcelánový hrnek se zvonkem naší čajovny; kreslí se od ruky, a tak žádné dva nejsou stejné.
Snese myčku i mikrovlnku a 300 ml stačí na poctivé ráno.
Jeden hrnek v barvě podle výběru, v papírové krabičce.`},
	"POR-002": {Alt: "Černá litinová konvice s obloukovým držadlem",
		Description: `Těžká litinová konvice, uvnitř smaltovaná; čaj v ní zůstane teplý skoro hodinu.
Předem ji vyhřejte horkou vodou, potom jen vypláchněte a osušte. Na plotnu ani do myčky nepatří.
V krabici je konvice s víčkem a vyjímatelné sítko, objem 0,8 litru.`},
	"POR-003": {Alt: "Nerezové sítko se zelenými lístky nad šálkem čaje",
		Description: `Hustá síťka zachytí i drobný rooibos a za dlouhou rukojeť se dobře drží.
Položte ho na šálek nebo konvici a slijte přes něj čaj; pak opláchněte, snese i myčku.
Jedno sítko z nerezové oceli, průměr 7 cm.`},
	"POR-004": {Alt: "Modrá keramická miska s našlehanou matchou",
		Description: `Ručně točená miska s modrou glazurou, která pokaždé steče jinak; sedne do obou dlaní.
Dvě bambusové odměrky čaje zalijte 70 ml vody o 80 °C a našlehejte metličkou.
Jedna miska o průměru 12 cm v krabičce. Myjte ji ručně.`},
	"POR-005": {Alt: "Bambusová metlička a mistička se zeleným práškem matcha",
		Description: `Vyřezaná z jediného kusu bambusu; jemné paprsky vyšlehají hustou pěnu.
Na minutu ji namočte, šlehejte ze zápěstí do písmene M, pak opláchněte a nechte uschnout.
Jedna metlička v ochranném pouzdře. Mistička ani čaj nejsou součástí balení.`},
	"POR-006": {Alt: "Bílá cukřenka s modrými květy a víčkem, vedle ní kostky cukru",
		Description: `Bílý porcelán s malovaným kvítím a víčkem, které sedí a nedrnčí.
Vejde se do ní čtvrt kila cukru, kostky i krystal; snese myčku.
Cukřenka s víčkem, objem 350 ml, v krabičce.`},
	"POR-007": {Alt: "Zelená plechová dóza se zvonky, její vnější víčko leží vedle",
		Description: `Vnitřní víčko těsní, vnější drží, a tak čaj nevyčichne ani za půl roku.
Vejde se do ní asi 100 g sypaného čaje; po umytí ji nechte dobře vyschnout.
Jedna prázdná dóza, výška 12 cm.`},
	Gift: {Alt: "Sklenice s vrstvami různých čajů, květů a bylin a se jmenovkou",
		Description: `Směs našeho domu: assam s pomerančovou kůrou a jasmínem, ve sklenici i na pohled.
Zabalíme ji jako dárek a na jmenovku vytiskneme, co nám napíšete.
Mícháme v den odeslání; ve sklenici najdete i návod k přípravě.`},
}
