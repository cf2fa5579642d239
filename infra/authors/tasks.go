package main

import (
	"embed"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
)

//go:embed tasks
var texts embed.FS

// common is what each text ends with.
const common = `
The platform is at {base}, its documentation at {base}/docs. The shop's storefront is at {storefront}.
Work in the folder that you are in, in any language. What has to keep running must still run when you are done.
`

// task is one: the name of its text and of its add-on, what the add-on may do, and how it is prepared and checked.
type task struct {
	name    string
	may     []string
	hourly  int                     // requests an hour; 0: as usual
	system  string                  // the path of the package's systemUrl; "": it has none, and is active at once
	prepare func(d *desk, g *given) // sets what else the text and the checker need; nil: nothing
	check   func(d *desk, g *given)
}

var tasks = []task{
	{name: "receiver", may: []string{"products:read", "products:write"}, check: checkReceiver},
	{name: "rotation", may: []string{"orders:read"}, prepare: withKey, check: checkRotation},
	{name: "stock", may: []string{"products:read", "products:write"}, prepare: withStock, check: checkStock},
	{name: "configurator", may: []string{"products:read", "quotes:write"}, check: checkQuote},
	{name: "import", may: []string{"customers:read", "customers:write"}, check: checkImport},
	{name: "limits", may: []string{"products:read", "products:write"}, hourly: 20, check: checkLimits},
	{name: "install", may: []string{"shop:read"}, system: "/eshop", prepare: withSystemKey, check: checkInstall},
	{name: "sync", may: []string{"products:read"}, hourly: 400, check: checkSync},
	{name: "banner", may: []string{"codes:read", "codes:write", "shop:read"}, check: checkBanner},
	{name: "prices", may: []string{"products:read", "products:write"}, prepare: withPrices, check: checkPrices},
}

// given is what an author is given of a task, and what its checker needs.
type given struct {
	Task, Folder, Text     string
	Token, Access, Package string
	Port                   int               // on 127.0.0.1, for a process of the author's
	Key                    string            // a signing key of the author's
	List                   string            // lines for the text
	Want                   map[string]string // what is to be, by codes of products
}

// at is an address of the author's process.
func (g *given) at(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", g.Port, path) }

// prepare makes an add-on of its own for a task on the demo shop, and writes its text.
func (d *desk) prepare(t task) *given {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	d.must(err)
	d.must(l.Close())
	g := &given{Task: t.name, Port: l.Addr().(*net.TCPAddr).Port, Want: map[string]string{}}
	offered := fields{"code": "author-" + t.name, "name": "Author: " + t.name, "instructions": "None.",
		"permissions": t.may}
	if t.system != "" {
		offered["systemUrl"] = g.at(t.system)
	}
	g.Package = d.call(d.Run.OperatorToken, "POST", "/operator/packages", offered)["id"].(string)
	access := fields{"packageId": g.Package, "active": t.system == ""}
	if t.hourly > 0 {
		access["hourlyLimit"] = t.hourly
	}
	made := d.call(d.Run.OperatorToken, "POST", d.accesses(), access)
	g.Access, g.Token = made["id"].(string), made["token"].(string)
	if t.prepare != nil {
		t.prepare(d, g)
	}
	text, err := texts.ReadFile("tasks/" + t.name + ".md")
	d.must(err)
	g.Text = strings.NewReplacer("{base}", d.Run.BaseURL, "{storefront}", d.Run.Demo.StorefrontURL, "{token}", g.Token,
		"{operator}", d.Run.OperatorToken, "{port}", strconv.Itoa(g.Port), "{key}", g.Key, "{list}", g.List,
	).Replace(string(text) + common)
	return g
}

// withKey gives the author a signing key that is in use.
func withKey(d *desk, g *given) {
	g.Key = d.call(g.Token, "POST", "/api-engine/webhook-signing-keys", nil)["key"].(string)
}

// withSystemKey gives the author the key of the package's own webhooks.
func withSystemKey(d *desk, g *given) {
	path := "/operator/packages/" + g.Package + "/system-keys"
	g.Key = d.call(d.Run.OperatorToken, "POST", path, nil)["key"].(string)
}

// withStock writes a warehouse's list that differs from the shop: products, variants, and a code that the shop does not
// know.
func withStock(d *desk, g *given) {
	g.List = "code;pieces\nOLD-900;4\n"
	goods := d.goods()
	for _, code := range slices.Sorted(maps.Keys(goods)) {
		if p := goods[code]; strings.HasPrefix(code, "CAJ-") && len(p.Variants) == 0 {
			g.Want[code] = strconv.Itoa(p.Stock.Quantity + 3)
			g.List += p.Code + ";" + g.Want[code] + "\n"
		}
	}
}

// withPrices writes a list of new prices with the versions that they were made for, and changes two of the products
// behind the list's back.
func withPrices(d *desk, g *given) {
	g.List = "code;version;new price\n"
	goods := d.goods()
	for i, code := range []string{"KAV-004", "KAV-005", "KAV-006", "POR-002", "POR-003", "POR-006"} {
		path := "/api-engine/products/" + goods[code].ID
		_, head := d.send(d.Run.Demo.Token, "GET", path, nil)
		g.Want[code] = fmt.Sprintf("%d.00", 1001+i)
		g.List += code + ";" + strings.Trim(head.Get("ETag"), `"`) + ";" + g.Want[code] + "\n"
		if i%3 == 1 {
			g.Want[code] = fmt.Sprintf("%d.00", 2001+i)
			d.call(d.Run.Demo.Token, "PATCH", path,
				fields{"priceLevels": []fields{{"level": "default", "price": g.Want[code]}}})
		}
	}
}
