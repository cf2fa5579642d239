package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// mebibyte is the most that a body may have.
const mebibyte = 1 << 20

// dearAim is what the dearest request of a mebibyte may take of a processor.
const dearAim = 50 * time.Millisecond

// dear are requests of a mebibyte that cost more than all others that were thought of: what no schema takes, and what
// is sound and large.
func (b *bench) dear() map[string]func(n int) *http.Request {
	post := func(path, body string) func(int) *http.Request {
		return func(int) *http.Request { return b.partner("POST", path, []byte(body)) }
	}
	return map[string]func(int) *http.Request{
		"objects in a list": post("/api-engine/products",
			`{"variants":[{}`+strings.Repeat(",{}", mebibyte/3-10)+`]}`),
		"fields that nobody takes":    post("/api-engine/customers", `{`+names(mebibyte-20)+`"x":0}`),
		"a hundred texts":             b.texts,
		"sixty variants of 50 prices": b.variants,
	}
}

// names are fields of so many bytes, no name twice, each with a comma behind it.
func names(size int) string {
	var s strings.Builder
	for i := 0; s.Len() < size-20; i++ {
		fmt.Fprintf(&s, `"%x":0,`, i)
	}
	return s.String()
}

// texts changes a hundred products in one batch, with some ten KiB of text for each. n is in the text, so that each
// request changes it.
func (b *bench) texts(n int) *http.Request {
	items, text := make([]string, 100), strings.Repeat("čaj ", mebibyte/100/5-30)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":%q,"description":"%d %s"}`, b.productIDs[i], n, text)
	}
	return b.partner("PATCH", "/api-engine/products/batch/basic", []byte(`{"items":[`+strings.Join(items, ",")+`]}`))
}

// variants makes a product with as much of everything as it may have.
func (b *bench) variants(n int) *http.Request {
	prices, parameters := make([]string, 50), make([]string, 50)
	for i := range prices {
		prices[i] = fmt.Sprintf(`{"level":"%s %d","price":"199.00"}`, strings.Repeat("v", 140), i)
		parameters[i] = fmt.Sprintf(`{"name":"n%d","value":"%s"}`, i, strings.Repeat("h", 120))
	}
	prices[0] = `{"level":"default","price":"199.00"}`
	all := make([]string, 60)
	for i := range all {
		all[i] = fmt.Sprintf(`{"code":"D-%d-%d","priceLevels":[%s],"parameters":[%s]}`, n, i, strings.Join(prices, ","),
			strings.Join(parameters, ","))
	}
	return b.partner("POST", "/api-engine/products", fmt.Appendf(nil,
		`{"code":"D-%d","name":"D","priceLevels":[%s],"variants":[%s]}`, n, prices[0], strings.Join(all, ",")))
}

// tries is how often each is made: the process's time is told in hundredths of a second.
const tries = 20

// dearest measures what the dearest request of a mebibyte takes of a processor.
func (b *bench) dearest() {
	var most time.Duration
	what := ""
	for name, next := range b.dear() {
		// One worker: what the platform took in the meantime is of these requests only.
		before := b.p.cpu()
		r := load(1, time.Hour, tries, next)
		if each := (b.p.cpu() - before) / tries; each > most {
			most, what = each, fmt.Sprintf("%s: %s", name, answer(r))
		}
	}
	b.tells("the dearest request of 1 MiB", figure(ms(most), "ms of a processor for "+what, 1),
		figure(ms(dearAim), "is the aim", 0))
}

// answer is what the load was answered.
func answer(r result) string {
	if r.Failed == 0 {
		return "done"
	}
	status := strings.Fields(r.First)
	return status[min(2, len(status)-1)]
}
