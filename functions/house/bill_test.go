package house_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
)

// The floor of an operation is the least that DynamoDB charges for what is promised of it. It is the sum of these, each
// named where it is used.
var (
	limited = units{Writes: 1} // each request counts for its caller's limits
	seen    = units{Reads: 1}  // a record is shown, or decided by, as its last write has left it
	written = units{Writes: 1} // a kilobyte of a record, with the change that is told of it
	inList  = units{Writes: 1} // it comes into a list, or leaves one
	moved   = units{Writes: 2} // it goes to another place in the list by changes
)

// units are DynamoDB's.
type units struct {
	Reads  float64 `json:"reads"`
	Writes float64 `json:"writes"`
}

// weight is what they cost, in reads: a write is five times as dear.
func (u units) weight() float64 { return u.Reads + 5*u.Writes }

// together is rows of so many kilobytes that are written all or not at all, which counts twice.
func together(kilobytes float64) units { return units{Writes: 2 * kilobytes} }

// pageOf is a page of a list of so many records: where they stand in the index, of 8 KB at most, which may be a second
// old, and each record as it is.
func pageOf(records float64) units { return units{Reads: 1 + records} }

// sum is all of them.
func sum(all ...units) (total units) {
	for _, u := range all {
		total = units{total.Reads + u.Reads, total.Writes + u.Writes}
	}
	return total
}

// mostOverTheFloor is how much more than its floor an operation may take.
const mostOverTheFloor = 1.05

// overTheFloor are the operations that take more, each with its reason.
var overTheFloor = map[string]string{
	theIndex: "The words of a record and its entry are written in one transaction, which counts twice, so that an " +
		"indexer that ends half-way leaves no word that nobody would take away.",
}

// theIndex is what each operation that changes words has behind it. Its floor is each row once, and where its entry
// stands in a list: of products by name, of orders by state.
const theIndex = "the index of searches"

// billed is an operation as the test makes it, at its floor.
type billed struct {
	name  string
	waves []int
	floor units
	ask   func() hosttest.Answer
}

// billing is a world as it is on AWS, all of whose processes remember callers and shops.
type billing struct {
	*world
	rows  *rowCounter
	index func(context.Context, []events.Change) (int, error)
}

// rowCounter counts the rows that are written to a table.
type rowCounter struct {
	store.Table
	rows atomic.Int64
}

func (c *rowCounter) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	c.rows.Add(int64(len(ops)))
	return c.Table.Write(ctx, change, ops...)
}

func openBilling(t *testing.T) *billing {
	b := &billing{rows: &rowCounter{}}
	b.world = openWith(t, func(p *host.Parts) {
		p.Traits = host.Traits{}
		b.rows.Table = p.Pipeline
		p.Pipeline = b.rows
	})
	for _, f := range functions.List {
		if f.Name == "indexer" {
			b.index = f.Feed.Handler(b.P)
		}
	}
	return b
}

// call is a request of the shop's access.
func (b *billing) call(method, path string, body any) func() hosttest.Answer {
	return func() hosttest.Answer { return b.As(b.token, method, path, body) }
}

// indexed is what the index of searches takes of the changes told since it was asked last, and how many rows it wrote.
func (b *billing) indexed() (took units, rows int) {
	b.T.Helper()
	ctx, m := store.WithMeter(b.T.Context())
	before := b.rows.rows.Load()
	_, err := b.index(ctx, b.Main.NewChanges())
	require.NoError(b.T, err)
	took.Reads, took.Writes = m.Units()
	return took, int(b.rows.rows.Load() - before)
}

const (
	customers = "/api-engine/customers"
	products  = "/api-engine/products"
	orders    = "/api-engine/orders"
)

// operations are those of the bill, in an order in which they can be done. Lists have more than a page.
func (b *billing) operations() []billed {
	address := object{"street": "Dlouhá 12", "city": "Brno", "zip": "602 00", "country": "CZ"}
	customer := func(n any) object {
		return object{"email": fmt.Sprintf("jana%v@example.cz", n), "firstName": "Jana", "lastName": "Nováková",
			"phone": "+420 601 123 456", "billingAddress": address}
	}
	product := func(n any) object {
		return object{"code": fmt.Sprint("TEA-", n), "name": fmt.Sprint("Sypaný čaj Earl Grey ", n),
			"shortDescription": "Černý čaj s bergamotem", "stock": object{"quantity": 1000},
			"priceLevels": []any{object{"level": "default", "price": "199.00"}}}
	}
	made := func(path string, body any) hosttest.Answer { return b.call("POST", path, body)().Is(201) }
	person, tea := made(customers, customer("")), made(products, product(""))
	full := object{"firstName": "Jana", "lastName": "Nováková"}
	for name, value := range address {
		full[name] = value
	}
	order := object{"email": "jana@example.cz", "billingAddress": full,
		"items": []any{object{"productId": tea.ID(), "quantity": 1}}}
	for i := range 50 {
		made(customers, customer(i))
		made(products, product(i))
		made(orders, order)
	}
	one := made(orders, order)
	shop := b.made["POST /operator/shops"].Get("domain")
	visitor, next := b.Visitor(shop), b.Visitor(shop)
	next.Page("/")
	page := func(path string) func() hosttest.Answer {
		return func() hosttest.Answer { return visitor.Page(path) }
	}
	teas := tea.Get("url")[len("https://"+shop):]
	page("/")()
	page(teas)()
	add := func(by *hosttest.Browser) func() hosttest.Answer {
		return func() hosttest.Answer {
			return by.JSON("POST", "/basket/items", object{"productId": tea.ID(), "quantity": 1})
		}
	}
	add(visitor)().Is(201)
	return []billed{
		{"GET of a customer", []int{2}, sum(limited, seen), b.call("GET", customers+"/"+person.ID(), nil)},
		{"GET of a product", []int{2}, sum(limited, seen), b.call("GET", products+"/"+tea.ID(), nil)},
		{"GET of an order", []int{2}, sum(limited, seen), b.call("GET", orders+"/"+one.ID(), nil)},
		{"a list of 50 customers", []int{2, 1}, sum(limited, pageOf(50)), b.call("GET", customers, nil)},
		{"a list of 50 products", []int{5, 1}, sum(limited, pageOf(50)), b.call("GET", products, nil)},
		{"a list of 50 orders", []int{2, 1}, sum(limited, pageOf(50)), b.call("GET", orders, nil)},
		// the record and its e-mail, which no other one has
		{"POST of a customer", []int{1, 1}, sum(limited, together(2), inList),
			b.call("POST", customers, customer("x"))},
		// the record, its code and its address, which no other one has, and the address as one of its URLs, which is in
		// a list and is found by its id
		{"POST of a product", []int{2, 1}, sum(limited, seen, together(4), inList, inList, inList),
			b.call("POST", products, product("x"))},
		// what it sells and the states that there are; the number is drawn; the order of 2 KB, its number, by which it
		// is found, and the stock
		{"POST of an order", []int{3, 1, 1}, sum(limited, seen, seen, written, together(2+1+1), inList, moved),
			b.call("POST", orders, order)},
		{"PATCH of a customer", []int{2, 1}, sum(limited, seen, written, moved),
			b.call("PATCH", customers+"/"+person.ID(), object{"note": "x"})},
		{"PATCH of a product", []int{2, 1}, sum(limited, seen, written, moved),
			b.call("PATCH", products+"/"+tea.ID(), object{"stock": object{"quantity": 900}})},
		{"PATCH of an order", []int{2, 1}, sum(limited, seen, written, written, moved),
			b.call("PATCH", orders+"/"+one.ID(), object{"note": "x"})},
		{"the home page", []int{1}, seen, page("/")},
		// the basket; whose address it is; the product
		{"a page of a product", []int{1, 1, 1}, sum(seen, seen, seen), page(teas)},
		// the basket, and what is in it
		{"the basket", []int{1, 1}, sum(seen, seen), page("/basket")},
		{"the form of a checkout", []int{1, 1}, sum(seen, seen), page("/checkout")},
		// the visitor's last minute, the basket, and the product
		{"the first product in a basket", []int{1, 1, 1, 1}, sum(seen, written, seen, seen, written), add(next)},
		// the last minute of the visitor and of the basket, both or neither; then as POST of an order, with the basket
		{"a checkout", []int{1, 1, 1, 2, 1, 1},
			sum(seen, seen, together(2), seen, seen, seen, written, together(2+1+1+1), inList, moved),
			func() hosttest.Answer { return visitor.JSON("POST", "/checkout", b.sample("POST /checkout")) }},
		// the record, its e-mail and its password
		{"DELETE of a customer", []int{2, 1}, sum(limited, seen, together(3), inList),
			b.call("DELETE", customers+"/"+person.ID(), nil)},
		// the record and its URL, which is in two indexes
		{"DELETE of a product", []int{2, 1, 1}, sum(limited, seen, together(2), together(2), inList, inList, inList),
			b.call("DELETE", products+"/"+tea.ID(), nil)},
	}
}

// operation is what the guide's bill has of a request of one kind.
type operation struct {
	Name string `json:"name"`
	units
	Waves       int     `json:"waves"`
	Answer      int     `json:"answer"` // bytes, to a quarter
	IndexReads  float64 `json:"indexReads"`
	IndexWrites float64 `json:"indexWrites"`
}

// TestGoldenBillIsOfWhatRequestsTake makes a request of each operation: one that takes more units or waves than before,
// or more than its floor, fails. `make golden` writes what they take, for infra/cost.
func TestGoldenBillIsOfWhatRequestsTake(t *testing.T) {
	const file = "../../infra/cost/operations.json"
	var before []operation
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &before))
	b := openBilling(t)
	var lines []string
	all := b.operations()
	b.indexed()
	for _, o := range all {
		b.Clock.Pass(time.Second)
		var answer hosttest.Answer
		b.InWaves(o.waves, func() { answer = o.ask() })
		require.Less(t, answer.Status, 300, o.name)
		now := operation{Name: o.name, Waves: len(o.waves), Answer: int(math.Ceil(float64(len(answer.Text))/100) * 100)}
		now.Reads, now.Writes = b.Meter().Units()
		index, rows := b.indexed()
		now.IndexReads, now.IndexWrites = index.Reads, index.Writes
		for _, was := range before {
			if was.Name == o.name && max(was.Answer, now.Answer)*4 <= min(was.Answer, now.Answer)*5 {
				now.Answer = was.Answer
			}
		}
		line, err := json.Marshal(now)
		require.NoError(t, err)
		lines = append(lines, "  "+string(line))
		over := now.weight() / o.floor.weight()
		if _, may := overTheFloor[o.name]; may {
			require.Greater(t, over, mostOverTheFloor, "%s takes its floor: it needs no reason any more", o.name)
		} else if over > mostOverTheFloor {
			t.Errorf("%s takes %v, which is %.2f of the floor of %v", o.name, now.units, over, o.floor)
		}
		require.LessOrEqual(t, index.Writes, sum(together(float64(rows)), moved).Writes, "%s, in %s", o.name, theIndex)
		if rows > 1 {
			floor := float64(rows) + moved.Writes
			require.Greater(t, index.Writes/floor, mostOverTheFloor, "%s needs no reason any more", theIndex)
		}
	}
	made := "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(made), 0o644))
		return
	}
	require.Equal(t, string(text), made, "run `make golden` and `make cost`, and read the difference")
}

// TestAProcessThatRemembersNobodyReadsALittleMore counts what a process reads that has forgotten who calls, or what a
// shop shows.
func TestAProcessThatRemembersNobodyReadsALittleMore(t *testing.T) {
	b := openBilling(t)
	visitor := b.Visitor(b.made["POST /operator/shops"].Get("domain"))
	customer := b.call("GET", customers+"/"+b.made["POST "+customers].ID(), nil)
	forgotten := func(ask func() hosttest.Answer) float64 {
		reads := func() float64 { ask().Is(200); read, _ := b.Meter().Units(); return read }
		reads()
		known := reads()
		b.Clock.Pass(time.Minute)
		return reads() - known
	}
	require.Equal(t, 4.0, forgotten(customer))
	require.Equal(t, 6.5, forgotten(func() hosttest.Answer { return visitor.Page("/") }))
}

func TestASweepThatFindsNothingReadsLittle(t *testing.T) {
	b := openBilling(t)
	for _, f := range functions.List {
		if f.Name == "sweeper" {
			ctx, m := store.WithMeter(t.Context())
			require.NoError(t, f.Tick.Handler(b.P)(ctx))
			read, write := m.Units()
			require.Equal(t, units{Reads: 22.5}, units{read, write})
		}
	}
}
