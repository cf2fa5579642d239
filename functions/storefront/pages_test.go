package storefront

import (
	"bytes"
	"compress/gzip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/catalog/shelf"
	"eshop/shared/page"
	"eshop/shared/page/stylesheet"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// nodes are all elements of a page, in their order.
func nodes(t testing.TB, page string) (all []*html.Node) {
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// named is what a person who does not see the element is told of it.
func named(n *html.Node) string {
	if label := attr(n, "aria-label"); label != "" {
		return label
	}
	var b strings.Builder
	for d := range n.Descendants() {
		hidden := false
		for up := d; up != nil && up != n; up = up.Parent {
			hidden = hidden || attr(up, "aria-hidden") == "true"
		}
		if d.Type == html.TextNode && !hidden {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// eachPage runs a test of each page in each of its states, in each language.
func eachPage(t *testing.T, test func(t *testing.T, name, page string)) {
	s := newStand(t)
	s.fill()
	for _, locale := range locales {
		for _, x := range s.samples(locale) {
			name := languageOf(locale).Code() + " " + x.name
			t.Run(name, func(t *testing.T) { test(t, name, x.rendered(t)) })
		}
	}
}

func TestEveryPageIsSound(t *testing.T) {
	eachPage(t, func(t *testing.T, name, page string) {
		require.NotContains(t, page, "[[")
		require.NotContains(t, page, "ZgotmplZ")
		all := nodes(t, page)
		ids, labelled, headings := map[string]bool{}, map[string]bool{}, 0
		for _, n := range all {
			if id := attr(n, "id"); id != "" {
				require.False(t, ids[id], "the id %s twice", id)
				ids[id] = true
			}
			if n.Data == "h1" {
				headings++
			}
			if n.Data == "label" {
				labelled[attr(n, "for")] = true
			}
		}
		require.Equal(t, 1, headings)
		navs := map[string]bool{}
		for _, n := range all {
			if n.Data != "nav" {
				continue
			}
			name := attr(n, "aria-label")
			for _, by := range all {
				if id := attr(by, "id"); id != "" && id == attr(n, "aria-labelledby") {
					name = named(by)
				}
			}
			require.NotEmpty(t, name)
			require.False(t, navs[name], "two places to go on from are called %s", name)
			navs[name] = true
		}
		for _, n := range all {
			for _, ref := range []string{"for", "aria-describedby", "aria-labelledby"} {
				for id := range strings.FieldsSeq(attr(n, ref)) {
					require.True(t, ids[id], "%s of nothing: %s", ref, id)
				}
			}
			if to, inside := strings.CutPrefix(attr(n, "href"), "#"); inside {
				require.True(t, ids[to], "a link to nothing: #%s", to)
			}
			if n.Data == "a" || n.Data == "button" {
				require.False(t, has(n, "aria-label"), "what is to be seen is its name, so that a voice can say it")
			}
			switch n.Data {
			case "html":
				require.Equal(t, name[:2], attr(n, "lang"))
			case "input", "select", "textarea":
				within := n.Parent.Data == "label" && named(n.Parent) != ""
				require.True(t, attr(n, "type") == "hidden" || labelled[attr(n, "id")] || within,
					"no label: %s", attr(n, "name"))
			case "button", "a", "summary", "legend", "label", "option", "h1", "h2", "th", "dt":
				require.NotEmpty(t, named(n), "%s says nothing", n.Data)
			case "img":
				require.True(t, has(n, "alt"))
			case "form":
				searches := attr(n, "action") == "/search" || attr(n, "class") == "sift"
				require.Equal(t, map[bool]string{true: "", false: "post"}[searches], attr(n, "method"))
			}
		}
	})
}

func TestFaultsStandBesideTheirFieldsAndTypedValuesStay(t *testing.T) {
	s := newStand(t)
	s.fill()
	for _, x := range s.samples("cs_CZ") {
		if !strings.HasSuffix(x.name, "-faults") {
			continue
		}
		page := x.rendered(t)
		invalid := 0
		for _, n := range nodes(t, page) {
			if attr(n, "aria-invalid") != "true" {
				continue
			}
			invalid++
			require.Contains(t, attr(n, "aria-describedby"), attr(n, "id")+"-fault")
			require.Contains(t, page, `href="#`+attr(n, "id")+`"`, "the summary leads to the field")
			require.True(t, attr(n, "type") != "password" || attr(n, "value") == "")
		}
		require.GreaterOrEqual(t, invalid, 4, x.name)
		require.Contains(t, page, `value="jana@"`)
	}
}

// joined is the one style sheet of the pages.
var joined = string(stylesheet.With(css))

func TestPagesAreSmall(t *testing.T) {
	eachPage(t, func(t *testing.T, _, page string) {
		var b bytes.Buffer
		for _, file := range []string{page, joined} {
			w := gzip.NewWriter(&b)
			_, _ = w.Write([]byte(file))
			require.NoError(t, w.Close())
		}
		require.LessOrEqual(t, b.Len(), 30<<10, "the frontend's script has the rest of 50 KB")
	})
}

func TestNothingIsLoadedFromElsewhereButPictures(t *testing.T) {
	for _, u := range regexp.MustCompile(`url\("?[^")]{0,5}`).FindAllString(joined, -1) {
		require.Equal(t, `url("data:`, u)
	}
	require.NotContains(t, joined, "@import")
	eachPage(t, func(t *testing.T, _, page string) {
		require.Contains(t, page, `<link rel="icon" href="data:`, "browsers ask for /favicon.ico")
		for _, n := range nodes(t, page) {
			src := attr(n, "src")
			if n.Data == "link" && attr(n, "rel") == "stylesheet" {
				src = attr(n, "href")
			}
			outside := strings.Contains(src, "//")
			require.True(t, !outside || n.Data == "img", "%s loads %s", n.Data, src)
		}
	})
}

// hostiles are texts that would break out of wherever they are put.
var hostiles = []string{`"><script>alert(1)</script>`, `' onmouseover='alert(1)`,
	`</title></textarea></style><img src=x onerror=alert(1)>`,
	`javascript:alert(1)`, "`${alert(1)}`", `--><svg onload=alert(1)>`, `{{.}}&lt;b&gt;`, gap}

// spoil is a copy of plain data with that text as every text in it. What is HTML already stays.
func spoil(v reflect.Value, text string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			out.SetString(text)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			out.Index(i).Set(spoil(v.Index(i), text))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type != reflect.TypeFor[Setting]() {
				out.Field(i).Set(spoil(v.Field(i), text))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(spoil(v.Elem(), text))
		}
	}
	return out
}

// shape is a page's elements, and their attributes by name.
func shape(t testing.TB, page string) (all []string) {
	for _, n := range nodes(t, page) {
		names := []string{n.Data}
		for _, a := range n.Attr {
			names = append(names, a.Key)
			value := strings.ToLower(strings.TrimSpace(a.Val))
			if slices.Contains([]string{"href", "src", "action", "formaction"}, a.Key) {
				require.False(t, strings.HasPrefix(value, "javascript:"), "%s of %s", a.Key, n.Data)
			}
		}
		all = append(all, strings.Join(names, " "))
	}
	return all
}

func TestHostileTextsAreTextsEverywhere(t *testing.T) {
	s := newStand(t)
	s.fill()
	for _, x := range s.samples("cs_CZ") {
		t.Run(x.name, func(t *testing.T) {
			x.data.layout().Content = ""
			calm := x
			calm.data = spoil(reflect.ValueOf(x.data), "calm").Interface().(content)
			want := shape(t, calm.rendered(t))
			for _, text := range hostiles {
				bad := x
				bad.data = spoil(reflect.ValueOf(x.data), text).Interface().(content)
				require.Equal(t, want, shape(t, bad.rendered(t)), text)
			}
		})
	}
	pieces := map[string]any{"card": Card{Picture{"u", "a", "s", "t"}, "n", "p", "1", true},
		"nav": Menu{More: true, Links: []MenuLink{{page.Link{Text: "t", Path: "p", Current: true},
			[]page.Link{{Text: "t", Path: "p"}}}}},
		"tree":  []*shelf.MenuEntry{{Name: "n", Slug: "s", Children: []*shelf.MenuEntry{{Name: "n", Slug: "s"}}}},
		"foot":  []page.Link{{Text: "t", Path: "p", Current: true}},
		"roots": []RootCategory{{page.Link{Text: "t", Path: "p", Current: true}, "t"}}}
	for name, data := range pieces {
		made := func(text string) []string {
			return shape(t, string(testPages.make(czech, name, spoil(reflect.ValueOf(data), text).Interface())))
		}
		want := made("calm")
		for _, text := range hostiles {
			require.Equal(t, want, made(text), name+": "+text)
		}
	}
}

func TestHostileProductsAreTextsEverywhere(t *testing.T) {
	s := newStand(t)
	for _, text := range hostiles {
		room := s.category(text, "")
		w := s.product(func(p *catalog.ProductNew) {
			p.Name, p.ShortDescription, p.Description, p.Manufacturer, p.EAN = field.Name(text), field.Text(text),
				field.Text(text), field.Line(text), field.Line(text)
			p.CategoryIDs, p.Stock.Availability = []string{room}, field.Line(text)
			p.Images = []catalog.Image{{URL: "https://img.example/?%22%3E%3Cscript%3E'", Alt: field.Line(text)}}
		}, text)
		v := s.visit("cs_CZ")
		newest, err := s.shelf.Newest(t.Context(), "shop")
		require.NoError(t, err)
		for name, p := range map[string]content{"home": v.home(newest), "product": v.product(w, newest, page.Sent{}),
			"category": v.category(v.Menu.Entry(room), &foundProducts{count: 1, products: newest.Products})} {
			rendered := sample{name, p}.rendered(t)
			for _, n := range nodes(t, rendered) {
				for _, a := range n.Attr {
					require.False(t, strings.HasPrefix(a.Key, "on"), "%s: %s of %s", name, a.Key, n.Data)
				}
				if n.Data == "script" && n.FirstChild != nil {
					require.NotContains(t, strings.ReplaceAll(n.FirstChild.Data, `\u003c`, ""), "<")
				}
				require.NotContains(t, []string{"svg onload", "iframe"}, n.Data)
			}
			require.Equal(t, strings.Count(rendered, "<script"), strings.Count(rendered, "</script>"))
		}
	}
}

func TestAPictureIsAWebAddressOrATile(t *testing.T) {
	for _, odd := range []string{"", "javascript:alert(1)", "data:image/svg+xml,x", "//img.example/a",
		"/a.jpg", "ftp://a/b"} {
		require.Equal(t, Picture{Letters: "ČN"}, pictureOf("čaj na noc", catalog.Image{URL: odd}), odd)
	}
	require.Equal(t, Picture{URL: "https://img.example/a", Letters: "Č"},
		pictureOf("Čaj", catalog.Image{URL: "https://img.example/a"}), "the tile is behind what may not be there")
	for name, letters := range map[string]string{"Darjeeling First Flush": "DF", "100 g čaje": "1G", "– Čaj": "Č",
		"(čaj)": "Č", "": "·", "<b>tea": "BT", "★": "·"} {
		require.Equal(t, letters, initials(name), name)
	}
}

func TestAmountsDatesAndNumbersAreWrittenAsPeopleDo(t *testing.T) {
	for want, m := range map[string]field.Money{"1 234,50 Kč": 123450, "119 Kč": 11900, "0 Kč": 0, "0,05 Kč": 5,
		"9 999 999 999,99 Kč": 999999999999, "−123,45 Kč": -12345, "−1 000 Kč": -100000} {
		require.Equal(t, want, strings.ReplaceAll(money(m, "CZK"), nbsp, " "))
	}
	require.Equal(t, "12,90"+nbsp+"€", money(1290, "EUR"))
	require.Equal(t, "1"+nbsp+"000,00"+nbsp+"€", money(100000, "EUR"))
	for n, want := range map[int64][2]string{0: {"0 kusů", "0 kusov"}, 1: {"1 kus", "1 kus"}, 2: {"2 kusy", "2 kusy"},
		4: {"4 kusy", "4 kusy"},
		5: {"5 kusů", "5 kusov"}, 22: {"22 kusů", "22 kusov"}, 1001: {"1 001 kusů", "1 001 kusov"}} {
		for _, l := range []language{czech, slovak} {
			require.Equal(t, want[l.Language], strings.ReplaceAll(l.pieces(n), nbsp, " "))
		}
	}
	at := field.Time(1795476600000).Go() // 2026-11-23T23:30:00Z is the next day there
	require.Equal(t, "24. listopadu 2026", strings.ReplaceAll(czech.Date(at), nbsp, " "))
	require.Equal(t, "24. novembra 2026", strings.ReplaceAll(slovak.Date(at), nbsp, " "))
}

func TestAKeptPageOfAProductIsOfItsVersionLevelAndMenu(t *testing.T) {
	s := newStand(t)
	room := s.category("Tea", "")
	w := s.product(func(p *catalog.ProductNew) {
		p.CategoryIDs = []string{room}
		p.PriceLevels = append(p.PriceLevels, catalog.Price{Level: "gold", Price: 9900})
	})
	show := func(v Setting) string { return sample{"", v.product(w, &shelf.List{}, page.Sent{})}.rendered(t) }
	v := s.visit("cs_CZ")
	v.Pages = NewPages(func(name string) string { return name })
	first := show(v)
	require.Equal(t, first, show(v))
	require.Contains(t, first, "129"+nbsp+"Kč")
	require.Contains(t, first, ">Tea</a>")
	gold := v
	gold.Level = "gold"
	require.Contains(t, show(gold), "99"+nbsp+"Kč")
	s.category("Coffee", "")
	v.Menu, _ = s.shelf.Menu(t.Context(), "shop")
	require.Contains(t, show(v), ">Coffee</a>")
	v.Shop.Name = "Renamed"
	require.Contains(t, show(v), "<title>Product | Renamed</title>")
	busy := v
	busy.Pieces = 0
	require.Contains(t, show(busy), `data-cart-count></span>`, "what is the visitor's own is never kept")
	require.NotContains(t, show(v), `data-cart-count></span>`)
}

func TestWhatIsKeptIsInNoOtherPage(t *testing.T) {
	s := newStand(t)
	s.fill()
	kept := NewPages(func(name string) string { return name })
	show := func(v Setting, pages *Pages) string {
		v.Pages = pages
		return sample{"", v.home(&shelf.List{})}.rendered(t)
	}
	v := s.visit("cs_CZ")
	first := show(v, kept)
	for name, change := range map[string]func(*Setting){
		"name":      func(v *Setting) { v.Shop.Name = "Another" },
		"language":  func(v *Setting) { v.Shop.Locale = "sk_SK" },
		"menu":      func(v *Setting) { v.Menu = nil },
		"website":   func(v *Setting) { v.Website = "https://another.example" },
		"path":      func(v *Setting) { v.Path = "/another" },
		"basket":    func(v *Setting) { v.Pieces += 5 },
		"total":     func(v *Setting) { v.Total += 100 },
		"empty":     func(v *Setting) { v.Pieces = 0 },
		"signed in": func(v *Setting) { v.SignedIn = !v.SignedIn },
		"person":    func(v *Setting) { v.Name += "na" },
		"consent":   func(v *Setting) { v.AskConsent = !v.AskConsent },
		"state":     func(v *Setting) { v.State += "another" },
		"accent":    func(v *Setting) { v.Shop.Look.Accent = "#123456" },
		"pages":     func(v *Setting) { v.Shop.Look.Pages = []string{"terms"} },
		"logo": func(v *Setting) {
			v.Shop.Look.Logo.URL = "https://x.example/images/01KAJ1V4S7TGXSAKB4YV5Q2D3E-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		},
		"codes": func(v *Setting) { v.Codes.Head += "another"; v.Codes.BodyEnd = "" },
	} {
		t.Run(name, func(t *testing.T) {
			other := v
			change(&other)
			fresh := show(other, NewPages(func(name string) string { return name }))
			require.NotEqual(t, first, fresh)
			require.Equal(t, fresh, show(other, kept))
			require.Equal(t, first, show(v, kept))
		})
	}
}

func TestNoOutlineOfAnAddressThatIsTheVisitorsOwnIsKept(t *testing.T) {
	s := newStand(t)
	v := s.visit("cs_CZ")
	v.Pages, v.Path = NewPages(func(name string) string { return name }), "/order/secret"
	p := v.refused(404)
	sample{"", p}.rendered(t)
	_, has := v.Pages.outlines.Get(outlineKey{v.lang(), p.Outline})
	require.False(t, has)
}

// TestColoursAreReadable holds the pairs of colours that texts are written in against WCAG 2.2 AA, in both schemes.
func TestColoursAreReadable(t *testing.T) {
	light, dark, found := strings.Cut(joined, "(prefers-color-scheme:dark)")
	require.True(t, found)
	for scheme, papers := range map[string][]rgb{light: lightPapers, dark: darkPapers} {
		colours := map[string]rgb{"light": hex("#d9e2dc")}
		for _, m := range regexp.MustCompile(`--([\w-]+):#([0-9a-f]{3,6})\b`).FindAllStringSubmatch(scheme, -1) {
			if _, again := colours[m[1]]; again && m[1] != "focus" { // its first one is the scheme's
				continue
			}
			if len(m[2]) == 3 {
				m[2] = regexp.MustCompile(`.`).ReplaceAllString(m[2], "$0$0")
			}
			colours[m[1]] = hex("#" + m[2])
		}
		require.Equal(t, papers, []rgb{colours["soft"], colours["card"]}, "a shop's own colour is held against these")
		for _, pair := range []string{"ink paper", "ink card", "ink soft", "dim paper", "dim card", "dim soft",
			"accent paper", "accent card", "bad paper", "bad card", "bad bad-soft", "good paper", "good card",
			"good good-soft", "warn warn-soft", "ink bad-soft", "ink good-soft", "ink warn-soft", "card accent",
			"card deep", "card bad", "mid dawn", "mid paper", "light foot", "ink dawn"} {
			on, under, _ := strings.Cut(pair, " ")
			require.GreaterOrEqual(t, contrast(colours[on], colours[under]), readable, pair)
		}
		for _, pair := range []string{"edge card", "edge paper", "bad paper", "accent card"} {
			on, under, _ := strings.Cut(pair, " ")
			require.GreaterOrEqual(t, contrast(colours[on], colours[under]), 3.0, pair)
		}
	}
}

// code is this package's own, whose texts are named in quotes.
func TestProblemsAreSaidInWords(t *testing.T) {
	more := func(key string, value any) map[string]any { return map[string]any{key: value} }
	for want, p := range map[string]problem.Problem{
		"E-mail nebo heslo nesouhlasí.": {Code: "sign_in_failed"},
		"Platnost slevového kódu už skončila.": {Code: "coupon_invalid",
			More: more("reason", sale.CouponExpired)},
		"Tento slevový kód ještě neplatí.": {Code: "coupon_invalid",
			More: more("reason", sale.CouponNotYetValid)},
		"Takový slevový kód neznáme.": {Code: "coupon_invalid"},
		"Tolik kusů už bohužel nemáme. Skladem zbývá: 2\u00a0kusy.": {Code: "insufficient_stock",
			More: more("available", int64(2))},
		"V košíku už není místo na další položku": {Code: "invalid",
			Errors: []problem.Fault{{Location: "body", Code: problem.TooMany}}},
		"Požadavek nemůžeme zpracovat. Vraťte se prosím a zkuste to znovu.": {Code: "unheard_of"},
	} {
		require.Equal(t, want, czech.notice(&p))
	}
	require.Equal(t, map[int]string{2: "To se teď neprodává"}, czech.lineFaults([]problem.Fault{
		{Location: "body.items[2].productId", Code: problem.Inactive},
		{Location: "body.items[2]", Code: problem.TooBig},
		{Location: "body.email", Code: problem.Required}, {Location: "body.items[x]", Code: problem.Required}}))
	require.Equal(t, "Zadejte 10 až 200 znaků", czech.faultIn("password", string(problem.BadFormat)))
}

func TestAFaultStandsBesideItsLine(t *testing.T) {
	of := func(p problem.Problem) (faults []string) {
		b := sale.Basket{Items: []sale.BasketLine{{ProductID: "P1"}, {ProductID: "P2", VariantID: "V1"},
			{ProductID: "P2", VariantID: "V2"}}}
		form := CheckoutPage{Lines: make([]Line, len(b.Items))}
		form.blame(czech, &b, &p)
		for _, line := range form.Lines {
			faults = append(faults, line.Fault)
		}
		return faults
	}
	little := "Tolik kusů už bohužel nemáme. Skladem zbývá: 2\u00a0kusy."
	require.Equal(t, []string{"", "", "To se teď neprodává"}, of(problem.Problem{Errors: []problem.Fault{
		{Location: "body.items[2].productId", Code: problem.Inactive},
		{Location: "body.items[3]", Code: problem.Inactive}}}))
	require.Equal(t, []string{"", "", little}, of(problem.Problem{Code: "insufficient_stock",
		More: map[string]any{"productId": "P2", "variantId": "V2", "available": int64(2)}}))
	require.Equal(t, []string{little, "", ""}, of(problem.Problem{Code: "insufficient_stock",
		More: map[string]any{"productId": "P1", "available": int64(2)}}))
}

// TestVariantsOfSeveralParametersAreChosenByEach: an address shows each variant, what no variant is leads nowhere, and
// what is bought is what is shown.
func TestVariantsOfSeveralParametersAreChosenByEach(t *testing.T) {
	w := open(t)
	variant := func(code, milled, weight, price string, pieces int) object {
		return object{"code": code, "stock": object{"quantity": pieces}, "priceLevels": levels(price),
			"parameters": []any{object{"name": "Mletí", "value": milled}, object{"name": "Balení", "value": weight}}}
	}
	coffee := w.product("KAVA", "1.00", object{"variants": []any{variant("A", "zrnková", "250 g", "219.00", 9),
		variant("B", "mletá", "250 g", "229.00", 0), variant("C", "zrnková", "1 kg", "769.00", 3)}})
	is := w.As(w.tokens[tea], "GET", "/api-engine/products/"+coffee, nil)
	id := func(n string) string { return is.Get("variants." + n + ".id") }
	b := w.visitor()
	shows := func(path, price, stock, variant string, more ...string) string {
		t.Helper()
		text := w.shown(b.Page(path), 200).Text
		for _, says := range append(more, `<b data-price>`+price+`</b>`, stock,
			`<input type="hidden" name="variantId" value="`+variant+`">`) {
			require.Contains(t, text, says)
		}
		require.NotContains(t, text, `type="radio"`)
		require.Contains(t, text, `rel="canonical" href="https://`+tea+`/product-kava"`, "search engines know one page")
		return text
	}
	link := func(n, attributes, text string) string {
		return `href="/product-kava?variantId=` + id(n) + `" rel="nofollow"` + attributes + `>` + text + `</a>`
	}
	first := shows("/product-kava", "219"+nbsp+"Kč", "Skladem", id("0"), link("0", ` aria-current="true"`, "zrnková"),
		link("1", ` class="off"`, "mletá"), link("2", "", "1 kg"))
	require.NotContains(t, first, ">od"+nbsp, "the price is that of the chosen one")
	require.Contains(t, w.shown(b.Page("/"), 200).Text, "od"+nbsp+"219"+nbsp+"Kč")
	shows("/product-kava?variantId="+id("2"), "769"+nbsp+"Kč", "3"+nbsp+"kusy", id("2"), `class="off">mletá`,
		link("2", ` aria-current="true"`, "1 kg"))
	gone := shows("/product-kava?variantId="+id("1"), "229"+nbsp+"Kč", "Není skladem", id("1"), `class="off">1 kg`)
	require.NotContains(t, gone, "Přidat do košíku")
	shows("/product-kava?variantId=none", "219"+nbsp+"Kč", "Skladem", id("0"))

	w.addon(tea, "PATCH", "/api-engine/products/"+coffee+"/variants/"+id("1"), object{"parameters": []any{}})
	require.Contains(t, w.shown(b.Page("/product-kava"), 200).Text, `type="radio"`, "they are one list where some lack one")
}
