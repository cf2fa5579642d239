package products

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// far is a store as far away as AWS's: a call comes back when nobody can go on without it, with all others under way,
// so that calls side by side are seen to be.
type far struct {
	mu    sync.Mutex
	items map[store.Key]*store.Item
	ops   int             // keys of the last write
	away  []chan struct{} // calls under way
}

// travel is a call's way there and back.
func (f *far) travel(ctx context.Context) func() {
	end, back := store.MeterOf(ctx).Begin(), make(chan struct{})
	f.mu.Lock()
	f.away = append(f.away, back)
	f.mu.Unlock()
	<-back
	return func() { end(0, 0) }
}

// arrive lets all calls that are under way come back, and says whether there were any.
func (f *far) arrive() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, back := range f.away {
		close(back)
	}
	n := len(f.away)
	f.away = nil
	return n > 0
}

func (f *far) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	defer f.travel(ctx)()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(keys) > store.MaxKeys {
		return nil, fmt.Errorf("%d keys in one Get", len(keys))
	}
	all := make([]*store.Item, len(keys))
	for i, k := range keys {
		all[i] = f.items[k]
	}
	return all, nil
}

func (f *far) Query(ctx context.Context, q store.Query) (store.Page, error) {
	defer f.travel(ctx)()
	f.mu.Lock()
	defer f.mu.Unlock()
	var p store.Page
	at := func(i *store.Item) store.Key { return [...]store.Key{i.Key, i.Index1, i.Index2}[q.Index] }
	for _, i := range f.items {
		if k := at(i); k.PK == q.PK && k.SK >= q.From && (q.To == "" || k.SK <= q.To) && k.SK > q.After {
			p.Items = append(p.Items, *i)
		}
	}
	slices.SortFunc(p.Items, func(a, b store.Item) int { return strings.Compare(at(&a).SK, at(&b).SK) })
	if q.Limit > 0 && len(p.Items) > q.Limit {
		p.Items = p.Items[:q.Limit]
		p.Next = at(&p.Items[q.Limit-1]).SK
	}
	return p, nil
}

func (f *far) Write(ctx context.Context, _ events.Change, ops ...store.Op) (store.Item, error) {
	defer f.travel(ctx)()
	f.mu.Lock()
	defer f.mu.Unlock()
	ops, err := store.Merge(ops)
	if err != nil {
		return store.Item{}, err
	}
	var failed store.ConditionError
	for _, op := range ops {
		if slices.ContainsFunc(op.Conds, func(c store.Condition) bool { return !c.Holds(f.items[op.Key]) }) {
			failed.Failures = append(failed.Failures, store.Failure{Key: op.Key, Item: f.items[op.Key]})
		}
	}
	if len(failed.Failures) > 0 {
		return store.Item{}, &failed
	}
	f.ops = len(ops)
	for _, op := range ops {
		if f.items[op.Key] = op.Apply(f.items[op.Key]); f.items[op.Key] == nil {
			delete(f.items, op.Key)
		}
	}
	return store.Item{}, nil
}

// endless counters are as far away, and never refuse.
type endless struct {
	limit.Counters // what nobody asks here
	*far
}

func (e endless) Charge(ctx context.Context, _ string, _ limit.Limits, _ int64, _ time.Time) (limit.Standing, error) {
	defer e.travel(ctx)()
	return limit.Standing{}, nil
}

func (e endless) Refund(ctx context.Context, access string, l limit.Limits, cost int64,
	now time.Time,
) (limit.Standing, error) {
	return e.Charge(ctx, access, l, cost, now)
}

// distant is the door with such a store.
type distant struct {
	t     *testing.T
	table *far
	frame *api.API
}

func remote(t *testing.T) *distant {
	d := &distant{t: t, table: &far{items: map[store.Key]*store.Item{}}}
	d.frame = hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function}, Main: d.table,
		Authenticate: func(context.Context, string) (*change.Caller, error) { return callers["all"], nil },
		Platform:     func(p *host.Parts) { p.Counters, p.Now = endless{far: d.table}, time.Now }}).API
	return d
}

// ask does a request and wants it to take so many calls, and as long as so many one after the other.
func (d *distant) ask(calls, series int, method, path string, body any, headers ...string) obj {
	d.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(d.t, err)
	r := httptest.NewRequest(method, path, bytes.NewReader(raw))
	r.Header.Set("Authorization", "Bearer x")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	ctx, m := store.WithMeter(r.Context())
	w := httptest.NewRecorder()
	done := false
	go func() { d.frame.ServeHTTP(w, r.WithContext(ctx)); done = true }()
	waves := 0
	for synctest.Wait(); !done; synctest.Wait() {
		require.True(d.t, d.table.arrive(), "the request waits for nothing")
		waves++
	}
	require.Less(d.t, w.Code, 300, w.Body.String())
	if calls > 0 {
		require.Equal(d.t, fmt.Sprint(calls, " calls, ", series, " in series"),
			fmt.Sprint(m.Calls(), " calls, ", waves, " in series"), "%s %s", method, path)
	}
	var out obj
	if w.Body.Len() > 0 {
		require.NoError(d.t, json.Unmarshal(w.Body.Bytes(), &out))
	}
	return out
}

func TestOperationsKeepToTheirBudgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := remote(t)
		const products = "/api-engine/products"
		category := d.ask(3, 2, "POST", "/api-engine/categories", obj{"name": "C"})["id"].(string)
		p := d.ask(4, 3, "POST", products,
			product("A", obj{"variants": variants("A", 2), "categoryIds": []string{category}}))
		id := p["id"].(string)
		d.ask(4, 3, "POST", products, product("B"), "Idempotency-Key", "k")
		d.ask(2, 1, "GET", products+"/"+id, nil)
		d.ask(3, 2, "PATCH", products+"/"+id, obj{"ean": "1"})
		require.Equal(t, 1, d.table.ops)
		d.ask(3, 2, "PATCH", products+"/"+id, obj{"stock": obj{"quantity": 1}})
		require.Equal(t, 1, d.table.ops)
		d.ask(4, 3, "PATCH", products+"/"+id, obj{"code": "C", "externalId": "x"})
		d.ask(4, 3, "PATCH", products+"/"+id, obj{"name": "Another"})
		d.ask(2, 1, "PATCH", products+"/"+id, obj{"ean": "1"})
		d.ask(3, 2, "GET", products+"?code=A-1", nil)
		d.ask(2, 1, "GET", "/api-engine/categories/"+category, nil)
		d.ask(3, 2, "GET", "/api-engine/categories", nil)
		d.ask(4, 3, "DELETE", products+"/"+id, nil) // its claims behind it
	})
}

func TestAPageOf50ProductsKeepsToItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := remote(t)
		for i := range 60 {
			d.ask(3, 2, "POST", "/api-engine/products",
				product(fmt.Sprint(i), obj{"variants": variants(fmt.Sprint(i), 2)}))
		}
		page := d.ask(6, 2, "GET", "/api-engine/products", nil)
		require.Len(t, page["items"], 50)
	})
}

func TestABatchOf100KeepsToItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := remote(t)
		ids := make([]string, 100)
		for i := range ids {
			ids[i] = d.ask(0, 0, "POST", "/api-engine/products",
				product(fmt.Sprint(i), obj{"variants": variants(fmt.Sprint(i), 1)}))["id"].(string)
		}
		for kind, more := range map[string]func(int) obj{
			"stock": func(int) obj { return obj{"change": 1} },
			"has-units": func(int) obj {
				return obj{"hasUnits": true, "units": []obj{{"unit": "a", "quantity": 1}}}
			},
			"price-levels": func(int) obj { return obj{"priceLevels": prices("default", "1.00")} },
			"basic":        func(int) obj { return obj{"active": false} },
		} {
			d.ask(4, 3, "PATCH", "/api-engine/products/batch/"+kind, obj{"items": items(ids, more)})
			require.Equal(t, 100, d.table.ops)
			d.ask(4, 3, "PATCH", "/api-engine/products/batch/"+kind+"?dryRun=false",
				obj{"items": items(ids[:99], func(i int) obj {
					if kind == "stock" {
						return obj{"change": 0}
					}
					return more(i)
				})})
		}
	})
}

func TestABatchLooksUpItsNamesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := remote(t)
		ids := make([]string, 10)
		for i := range ids {
			ids[i] = d.ask(0, 0, "POST", "/api-engine/products",
				product(fmt.Sprint(i), obj{"name": fmt.Sprint("Tea ", i)}))["id"].(string)
		}
		const path = "/api-engine/products/batch/basic"
		d.ask(4, 3, "PATCH", path, obj{"items": items(ids, func(i int) obj {
			return obj{"name": fmt.Sprint("Coffee ", i), "code": fmt.Sprint("C", i)}
		})})
		d.ask(0, 0, "POST", "/api-engine/products", product("D", obj{"name": "Cocoa"}))
		d.ask(6, 5, "PATCH", path, obj{"items": items(ids, func(int) obj { return obj{"name": "Cocoa"} })})
		slugs := map[string]bool{}
		for _, id := range ids {
			slugs[d.ask(2, 1, "GET", "/api-engine/products/"+id, nil)["url"].(string)] = true
		}
		require.Len(t, slugs, len(ids))
	})
}

func TestAProductOf500VariantsKeepsToTheBudgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := remote(t)
		const products = "/api-engine/products"
		id := d.ask(3, 2, "POST", products, product("A", obj{"variants": variants("A", 60)}))["id"].(string)
		for n := range 7 {
			d.ask(4, 3, "POST", products+"/"+id+"/variants", obj{"items": variants(fmt.Sprint("B", n), 60)})
		}
		d.ask(4, 3, "POST", products+"/"+id+"/variants", obj{"items": variants("C", 20)})
		p := d.ask(2, 1, "GET", products+"/"+id, nil)
		require.Len(t, p["variants"], 500)
		variant := p["variants"].([]any)[250].(obj)["id"].(string)

		d.ask(2, 1, "GET", products+"/"+id+"/variants/"+variant, nil)
		d.ask(3, 2, "PATCH", products+"/"+id, obj{"name": "Product A", "active": false})
		require.Equal(t, 1, d.table.ops, "a change of the product touches its head only")
		d.ask(3, 2, "PATCH", products+"/"+id+"/variants/"+variant,
			obj{"stock": obj{"quantity": 3, "availability": "soon"}})
		require.Equal(t, 1, d.table.ops, "and so does one of a variant's stock")
		d.ask(3, 2, "PATCH", products+"/"+id+"/variants/"+variant, obj{"ean": "1"})
		require.Equal(t, 2, d.table.ops, "one of a variant its part as well")
		d.ask(3, 2, "PATCH", products+"/batch/stock",
			obj{"items": []obj{{"id": id, "variantId": variant, "change": 1, "availability": "now"}}})
		require.Equal(t, 1, d.table.ops)
		d.ask(6, 2, "GET", products, nil)
		d.ask(3, 2, "DELETE", products+"/"+id+"/variants/"+variant, nil)
		require.Equal(t, 3, d.table.ops, "head, part and code")
		d.ask(9, 8, "DELETE", products+"/"+id, nil)
		require.LessOrEqual(t, d.table.ops, store.MaxOperations, "and its claims hundred by hundred behind it")
	})
}
