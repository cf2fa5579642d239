package products

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host/hosttest"
	"eshop/shared/pending"
	"eshop/shared/slug"
	"eshop/shared/store"
	"eshop/shared/unique"
	"eshop/shared/upsert"
)

// together sends items that are to be changed all or none.
func (s *shopful) together(kind string, items []obj, headers ...string) hosttest.Answer {
	s.T.Helper()
	return s.ask("PATCH", batchPath(kind)+"?errorPolicy=rejectAll", obj{"items": items}, headers...)
}

// all are all items of partitions, by key.
func (s *shopful) all(pks ...string) map[store.Key]store.Item {
	s.T.Helper()
	found := map[store.Key]store.Item{}
	for _, pk := range pks {
		items, err := partition(s.T.Context(), s.Main.Table, store.Query{PK: pk})
		require.NoError(s.T, err)
		for _, i := range items {
			found[i.Key] = i
		}
	}
	return found
}

// sound wants products to be as if each had been changed by itself: nothing is owed or staged, each code and URL is claimed
// by who has it, and nothing waits for the request.
func (s *shopful) sound(ids []string, request string) {
	s.T.Helper()
	for _, id := range ids {
		k, err := Read(s.T.Context(), s.Main.Table, "shop", id)
		require.NoError(s.T, err)
		require.Empty(s.T, k.owes)
		owner := ownerOf(OfProduct, id)
		for _, code := range k.codes() {
			claims, err := s.Main.Table.Get(s.T.Context(), CodeKey("shop", code))
			require.NoError(s.T, err)
			require.Equal(s.T, owner, unique.Owner(claims[0]), code)
		}
		s.urls(OfProduct, id)
		want := map[store.Key]bool{}
		for _, key := range keysOf(*k.head) {
			want[key] = true
		}
		for key := range s.all(k.head.PK) {
			require.True(s.T, want[key] || strings.HasPrefix(key.SK, urlPrefix), "%v is left", key)
		}
	}
	require.Empty(s.T, s.all(pending.Key(request).PK), "nothing waits")
}

// claimed are those of the keys that somebody claims.
func (s *shopful) claimed(keys []store.Key) (owners []string) {
	s.T.Helper()
	items, err := store.GetAll(s.T.Context(), s.Main.Table, keys)
	require.NoError(s.T, err)
	for _, i := range items {
		if i != nil {
			owners = append(owners, i.PK+" "+unique.Owner(i))
		}
	}
	return owners
}

// sweep ends the requests that never came to their end, as the sweeper does.
func (s *shopful) sweep() {
	s.T.Helper()
	for n := range pending.Shards {
		page, err := s.Main.Table.Query(s.T.Context(), store.Query{Index: store.Index2, PK: pending.Partition(n)})
		require.NoError(s.T, err)
		for _, row := range page.Items {
			items, err := s.Main.Table.Get(s.T.Context(), row.Key)
			require.NoError(s.T, err)
			require.True(s.T, pending.Overdue(items[0], s.Clock.Now()))
			about, heeded, err := pending.Heeded(items[0])
			require.NoError(s.T, err)
			require.True(s.T, heeded)
			require.NoError(s.T, Heal(s.T.Context(), s.P, about))
			change, op, err := pending.Take(items[0])
			require.NoError(s.T, err)
			_, err = s.Main.Table.Write(s.T.Context(), change, op)
			require.NoError(s.T, err)
		}
	}
}

// long is a text that is an item of its own.
func long(what string) string { return strings.Repeat(what+" ", textBytes/len(what)+1) }

// large is a batch of more operations than one transaction has room for.
type large struct {
	kind     string
	products int
	least    int                                              // products of which it has no room in one transaction
	writes   int                                              // transactions that it takes
	with     func(i int) obj                                  // beside what each product has
	item     func(p hosttest.Answer, i int, round string) obj // what it becomes
	shows    func(t testing.TB, a hosttest.Answer, want obj)  // what a GET shows of it
	claims   func(i int, round string) (k []store.Key)        // that the round takes
}

func showsFields(t testing.TB, a hosttest.Answer, want obj) {
	t.Helper()
	for name, v := range want {
		if name != "id" && name != "variantId" {
			require.Equal(t, v, a.At(name), name)
		}
	}
}

var larges = map[string]large{
	"thirty codes, names and long texts": {kind: "basic", products: 30, least: 20, writes: 4,
		item: func(_ hosttest.Answer, i int, round string) obj {
			return obj{"code": fmt.Sprint(round, "-", i), "name": fmt.Sprint("Name ", round, " ", i), "description": long(round), "active": true}
		},
		shows: func(t testing.TB, a hosttest.Answer, want obj) {
			showsFields(t, a, want)
			require.Equal(t, "https://shop.example/"+slug.Make(want["name"].(string)), a.Get("url"))
		},
		claims: func(i int, round string) []store.Key {
			return []store.Key{CodeKey("shop", fmt.Sprint(round, "-", i)), SlugKey("shop", fmt.Sprint("name-", strings.ToLower(round), "-", i))}
		},
	},
	"a hundred names": {kind: "basic", products: 100, least: 26, writes: 7,
		item: func(_ hosttest.Answer, i int, round string) obj {
			return obj{"name": fmt.Sprint("Name ", round, " ", i)}
		},
		shows: func(t testing.TB, a hosttest.Answer, want obj) {
			showsFields(t, a, want)
			require.Equal(t, "https://shop.example/"+slug.Make(want["name"].(string)), a.Get("url"))
		},
		claims: func(i int, round string) []store.Key {
			return []store.Key{SlugKey("shop", fmt.Sprint("name-", strings.ToLower(round), "-", i))}
		},
	},
	"a hundred variant prices of different products": {kind: "price-levels", products: 100, least: 51, writes: 7,
		with: func(i int) obj { return obj{"variants": variants(fmt.Sprint("V", i), 2)} },
		item: func(p hosttest.Answer, i int, round string) obj {
			return obj{"variantId": p.Get("variants.1.id"), "priceLevels": []obj{{"level": round, "price": "7.00"}}}
		},
		shows: func(t testing.TB, a hosttest.Answer, want obj) {
			require.Equal(t, want["priceLevels"].([]obj)[0]["level"], a.At("variants.1.priceLevels.0.level"))
			require.Empty(t, a.At("variants.0.priceLevels"))
		},
	},
	"a hundred stocks under a key": {kind: "stock", products: 100, least: 100, writes: 3,
		with: func(int) obj { return obj{"stock": obj{"quantity": 5}} },
		item: func(_ hosttest.Answer, _ int, round string) obj { return obj{"change": 1, "availability": round} },
		shows: func(t testing.TB, a hosttest.Answer, want obj) {
			require.Equal(t, want["availability"], a.At("stock.availability"))
			require.Equal(t, 6.0, a.At("stock.quantity"))
		},
	},
}

func (l large) made(s *shopful) (ids []string, all []hosttest.Answer) {
	s.T.Helper()
	for i := range l.products {
		more := obj{}
		if l.with != nil {
			more = l.with(i)
		}
		all = append(all, s.made(fmt.Sprint("M", i), more))
		ids = append(ids, all[i].ID())
	}
	s.Main.Told()
	return ids, all
}

func (l large) items(made []hosttest.Answer, round string) []obj {
	all := make([]obj, len(made))
	for i, p := range made {
		all[i] = l.item(p, i, round)
		all[i]["id"] = p.ID()
	}
	return all
}

func TestWhatIsLongerThanATransactionIsDoneWhole(t *testing.T) {
	for name, l := range larges {
		for _, headers := range [][]string{nil, {"Idempotency-Key", "k"}} {
			if headers == nil && l.kind == "stock" {
				continue // has room
			}
			t.Run(fmt.Sprint(name, len(headers)), func(t *testing.T) {
				l.doneWhole(open(t), headers...)
			})
		}
	}
}

// doneWhole does a round, which a dry run promises, and asks for its answer again.
func (l large) doneWhole(s *shopful, headers ...string) {
	s.T.Helper()
	ids, made := l.made(s)
	want := l.items(made, "X")
	n := s.Main.Writes()
	s.ask("PATCH", batchPath(l.kind)+"?errorPolicy=rejectAll&dryRun=true", obj{"items": want}).Is(200)
	require.Equal(s.T, n, s.Main.Writes())
	r := s.together(l.kind, want, headers...).Is(200)
	require.Equal(s.T, float64(l.products), r.At("changed"))
	require.Equal(s.T, l.writes, s.Main.Writes()-n)
	told := s.one(events.Products)
	require.Len(s.T, told, l.products)
	for i, id := range ids {
		g := s.get(id)
		l.shows(s.T, g, want[i])
		require.Equal(s.T, `"`+told[i].Version+`"`, g.ETag())
		require.Equal(s.T, id, told[i].ID, "in the order of the items")
	}
	s.sound(ids, r.Header.Get("X-Request-Id"))
	if headers == nil {
		return
	}
	n = s.Main.Writes()
	require.Equal(s.T, r.Body, s.together(l.kind, want, headers...).Is(200).Body)
	require.Equal(s.T, n, s.Main.Writes(), "the answer was kept")
	s.nothing()
}

func TestNamesThatComeBackTogetherTakeTheirSlugsBack(t *testing.T) {
	s := open(t)
	l := larges["a hundred names"]
	ids, made := l.made(s)
	for _, round := range []string{"X", "Y", "X"} {
		r := s.together("basic", l.items(made, round)).Is(200)
		s.sound(ids, r.Header.Get("X-Request-Id"))
	}
	require.Equal(t, []string{"name-x-7 system active", "name-y-7 custom", "product-m7 custom"}, s.urls(OfProduct, ids[7]))
}

func TestMoreThanThirtyCodesAreRefused(t *testing.T) {
	s := open(t)
	ids := s.many(31)
	n := s.Main.Writes()
	s.together("basic", items(ids, func(i int) obj { return obj{"code": fmt.Sprint("N", i)} })).Fault("body.items", "too_many")
	require.Equal(t, n, s.Main.Writes())
}

func TestProductsLargerThanATransactionAreRefused(t *testing.T) {
	s := open(t)
	images := list(20, func(i int) any {
		return obj{"url": "https://images.example/" + strings.Repeat("x", 1800), "alt": fmt.Sprint(i)}
	})
	ids := s.many(90, obj{"images": images})
	n := s.Main.Writes()
	box := items(ids, func(int) obj { return obj{"hasUnits": true, "units": []obj{{"unit": "a", "quantity": 1}}} })
	s.together("has-units", box).Fault("body.items", "too_big")
	s.ask("PATCH", batchPath("has-units")+"?dryRun=true&errorPolicy=rejectAll", obj{"items": box}).Fault("body.items", "too_big")
	require.Equal(t, n, s.Main.Writes())
	r := s.batch("has-units", box, "Idempotency-Key", "k").Is(200)
	require.Equal(t, 90.0, r.At("changed"), "in several transactions")
	require.Equal(t, r.Body, s.batch("has-units", box, "Idempotency-Key", "k").Is(200).Body)
}

func TestALongBatchUnderAKeyIsDoneOnce(t *testing.T) {
	s := open(t)
	f := &flaky{Table: s.Main.Table}
	s.Main.Table = f
	ids := s.many(100)
	sent := items(ids, func(int) obj { return obj{"change": 1} })
	for call, through := 1, false; !through; call++ {
		f.set(call, true, true)
		s.batch("stock", sent, "Idempotency-Key", fmt.Sprint(call))
		through = !f.hit
		f.set(-1, false, false)
		s.batch("stock", sent, "Idempotency-Key", fmt.Sprint(call)).Is(200)
		require.Equal(t, float64(call), s.get(ids[9]).At("stock.quantity"))
		require.Equal(t, float64(call), s.get(ids[99]).At("stock.quantity"))
	}
}

func TestOfALongBatchUnderAKeyIsDoneWhatCanBe(t *testing.T) {
	s := open(t)
	ids := s.many(40)
	sent := items(ids, func(i int) obj { return obj{"name": fmt.Sprint("N ", i), "code": fmt.Sprint("N", i)} })
	sent[39]["code"] = "M1" // which another has until the batch is done
	sent[38]["code"] = "M39"
	r := s.batch("basic", sent, "Idempotency-Key", "k").Is(207)
	require.Equal(t, []string{"changed", "failed code_taken", "failed code_taken"}, statuses(r)[37:])
	require.Equal(t, 38.0, r.At("changed"))
	require.Len(t, s.one(events.Products), 38)
	require.Equal(t, r.Body, s.batch("basic", sent, "Idempotency-Key", "k").Is(207).Body)
	require.Equal(t, "Product M38", s.get(ids[38]).Get("name"))
	require.Empty(t, s.claimed([]store.Key{SlugKey("shop", "n-38"), SlugKey("shop", "n-39")}), "given back at once")
	s.sound(ids, r.Header.Get("X-Request-Id"))
}

func TestAConflictAtTheLastItemLeavesNothing(t *testing.T) {
	for name, l := range larges {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			ids, made := l.made(s)
			want := l.items(made, "X")
			last := want[len(want)-1]
			switch l.kind {
			case "basic":
				last["code"] = "M0"
			case "stock":
				last["change"] = -6
			default:
				last["variantId"] = nobody
			}
			before := map[string]any{}
			for _, id := range ids {
				before[id] = s.get(id).Body
			}
			r := s.together(l.kind, want, "Idempotency-Key", "k").Is(422, "batch_rejected")
			statuses := statuses(r)
			require.Equal(t, slices.Repeat([]string{"unchanged"}, len(ids)-1), statuses[:len(ids)-1])
			require.True(t, strings.HasPrefix(statuses[len(ids)-1], "failed "))
			s.nothing()
			for _, id := range ids {
				require.Equal(t, before[id], s.get(id).Body)
			}
			s.sound(ids, r.Header.Get("X-Request-Id"))
			if l.claims != nil {
				for i := range ids {
					require.Empty(t, s.claimed(l.claims(i, "X")), "given back at once")
				}
			}
		})
	}
}

// flaky is a table that fails at one call, and from then on when it dies there.
type flaky struct {
	store.Table
	mu   sync.Mutex
	left int  // calls until it fails; below zero: it does not
	dies bool // all calls fail from then on
	late bool // a write that fails is done nevertheless
	hit  bool
}

func (f *flaky) set(left int, dies, late bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left, f.dies, f.late, f.hit = left, dies, late, false
}

// fails counts a call, and says whether it is the one that fails, or comes after it.
func (f *flaky) fails() (now, dead bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hit {
		return false, f.dies
	}
	f.left--
	f.hit = f.left == 0
	return f.hit, f.hit
}

func (f *flaky) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	if _, dead := f.fails(); dead {
		return nil, store.ErrUnavailable
	}
	return f.Table.Get(ctx, keys...)
}

func (f *flaky) Query(ctx context.Context, q store.Query) (store.Page, error) {
	if _, dead := f.fails(); dead {
		return store.Page{}, store.ErrUnavailable
	}
	return f.Table.Query(ctx, q)
}

func (f *flaky) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	now, dead := f.fails()
	if now && f.late {
		if _, err := f.Table.Write(ctx, change, ops...); err != nil {
			return store.Item{}, err
		}
	}
	if dead {
		return store.Item{}, store.ErrUnavailable
	}
	return f.Table.Write(ctx, change, ops...)
}

// seen is whether all of a round is seen, or nothing; half of it fails the test.
func (l large) seen(s *shopful, want []obj) bool {
	s.T.Helper()
	n := 0
	for i, x := range want {
		g := s.get(x["id"].(string))
		switch {
		case l.kind == "basic" && g.Get("name") == x["name"]:
			n++
			l.shows(s.T, g, want[i])
		case l.kind == "price-levels" && g.At("variants.1.priceLevels") != nil && fmt.Sprint(g.At("variants.1.priceLevels")) != "[]" &&
			g.Get("variants.1.priceLevels.0.level") == x["priceLevels"].([]obj)[0]["level"]:
			n++
		case l.kind == "stock" && g.At("stock.availability") == x["availability"]:
			n++
		}
		_, urls, err := URLsOf(s.T.Context(), s.Main.Table, "shop", OfProduct, g.ID())
		require.NoError(s.T, err)
		active := slices.IndexFunc(urls, func(u URL) bool { return u.Active })
		require.Equal(s.T, g.Get("url"), "https://shop.example/"+urls[active].Slug)
	}
	require.Contains(s.T, []int{0, len(want)}, n, "all or nothing")
	return n > 0
}

func TestAFailureAtAnyCallLeavesAllOrNothing(t *testing.T) {
	for name, l := range larges {
		for mode, c := range map[string]struct{ dies, late bool }{"one call fails": {}, "one write fails after it was done": {late: true}, "it dies": {dies: true}, "it dies after a write that was done": {true, true}} {
			if l.kind == "stock" && !c.dies {
				continue // as with other kinds
			}
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				s := open(t)
				f := &flaky{Table: s.Main.Table}
				s.Main.Table = f
				l := l
				l.products = l.least
				ids, made := l.made(s)
				decided := map[bool]int{}
				for call := 1; ; call++ {
					round := fmt.Sprint("R", call)
					want := l.items(made, round)
					f.set(call, c.dies, c.late)
					r := s.together(l.kind, want, "Idempotency-Key", round)
					through := !f.hit
					f.set(-1, false, false)
					seen := l.seen(s, want)
					decided[seen]++
					if r.Status == 200 {
						require.True(t, seen)
					}
					if through {
						s.sound(ids, r.Header.Get("X-Request-Id"))
						break
					}
					if call%2 == 0 { // it is swept, and 5 minutes go by
						s.Clock.Pass(unique.Crash + time.Minute)
						s.sweep()
						require.Equal(t, seen, l.seen(s, want), "the sweeper decides nothing")
						s.sound(ids, r.Header.Get("X-Request-Id"))
						if !seen {
							l.free(s, round)
						}
					}
					r = s.together(l.kind, want, "Idempotency-Key", round).Is(200)
					require.True(t, l.seen(s, want), "the same request does it")
					if l.kind == "stock" {
						require.Equal(t, float64(5+call), s.get(ids[0]).At("stock.quantity"), "once")
					}
					if call%2 == 1 {
						s.Clock.Pass(unique.Crash + time.Minute)
						s.sweep()
					}
					s.sound(ids, r.Header.Get("X-Request-Id"))
				}
				require.Positive(t, decided[false])
				require.Positive(t, decided[true])
			})
		}
	}
}

func TestTwoUnderOneKeyDecideOnce(t *testing.T) {
	s := open(t)
	l := larges["a hundred stocks under a key"]
	ids, made := l.made(s)
	want := l.items(made, "X")
	var first hosttest.Answer
	s.deciding(func() { first = s.together("stock", want, "Idempotency-Key", "k").Is(200) })
	require.Equal(t, first.Body, s.together("stock", want, "Idempotency-Key", "k").Is(200).Body)
	require.NotNil(t, first.Body)
	require.Equal(t, 6.0, s.get(ids[99]).At("stock.quantity"))
	s.sound(ids, first.Header.Get("X-Request-Id"))
}

func TestABatchThatTookTooLongDecidesNothing(t *testing.T) {
	s := open(t)
	l := larges["thirty codes, names and long texts"]
	ids, made := l.made(s)
	n := 0
	s.Main.Before(func([]store.Op) error {
		if n++; n == 1 {
			s.Clock.Pass(patience)
		}
		return nil
	})
	r := s.together("basic", l.items(made, "X")).Is(503, "unavailable")
	require.False(t, l.seen(s, l.items(made, "X")))
	s.sound(ids, r.Header.Get("X-Request-Id"))
	require.Empty(t, s.claimed(l.claims(0, "X")))
}

// deciding lets do go before the next transaction that writes heads only.
func (s *shopful) deciding(do func()) {
	s.Main.Before(func(ops []store.Op) error {
		if !slices.ContainsFunc(ops, func(op store.Op) bool { return op.Key.SK != headSK || isClaim(op.Key) }) && len(ops) > 1 {
			s.Main.Around(nil)
			do()
		}
		return nil
	})
}

// free wants the names of a round that never was to be anybody's: others get them.
func (l large) free(s *shopful, round string) {
	s.T.Helper()
	if l.claims == nil {
		return
	}
	for i := range 2 {
		for _, key := range l.claims(i, round) {
			kind, name := claimed(key)
			var p hosttest.Answer
			if kind == inCodes {
				p = s.made(name, obj{"name": "Somebody else's"})
			} else {
				p = s.made("other", obj{"name": name})
				require.Equal(s.T, "https://shop.example/"+name, p.Get("url"))
			}
			s.ask("DELETE", path(p.ID()), nil).Is(204)
		}
	}
}

func TestWhatIsDecidedIsSeenAtOnceAndPaidByTheNextWrite(t *testing.T) {
	for name, next := range map[string]func(s *shopful, id string){
		"a change":        func(s *shopful, id string) { s.ask("PATCH", path(id), obj{"ean": "1"}).Is(200) },
		"another name":    func(s *shopful, id string) { s.rename(id, "Quite another") },
		"the name before": func(s *shopful, id string) { s.rename(id, "Product M0") },
		"a batch": func(s *shopful, id string) {
			s.batch("has-units", []obj{{"id": id, "hasUnits": true, "units": []obj{{"unit": "a", "quantity": 1}}}}).Is(200)
		},
		"variants": func(s *shopful, id string) { s.ask("POST", path(id, "variants"), obj{"code": "W"}).Is(201) },
		"a batch of stock": func(s *shopful, id string) {
			s.batch("stock", []obj{{"id": id, "quantity": 7}}).Is(200)
			s.ask("PATCH", path(id), obj{"ean": "1"}).Is(200)
		},
		"the one of a dozen": func(s *shopful, id string) {
			s.together("basic", []obj{{"id": id, "name": "Dozen", "code": "D"}}).Is(200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			f := &flaky{Table: s.Main.Table}
			s.Main.Table = f
			l := larges["thirty codes, names and long texts"]
			ids, made := l.made(s)
			s.deciding(func() { f.set(2, true, false) }) // the decision itself is the first call
			want := l.items(made, "X")
			s.together("basic", want).Is(200)
			f.set(-1, false, false)
			require.True(t, l.seen(s, want))
			require.Len(t, s.one(events.Products), 30)
			require.Len(t, s.all(ProductKey("shop", ids[0]).PK), 3, "head, URL, and the text that waits")
			s.ask("POST", "/api-engine/products", product("M0")).Is(409, "code_taken")
			next(s, ids[0])
			s.soundButPending(ids[:1])
			s.ask("GET", path(ids[0]), nil).Is(200)
			s.ask("DELETE", path(ids[1]), nil).Is(204)
			require.Len(t, s.all(ProductKey("shop", ids[1]).PK), 1, "the tombstone alone")
			s.Clock.Pass(unique.Crash + time.Minute)
			s.made("M2", obj{"name": "Gets the old code without a sweeper"})
			s.sweep()
			s.soundButPending(append(ids[:1:1], ids[2:]...))
			s.ask("POST", "/api-engine/products", product("M3")).Is(201)
		})
	}
}

func TestARowOfAnImportPaysWhatItsProductOwes(t *testing.T) {
	s := open(t)
	f := &flaky{Table: s.Main.Table}
	s.Main.Table = f
	l := larges["thirty codes, names and long texts"]
	ids, made := l.made(s)
	s.deciding(func() { f.set(2, true, false) })
	s.together("basic", l.items(made, "X")).Is(200)
	f.set(-1, false, false)

	frame := api.New(api.Config{Table: s.Main, Counters: s.P.Counters, Key: s.P.Key, Now: s.P.Now, Random: s.P.Random, Log: s.P.Log})
	ctx, kind := frame.Behind(t.Context(), callers["all"], nobody, nobody), Rows(frame, s.P)
	kind.Begin()
	records, err := kind.Read(ctx, []upsert.Row{{Fields: obj{"code": "X-7", "name": "Imported"}}, {Fields: obj{"code": "X-7", "ean": "1"}},
		{Fields: obj{"code": "M8", "name": "New under an old code", "priceLevels": []any{obj{"level": "default", "price": "1.00"}}}}})
	require.NoError(t, err)
	s.soundButPending(ids[7:8])
	ops, told, err := records[0].Plan(ctx)
	require.NoError(t, err)
	require.Equal(t, ids[7], told[0].ID)
	_, err = s.Main.Write(ctx, events.Nothing, ops...)
	require.NoError(t, err)
	require.Equal(t, []string{"imported system active", "name-x-7 custom", "product-m7 custom"}, s.urls(OfProduct, ids[7]))
	_, told, err = records[2].Plan(ctx)
	require.NoError(t, err)
	require.Equal(t, events.Created, told[0].Did)
}

func (s *shopful) soundButPending(ids []string) { s.T.Helper(); s.sound(ids, "") }

// beside is a change of one product that comes between two writes of a batch.
type beside struct {
	kind string
	j, i int // the product, and another
}

// do makes the change, and says whether it was made.
func (b beside) do(s *shopful, ids []string, round string) bool {
	s.T.Helper()
	var r hosttest.Answer
	switch b.kind {
	case "delete":
		r = s.ask("DELETE", path(ids[b.j]), nil)
	default:
		r = s.ask("PATCH", path(ids[b.j]), b.fields(round))
	}
	require.Contains(s.T, []int{200, 204, 409}, r.Status, r.Text)
	return r.Status != 409
}

func (b beside) fields(round string) obj {
	return map[string]obj{
		"ean":                    {"ean": round},
		"a name":                 {"name": "Other " + round},
		"the name of the batch":  {"name": fmt.Sprint("Name ", round, " ", b.j)},
		"a code":                 {"code": "O" + round},
		"the code of the batch":  {"code": fmt.Sprint(round, "-", b.j)},
		"a code of the batch":    {"code": fmt.Sprint(round, "-", b.i)},
		"stock and another name": {"stock": obj{"quantity": 3.0}, "name": fmt.Sprint("Name ", round, " ", b.i)},
	}[b.kind]
}

func TestAnyChangeBesideABatchComesBeforeOrAfterIt(t *testing.T) {
	s := open(t)
	const products, decision = 18, 1 // a batch reserves by one write, decides by the next, and pays
	l := larges["thirty codes, names and long texts"]
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		round := fmt.Sprint("R", run)
		b := beside{kind: rapid.SampledFrom([]string{"ean", "a name", "the name of the batch", "a code", "the code of the batch", "a code of the batch",
			"stock and another name", "delete"}).Draw(r, "kind"), j: rapid.IntRange(0, products-1).Draw(r, "j"), i: rapid.IntRange(0, products-1).Draw(r, "i")}
		at := rapid.IntRange(0, 4).Draw(r, "at")
		ids, made, model := make([]string, products), make([]hosttest.Answer, products), make([]obj, products)
		for i := range ids {
			made[i] = s.made(fmt.Sprint("M", round, "-", i))
			ids[i], model[i] = made[i].ID(), made[i].Body
		}
		want := l.items(made, round)
		done, n := false, 0
		s.Main.Before(func([]store.Op) error {
			if n++; n == at+1 {
				s.Main.Around(nil)
				done = b.do(s, ids, round)
			}
			return nil
		})
		a := s.together(l.kind, want)
		s.Main.Around(nil)
		early := done && at <= decision
		if early && (b.kind == "delete" || b.kind == "a code of the batch" && b.i != b.j) {
			a.Is(422, "batch_rejected")
		} else {
			a.Is(200)
		}
		layers := []obj{want[b.j], b.fields(round)}
		if early {
			slices.Reverse(layers)
		}
		for i := range ids {
			switch {
			case i == b.j && done && b.kind == "delete":
				s.ask("GET", path(ids[i]), nil).Is(404)
				continue
			case i != b.j && a.Status == 200:
				maps.Copy(model[i], want[i])
			case i == b.j:
				for _, layer := range layers {
					if _, batch := layer["description"]; batch && a.Status == 200 || !batch && done {
						maps.Copy(model[i], layer)
					}
				}
			}
			g := s.get(ids[i])
			for _, field := range []string{"code", "name", "ean", "description"} {
				require.Equal(r, model[i][field], g.Body[field], "%s of %d", field, i)
			}
		}
		if done && b.kind == "delete" {
			ids = slices.Delete(ids, b.j, b.j+1)
		}
		s.sound(ids, a.Header.Get("X-Request-Id"))
		if a.Status == 422 {
			for i := range products {
				for _, owner := range s.claimed(l.claims(i, round)) {
					require.True(r, i == b.i || i == b.j, "%s is not given back", owner)
				}
			}
		}
	})
}

func TestManyAtOnceNeverSeeHalf(t *testing.T) {
	s := open(t)
	const products, rounds, batchers, editors = 20, 6, 2, 3
	ids := make([]string, products)
	for i := range ids {
		ids[i] = s.made(fmt.Sprint("M", i), obj{"shortDescription": "0-0"}).ID()
	}
	var working, reading sync.WaitGroup
	stop := make(chan struct{})
	reading.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			heads, err := Heads(t.Context(), s.Main.Table, "shop", ids)
			if err != nil {
				t.Error(err)
				return
			}
			seen := map[string]bool{}
			for _, k := range heads {
				seen[string(k.details.ShortDescription)] = true
			}
			if len(seen) != 1 {
				t.Errorf("half of a batch is seen: %v", slices.Collect(maps.Keys(seen)))
				return
			}
		}
	})
	var mu sync.Mutex
	statuses := map[int]int{}
	for b := range batchers {
		working.Go(func() {
			for n := range rounds {
				r := s.together("basic", items(ids, func(i int) obj {
					return obj{"code": fmt.Sprint("B", b, n, "-", i), "name": fmt.Sprint("Name ", b, n, " ", i%15), "shortDescription": fmt.Sprint(b, "-", n)}
				}))
				mu.Lock()
				statuses[r.Status]++
				mu.Unlock()
			}
		})
	}
	for e := range editors {
		working.Go(func() {
			dice := rand.New(rand.NewPCG(1, uint64(e)))
			for n := range 4 * rounds {
				i := dice.IntN(products)
				field := []obj{{"ean": fmt.Sprint(n)}, {"name": fmt.Sprint("Name ", n%batchers, n%rounds, " ", i%15)}, {"code": fmt.Sprint("B", e%batchers, n%rounds, "-", i)},
					{"code": fmt.Sprint("E", e, "-", i)}}[dice.IntN(4)]
				if r := s.ask("PATCH", path(ids[i]), field); r.Status != 200 && r.Status != 409 {
					t.Errorf("%d %s", r.Status, r.Text)
				}
			}
		})
	}
	working.Wait()
	close(stop)
	reading.Wait()
	require.Positive(t, statuses[200], "%v", statuses)
	for status := range statuses {
		require.Contains(t, []int{200, 422}, status, "%v", statuses)
	}
	s.Clock.Pass(unique.Crash + time.Minute)
	s.sweep()
	s.soundButPending(ids)
	held := map[string]bool{}
	for _, id := range ids {
		held[s.get(id).Get("code")] = true
	}
	for b := range batchers {
		for n := range rounds {
			for i := range ids {
				if code := fmt.Sprint("B", b, n, "-", i); !held[code] {
					s.ask("DELETE", path(s.made(code).ID()), nil).Is(204)
				}
			}
		}
	}
}
