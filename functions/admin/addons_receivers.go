package admin

import (
	"cmp"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/page"
	"eshop/shared/webhook"
)

// receiversTab is the last part of the address of an access's receivers.
const receiversTab = "receivers"

// receivers registers the receivers of an access: …/receivers shows how each does, and why it fails; …/{id}/enable,
// /ping and /delete do what the API does; …/{id}/replay takes `from to? states? perSecond?`. Receivers are made over
// the API only: their addresses are the partner's business.
func (d door) receivers() {
	at := accessPath("{accessId}", receiversTab)
	refused := lookList(d, at, api.List{Paging: firstPage}, d.receiversScreen)
	act(d, at+"/{id}/enable", d.enableReceiver, refused)
	act(d, at+"/{id}/ping", d.pingReceiver, refused)
	act(d, at+"/{id}/delete", d.deleteReceiver, refused)
	lookForm(d, at+"/{id}/replay", d.replayScreen)
	act(d, at+"/{id}/replay", d.beginReplay, d.replayScreen)
}

// receiverRow is a receiver in the list, in words.
type receiverRow struct {
	ID, URL             string
	State               webhook.ReceiverState
	Health              shownState
	What                string // how it is, and what can be done about it
	CanEnable           bool
	Over                bool     // no ping is on its way
	Events, Groups      []string // of neither: all
	OthersOnly          bool     // what the add-on did itself is left out
	Missing             []permission.Permission
	Why, Failed, Worked string
	NextProbe, Made     string // "" of what is not
	Path, Deliveries    string // addresses
	Delete              action
}

// receiversData is the page of an access's receivers.
type receiversData struct {
	page.Form
	hookLayout
	list
}

// receiversScreen is the list of receivers, each with why it fails, when it is tried next, and what can be done.
func (d door) receiversScreen(c *api.Call, v *visit, in api.List, sent page.Sent) (screen, error) {
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	o := webhook.Owner{Shop: v.shop.ID, Access: addOn.ID, Package: addOn.Access.Package}
	rows, load := webhook.ReceiverList(d.Main, o, d.Now())
	all, err := api.Page(c, in, rows, load)
	if err != nil {
		return screen{}, err
	}
	data := receiversData{Form: v.filler(sent).Done(), hookLayout: v.hookLayout(addOn, receiversTab)}
	data.list = listed(v, listOf{c.Asked(), accessPath(addOn.ID, receiversTab), nil}, all.Body,
		func(r webhook.ReceiverRecord) receiverRow { return v.receiverRow(addOn, r) })
	return screen{name: "receivers", title: v.say("tab." + receiversTab), above: v.aboveAccess(addOn), data: data}, nil
}

// receiverHealth is in words how a receiver does.
func (v *visit) receiverHealth(l webhook.HealthLevel) shownState {
	return shownAs(v, "receiver.health.", l, map[webhook.HealthLevel]string{webhook.HealthOK: "good",
		webhook.HealthFailures: "warn", webhook.HealthFailing: "bad"})
}

// receiverIs is how a receiver is, and what can be done about it.
func (v *visit) receiverIs(receiver webhook.ReceiverRecord, inactive bool) string {
	switch {
	case inactive:
		return v.say("receiver.accessInactive")
	case !receiver.Active:
		return v.say("receiver.isOff")
	case receiver.State == webhook.Enabled && receiver.Level != webhook.HealthOK:
		return v.say("receiver.is.failures")
	}
	return v.say("receiver.is." + string(receiver.State))
}

// receiverRow is a receiver in the list. Events and groups are named only where the receiver does not take all of them.
func (v *visit) receiverRow(addOn installed, receiver webhook.ReceiverRecord) receiverRow {
	inactive := addOn.State != addon.Active
	if inactive {
		receiver.Level = webhook.HealthOff
	}
	row := receiverRow{ID: receiver.ID, URL: receiver.URL, State: receiver.State,
		Health: v.receiverHealth(receiver.Level), What: v.receiverIs(receiver, inactive),
		CanEnable: receiver.State.CanEnable(), Over: !receiver.AwaitsPing, OthersOnly: !receiver.Own,
		Missing: receiver.MissingPermissions, Why: v.failure(receiver.LastFailure),
		Failed: v.moment(receiver.LastFailureAt), Worked: v.moment(receiver.LastSuccess),
		Made: v.moment(receiver.Created), Path: accessPath(addOn.ID, receiversTab) + "/" + receiver.ID,
		Deliveries: accessPath(addOn.ID, deliveriesTab) + "?receiverId=" + receiver.ID}
	row.Delete = action{Path: row.Path + "/delete", Button: v.say("receiver.delete"), To: receiver.URL,
		About: v.say("receiver.deleteIs"), Danger: true}
	if receiver.NextProbe != 0 {
		row.NextProbe = v.moment(receiver.NextProbe)
	}
	// A receiver of all events says nothing of them.
	if len(receiver.Events) < len(events.Names) {
		for _, e := range receiver.Events {
			row.Events = append(row.Events, v.event(e))
		}
		if len(receiver.Events) == 0 {
			row.Events = []string{v.say("receiver.noEvents")}
		}
	}
	for _, g := range receiver.Groups {
		row.Groups = append(row.Groups, cmp.Or(v.say("group."+string(g)), string(g)))
	}
	return row
}

// enableReceiver closes a receiver's breaker, or brings a disabled one back.
func (d door) enableReceiver(c *api.Call, v *visit, in *oneOf) (string, error) {
	return d.doing(c, v, receiversTab, "receiver.isEnabled", func(o webhook.Owner) error {
		_, err := webhook.Enable(c, c.Unit(), d.Webhooks(), o, in.ID)
		return err
	})
}

// pingReceiver sends one ping, by which an address is verified.
func (d door) pingReceiver(c *api.Call, v *visit, in *oneOf) (string, error) {
	return d.doing(c, v, receiversTab, "receiver.isPinged", func(o webhook.Owner) error {
		_, err := webhook.Ping(c, c.Unit(), o, in.ID)
		return err
	})
}

// deleteReceiver deletes a receiver; what waits for it is cancelled.
func (d door) deleteReceiver(c *api.Call, v *visit, in *oneOf) (string, error) {
	return d.doing(c, v, receiversTab, "deleted", func(o webhook.Owner) error {
		return webhook.Delete(c, c.Unit(), d.Webhooks(), o, in.ID)
	})
}

// replayData is the page of a receiver's replays: how far the last one is, and the form of a new one.
type replayData struct {
	page.Form
	hookLayout
	ID, URL, Action string
	State           webhook.ReceiverState
	Last            *replayRow // nil: there was none of late
	Fields          []page.Field
}

// replayRow is a receiver's last replay.
type replayRow struct {
	State                   shownState
	Sent, From, To, Changed string
}

// replayScreen shows how far the last replay is, and the form of a new one.
func (d door) replayScreen(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	addOn, err := d.installed(c, v)
	if err != nil {
		return screen{}, err
	}
	receiver, err := webhook.Owner{Shop: v.shop.ID, Access: addOn.ID}.Receiver(c, d.Main, c.PathValue("id"))
	if err != nil {
		return screen{}, err
	}
	if receiver == nil {
		return screen{}, problem.NotFound()
	}
	last, err := webhook.ReadReplay(c, d.Main, receiver.ID, d.Now())
	if err != nil {
		return screen{}, err
	}
	filler := v.filler(sent)
	data := replayData{hookLayout: v.hookLayout(addOn, receiversTab), ID: receiver.ID, URL: receiver.URL,
		State: receiver.State, Action: accessPath(addOn.ID, receiversTab) + "/" + receiver.ID + "/replay"}
	data.Fields = []page.Field{filler.Moment("from", page.Must).Halved(),
		filler.Moment("to", page.May).Halved().Hinted(v.say("replay.toIs")),
		filler.Field("states", "off", page.May).OneOf(page.Option{Text: v.say("replay.both")},
			page.Option{Value: "exhausted", Text: v.say("replay.exhausted")},
			page.Option{Value: "delivered", Text: v.say("replay.delivered")}).Halved(),
		filler.Number("perSecond", page.May).Halved().Hinted(v.say("replay.perSecondIs"))}
	data.Form = filler.Done()
	// The last replay is shown as long as its record is kept.
	if last != nil {
		state := shownAs(v, "replay.state.", last.State, map[webhook.ReplayState]string{
			webhook.ReplayDone: "good", webhook.ReplayStopped: "bad", webhook.ReplayRunning: "warn"})
		data.Last = &replayRow{state, v.lang.Number(int64(last.Sent)),
			v.moment(last.From), v.moment(last.To), v.moment(last.Changed)}
	}
	return screen{name: "replay", title: v.say("replay"), above: v.belowHooks(addOn, receiversTab), data: data}, nil
}

// replaying is the input of the POST that begins a replay.
type replaying struct {
	oneOf
	Body webhook.Replay
}

// beginReplay sends a receiver's old deliveries again, under their ids.
func (d door) beginReplay(c *api.Call, v *visit, in *replaying) (string, error) {
	o, err := d.owned(c, v)
	if err != nil {
		return "", err
	}
	v.says("replay.begun")
	_, err = webhook.BeginReplay(c, c.Unit(), d.Webhooks(), o, in.ID, in.Body)
	return accessPath(in.Access, receiversTab) + "/" + in.ID + "/replay", err
}
