package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"eshop/infra/proof/model"
)

// leaving is a developer whose test shops leave the platform, each with a file of all that it has. A shop that pays
// leaves in the same way, thirty days later.
type leaving struct {
	shop      *shop // beside which they are
	developer *client
	domain    string // of each, one after the other: it is free again
}

// begin makes the developer.
func (l *leaving) begin(x *shop) {
	l.shop, l.domain = x, "leaves-"+x.host+".test"
	made := x.operator.must("POST", "/operator/developers", fields{"name": "Eva", "email": "eva@" + l.domain})
	l.developer = x.sim.client(made.text("token"))
}

// actor makes a test shop with goods, takes its file, and has it leave.
func (l *leaving) actor() func(*rand.Rand) {
	return func(r *rand.Rand) {
		made := l.developer.insist(r, "POST", "/developer/shops", fields{"name": "Obchod", "domain": l.domain,
			"locale": "cs_CZ", "currency": "CZK", "owner": fields{"email": "eva@" + l.domain}, "demo": true})
		if made.Status != http.StatusCreated {
			l.shop.sim.T.Errorf("a test shop was not made: %d %v", made.Status, made.Body)
			return
		}
		path := "/operator/shops/" + made.text("id")
		begun := l.shop.operator.insist(r, "POST", path+"/exports", fields{})
		file, fetched := l.shop.operator.export(path + "/exports/" + begun.text("id"))
		has := map[string]int{}
		for line := range strings.Lines(file) {
			var one struct{ Type string }
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				l.shop.sim.T.Errorf("a line of a shop's file: %v: %s", err, line)
			}
			has[one.Type]++
		}
		if !fetched || has["shop"] != 1 || has["states"] == 0 { // goods may lack: a store that refused had none made
			l.shop.sim.T.Errorf("the file of a shop that leaves has %v", has)
		}
		if l.goes(made.text("id")) {
			l.shop.sim.did("a shop's leaving")
		}
	}
}

// goes has the shop leave, and says whether it is gone.
func (l *leaving) goes(id string) bool {
	visitor := l.shop.sim.client("")
	visitor.host = l.domain
	closed, path, state := false, "/operator/shops/"+id, ""
	for end := time.Now().Add(l.shop.sim.tempo().patience); time.Now().Before(end); l.shop.sim.rest(time.Minute) {
		if !closed {
			closed = l.developer.ask("DELETE", "/developer/shops/"+id, nil).Status != model.Unknown
			continue
		}
		if a := visitor.read("/"); a.Status != http.StatusNotFound {
			l.shop.sim.T.Errorf("a shop that is closed answers %d", a.Status)
			return false
		}
		if state = l.shop.operator.read(path + "/deletion").text("state"); state == "deleted" {
			if a := l.shop.operator.read(path); a.Status != http.StatusNotFound {
				l.shop.sim.T.Errorf("a shop that is deleted is there: %d %v", a.Status, a.Body)
			}
			return true
		}
	}
	l.shop.sim.T.Errorf("a shop that leaves is not gone: %s", state)
	return false
}
