package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// importing is an import of a shop of its own, with a receiver that takes 3 s for each call.
type importing struct {
	*shop
	products int
	over     chan struct{}
	mu       sync.Mutex
	told     map[string]int // how often each product was
}

// imports begins an import of so many products in a shop of its own, whose receiver takes three seconds for each
// webhook.
func (s *Sim) imports(products int) *importing {
	i := &importing{shop: s.newShop("products:read", "products:write"), products: products,
		over: make(chan struct{}), told: map[string]int{}}
	i.partner.registers(s.receives(far(way, i.hear)))
	var file strings.Builder
	file.WriteString("code,name,shortDescription,vatRate,stock.quantity,priceLevels.default\n")
	for n := range products {
		fmt.Fprintf(&file, "I-%d,Zkušební výrobek číslo %d,Výrobek pro měření.,21.00,10,199.00\n", n, n)
	}
	begun := i.partner.must("POST", "/api-engine/imports",
		fields{"type": "products", "format": "csv", "mode": "upsert"})
	i.partner.must("PUT", begun.text("uploadUrl"), text(file.String()))
	s.working.Go(func() { i.follow("/api-engine/imports/" + begun.text("id")) })
	return i
}

// hear counts of which products the receiver was told.
func (i *importing) hear(_ http.Header, body []byte) int {
	i.mu.Lock()
	for _, id := range toldOf(body, "products") {
		i.told[id]++
	}
	i.mu.Unlock()
	time.Sleep(3 * time.Second)
	return 200
}

// follow closes over when the import is, or the simulation.
func (i *importing) follow(path string) {
	defer close(i.over)
	for i.partner.must("GET", path, nil).text("state") != "done" && i.sim.T.Context().Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
}

// check wants no product told twice, and once the import is over each told, however long that takes its receiver.
func (i *importing) check() {
	<-i.over
	for n := 0; n < 10 && i.heard() < i.products; n++ {
		time.Sleep(time.Minute)
	}
	require.Equal(i.sim.T, i.products, i.heard())
	i.mu.Lock()
	defer i.mu.Unlock()
	for id, n := range i.told {
		require.Equal(i.sim.T, 1, n, id)
	}
}

// heard is of how many products the receiver was told.
func (i *importing) heard() int { i.mu.Lock(); defer i.mu.Unlock(); return len(i.told) }
