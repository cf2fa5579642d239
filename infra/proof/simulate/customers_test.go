package main

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"eshop/infra/proof/model"
)

// customers are a shop's, which partners make, read, change on condition and delete.
type customers struct {
	mu     sync.Mutex
	made   int
	ids    []string
	emails map[string]string // by id
	there  map[string]bool   // all that were made, and that nobody has begun to delete
}

// is notes that a customer is there, or that somebody begins to delete it.
func (c *customers) is(id string, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.there == nil {
		c.there = map[string]bool{}
	}
	if there {
		c.there[id] = true
	} else {
		delete(c.there, id)
	}
}

// fewEmails are e-mails for which customers contend; the others are used once.
const fewEmails = 4

const customersPath = "/api-engine/customers"

// actor is a partner's program. Half of what it does is a change; mostly on condition of the version that it was last
// answered, which may be old by then.
func (c *customers) actor(x *shop) func(*rand.Rand) {
	last := map[string]answer{} // what this program was last answered of a customer
	return func(r *rand.Rand) {
		id := c.pick(r)
		switch what := r.IntN(20); {
		case id == "" || what < 2:
			c.create(x, r)
		case what < 3:
			c.delete(x, id, last[id].version(), r)
		case what < 10:
			last[id] = c.read(x, id)
		default:
			if a := c.change(x, id, last[id], r); a.Status == 200 {
				last[id] = a
			}
		}
	}
}

// pick is one of the last customers, "" when there is none.
func (c *customers) pick(r *rand.Rand) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ids) == 0 {
		return ""
	}
	few := c.ids[max(0, len(c.ids)-6):]
	return few[r.IntN(len(few))]
}

// value is a note that no other write has: by it a read shows which write it saw.
func (c *customers) value() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	return fmt.Sprint("note ", c.made)
}

// contend has several programs change a customer at once, all with the same version as their condition.
func (c *customers) contend(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		id := c.pick(r)
		if id == "" {
			return
		}
		last := c.read(x, id)
		together(r, 4, func(r *rand.Rand) { c.change(x, id, last, r) })
	}
}

// create makes a customer. Half of them contend for a few e-mails, so that a refusal as taken must be explained by
// another customer who had it.
func (c *customers) create(x *shop, r *rand.Rand) {
	contended := r.IntN(2) == 0
	email := fmt.Sprintf("a%d@b.cz", r.Uint64())
	if contended {
		email = fmt.Sprintf("a%d@b.cz", r.IntN(fewEmails))
	}
	note, begun, since := c.value(), x.sim.History.Now(), time.Now()
	a := x.partner.insist(r, "POST", customersPath, fields{"email": email, "firstName": "Jana",
		"lastName": "Nováková", "note": note})
	x.claim(email, begun, false, a)
	if a.Status == 409 && contended {
		return
	}
	if a.Status != 201 {
		x.sim.T.Errorf("a customer was not made: %d %v", a.Status, a.Body)
		return
	}
	id := a.text("id")
	x.record(id, begun, model.RecordAsk{Do: model.Create, Value: note}, a)
	x.told(partners, a.Status, "customerCreate", id)
	x.listed(a.version(), since)
	c.is(id, true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids = append(c.ids, id)
	if c.emails == nil {
		c.emails = map[string]string{}
	}
	c.emails[id] = email
}

// claim adds what was asked of an e-mail and answered.
func (x *shop) claim(email string, begun int64, frees bool, a answer) {
	x.sim.History.End(x.partner.number, model.Object{Kind: model.Claim, ID: x.id + " " + email}, begun,
		model.ClaimAsk{Frees: frees}, a.Status, a.Status)
}

// read reads a customer, and notes what it saw.
func (c *customers) read(x *shop, id string) answer {
	begun := x.sim.History.Now()
	a := x.partner.ask("GET", customersPath+"/"+id, nil)
	x.record(id, begun, model.RecordAsk{Do: model.Read}, a)
	return a
}

// change changes the customer, with its last version as a condition or without, under a key or without, or writes what
// is there already.
func (c *customers) change(x *shop, id string, last answer, r *rand.Rand) (a answer) {
	ask := model.RecordAsk{Do: model.Change, Value: c.value()}
	var headers []string
	if version := last.version(); version != "" && r.IntN(3) > 0 {
		ask.IfMatch, headers = version, []string{"If-Match", `"` + version + `"`}
		// Now and then it writes what is there already: that must change nothing and tell nobody.
		if r.IntN(5) == 0 {
			ask.Value = last.text("note")
		}
	}
	begun, since := x.sim.History.Now(), time.Now()
	if r.IntN(2) == 0 {
		a = x.partner.write(r, "PATCH", customersPath+"/"+id, fields{"note": ask.Value}, headers...)
	} else {
		a = x.partner.insist(r, "PATCH", customersPath+"/"+id, fields{"note": ask.Value}, headers...)
	}
	x.record(id, begun, ask, a)
	// An answer with the version that was asked for is of a change that changed nothing.
	changed := a.Status == 200 && a.version() != ask.IfMatch
	if changed || a.Status == model.Unknown {
		x.told(partners, a.Status, "customerChange", id)
	}
	if changed {
		x.listed(a.version(), since)
	}
	return a
}

// delete deletes a customer, half of the time on condition of a version. An answer that never came may have deleted:
// the history knows both.
func (c *customers) delete(x *shop, id, version string, r *rand.Rand) {
	ask := model.RecordAsk{Do: model.Delete}
	var headers []string
	if version != "" && r.IntN(2) == 0 {
		ask.IfMatch, headers = version, []string{"If-Match", `"` + version + `"`}
	}
	c.is(id, false)
	begun, since := x.sim.History.Now(), time.Now()
	a := x.partner.ask("DELETE", customersPath+"/"+id, nil, headers...)
	x.record(id, begun, ask, a)
	if a.Status == 204 || a.Status == model.Unknown {
		if a.Status == 204 {
			x.listed(model.Did(model.Self, id, "deleted"), since)
		}
		x.told(partners, a.Status, "customerDelete", id)
		c.mu.Lock()
		email := c.emails[id]
		c.mu.Unlock()
		x.claim(email, begun, true, a)
	}
}

// record adds what was asked of a customer and answered.
func (x *shop) record(id string, begun int64, ask model.RecordAsk, a answer) {
	x.sim.History.End(x.partner.number, model.Object{Kind: model.Record, ID: id}, begun, ask,
		model.RecordAnswer{Status: a.Status, Value: a.text("note"), Version: a.version()}, a.Status)
}
