package bench

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
	time.AfterFunc(3*b.Span, func() { close(alone) })
	if err := b.live(other, "another shop, alone", in, alone); err != nil {
		return err
	}
	over, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(over)
		failed <- b.imported("products", io.MultiReader(strings.NewReader(productColumns),
			&lines{row: "N" + productRow, left: b.Beside}))
	}()
	err = b.live(other, fmt.Sprintf("… beside an import of %d products", b.Beside), in, over)
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
func (b *bench) live(t tenant, name string, in *receiver, over <-chan struct{}) error {
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
	b.tell(Line{Name: name, Wrong: late(missing), Figures: slices.Concat(both(reads, " of a read"),
		both(changes, " of a change"), []Figure{figure(ms(p50), "ms to arrival p50", 1), figure(ms(p99), "ms p99", 1),
			figure(float64(n), "came", 0)})})
	return failed
}

// both are the median and the 99th percentile.
func both(all []time.Duration, of string) []Figure {
	p50, p99 := percentiles(all)
	return []Figure{figure(ms(p50), "ms"+of+" p50", 1), figure(ms(p99), "ms p99", 1)}
}

// late says how many did not come; "" when all did.
func late(missing int) string {
	if missing == 0 {
		return ""
	}
	return fmt.Sprint(missing, " DID NOT COME")
}
