package bill

import "slices"

// Operation is what a request of one kind takes. A test makes such a request and fails when it takes anything else.
type Operation struct {
	Name string
	Units
	Waves   int   // of calls, one after the other
	Answer  int   // bytes
	Indexed Units // what the index of searches takes afterwards
}

// Dollars are the US dollars of a million of them, without what comes afterwards.
func (o Operation) Dollars() float64 { return Request(o.Units, o.Waves, o.Answer).Dollars() }

// Of is the operation of that name, which is among Operations.
func Of(name string) Operation {
	return Operations[slices.IndexFunc(Operations, func(o Operation) bool { return o.Name == name })]
}

// Operations are those that nearly all requests are. Records are small ones: a customer with an address, a product
// without variants, an order of one product. Callers and shops are remembered.
var Operations = []Operation{
	{"GET of a customer", Units{1, 1}, 1, 300, Units{}},
	{"GET of a product", Units{1, 1}, 1, 500, Units{}},
	{"GET of an order", Units{1, 1}, 1, 800, Units{}},
	{"a list of 50 customers", Units{51, 1}, 2, 15_100, Units{}},
	{"a list of 50 products", Units{52, 1}, 2, 21_500, Units{}},
	{"a list of 50 orders", Units{51, 1}, 2, 36_700, Units{}},
	{"POST of a customer", Units{0, 6}, 2, 300, Units{4, 24}},
	{"POST of a product", Units{2, 12}, 2, 500, Units{4, 19}},
	{"POST of an order", Units{2, 13}, 3, 800, Units{4, 13}},
	{"PATCH of a customer", Units{1, 4}, 2, 400, Units{2, 0}},
	{"PATCH of a product", Units{1, 4}, 2, 500, Units{}},
	{"PATCH of an order", Units{1, 5}, 2, 800, Units{4, 3}},
	{"DELETE of a customer", Units{1, 8}, 2, 0, Units{4, 22}},
	{"DELETE of a product", Units{1, 8}, 2, 0, Units{4, 17}},
	{"the home page", Units{1, 0}, 1, 8500, Units{}},
	{"a page of a product", Units{5, 0}, 2, 6600, Units{}},
	{"the first product in a basket", Units{3, 2}, 4, 400, Units{}},
	{"the basket", Units{2, 0}, 2, 6400, Units{}},
	{"the form of a checkout", Units{2, 0}, 2, 10_000, Units{}},
	{"a checkout", Units{5, 18}, 6, 200, Units{4, 21}},
}

// The work behind requests, as tests count it: of each change, and of each webhook. The reads are made once for a whole
// batch, however many changes or webhooks of one shop are in it.
var (
	Change  = Units{Reads: 1, Writes: 1}
	Webhook = Units{Reads: 2, Writes: 3}
)

// The reads of a process that does not remember who calls, what a shop shows, or who listens.
const (
	UnknownCaller   = 4
	UnknownShop     = 6.5
	UnknownReceiver = 5
)
