package admin

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"

	"eshop/shared/api"
	"eshop/shared/field"
	"eshop/shared/page"
	"eshop/shared/sale"
)

const statesPath = root + "/order-states"

// allStates are the collection as the API has it.
var allStates = api.Records[sale.OrderState, sale.OrderStateFields]{Kind: sale.OrderStates,
	Marked: api.Flag{Name: "includeDeleted", Doc: "Shows deleted ones, too"}}

// orderStates registers the order states: their list, a new one, one of them, and what is done there.
func (d door) orderStates() {
	lookAt(d, statesPath, allStates.Query(), d.listStates)
	look(d, statesPath+"/new", func(ctx context.Context, v *visit, _ *nothing) (screen, error) {
		return newState(ctx, v, page.Sent{})
	})
	look(d, statesPath+"/{id}", d.showState)
	act(d, statesPath, d.createState, newState)
	act(d, statesPath+"/{id}", d.changeState, d.stateRefused)
	act(d, statesPath+"/{id}/delete", d.deleteState, d.stateStays)
}

// stateList is the list. Deleted says that it has the deleted ones, too.
type stateList struct {
	list
	Deleted bool
}

// stateRow is an order state in the list.
type stateRow struct {
	ID, Position, Changed string
	Tag                   stateTag
	Final, Deleted        bool
}

// listStates shows all states on one page by their position, unless the API's order or another size is asked for.
func (d door) listStates(ctx context.Context, v *visit, in *api.List) (screen, error) {
	q := query(ctx)
	if q.Get("itemsPerPage") == "" {
		in.ItemsPerPage = 250
	}
	all, err := allStates.List(ctx, in)
	if err != nil {
		return screen{}, err
	}
	states := all.Body.Items
	if in.Order == "" {
		slices.SortStableFunc(states, func(a, b sale.OrderState) int { return cmp.Compare(a.Position, b.Position) })
	}
	data := stateList{Deleted: q.Get(allStates.Marked.Name) == "true"}
	data.list = listed(v, q, statesPath, states, all.Body.NextCursor, nil, func(s sale.OrderState) stateRow {
		return stateRow{ID: s.ID, Position: v.lang.Number(s.Position), Changed: v.moment(s.Changed),
			Tag:   tagOf(states, s.ID),
			Final: s.Final, Deleted: s.Deleted}
	})
	return screen{name: "order-states", title: v.say("orderStates"), data: data}, nil
}

// orderStateForm is the form of an order state, of a deleted one only what it was.
type orderStateForm struct {
	page.Form
	Fields  []page.Field
	ID      string // "" of a new one
	Tag     stateTag
	Gone    string // since when it is deleted; "": it is not
	Returns bool   // moving an order into it puts its stock back
}

func (v *visit) stateFields(s page.Sent) (page.Form, []page.Field) {
	f := v.filler(s)
	shade := f.Named("color", "orderState.color", "off").Halved()
	position := f.Named("position", "orderState.position", "off").Halved()
	position.Mode, position.Max = "numeric", 12
	if field.Color(shade.Value).Shown() != "" {
		shade.Type = "color"
	} else {
		shade = shade.Hinted(v.say("orderState.colorIs"))
	}
	fields := []page.Field{f.Field("name", "off", page.Must), shade,
		position.Hinted(v.say("orderState.positionIs")), f.Box("final", "orderState.final")}
	return f.Done(), fields
}

// firstColor is that of a new state, until another one is chosen.
const firstColor = "#6b7280"

func newState(_ context.Context, v *visit, s page.Sent) (screen, error) {
	if s.Values == nil {
		s.Values = url.Values{"color": {firstColor}}
	}
	form, fields := v.stateFields(s)
	return screen{name: "order-state-form", title: v.say("orderState.new"), above: v.above("orderStates", statesPath),
		data: orderStateForm{Form: form, Fields: fields}}, nil
}

func (d door) showState(ctx context.Context, v *visit, in *api.ByID) (screen, error) {
	return d.stateScreen(ctx, v, in.ID, page.Sent{})
}

// stateRefused is the form of a state with what was sent.
func (d door) stateRefused(ctx context.Context, v *visit, s page.Sent) (screen, error) {
	return d.stateScreen(ctx, v, api.From(ctx).PathValue("id"), s)
}

// stateStays is the state that was not deleted, as it is, and why.
func (d door) stateStays(ctx context.Context, v *visit, s page.Sent) (screen, error) {
	s.Values = nil
	return d.stateRefused(ctx, v, s)
}

func (d door) stateScreen(ctx context.Context, v *visit, id string, s page.Sent) (screen, error) {
	state, err := sale.OrderStates.Read(ctx, d.Main, v.shop.ID, id)
	if err != nil {
		return screen{}, err
	}
	s = s.Or(url.Values{"name": {string(state.Name)}, "color": {string(state.Color)},
		"position": {strconv.FormatInt(state.Position, 10)}, "final": {strconv.FormatBool(state.Final)}})
	data := orderStateForm{ID: state.ID, Tag: tagOf([]sale.OrderState{state}, state.ID), Returns: state.Returns()}
	data.Form, data.Fields = v.stateFields(s)
	if state.DeletedAt != nil {
		data.Gone = v.moment(*state.DeletedAt)
	}
	return screen{name: "order-state-form", title: string(state.Name), above: v.above("orderStates", statesPath),
		data: data}, nil
}

func (d door) createState(ctx context.Context, v *visit, in *api.Create[sale.OrderStateFields]) (string, error) {
	v.says("created")
	s, err := sale.OrderStates.Create(ctx, unit(ctx), in.Body)
	return statesPath + "/" + s.ID, err
}

func (d door) changeState(ctx context.Context, v *visit, in *api.Change[sale.OrderStateFields]) (string, error) {
	v.says("saved")
	edit := func(was sale.OrderStateFields) (sale.OrderStateFields, error) { return api.Apply(ctx, in.Body, was) }
	_, err := sale.OrderStates.Change(ctx, unit(ctx), in.ID, edit)
	return statesPath + "/" + in.ID, err
}

func (d door) deleteState(ctx context.Context, v *visit, in *api.ByID) (string, error) {
	v.says("deleted")
	return statesPath, sale.OrderStates.Delete(ctx, unit(ctx), in.ID)
}
