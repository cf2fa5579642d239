package urls

import (
	"slices"
	"sync"
	"testing"
	"time"

	"eshop/functions/products"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
)

// world is the API of URLs beside that of products.
type world struct {
	*hosttest.World
	index *index
}

// index is what a table's index is asked.
type index struct {
	mu    sync.Mutex
	blind int // so many queries of Index2 find nothing
	asked int // queries of Index2
}

func (t *index) around(c storetest.Call, do func() error) error {
	if c.Query == nil || c.Query.Index != store.Index2 {
		return do()
	}
	t.mu.Lock()
	t.asked++
	hidden := t.blind > 0
	if hidden {
		t.blind--
	}
	t.mu.Unlock()
	if hidden {
		return nil
	}
	return do()
}

func newWorld(t testing.TB, traits ...host.Traits) *world {
	return worldOn(t, nil, traits...)
}

// worldOn is a world in the one process, or with these traits, whose records are in a table, nil: in its file. Its
// clock goes a millisecond on each time it is asked.
func worldOn(t testing.TB, main store.Table, traits ...host.Traits) *world {
	w := &world{}
	w.World = hosttest.Open(t, hosttest.Setup{Functions: []host.Function{products.Function, Function},
		Authenticate: hosttest.AuthenticateByText, Main: main,
		Start: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Step: time.Millisecond, Platform: func(p *host.Parts) {
			w.index = &index{}
			p.Main = storetest.Faulty{Table: p.Main, Around: w.index.around}
			p.Traits = append(traits, host.OneProcess)[0]
		}})
	w.API.Near = false
	return w
}

type obj = hosttest.Object

func (w *world) ask(method, path string, body any, headers ...string) hosttest.Answer {
	w.T.Helper()
	return w.As("shop", method, path, body, headers...)
}

// at is where the URL of an answer is read.
func at(a hosttest.Answer) string { return path + "/" + a.ID() }

// product and category make one and return its id.
func (w *world) product(code, name string) string {
	w.T.Helper()
	return w.ask("POST", "/api-engine/products",
		obj{"code": code, "name": name, "priceLevels": []obj{{"level": "default", "price": "1.00"}}}).Is(201).ID()
}

func (w *world) category(name string) string {
	w.T.Helper()
	return w.ask("POST", "/api-engine/categories", obj{"name": name}).Is(201).ID()
}

func (w *world) rename(product, name string) {
	w.T.Helper()
	w.ask("PATCH", "/api-engine/products/"+product, obj{"name": name}).Is(200)
}

// post asks for a URL of a product.
func (w *world) post(product, url string) hosttest.Answer {
	w.T.Helper()
	return w.ask("POST", path, wanted("product", product, url))
}

func wanted(of, item, url string) obj { return obj{"urlItem": obj{"type": of, "id": item}, "url": url} }

// of are the URLs of an item, sorted: slug, kind, and whether it is the active one.
func (w *world) of(item string) []string {
	w.T.Helper()
	page := w.ask("GET", path+"?itemsPerPage=250&urlItem="+item, nil).Is(200)
	all := []string{}
	for _, x := range page.Body["items"].([]any) {
		u := x.(obj)
		s := u["slug"].(string) + " " + u["kind"].(string)
		if u["active"].(bool) {
			s += " active"
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}
