package admin

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/page"
	"eshop/shared/webhook"
)

// deliveriesTab is the last part of the log's address.
const deliveriesTab = "deliveries"

// deliveries registers the log of an access's webhooks: …/deliveries filters by receiver, event, state and time; …/{id}
// shows a delivery with its attempts; …/{id}/redeliver sends it once more.
func (d door) deliveries() {
	at := accessPath("{accessId}", deliveriesTab)
	look(d, at, d.listDeliveries)
	lookForm(d, at+"/{id}", d.deliveryScreen)
	act(d, at+"/{id}/redeliver", d.redeliver, d.deliveryScreen)
}

// deliveriesOf is the query of the log.
type deliveriesOf struct {
	api.CreatedList
	webhook.Wanted
}

// listDeliveries is the log of an access's webhooks, newest first unless another order is asked for. Its filters offer
// the access's receivers by their addresses.
func (d door) listDeliveries(c *api.Call, v *visit, in *deliveriesOf) (screen, error) {
	in.Order = cmp.Or(in.Order, "desc")
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	receivers, err := webhook.Owner{Shop: v.shop.ID, Access: addOn.ID}.Receivers(c, d.Main)
	if err != nil {
		return screen{}, err
	}
	rows, load := webhook.DeliveryList(d.Pipeline, addOn.ID, in.Wanted, d.Now())
	all, err := api.Page(c, in, rows, load)
	if err != nil {
		return screen{}, err
	}
	values := c.Asked()
	filters := v.filters(values, "receiverId", "event", "state", "failed", "created[after]", "created[before]")
	// What has a list of values is chosen from it: nobody knows ids of receivers by heart.
	filters[0] = filters[0].OneOf(v.receiverOptions(receivers, filters[0].Value)...)
	filters[1] = filters[1].OneOf(v.eventOptions()...)
	filters[2] = filters[2].OneOf(v.deliveryStates()...)
	filters[3] = filters[3].OneOf(page.Option{Text: v.say("delivery.any")},
		page.Option{Value: "true", Text: v.say("delivery.failedOnce")},
		page.Option{Value: "false", Text: v.say("delivery.failedNever")})
	path := accessPath(addOn.ID, deliveriesTab)
	table := v.table(listed(v, listOf{values, path, filters}, all.Body,
		func(l webhook.Listed) row { return v.deliveryRow(l, path, receivers) }),
		[]column{{Text: "delivery.event"}, {Text: "state"}, {Text: "delivery.attempts", Right: true},
			{Text: "delivery.last"}, {Text: "delivery.receiver", Wraps: true}, {Text: "made"}})
	table.Tabs, table.About = v.tabs(addOn.ID, deliveriesTab), v.say("delivery.about")
	if addOn.State != addon.Active {
		table.Warning = &warning{v.say("receiver.accessInactive"), page.Link{Text: v.say("tab.package"),
			Path: packagesPath + "/" + addOn.ID}}
	}
	return screen{name: "list", title: v.say("tab." + deliveriesTab), above: v.aboveAccess(addOn), data: table}, nil
}

// receiverOptions are the receivers to choose from. A receiver that was asked for and is gone is among them, so that
// the form says what it filters by.
func (v *visit) receiverOptions(receivers []webhook.Receiver, asked string) []page.Option {
	options := []page.Option{{Text: v.say("delivery.any")}}
	for _, r := range receivers {
		options = append(options, page.Option{Value: r.ID, Text: r.URL})
	}
	if asked != "" && !slices.ContainsFunc(receivers, func(r webhook.Receiver) bool { return r.ID == asked }) {
		options = append(options, page.Option{Value: asked, Text: v.say("delivery.goneReceiver")})
	}
	return options
}

// eventOptions are the events to choose from, in words.
func (v *visit) eventOptions() []page.Option {
	options := []page.Option{{Text: v.say("delivery.any")}}
	for _, e := range events.Sent {
		options = append(options, page.Option{Value: string(e), Text: v.event(e)})
	}
	return options
}

// deliveryStates are the states to choose from, in words.
func (v *visit) deliveryStates() []page.Option {
	options := []page.Option{{Text: v.say("delivery.any")}}
	for _, s := range []webhook.DeliveryState{webhook.Waiting, webhook.Parked, webhook.Delivered,
		webhook.Exhausted, webhook.Cancelled} {
		options = append(options, page.Option{Value: string(s), Text: v.say("delivery.state." + string(s))})
	}
	return options
}

// deliveryLooks are how the states of deliveries look.
var deliveryLooks = map[webhook.DeliveryState]string{webhook.Delivered: "good", webhook.Exhausted: "bad",
	webhook.Parked: "warn", webhook.Waiting: "warn"}

// deliveryRow is a delivery in the log.
func (v *visit) deliveryRow(listed webhook.Listed, path string, receivers []webhook.Receiver) row {
	shown := v.delivery(listed, receivers)
	event := cell{Text: shown.Event, Path: path + "/" + listed.ID, Event: shown.About}
	if listed.Test {
		event.Small = v.say("delivery.test")
	}
	last := cell{Text: "–"}
	if listed.Last.Number > 0 {
		a := v.attempt(listed.Last)
		last = cell{State: a.Result, Status: a.Result.Mark}
		if listed.Last.Status == 0 {
			last.Small = a.Failure
		}
	}
	state := cell{State: shown.State, Small: shown.Reason, Stands: listed.Reason}
	if shown.Next != "" {
		state.Small = v.say("delivery.next") + ": " + shown.Next
	}
	return row{ID: listed.ID, State: shown.State.Mark, Cells: []cell{event, state,
		{Text: v.lang.Number(int64(listed.Made))}, last, {Text: shown.Receiver}, {Text: shown.Made}}}
}

// shownDelivery is a delivery in words.
type shownDelivery struct {
	ID, Event, About string // Event in words, About as the API names it
	State            shownState
	Reason, Next     string // "" of what is not
	Receiver, Made   string
	What             string // what its state means
	Test             bool
}

// delivery is a delivery in words. One that failed and is tried again looks other than one that was never tried. A
// receiver that was deleted has no address to show any more.
func (v *visit) delivery(one webhook.Listed, receivers []webhook.Receiver) shownDelivery {
	shown := shownDelivery{ID: one.ID, Event: v.event(events.Name(one.Event)), About: string(one.Event),
		State: shownAs(v, "delivery.state.", one.State, deliveryLooks), What: v.say("delivery.is." + string(one.State)),
		Receiver: v.say("delivery.goneReceiver"), Made: v.second(one.Created), Test: one.Test}
	if one.State == webhook.Waiting && one.Last.Error != "" {
		shown.State.Name, shown.State.Look, shown.What = v.say("delivery.retried"), "bad", v.say("delivery.retriedIs")
	}
	for _, r := range receivers {
		if r.ID == one.Receiver {
			shown.Receiver = r.URL
		}
	}
	// A reason that has no text is shown as the API names it.
	if one.Reason != "" {
		shown.Reason = cmp.Or(v.say("reason."+one.Reason), one.Reason)
	}
	if one.NextAttempt != 0 {
		shown.Next = v.second(one.NextAttempt)
	}
	return shown
}

// attemptRow is an attempt at a delivery.
type attemptRow struct {
	Number          int
	At, Took        string
	Result          shownState // its Mark is the status, or the code of why there is none
	Failure, Answer string     // "" of none
}

// attempt is an attempt in words. One that got no answer has a failure and no status.
func (v *visit) attempt(a webhook.DeliveryAttempt) attemptRow {
	row := attemptRow{Number: a.Number, At: v.second(a.At), Took: v.lang.Number(a.DurationMs) + page.NBSP + "ms",
		Failure: v.failure(a.Error), Answer: a.Answer,
		Result: shownState{Mark: a.Error, Name: v.say("delivery.failed"), Look: "bad"}}
	if a.Status != 0 {
		row.Result.Mark = strconv.Itoa(a.Status)
		row.Result.Name = row.Result.Mark
	}
	if a.Error == "" {
		row.Result.Look = "good"
	}
	return row
}

// deliveryData is the page of a delivery.
type deliveryData struct {
	page.Form
	hookLayout
	shownDelivery
	Path     string // of the delivery
	Attempts []attemptRow
	Body     string
	Once     bool // a ping or a test, which is sent once
	Ended    bool // it was cancelled, for good
	Over     bool // no attempt is near, so nothing is to come that somebody could wait for
}

// deliveryScreen is the page of a delivery: why it is in its state, each attempt with the receiver's answer, and a
// button to send it again where that is allowed.
func (d door) deliveryScreen(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	delivery, err := webhook.ReadDelivery(c, d.Pipeline, addOn.ID, c.PathValue("id"), d.Now())
	if err != nil {
		return screen{}, err
	}
	var receivers []webhook.Receiver // none when it was deleted
	r, err := webhook.Owner{Shop: v.shop.ID, Access: addOn.ID}.Receiver(c, d.Main, delivery.Receiver)
	if r != nil {
		receivers = []webhook.Receiver{*r}
	}
	if err != nil {
		return screen{}, err
	}
	data := deliveryData{Form: v.filler(sent).Done(), hookLayout: v.hookLayout(addOn, deliveriesTab),
		shownDelivery: v.delivery(delivery.Listed, receivers), Body: string(delivery.Body),
		Path: accessPath(addOn.ID, deliveriesTab) + "/" + delivery.ID, Once: !delivery.Redeliverable(),
		Ended: delivery.State == webhook.Cancelled,
		Over:  delivery.NextAttempt == 0 || delivery.NextAttempt.Go().After(d.Now().Add(time.Minute))}
	for _, a := range delivery.Attempts {
		data.Attempts = append(data.Attempts, v.attempt(a))
	}
	title := v.event(events.Name(delivery.Event))
	return screen{name: "delivery", title: title, above: v.belowHooks(addOn, deliveriesTab), data: data}, nil
}

// redeliver asks for one more attempt. Asking again before that attempt is made asks for the same one.
func (d door) redeliver(c *api.Call, v *visit, in *oneOf) (string, error) {
	// The log is found by the access alone, so it is checked first that the access is this shop's.
	if _, err := d.owned(c, v); err != nil {
		return "", err
	}
	v.says("delivery.isAsked")
	_, err := webhook.Redeliver(c, c.Unit(), d.Webhooks(), in.Access, in.ID, "", c.Admitted)
	return accessPath(in.Access, deliveriesTab) + "/" + in.ID, err
}
