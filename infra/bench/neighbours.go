package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// theirs is how many products the other shop has, and pace how many reads, and as many changes, it makes a second.
const theirs, pace = 200, 50

// neighbours measures what another shop notices of an import into this one: how long its reads and changes take, and
// how long its changes take to arrive at its receiver. It is measured alone first, and then beside the import.
func (b *bench) neighbours() error {
	other, err := b.neighbour("soused", theirs)
	if err != nil {
		return err
	}
	in, err := listen()
	if err != nil {
		return err
	}
	if _, err := other.subscribe(in, "productChange"); err != nil {
		return err
	}
	alone := make(chan struct{})
	time.AfterFunc(3*b.span, func() { close(alone) })
	if err := other.live("another shop, alone", in, alone); err != nil {
		return err
	}
	over, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(over)
		failed <- b.imported("products", io.MultiReader(strings.NewReader(productColumns),
			&lines{row: "N" + productRow, left: b.beside}))
	}()
	err = other.live(fmt.Sprintf("… beside an import of %d products", b.beside), in, over)
	if imported := <-failed; imported != nil {
		return imported
	}
	return err
}

// neighbour is another shop of that name, with a package of its own and so many products.
func (b *bench) neighbour(name string, products int) (t tenant, err error) {
	t.base = b.p.base
	operator := func(path, body string, into any) error {
		return decode(request("POST", b.p.base+path, b.p.run.OperatorToken, []byte(body)), into)
	}
	var shop, pkg struct{ ID string }
	var made struct{ Token string }
	if err := operator("/operator/shops", `{"name":"Soused","domain":"`+name+`.example","locale":"cs_CZ",`+
		`"currency":"CZK","owner":{"email":"o@soused.example"}}`, &shop); err != nil {
		return t, err
	}
	if err := operator("/operator/packages", `{"code":"`+name+`","name":"Soused","instructions":"",`+
		`"permissions":["products:read","products:write"]}`, &pkg); err != nil {
		return t, err
	}
	if err := operator("/operator/shops/"+shop.ID+"/accesses",
		`{"packageId":"`+pkg.ID+`","hourlyLimit":3600000,"dailyLimit":86400000}`, &made); err != nil {
		return t, err
	}
	t.token = made.Token
	for i := range products {
		var p struct{ ID string }
		if err := decode(t.request("POST", "/api-engine/products", []byte(productBody(i))), &p); err != nil {
			return t, err
		}
		t.products = append(t.products, p.ID)
	}
	return t, nil
}

// live is a shop's day until over is closed: pace reads and pace changes a second, each begun when it is due, whatever
// became of those before. It prints how long they took, and how long changes took to arrive.
func (t tenant) live(name string, in *receiver, over <-chan struct{}) error {
	var under sync.WaitGroup
	var mu sync.Mutex
	var reads, changes []time.Duration
	var failed error
	timed := func(r *http.Request, into *[]time.Duration) {
		began := time.Now()
		err := send(r)
		mu.Lock()
		defer mu.Unlock()
		*into = append(*into, time.Since(began))
		if err != nil {
			failed = err
		}
	}
	tick := time.NewTicker(time.Second / pace)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
			in.published(t.product(n))
			under.Go(func() { timed(t.change(n), &changes) })
			under.Go(func() { timed(t.request("GET", "/api-engine/products/"+t.product(n*7), nil), &reads) })
			continue
		case <-over:
		}
		break
	}
	under.Wait()
	p50, p99, n, missing := arrived([]*receiver{in}, 30*time.Second)
	fmt.Printf("%-44s %s read, %s change, %.1f/%.1f ms to arrival (p50/p99, %d)", name, twoOf(reads), twoOf(changes),
		ms(p50), ms(p99), n)
	if missing > 0 {
		fmt.Printf("   %d DID NOT COME", missing)
	}
	fmt.Println()
	return failed
}

// twoOf are the median and the 99th percentile as text.
func twoOf(all []time.Duration) string {
	p50, p99 := percentiles(slices.Clone(all))
	return fmt.Sprintf("%.1f/%.1f ms", ms(p50), ms(p99))
}
