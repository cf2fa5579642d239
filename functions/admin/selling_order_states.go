package admin

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// statesPath is where the order states are.
const statesPath = root + "/order-states"

// allStates are the collection as the API has it.
var allStates = api.Records[sale.OrderState, sale.OrderStateFields]{Kind: sale.OrderStates,
	Marked: api.Param{Name: "includeDeleted", Flag: true, Doc: "Whether deleted states are shown, too"}}

// statePages is the states that orders go through.
var statePages = recordPages[sale.OrderState, sale.OrderStateFields]{
	records: allStates,
	path:    statesPath, many: "orderStates", one: "orderState",
	list: statesByPosition,
	head: func(v *visit, t *table) {
		// Deleted states are shown on request.
		toggle := link{Text: v.say("orderState.showDeleted"), Path: statesPath + "?" + allStates.Marked.Name + "=true"}
		if v.query.Get(allStates.Marked.Name) == "true" {
			toggle = link{Text: v.say("orderState.hideDeleted"), Path: statesPath}
		}
		t.About, t.Links = v.say("orderState.listIs"), append(t.Links, toggle)
	},
	columns: []column{{Text: "name"}, {Text: "orderState.position", Right: true}, {Text: "orderState.kind"},
		{Text: "changed"}},
	row: func(v *visit, s sale.OrderState) row {
		shown := row{ID: s.ID, State: "active", Cells: []cell{{Text: string(s.Name), Path: statesPath + "/" + s.ID,
			Color: s.Color.Shown()}, {Text: v.lang.Number(s.Position)}, {}, {Text: v.moment(s.Changed)}}}
		if s.Final {
			shown.Cells[2].Text = v.say("orderState.isFinal")
		}
		if s.Deleted {
			shown.State, shown.Cells[2].State.Name = "inactive", v.say("orderState.deleted")
		}
		return shown
	},
	first: url.Values{"color": {"#6b7280"}},
	values: func(s sale.OrderState) url.Values {
		return url.Values{"name": {string(s.Name)}, "color": {string(s.Color)},
			"position": {strconv.FormatInt(s.Position, 10)}, "final": {strconv.FormatBool(s.Final)}}
	},
	fields: func(v *visit, sheet *sheet, _ string, filler *page.Filler) {
		shade := filler.Named("color", "orderState.color", "off").Halved()
		position := filler.Named("position", "orderState.position", "off").Halved()
		position.Mode, position.Max = "numeric", 12
		if field.Color(shade.Value).Shown() != "" {
			// A browser's colour field shows black for whatever is not #rrggbb, and would save it. Other colours are
			// shown as the text that they are.
			shade.Type = "color"
		} else {
			shade = shade.Hinted(v.say("orderState.colorIs"))
		}
		sheet.Fields = []page.Field{filler.Field("name", "off", page.Must), shade,
			position.Hinted(v.say("orderState.positionIs")), filler.Box("final", "orderState.final")}
	},
	show: func(v *visit, p *sheet, s sale.OrderState) {
		p.title = string(s.Name)
		p.Links = []link{{Text: v.say("orderState.orders"), Path: ordersPath + "?stateId=" + s.ID}}
		if s.Returns() {
			p.Aside = v.say("orderState.returns")
		}
		if s.DeletedAt != nil {
			p.State, p.Warning = "inactive",
				v.say("orderState.goneSince")+" "+v.moment(*s.DeletedAt)+". "+v.say("orderState.goneIs")
		}
	},
}

// statesByPosition has all states on one page by their position, unless the API's order or another size is asked for.
func statesByPosition(c *api.Call, in *api.List) (*api.Collection[sale.OrderState], error) {
	if c.Asked().Get("itemsPerPage") == "" {
		// 250 is the API's largest page. Where there are more states, each page is sorted by itself.
		in.ItemsPerPage = 250
	}
	all, err := allStates.List(c, in)
	if err == nil && in.Order == "" {
		// The API's order is that of changes. People see the states in the order of an order's way through them.
		slices.SortStableFunc(all.Body.Items,
			func(a, b sale.OrderState) int { return cmp.Compare(a.Position, b.Position) })
	}
	return all, err
}
