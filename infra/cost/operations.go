package main

import (
	_ "embed"
	"encoding/json"
)

// operation is what a request of one kind takes.
type operation struct {
	Name string
	units
	Waves                   int // of calls, one after the other
	Answer                  int // bytes
	IndexReads, IndexWrites float64
}

// dollars are the US dollars of a million of them, without what comes afterwards.
func (o operation) dollars() float64 { return request(o.units, o.Waves, o.Answer).dollars() }

// indexed is what the index of searches takes afterwards.
func (o operation) indexed() units { return units{o.IndexReads, o.IndexWrites} }

// counted are those that nearly all requests are, as functions/house/bill_test.go counts and writes them. Records are
// small ones: a customer with an address, a product without variants, an order of one product. Callers and shops are
// remembered.
//
//go:embed operations.json
var counted []byte

// operationOf is the operation of that name.
func operationOf(name string) operation {
	var all []operation
	if err := json.Unmarshal(counted, &all); err != nil {
		panic(err)
	}
	for _, o := range all {
		if o.Name == name {
			return o
		}
	}
	panic("nobody has counted " + name)
}

// The work behind requests, as functions/delivery/cost_test.go counts it: of each change, and of each webhook. Reads
// are made once for a whole batch, however many changes or webhooks of one shop are in it.
var (
	changeUnits  = units{Reads: 1, Writes: 1}
	webhookUnits = units{Reads: 2, Writes: 3}
)

// The reads of a process that does not remember who calls, what a shop shows, or who listens.
const (
	unknownCaller   = 4
	unknownShop     = 6.5
	unknownReceiver = 5
)
