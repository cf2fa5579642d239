package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"eshop/infra/proof/model"
)

// persons are customers who are erased, each with a name and an address that nobody else has.
type persons struct {
	mu     sync.Mutex
	made   int
	erased map[string]time.Time // since when, by what nobody may show any more
}

// marked matches what a person's name and address begin with.
var marked = regexp.MustCompile(`osoba-[0-9]+-x`)

// next is the mark of another person.
func (p *persons) next() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made++
	return fmt.Sprintf("osoba-%d-x", p.made)
}

// shown is an erased person of whom a text says something that somebody has asked for since then; "" if there is none.
func (p *persons) shown(asked time.Time, text string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, mark := range marked.FindAllString(text, -1) {
		if since, is := p.erased[mark]; is && asked.After(since) {
			return mark
		}
	}
	return ""
}

// erases has a partner make a customer with an order, and erase the person: whatever is answered or told afterwards,
// over the API, in the admin, and to who sends an earlier request again, must not show the person.
func (c *customers) erases(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		mark := x.sim.persons.next()
		body := fields{"email": mark + "@b.cz", "firstName": mark, "lastName": "Nováková", "note": c.value()}
		key := []string{"Idempotency-Key", mark}
		begun, since := x.sim.History.Now(), time.Now()
		made := x.partner.insist(r, "POST", customersPath, body, key...)
		if made.Status != http.StatusCreated {
			x.sim.T.Errorf("a person was not made: %d %v", made.Status, made.Body)
			return
		}
		id := made.text("id")
		x.record(id, begun, model.RecordAsk{Do: model.Create, Value: made.text("note")}, made)
		x.told(partners, made.Status, "customerCreate", id)
		x.listed(made.version(), since)
		ordered := x.products.orderOf(x, id, mark, r)

		begun, since = x.sim.History.Now(), time.Now()
		if !x.partner.erase(customersPath + "/" + id + "?erase=true") {
			return
		}
		x.sim.persons.mu.Lock()
		x.sim.persons.erased[mark] = time.Now()
		x.sim.persons.mu.Unlock()
		x.sim.did("an erasure")
		x.record(id, begun, model.RecordAsk{Do: model.Delete}, answer{Status: http.StatusNoContent})
		x.listed(model.Did(model.Self, id, "deleted"), since)
		for _, event := range []string{"customerDelete", "customerErase"} {
			x.told(partners, http.StatusOK, event, id)
		}
		if ordered != "" {
			x.told(partners, http.StatusOK, "orderChange", ordered)
			// What others write between the first pass and the last, a merchant's note for one, is erased by the last.
			x.mayHave(partners, "orderChange", ordered)
			x.partner.ask("GET", "/api-engine/orders/"+ordered, nil)
			x.merchant.client.ask("GET", "/admin/orders/"+ordered, nil)
		}
		x.partner.ask("POST", customersPath, body, key...) // what was kept of the answer is empty
		x.partner.ask("GET", customersPath+"?email="+mark+"@b.cz", nil)
		x.partner.ask("GET", "/api-engine/orders?q="+mark, nil)
		x.record(id, x.sim.History.Now(), model.RecordAsk{Do: model.Read}, x.partner.read(customersPath+"/"+id))
	}
}

// erase asks for an erasure until it is done, and says whether it is.
func (c *client) erase(path string) bool {
	var a answer
	for end := time.Now().Add(c.sim.tempo().patience); time.Now().Before(end); c.sim.rest(time.Minute) {
		a = c.ask("DELETE", path, nil)
		if a.Status == http.StatusAccepted && a.text("state") == "done" {
			return true
		}
		if a.Status != model.Unknown && a.Status != http.StatusAccepted {
			break
		}
	}
	c.sim.T.Errorf("%s is not done: %d %v", path, a.Status, a.Body)
	return false
}

// orderOf makes an order of a customer in their name, and returns its id; "" if there was too little.
func (p *products) orderOf(x *shop, customer, name string, r *rand.Rand) string {
	product := p.ids[r.IntN(len(p.ids))]
	begun, since := x.sim.History.Now(), time.Now()
	a := x.partner.insist(r, "POST", "/api-engine/orders", fields{"email": name + "@b.cz", "customerId": customer,
		"billingAddress": fields{"firstName": name, "lastName": "Nováková", "street": "Dlouhá 12", "city": "Brno",
			"zip": "602 00", "country": "CZ"},
		"items": []fields{{"productId": product, "quantity": 1}}})
	if a.Status == http.StatusCreated {
		x.listed(a.version(), since)
	}
	p.ordered(x, partners, begun, a, &placed{id: a.text("id"), product: product, quantity: 1})
	return a.text("id")
}

// exports has a partner take an export of all customers: all are in it who were there when it was asked for and still
// are when it is done, and nobody who was erased before.
func (c *customers) exports(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		asked := time.Now()
		c.mu.Lock()
		before := maps.Clone(c.there)
		c.mu.Unlock()
		begun := x.partner.insist(r, "POST", "/api-engine/exports", fields{"type": "customers", "format": "jsonl"})
		file, fetched := x.partner.export("/api-engine/exports/" + begun.text("id"))
		if !fetched {
			x.sim.T.Errorf("an export came to nothing: %v", begun.Body)
			return
		}
		x.sim.did("an export")
		has := map[string]bool{}
		for line := range strings.Lines(file) {
			var one struct{ ID string }
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				x.sim.T.Errorf("a line of an export: %v: %s", err, line)
			}
			has[one.ID] = true
		}
		c.mu.Lock()
		for id := range before {
			if c.there[id] && !has[id] {
				x.sim.T.Errorf("an export of %d customers lacks %s, who was there all the time", len(has), id)
			}
		}
		c.mu.Unlock()
		if mark := x.sim.persons.shown(asked, file); mark != "" {
			x.sim.T.Errorf("an export shows %s, who was erased before", mark)
		}
	}
}

// export waits until an export is done, and fetches its file.
func (c *client) export(path string) (file string, fetched bool) {
	for end := time.Now().Add(c.sim.tempo().patience); time.Now().Before(end); c.sim.rest(20 * time.Second) {
		a := c.ask("GET", path, nil)
		if a.Status == http.StatusOK && a.text("state") == "failed" {
			return "", false
		}
		if a.text("state") != "done" {
			continue
		}
		leads := c.ask("GET", pathOf(a.text("downloadUrl")), nil)
		if leads.Status != http.StatusFound {
			continue
		}
		if got := c.ask("GET", pathOf(leads.Header.Get("Location")), nil); got.Status == http.StatusOK {
			return got.Raw, true
		}
	}
	return "", false
}

// pathOf is an absolute address without its host: the one process has another port in each life.
func pathOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	_, path, _ := strings.Cut(rest, "/")
	return "/" + path
}
