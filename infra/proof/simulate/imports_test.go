package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"eshop/infra/proof/model"
)

// imports has a partner bring in new customers by a file, and change some of them by the next one. The second import
// must find the customers of the first one by their addresses.
func (c *customers) imports(x *shop) func(*rand.Rand) {
	return func(r *rand.Rand) {
		var emails []string
		for n := range 20 + r.IntN(100) {
			emails = append(emails, fmt.Sprintf("i%d-%d@b.cz", n, r.Uint64()))
		}
		begun := time.Now()
		all := c.bring(x, r, emails)
		for _, id := range all {
			c.is(id, true)
			x.told(partners, 201, "customerCreate", id)
			x.listed(model.Did(model.Self, id, "created"), begun)
		}
		begun, few := time.Now(), emails[:1+r.IntN(20)]
		for email, id := range c.bring(x, r, few) {
			if all[email] != id {
				x.sim.T.Errorf("a second import made customer %s of %s, who was %s", id, email, all[email])
			}
			x.told(partners, 200, "customerChange", id)
			x.listed(model.Did(model.Self, id, "changed"), begun)
		}
	}
}

// bring imports customers with a new note each, waits until that is done, and returns their ids.
func (c *customers) bring(x *shop, r *rand.Rand, emails []string) map[string]string {
	var file strings.Builder
	file.WriteString("email,firstName,lastName,note\n")
	notes := map[string]string{}
	for _, email := range emails {
		notes[email] = c.value()
		fmt.Fprintf(&file, "%s,Jana,Nováková,%s\n", email, notes[email])
	}
	begun := x.partner.insist(r, "POST", "/api-engine/imports",
		fields{"type": "customers", "format": "csv", "mode": "upsert"})
	if begun.Status != 201 {
		x.sim.T.Errorf("an import was not begun: %d %v", begun.Status, begun.Body)
		return nil
	}
	x.partner.upload(begun.text("uploadUrl"), file.String())
	for range 20 { // the rows of its customers come into the feed all at once: now a reader might pass over one
		x.sim.rest(time.Duration(r.Int64N(int64(time.Second))))
		x.hasty.read(x)
	}
	x.partner.imported("/api-engine/imports/" + begun.text("id"))
	x.sim.did("an import")
	ids := map[string]string{}
	for _, email := range emails {
		found := x.partner.read(customersPath + "?email=" + email).list("items")
		if len(found) != 1 || found[0]["note"] != notes[email] {
			x.sim.T.Errorf("an import that is done made %v of the row of %s with %q", found, email, notes[email])
			continue
		}
		ids[email] = found[0]["id"].(string)
	}
	return ids
}

// upload puts a file at an address until it is there. One that broke off can be put again: a used address is refused.
func (c *client) upload(address, file string) {
	for end := time.Now().Add(c.sim.tempo().patience); time.Now().Before(end); {
		if a := c.ask("PUT", address, text(file)); a.Status != model.Unknown {
			return
		}
		c.sim.rest(10 * time.Second)
	}
	c.sim.T.Errorf("nobody takes a file")
}

// imported waits until an import is done, all its rows with it.
func (c *client) imported(path string) {
	begun := time.Now()
	var last fields
	for time.Since(begun) < c.sim.tempo().patience {
		a := c.ask("GET", path, nil)
		last = a.Body
		rows, _ := a.Body["rows"].(fields)
		if a.text("state") == "failed" || a.Status == 200 && rows["failed"] != 0.0 {
			c.sim.T.Errorf("an import failed: %v by %v", a.Body, c.ask("GET", path+"/errors", nil).Body)
			return
		}
		if a.text("state") == "done" {
			return
		}
		c.sim.rest(time.Minute)
	}
	c.sim.T.Errorf("%s is not done since %s: %v", path, begun.Format(time.TimeOnly), last)
}
