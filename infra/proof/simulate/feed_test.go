package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"

	"eshop/infra/proof/model"
)

// feed is a poller of a shop's change feed.
type feed struct {
	model.Feed
	from   string // long before the first change, where no jump of a clock has put anything
	cursor string
}

// begin is where it begins to read: an hour before now, by the platform's clock.
func (f *feed) begin(now time.Time) {
	f.cursor, f.from = "", now.Add(-time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
}

// actor follows a shop's change feed.
func (f *feed) actor(x *shop) func(*rand.Rand) {
	return func(*rand.Rand) { f.read(x) }
}

// read reads on, page by page, to what is the end now: a page without items whose cursor is the one that was sent
// (contract, "Change feed").
func (f *feed) read(x *shop) {
	for {
		query := url.Values{"types": {"customers,products,orders"}, "from": {f.from}}
		if f.cursor != "" {
			query = url.Values{"cursor": {f.cursor}}
		}
		a := x.partner.ask("GET", "/api-engine/changes?"+query.Encode(), nil)
		if a.Status != 200 {
			if a.Status != model.Unknown {
				x.sim.T.Errorf("the feed: %d %v", a.Status, a.Body)
			}
			return
		}
		for _, i := range a.list("items") {
			text := func(name string) string { s, _ := i[name].(string); return s }
			if err := f.Add(model.Entry{Type: text("type"), ID: text("id"), Change: text("change"),
				Version: text("version"), At: text("at"), By: text("by")}); err != nil {
				x.sim.T.Error(err)
			}
		}
		next := a.text("nextCursor")
		if next == f.cursor && len(a.list("items")) == 0 {
			return
		}
		f.cursor = next
	}
}

// checkFeed reads to the end, and then wants all that clients were answered to be in the feed: for both who have
// followed it as far as clocks allow, and for who reads it from its beginning now.
func (x *shop) checkFeed() error {
	whole := feed{from: x.feed.from}
	for _, f := range []*feed{&x.feed, &x.hasty, &whole} {
		f.read(x)
	}
	reader := model.Listener{Name: "the feed of " + x.id, Shop: x.id, Package: x.partner.pkg, Events: []string{
		"customerCreate", "customerChange", "customerDelete", "productCreate", "productChange", "orderChange"}}
	whole.Tell(x.sim.Told, reader)
	all, owed := x.answered()
	return errors.Join(x.feed.Check(owed), x.hasty.Check(owed), whole.Check(all), x.sim.Told.Check(reader),
		x.checkDates(&whole))
}

// answered is a version that a client was answered, or where there is none what was done (model.Did), and within what
// time that was.
type answered struct {
	text string
	made span
}

// listed notes what the change feed must have, and since when that is so at the earliest.
func (x *shop) listed(text string, since time.Time) {
	x.listing.Lock()
	defer x.listing.Unlock()
	x.list = append(x.list, answered{text, span{since, time.Now()}})
}

// answered is all that the feed must have, and what of it who follows the feed must have seen.
func (x *shop) answered() (all, owed []string) {
	x.listing.Lock()
	defer x.listing.Unlock()
	for _, a := range x.list {
		all = append(all, a.text)
		if !x.sim.mayMiss(a.made) {
			owed = append(owed, a.text)
		}
	}
	return all, owed
}

// checkDates wants each webhook to be of a moment at which the feed has one of its records change.
func (x *shop) checkDates(whole *feed) error {
	x.sim.mu.Lock()
	defer x.sim.mu.Unlock()
	for id, d := range x.sim.dated {
		if d.shop == x.id && !whole.HasAt(d.kind, d.created, d.ids...) {
			return fmt.Errorf("the webhook %s is of %s, when none of its %s changed", id, d.created, d.kind)
		}
	}
	return nil
}
