package admin

import (
	"regexp"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/record/field"
)

// pricesPath is where the prices of many products are set.
const pricesPath = root + "/prices"

// prices is the page on which the prices of many products are set at once, at the default level. By `percent` and
// `rounding` of its query it shows what they would become; saving the form is what changes them. A variant without a
// price of its own has its product's.
var prices = many{path: pricesPath, of: "price", name: "prices", perPage: 50, set: setPrices, head: pricesHead,
	query: []api.Param{{Name: "percent", Most: 20},
		{Name: "rounding", Most: 10, Pattern: `^(0\.10|1|10|\.90|9)$`, Must: "one of the roundings"}},
	rows: func(v *visit, f *page.Filler, p catalog.Product, of *manyData) (rows []manyRow) {
		rows = append(rows, v.priceRow(f, of, rowOf(p, nil), p.ID, p.PriceLevels))
		price, _ := catalog.PriceAt(p.PriceLevels, catalog.DefaultLevel)
		for _, x := range p.Variants {
			row := rowOf(p, &x)
			row.Empty = v.lang.Decimal(price)
			rows = append(rows, v.priceRow(f, of, row, p.ID+"."+x.ID, x.PriceLevels))
		}
		return rows
	}}

// roundings are the ways of rounding that people choose from, and their names in the query: none, to a dime, to one, to
// ten, to .90, and to a 9 at the end.
var roundings = []struct {
	name string
	catalog.Rounding
}{{"", catalog.Rounding{Step: 1}}, {"0.10", catalog.Rounding{Step: 10}}, {"1", catalog.Rounding{Step: 100}},
	{"10", catalog.Rounding{Step: 1_000}}, {".90", catalog.Rounding{Step: 100, End: 90}},
	{"9", catalog.Rounding{Step: 1_000, End: 900}}}

// The percentages that a price can be changed by, in hundredths.
const leastPercent, mostPercent = -99_99, 1_000_00

// percentage is a percentage as people type it.
var percentage = regexp.MustCompile(`^([+-]?)(\d{1,4})(?:\.(\d{1,2}))?$`)

// percentOf reads a percentage; false where it is none, or too much.
func percentOf(text string) (catalog.Percent, bool) {
	text = strings.TrimSuffix(strings.NewReplacer(" ", "", page.NBSP, "", "−", "-", ",", ".").Replace(text), "%")
	parts := percentage.FindStringSubmatch(text)
	if parts == nil {
		return 0, text == ""
	}
	n, err := strconv.ParseInt(parts[1]+parts[2]+(parts[3] + "00")[:2], 10, 64)
	return catalog.Percent(n), err == nil && leastPercent <= n && n <= mostPercent
}

// pricesHead has the fields by which all prices of the page are changed, and reckons what they would become.
func pricesHead(c *api.Call, v *visit, data *manyData) {
	query := c.Asked()
	by, is := percentOf(query.Get("percent"))
	sent := page.Sent{Values: query}
	if !is {
		data.bad = true
		sent.Faults = []problem.Fault{{Location: "body.percent", Code: problem.BadFormat}}
	}
	f := v.filler(sent)
	percent := f.Named("percent", "prices.percent", "off").Hinted(v.say("prices.percentIs")).Depending()
	percent.Max = 20
	rounding := f.Named("rounding", "prices.rounding", "off").Depending()
	for _, r := range roundings {
		rounding.Options = append(rounding.Options,
			page.Option{Value: r.name, Text: v.say("prices.rounding." + r.name), Chosen: r.name == rounding.Value})
		if r.name == rounding.Value && is && (by != 0 || r.name != "") {
			data.reckon = func(m field.Money) field.Money { return r.Changed(m, by) }
		}
	}
	data.Change = []page.Field{percent, rounding}
	if data.Previews = data.reckon != nil; data.Previews {
		data.About = v.say("prices.previewIs")
		// Saved, a preview goes on to the next page's, or ends: shown again it would propose the same change once more.
		data.Back = without(pricesPath, query, "percent", "rounding")
	}
}

// priceRow is the row with the price at the default level, or with what that would become.
func (v *visit) priceRow(filler *page.Filler, of *manyData, row manyRow, name string, levels []catalog.Price) manyRow {
	name = "price." + name
	kept := ""
	if price, own := catalog.PriceAt(levels, catalog.DefaultLevel); own {
		kept, row.Now = price.String(), v.money(price)
		if of.Previews && !filler.Values.Has(name) {
			next := of.reckon(price)
			filler.Values.Set(name, next.String())
			if row.Changes = next != price; row.Changes {
				of.Changes++
			}
		}
	}
	row.Field = filler.Amount(valued(filler, name, v.say("prices.price")+": "+row.Name, kept))
	row.Field.Required = row.Empty == ""
	return row
}

// moneyPattern matches an amount.
var moneyPattern = regexp.MustCompile(field.MoneyPattern)

// amountOf is an amount as it was typed; false where it is none.
func amountOf(text string) (m field.Money, is bool) {
	text = field.NormalizeAmount(text)
	if !moneyPattern.MatchString(text) {
		return 0, false
	}
	return m, m.UnmarshalJSON([]byte(strconv.Quote(text))) == nil
}

// setPrices sets the prices as they were typed, each if it is still the one that the page has shown.
func setPrices(d door, c *api.Call, how catalog.Batch, all []typed) ([]catalog.Result, error) {
	var faults problem.Faults
	form := c.Form()
	edits := make(catalog.PriceEdits, len(all))
	for i, one := range all {
		edits[i] = catalog.PriceEdit{Product: one.product, Variant: one.variant}
		switch m, is := amountOf(one.text); {
		case is:
			edits[i].Price = &m
		case one.text != "":
			faults.Add(one.name, problem.BadFormat, "must be an amount")
		case one.variant == "":
			faults.Add(one.name, problem.Required, "is missing")
		}
		if shown, has := form["_shown."+one.name]; has {
			edits[i].Shown.Sent = true
			if m, is := amountOf(shown[0]); is {
				edits[i].Shown.Value = &m
			}
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return catalog.EditMany(c, d.Catalog(), c.Unit(), how, edits)
}
