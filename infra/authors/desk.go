package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"eshop/infra/local"
)

// desk is where tasks are prepared and checked: the platform, and what was given to authors. Its methods end what they
// are called in at the first thing that is missing; try makes an error of it.
type desk struct {
	Run     local.Run
	Given   []*given // in the order of tasks
	hurried bool     // checkers wait for nothing, as in a test of a platform where nothing was done
}

// missing is why a task is not done, or not prepared.
type missing struct{ error }

// try runs f, and returns what is missing, if anything is.
func try(f func()) (err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case missing:
			err = fault.error
		default: // what the checker looked for has another shape, or is gone
			err = fmt.Errorf("cannot be checked: %v", fault)
		}
	}()
	f()
	return nil
}

func (d *desk) must(err error) {
	if err != nil {
		panic(missing{err})
	}
}

func (d *desk) want(is bool, format string, of ...any) {
	if !is {
		d.must(fmt.Errorf(format, of...))
	}
}

// has is the first item that fits. what names it, if there is none.
func (d *desk) has(what string, items []fields, fits func(fields) bool) fields {
	at := slices.IndexFunc(items, fits)
	d.want(at >= 0, "there is no %s", what)
	return items[at]
}

// patience is how long a checker waits for what the author's program does by itself.
const patience = 45 * time.Second

// until repeats a look until nothing is missing, or patience is over.
func (d *desk) until(look func()) {
	for end := time.Now().Add(patience); ; time.Sleep(300 * time.Millisecond) {
		err := try(look)
		if err == nil {
			return
		}
		if d.hurried || time.Now().After(end) {
			d.must(err)
		}
	}
}

// fields are a JSON object.
type fields = map[string]any

// client bounds each call: an author's process may never answer.
var client = &http.Client{Timeout: 20 * time.Second}

// send sends a request to the platform, and returns the answer's body and head. Its status must be below 400.
func (d *desk) send(token, method, path string, body any) ([]byte, http.Header) {
	text, err := json.Marshal(body)
	d.must(err)
	if body == nil {
		text = nil
	}
	r, err := http.NewRequest(method, d.Run.BaseURL+path, bytes.NewReader(text))
	d.must(err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	a, err := client.Do(r)
	d.must(err)
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	d.must(err)
	d.want(a.StatusCode < 400, "%s %s is answered %d: %.200s", method, path, a.StatusCode, answer)
	return answer, a.Header
}

// call is send for answers that are objects.
func (d *desk) call(token, method, path string, body any) (answer fields) {
	if text, _ := d.send(token, method, path, body); len(text) > 0 {
		d.must(json.Unmarshal(text, &answer))
	}
	return answer
}

// items are the first 250 items of a list.
func (d *desk) items(token, path string) []fields {
	var list struct{ Items []fields }
	text, _ := d.send(token, "GET", path+"?itemsPerPage=250", nil)
	d.must(json.Unmarshal(text, &list))
	return list.Items
}

// fetch reads what anybody can read.
func (d *desk) fetch(address string) (status int, text string) {
	a, err := client.Get(address)
	d.must(err)
	defer a.Body.Close()
	b, err := io.ReadAll(io.LimitReader(a.Body, 5<<20))
	d.must(err)
	return a.StatusCode, string(b)
}

// good is a product or a variant.
type good struct {
	ID, Code string
	Stock    struct{ Quantity int }
	Prices   []struct{ Price string } `json:"priceLevels"`
	Variants []good
}

// goods are all products and variants of the shop by their codes.
func (d *desk) goods() map[string]good {
	var list struct{ Items []good }
	text, _ := d.send(d.Run.Demo.Token, "GET", "/api-engine/products?itemsPerPage=250", nil)
	d.must(json.Unmarshal(text, &list))
	all := map[string]good{}
	for _, p := range list.Items {
		for _, v := range append(p.Variants, p) {
			all[v.Code] = v
		}
	}
	return all
}

// accesses is the operator's path of the demo shop's accesses.
func (d *desk) accesses() string { return "/operator/shops/" + d.Run.Demo.ShopID + "/accesses" }
