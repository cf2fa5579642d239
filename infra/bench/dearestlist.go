package bench

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The products of the dearest list: each is about as large as a product can be, 2 MiB of variants. They come in
// several requests, because a body has 1 MiB at most.
const (
	largest      = 250 // products
	largestParts = 5   // requests that bring the variants of one product
	largestEach  = 30  // variants in each of them
	visits       = 100 // pages that visitors ask for in a second
)

// listAim is how much anonymous memory the process may have beside the dearest lists, in MiB.
const listAim = 100

// listCallers are the loads that the dearest list is measured with.
var listCallers = []int{1, 4, 8, 16}

// dearestList measures how much memory lists of the largest products take of the process. Visitors of another shop ask
// for its home page meanwhile: their times show whether the lists keep them waiting. At the end it walks over all
// products once.
//
// The shop is one of its own. Its 250 products are about 2 MiB each, so a page of all of them would be 500 MiB if
// nothing bounded it (contract, section 2: a page ends at 4 MB of body).
func (b *bench) dearestList() error {
	t, err := b.neighbour("dearest", 0)
	if err != nil {
		return err
	}
	began := time.Now()
	if r := loadDo(4, time.Hour, 0, largest, t.makeLargest); r.failed > 0 {
		return fmt.Errorf("making the largest products: %d failed, first: %s", r.failed, r.first)
	}
	b.tells("the dearest list: made", figure(largest, "products of 2 MiB", 0),
		figure(time.Since(began).Seconds(), "s", 1))
	list := func(int) *http.Request { return t.request("GET", "/api-engine/products?itemsPerPage=250", nil) }
	for _, c := range listCallers {
		time.Sleep(2 * time.Second) // what the row before has left is collected
		b.p.most()
		var visitors sync.WaitGroup
		var pages result
		home := func(int) error { return send(b.browser("GET", "/", "", nil)) }
		visitors.Go(func() { pages = loadDo(2, b.Span, visits, 0, home) })
		lists := load(c, b.Span, 0, list)
		visitors.Wait()
		_, anon := b.p.most()
		b.print("the dearest list", c, lists, 0)
		b.print("… the home page of another shop beside it", 2, pages, 0)
		b.tells("… memory", figure(anon, "MiB anonymous", 0), figure(listAim, "is the aim", 0),
			figure(b.p.highWater(), "MiB the most ever resident", 0))
	}
	return b.walk(t)
}

// makeLargest makes the n-th of the largest products.
func (t tenant) makeLargest(n int) error {
	var p struct{ ID string }
	err := decode(t.request("POST", "/api-engine/products", fmt.Appendf(nil,
		`{"code":"G-%d","name":"G","priceLevels":[{"level":"default","price":"199.00"}]}`, n)), &p)
	parameters := make([]string, 50)
	for i := range parameters {
		parameters[i] = fmt.Sprintf(`{"name":"n%d","value":"%s"}`, i, strings.Repeat("h", 250))
	}
	for part := 0; part < largestParts && err == nil; part++ {
		all := make([]string, largestEach)
		for i := range all {
			all[i] = fmt.Sprintf(`{"code":"G-%d-%d-%d","parameters":[%s]}`, n, part, i, strings.Join(parameters, ","))
		}
		err = send(t.request("POST", "/api-engine/products/"+p.ID+"/variants",
			[]byte(`{"items":[`+strings.Join(all, ",")+`]}`)))
	}
	return err
}

// walk goes through all products by their pages, and wants to see each product exactly once.
func (b *bench) walk(t tenant) error {
	began, pages, seen := time.Now(), 0, map[string]bool{}
	for next := "/api-engine/products?itemsPerPage=250"; next != ""; pages++ {
		var page struct {
			Items      []struct{ ID string }
			NextCursor string
		}
		if err := t.get(next, &page); err != nil {
			return err
		}
		for _, x := range page.Items {
			if seen[x.ID] {
				return fmt.Errorf("the walk shows a product twice: %s", x.ID)
			}
			seen[x.ID] = true
		}
		if next = ""; page.NextCursor != "" {
			next = "/api-engine/products?itemsPerPage=250&cursor=" + page.NextCursor
		}
	}
	b.tells("… a walk over all", figure(time.Since(began).Seconds(), "s", 1), figure(float64(pages), "pages", 0))
	if len(seen) != largest {
		return fmt.Errorf("the walk shows %d products, not %d", len(seen), largest)
	}
	return nil
}

// highWater is the most memory that the process ever had resident, in MiB, as the kernel says it; 0: it does not.
func (p *platform) highWater() float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for line := range strings.Lines(string(b)) {
		if most, is := strings.CutPrefix(line, "VmHWM:"); is {
			kib, _ := strconv.ParseFloat(strings.Fields(most)[0], 64)
			return kib / 1024
		}
	}
	return 0
}
