package products

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/events"
	"eshop/shared/base/slug"
	"eshop/shared/catalog"
	"eshop/shared/catalog/address"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
	"eshop/shared/record"
	"eshop/shared/record/pending"
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
		for q := (store.Query{PK: pk}); ; {
			page, err := s.Main.Table.Query(s.T.Context(), q)
			require.NoError(s.T, err)
			for _, i := range page.Items {
				found[i.Key] = i
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
	}
	return found
}

// sound wants products to be as if each had been changed by itself: each code and URL is claimed by who has it, nothing
// is left beside a head that it does not know, and nothing waits for the request.
func (s *shopful) sound(ids []string, request string) {
	s.T.Helper()
	for _, id := range ids {
		k, err := catalog.ReadProduct(s.T.Context(), s.Main.Table, "shop", id)
		require.NoError(s.T, err)
		codes := []string{string(k.Details().Code)}
		for _, v := range k.Variants() {
			codes = append(codes, string(v.Code))
		}
		for _, code := range codes {
			claims, err := s.Main.Table.Get(s.T.Context(), catalog.CodeKey("shop", code))
			require.NoError(s.T, err)
			require.Equal(s.T, "P#"+id, record.Owner(claims[0]), code)
		}
		s.urls(address.Product, id)
		want := map[store.Key]bool{}
		head := catalog.ProductKey("shop", id)
		all := s.all(head.PK)
		for _, key := range catalog.KeysOf(all[head]) {
			want[key] = true
		}
		for key := range all {
			require.True(s.T, want[key] || strings.HasPrefix(key.SK, "U#"), "%v is left", key)
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
			owners = append(owners, i.PK+" "+record.Owner(i))
		}
	}
	return owners
}

// sweep ends the requests that never came to their end, as the sweeper does.
func (s *shopful) sweep() {
	s.T.Helper()
	for _, due := range pending.Jobs.Due(s.Clock.Now()) {
		page, err := s.Main.Table.Query(s.T.Context(), due)
		require.NoError(s.T, err)
		for _, row := range page.Items {
			items, err := s.Main.Table.Get(s.T.Context(), row.Key)
			require.NoError(s.T, err)
			deleted, reminds, err := pending.Reminder(items[0])
			require.NoError(s.T, err)
			if reminds {
				require.NoError(s.T, catalog.LeaveDeletedCategories(s.T.Context(), s.unit(), deleted))
			}
			change, op, err := pending.EndOverdue(items[0])
			require.NoError(s.T, err)
			_, err = s.Main.Write(s.T.Context(), change, op)
			require.NoError(s.T, err)
		}
	}
}

// long is a text that is an item of its own.
func long(what string) string { return strings.Repeat(what+" ", (8<<10)/len(what)+1) }

// round is a kind of batch that changes products anew each time it is sent under another name.
type round struct {
	kind   string
	takes  int                                              // how many operations each product takes
	with   func(i int) obj                                  // beside what each product has
	item   func(p hosttest.Answer, i int, round string) obj // what it becomes
	shows  func(t testing.TB, a hosttest.Answer, want obj)  // what a GET shows of it
	claims func(i int, round string) (k []store.Key)        // that the round takes
}

func showsFields(t testing.TB, a hosttest.Answer, want obj) {
	t.Helper()
	for name, v := range want {
		if name != "id" && name != "variantId" {
			require.EqualValues(t, v, a.At(name), name)
		}
	}
}

func showsName(t testing.TB, a hosttest.Answer, want obj) {
	t.Helper()
	showsFields(t, a, want)
	require.Equal(t, "https://shop.example/"+slug.Make(want["name"].(string)), a.Get("url"))
}

func slugClaim(i int, round string) store.Key {
	return address.SlugKey("shop", fmt.Sprint("name-", strings.ToLower(round), "-", i))
}

var rounds = map[string]round{
	"codes, names and long texts": {kind: "basic", takes: 7, // head, text, two of the code, three of the URLs
		item: func(_ hosttest.Answer, i int, round string) obj {
			return obj{"code": fmt.Sprint(round, "-", i), "name": fmt.Sprint("Name ", round, " ", i),
				"description": long(round), "active": true}
		},
		shows: showsName,
		claims: func(i int, round string) []store.Key {
			return []store.Key{catalog.CodeKey("shop", fmt.Sprint(round, "-", i)), slugClaim(i, round)}
		},
	},
	"names": {kind: "basic", takes: 4,
		item: func(_ hosttest.Answer, i int, round string) obj {
			return obj{"name": fmt.Sprint("Name ", round, " ", i)}
		},
		shows:  showsName,
		claims: func(i int, round string) []store.Key { return []store.Key{slugClaim(i, round)} },
	},
	"prices of variants": {kind: "price-levels", takes: 2,
		with: func(i int) obj { return obj{"variants": variants(fmt.Sprint("V", i), 2)} },
		item: func(p hosttest.Answer, i int, round string) obj {
			return obj{"variantId": p.Get("variants.1.id"), "priceLevels": []obj{{"level": round, "price": "7.00"}}}
		},
		shows: func(t testing.TB, a hosttest.Answer, want obj) {
			require.Equal(t, want["priceLevels"].([]obj)[0]["level"], a.At("variants.1.priceLevels.0.level"))
			require.Empty(t, a.At("variants.0.priceLevels"))
		},
	},
	"prices": {kind: "price-levels", takes: 1,
		item: func(_ hosttest.Answer, _ int, round string) obj {
			return obj{"priceLevels": prices("default", "7.00", round, "6.00")}
		},
		shows: func(t testing.TB, a hosttest.Answer, want obj) {
			require.Equal(t, want["priceLevels"].([]obj)[1]["level"], a.At("priceLevels.1.level"))
		},
	},
	"units": {kind: "has-units", takes: 1,
		item: func(_ hosttest.Answer, _ int, round string) obj {
			return obj{"hasUnits": true, "units": []obj{{"unit": round, "quantity": 6}}}
		},
		shows: func(t testing.TB, a hosttest.Answer, want obj) {
			require.Equal(t, want["units"].([]obj)[0]["unit"], a.At("units.0.unit"))
		},
	},
	"stocks": {kind: "stock", takes: 1,
		with: func(int) obj { return obj{"stock": obj{"quantity": 5}} },
		item: func(_ hosttest.Answer, _ int, round string) obj { return obj{"change": 1, "availability": round} },
		shows: func(t testing.TB, a hosttest.Answer, want obj) {
			require.Equal(t, want["availability"], a.At("stock.availability"))
		},
	},
}

// fit is how many products one transaction has room for, beside the answer when there is an Idempotency-Key.
func (r round) fit(headers ...string) int {
	if len(headers) > 0 {
		return (store.MaxOperations - 1) / r.takes
	}
	return store.MaxOperations / r.takes
}

// made makes n products that the round can change.
func (r round) made(s *shopful, n int) (ids []string, all []hosttest.Answer) {
	s.T.Helper()
	for i := range n {
		more := obj{}
		if r.with != nil {
			more = r.with(i)
		}
		all = append(all, s.made(fmt.Sprint("M", i), more))
		ids = append(ids, all[i].ID())
	}
	s.Main.NewChanges()
	return ids, all
}

func (r round) items(made []hosttest.Answer, round string) []obj {
	all := make([]obj, len(made))
	for i, p := range made {
		all[i] = r.item(p, i, round)
		all[i]["id"] = p.ID()
	}
	return all
}

// done is whether the product of an item shows what the item makes of it.
func (r round) done(s *shopful, want obj) bool {
	s.T.Helper()
	g := s.get(want["id"].(string))
	switch {
	case want["name"] != nil:
		return g.Get("name") == want["name"]
	case want["units"] != nil:
		return strings.Contains(fmt.Sprint(g.At("units")), fmt.Sprint(want["units"].([]obj)[0]["unit"]))
	case want["variantId"] != nil:
		level := want["priceLevels"].([]obj)[0]["level"]
		return strings.Contains(fmt.Sprint(g.At("variants.1.priceLevels")), fmt.Sprint(level))
	case want["priceLevels"] != nil:
		return strings.Contains(fmt.Sprint(g.At("priceLevels")), fmt.Sprint(want["priceLevels"].([]obj)[1]["level"]))
	}
	return strings.Contains(fmt.Sprint(g.At("stock")), fmt.Sprint(want["availability"]))
}

// seen is whether all of a round is seen, or nothing; half of it fails the test.
func (r round) seen(s *shopful, want []obj) bool {
	s.T.Helper()
	n := 0
	for _, x := range want {
		if r.done(s, x) {
			n++
			r.shows(s.T, s.get(x["id"].(string)), x)
		}
	}
	require.Contains(s.T, []int{0, len(want)}, n, "all or nothing")
	return n > 0
}

func TestWhatFitsIntoATransactionIsDoneWholeInOne(t *testing.T) {
	for name, r := range rounds {
		for _, headers := range [][]string{nil, {"Idempotency-Key", "k"}} {
			t.Run(fmt.Sprint(name, len(headers)), func(t *testing.T) { r.doneWhole(open(t), headers...) })
		}
	}
}

// doneWhole does a round of as many products as fit, which a dry run promises, and asks for its answer again.
func (r round) doneWhole(s *shopful, headers ...string) {
	s.T.Helper()
	ids, made := r.made(s, r.fit(headers...))
	want := r.items(made, "X")
	n := s.Main.Writes()
	s.ask("PATCH", batchPath(r.kind)+"?errorPolicy=rejectAll&dryRun=true", obj{"items": want}).Is(200)
	require.Equal(s.T, n, s.Main.Writes())
	a := s.together(r.kind, want, headers...).Is(200)
	require.Equal(s.T, float64(len(ids)), a.At("changed"))
	require.Equal(s.T, 1, s.Main.Writes()-n)
	told := s.one(events.Products)
	require.Len(s.T, told, len(ids))
	for i, id := range ids {
		g := s.get(id)
		r.shows(s.T, g, want[i])
		require.Equal(s.T, `"`+told[i].Version+`"`, g.ETag())
		require.Equal(s.T, id, told[i].ID, "in the order of the items")
	}
	s.sound(ids, a.Header.Get("X-Request-Id"))
	if headers == nil {
		return
	}
	n = s.Main.Writes()
	require.Equal(s.T, a.Body, s.together(r.kind, want, headers...).Is(200).Body)
	require.Equal(s.T, n, s.Main.Writes(), "the answer was kept")
	s.nothing()
}

func TestMoreThanFitsIntoATransactionIsRefusedWhole(t *testing.T) {
	for name, r := range rounds {
		if r.takes == 1 {
			continue // more items than a batch has
		}
		for _, headers := range [][]string{nil, {"Idempotency-Key", "k"}} {
			t.Run(fmt.Sprint(name, len(headers)), func(t *testing.T) {
				s := open(t)
				fit := r.fit(headers...)
				ids, made := r.made(s, fit+2)
				want := r.items(made, "X")
				want = slices.Insert(want, 0, obj{"id": ids[fit+1]}) // changes nothing, and takes no room
				if r.kind == "price-levels" {
					want[0]["priceLevels"] = prices("default", "100.00")
				}
				n := s.Main.Writes()
				for _, query := range []string{"", "&dryRun=true"} {
					a := s.ask("PATCH", batchPath(r.kind)+"?errorPolicy=rejectAll"+query,
						obj{"items": want[:fit+2]}, headers...)
					a.Fault("body.items", "too_big")
					require.Contains(t, a.Get("errors.0.message"), "the first "+strconv.Itoa(fit+1),
						"how many would fit")
					require.Equal(t, "1", a.Raw("X-RateLimit-Request-Cost"))
				}
				require.Equal(t, n, s.Main.Writes())
				s.nothing()
				s.together(r.kind, want[:fit+1], headers...).Is(200)
			})
		}
	}
}

func TestHeavyProductsAreRefusedWhole(t *testing.T) {
	s := open(t)
	images := list(20, func(i int) any {
		return obj{"url": "https://images.example/" + strings.Repeat("x", 1800), "alt": fmt.Sprint(i)}
	})
	ids := s.many(90, obj{"images": images})
	n := s.Main.Writes()
	box := items(ids, func(int) obj {
		return obj{"hasUnits": true, "units": []obj{{"unit": "a", "quantity": 1}}}
	})
	s.together("has-units", box).Fault("body.items", "too_big")
	s.ask("PATCH", batchPath("has-units")+"?dryRun=true&errorPolicy=rejectAll", obj{"items": box}).
		Fault("body.items", "too_big")
	require.Equal(t, n, s.Main.Writes())
	r := s.batch("has-units", box, "Idempotency-Key", "k").Is(200)
	require.Equal(t, 90.0, r.At("changed"), "in several transactions")
	require.Equal(t, r.Body, s.batch("has-units", box, "Idempotency-Key", "k").Is(200).Body)
}

func TestNamesThatComeBackTogetherTakeTheirSlugsBack(t *testing.T) {
	s := open(t)
	r := rounds["names"]
	ids, made := r.made(s, r.fit())
	for _, round := range []string{"X", "Y", "X"} {
		a := s.together("basic", r.items(made, round)).Is(200)
		s.sound(ids, a.Header.Get("X-Request-Id"))
	}
	require.Equal(t, []string{"name-x-7 system active", "name-y-7 custom", "product-m7 custom"},
		s.urls(address.Product, ids[7]))
}

func TestAStockUnderAKeyIsChangedOnceWhereverItFails(t *testing.T) {
	s := open(t)
	f := makeFlaky(s)
	ids := s.many(99)
	sent := items(ids, func(int) obj { return obj{"change": 1} })
	for call, through := 1, false; !through; call++ {
		f.set(call, true, true)
		s.batch("stock", sent, "Idempotency-Key", fmt.Sprint(call))
		through = !f.hit
		f.set(-1, false, false)
		s.batch("stock", sent, "Idempotency-Key", fmt.Sprint(call)).Is(200)
		require.Equal(t, float64(call), s.get(ids[9]).At("stock.quantity"))
		require.Equal(t, float64(call), s.get(ids[98]).At("stock.quantity"))
	}
}

func TestABatchOfSeveralTransactionsDiesAndIsSentAgain(t *testing.T) {
	severalDie(open(t))
}

// severalDie is a batch under a key that dies between its transactions, each time a call later: the sweeper tells of
// all of it, and sent again it sets what it had set, and the rest.
func severalDie(s *shopful) {
	f := makeFlaky(s)
	r := rounds["prices of variants"]
	ids, made := r.made(s, r.fit()+10)
	half := false
	for call, through := 1, false; !through; call++ {
		round := fmt.Sprint("R", call)
		want := r.items(made, round)
		f.set(call, true, true)
		s.batch(r.kind, want, "Idempotency-Key", round)
		through = !f.hit
		f.set(-1, false, false)
		first, last := r.done(s, want[0]), r.done(s, want[len(want)-1])
		require.False(s.T, last && !first, "in the order of the items")
		half = half || first && !last
		if !through {
			s.Clock.Pass(timeout)
			s.sweep()
			for _, id := range ids {
				require.Equal(s.T, first, last || s.toldOf(id), "once a transaction is done, all is told of")
			}
		}
		s.Main.NewChanges()
		a := s.batch(r.kind, want, "Idempotency-Key", round).Is(200)
		for i := range ids {
			require.True(s.T, r.done(s, want[i]))
		}
		require.Equal(s.T, a.Body, s.batch(r.kind, want, "Idempotency-Key", round).Is(200).Body)
		s.sound(ids, a.Header.Get("X-Request-Id"))
		s.Main.NewChanges()
	}
	require.True(s.T, half, "it died in its middle")
}

// toldOf says whether a change of the product was told since it was last asked for.
func (s *shopful) toldOf(id string) bool {
	return slices.ContainsFunc(s.Main.Changes(), func(c events.Change) bool {
		return slices.ContainsFunc(c.Records, func(r events.Record) bool { return r.ID == id })
	})
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
	require.Empty(t, s.claimed([]store.Key{address.SlugKey("shop", "n-38"), address.SlugKey("shop", "n-39")}))
	s.sound(ids, r.Header.Get("X-Request-Id"))
}

func TestAConflictAtTheLastItemLeavesNothing(t *testing.T) {
	for name, r := range rounds {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			ids, made := r.made(s, r.fit("Idempotency-Key"))
			want := r.items(made, "X")
			last := want[len(want)-1]
			switch r.kind {
			case "basic":
				last["code"] = "M0"
			case "stock":
				last["change"] = -6
			case "has-units":
				last["ifMatch"] = "another"
			default:
				last["variantId"] = nobody
			}
			before := map[string]any{}
			for _, id := range ids {
				before[id] = s.get(id).Body
			}
			a := s.together(r.kind, want, "Idempotency-Key", "k").Is(422, "batch_rejected")
			statuses := statuses(a)
			require.Equal(t, slices.Repeat([]string{"unchanged"}, len(ids)-1), statuses[:len(ids)-1])
			require.True(t, strings.HasPrefix(statuses[len(ids)-1], "failed "))
			s.nothing()
			for _, id := range ids {
				require.Equal(t, before[id], s.get(id).Body)
			}
			s.sound(ids, a.Header.Get("X-Request-Id"))
			if r.claims != nil {
				for i := range ids {
					require.Empty(t, s.claimed(r.claims(i, "X")))
				}
			}
		})
	}
}

// flaky is a table that fails at one call, and from then on when it dies there.
type flaky struct {
	mu   sync.Mutex
	left int  // calls until it fails; below zero: it does not
	dies bool // all calls fail from then on
	late bool // a write that fails is done nevertheless
	hit  bool
}

// makeFlaky makes the main table flaky.
func makeFlaky(s *shopful) *flaky {
	f := &flaky{}
	s.Main.Table = storetest.Faulty{Table: s.Main.Table, Around: f.around}
	return f
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

// around is what happens instead of each call.
func (f *flaky) around(c storetest.Call, do func() error) error {
	now, dead := f.fails()
	if now && f.late && c.Ops != nil {
		if err := do(); err != nil {
			return err
		}
	}
	if dead {
		return store.ErrUnavailable
	}
	return do()
}

func TestAFailureAtAnyCallLeavesAllOrNothing(t *testing.T) {
	for name, r := range rounds {
		for mode, c := range map[string]struct{ dies, late bool }{
			"one call fails": {}, "one write fails after it was done": {late: true},
			"it dies": {dies: true}, "it dies after a write that was done": {true, true},
		} {
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				s := open(t)
				f := makeFlaky(s)
				ids, made := r.made(s, min(12, r.fit()))
				undone := false
				for call := 1; ; call++ {
					round := fmt.Sprint("R", call)
					want := r.items(made, round)
					f.set(call, c.dies, c.late)
					a := s.together(r.kind, want, "Idempotency-Key", round)
					through := !f.hit
					f.set(-1, false, false)
					seen := r.seen(s, want)
					if a.Status == 200 {
						require.True(t, seen)
					}
					if through {
						break
					}
					undone = undone || !seen
					s.sound(ids, a.Header.Get("X-Request-Id"))
					a = s.together(r.kind, want, "Idempotency-Key", round).Is(200)
					require.True(t, r.seen(s, want), "the same request does it")
					if r.kind == "stock" {
						require.Equal(t, float64(5+call), s.get(ids[0]).At("stock.quantity"), "once")
					}
					s.sound(ids, a.Header.Get("X-Request-Id"))
				}
				require.True(t, undone)
			})
		}
	}
}

func TestTwoUnderOneKeyAreDoneOnce(t *testing.T) {
	s := open(t)
	r := rounds["stocks"]
	ids, made := r.made(s, 99)
	want := r.items(made, "X")
	var first hosttest.Answer
	s.Main.Meanwhile(func() { first = s.together("stock", want, "Idempotency-Key", "k").Is(200) })
	require.Equal(t, first.Body, s.together("stock", want, "Idempotency-Key", "k").Is(200).Body)
	require.NotNil(t, first.Body)
	require.Equal(t, 6.0, s.get(ids[98]).At("stock.quantity"))
	s.sound(ids, first.Header.Get("X-Request-Id"))
}

// long99 are the items of a batch that takes several transactions.
func long99(ids []string, round string) []obj {
	return items(ids, func(i int) obj {
		return obj{"code": fmt.Sprint(round, i), "name": fmt.Sprint("Name ", round, " ", i)}
	})
}

// beforeWrite happens once, ahead of the nth write from now on.
func (s *shopful) beforeWrite(n int, f func()) {
	s.Main.Before(func([]store.Op) error {
		if n--; n == 0 {
			s.Main.Before(nil)
			f()
		}
		return nil
	})
}

func TestABatchOfSeveralTransactionsHasItsKeyWhileItRuns(t *testing.T) {
	s := open(t)
	ids := s.many(99)
	key := []string{"Idempotency-Key", "k"}
	want, other := long99(ids, "X"), long99(ids, "Y")
	refused := func(a hosttest.Answer, status int, code string) {
		t.Helper()
		require.Equal(t, "1", a.Is(status, code).Raw("X-RateLimit-Request-Cost"))
	}
	s.beforeWrite(2, func() {
		n := s.Main.Writes()
		refused(s.batch("basic", want, key...), 409, "idempotency_in_progress")
		refused(s.batch("basic", other, key...), 422, "idempotency_key_reused")
		refused(s.batch("stock", []obj{{"id": ids[0], "quantity": 1}}, key...), 422, "idempotency_key_reused")
		require.Equal(t, n, s.Main.Writes(), "nothing is written beside it")
	})
	first := s.batch("basic", want, key...).Is(200)
	require.Equal(t, 99.0, first.At("changed"))
	require.Len(t, s.one(events.Products), 99)
	again := s.batch("basic", want, key...).Is(200)
	require.Equal(t, first.Body, again.Body)
	require.Equal(t, "true", again.Raw("Idempotent-Replayed"))
	require.Equal(t, "1", again.Raw("X-RateLimit-Request-Cost"))
	s.sound(ids, first.Header.Get("X-Request-Id"))
}

func TestABatchThatComesSecondUnderItsKeyWritesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		round  string // of the request that comes between
		status int
		code   []string
	}{
		"the same": {round: "X", status: 200},
		"another":  {round: "Y", status: 422, code: []string{"idempotency_key_reused"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			ids := s.many(99)
			var first hosttest.Answer
			s.beforeWrite(1, func() {
				first = s.batch("basic", long99(ids, c.round), "Idempotency-Key", "k").Is(200)
			})
			second := s.batch("basic", long99(ids, "X"), "Idempotency-Key", "k").Is(c.status, c.code...)
			require.Equal(t, "1", second.Raw("X-RateLimit-Request-Cost"))
			if c.status == 200 {
				require.Equal(t, first.Body, second.Body)
			}
			require.Len(t, s.one(events.Products), 99)
			require.Equal(t, c.round+"98", s.get(ids[98]).Get("code"))
			s.sound(ids, second.Header.Get("X-Request-Id"))
		})
	}
}

func TestBatchesBesideEachOtherUnderOneKeyAreOne(t *testing.T) { besideUnderOneKey(open(t)) }

// besideUnderOneKey sends batches of several transactions side by side under one key, two of each body.
func besideUnderOneKey(s *shopful) {
	ids := s.many(99)
	answers := hosttest.Together(6, func(i int) hosttest.Answer {
		return s.batch("basic", long99(ids, fmt.Sprint("R", i/2, "-")), "Idempotency-Key", "k")
	})
	done := slices.IndexFunc(answers, func(a hosttest.Answer) bool {
		return a.Status == 200 && a.Raw("Idempotent-Replayed") == ""
	})
	require.GreaterOrEqual(s.T, done, 0)
	for i, a := range answers {
		switch {
		case i == done:
			require.Equal(s.T, "10", a.Raw("X-RateLimit-Request-Cost"))
			require.Equal(s.T, 99.0, a.At("changed"))
			continue
		case i/2 != done/2:
			a.Is(422, "idempotency_key_reused")
		case a.Status == 200:
			require.Equal(s.T, "true", a.Raw("Idempotent-Replayed"))
			require.Equal(s.T, answers[done].Body, a.Body)
		default:
			a.Is(409, "idempotency_in_progress")
		}
		require.Equal(s.T, "1", a.Raw("X-RateLimit-Request-Cost"))
		s.sound(nil, a.Header.Get("X-Request-Id"))
	}
	require.Len(s.T, s.one(events.Products), 99)
	for i, id := range ids {
		require.Equal(s.T, fmt.Sprint("R", done/2, "-", i), s.get(id).Get("code"))
	}
	s.sound(ids, answers[done].Header.Get("X-Request-Id"))
}

func TestAKeyWhoseBatchDiedIsFreeWhenThatCanNotRunAnyMore(t *testing.T) {
	s := open(t)
	f := makeFlaky(s)
	ids := s.many(99)
	want := long99(ids, "X")
	s.beforeWrite(2, func() { f.set(1, true, false) })
	s.batch("basic", want, "Idempotency-Key", "k").Is(503, "unavailable")
	f.set(-1, false, false)
	s.batch("basic", want, "Idempotency-Key", "k").Is(409, "idempotency_in_progress")
	s.batch("basic", want[:1], "Idempotency-Key", "k").Is(422, "idempotency_key_reused")
	s.Clock.Pass(timeout)
	s.Main.NewChanges()
	a := s.batch("basic", want, "Idempotency-Key", "k").Is(200)
	require.Equal(t, "X98", s.get(ids[98]).Get("code"))
	require.Equal(t, a.Body, s.batch("basic", want, "Idempotency-Key", "k").Is(200).Body)
	s.sweep()
	s.sound(ids, a.Header.Get("X-Request-Id"))
}

func TestAKeyWhoseBatchEndedWithoutAnAnswerIsFreeAtOnce(t *testing.T) {
	s := open(t)
	f := makeFlaky(s)
	ids := s.many(99)
	want := long99(ids, "X")
	s.beforeWrite(2, func() { f.set(1, false, false) })
	s.batch("basic", want, "Idempotency-Key", "k").Is(503, "unavailable")
	a := s.batch("basic", want, "Idempotency-Key", "k").Is(200)
	require.Empty(t, a.Raw("Idempotent-Replayed"))
	require.Equal(t, "X98", s.get(ids[98]).Get("code"))
}

// beside is a change of one product that comes between two calls of a batch.
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

func TestAnyChangeBesideABatchComesBeforeIt(t *testing.T) {
	s := open(t)
	r := rounds["codes, names and long texts"]
	products, run := r.fit(), 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		round := fmt.Sprint("R", run)
		any := rapid.IntRange(0, products-1)
		kind := rapid.SampledFrom([]string{"ean", "a name", "the name of the batch", "a code", "the code of the batch",
			"a code of the batch", "stock and another name", "delete"})
		b := beside{kind: kind.Draw(rt, "kind"), j: any.Draw(rt, "j"), i: any.Draw(rt, "i")}
		ids, made, model := make([]string, products), make([]hosttest.Answer, products), make([]obj, products)
		for i := range ids {
			made[i] = s.made(fmt.Sprint("M", round, "-", i))
			ids[i], model[i] = made[i].ID(), made[i].Body
		}
		want := r.items(made, round)
		done := false
		s.Main.Meanwhile(func() { done = b.do(s, ids, round) })
		a := s.together(r.kind, want)
		s.Main.Around(nil)
		if done && (b.kind == "delete" || b.kind == "a code of the batch" && b.i != b.j) {
			a.Is(422, "batch_rejected")
		} else {
			a.Is(200)
		}
		for i := range ids {
			if i == b.j && done {
				if b.kind == "delete" {
					s.ask("GET", path(ids[i]), nil).Is(404)
					continue
				}
				maps.Copy(model[i], b.fields(round))
			}
			if a.Status == 200 {
				maps.Copy(model[i], want[i])
			}
			g := s.get(ids[i])
			for _, field := range []string{"code", "name", "ean", "description"} {
				require.Equal(rt, model[i][field], g.Body[field], "%s of %d", field, i)
			}
		}
		if done && b.kind == "delete" {
			ids = slices.Delete(ids, b.j, b.j+1)
		}
		s.sound(ids, a.Header.Get("X-Request-Id"))
		if a.Status == 422 {
			for i := range products {
				for _, owner := range s.claimed(r.claims(i, round)) {
					require.True(rt, i == b.i || i == b.j, "%s is claimed", owner)
				}
			}
		}
	})
}

func TestManyAtOnceNeverSeeHalf(t *testing.T) {
	s := open(t)
	const products, rounds, batchers, editors = 14, 6, 2, 3
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
			all, err := catalog.ReadProducts(t.Context(), s.Main.Table, "shop", ids)
			if err != nil {
				t.Error(err)
				return
			}
			seen := map[string]bool{}
			for _, w := range all {
				seen[string(w.Details().ShortDescription)] = true
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
					return obj{"code": fmt.Sprint("B", b, n, "-", i), "name": fmt.Sprint("Name ", b, n, " ", i%10),
						"shortDescription": fmt.Sprint(b, "-", n)}
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
				field := []obj{
					{"ean": fmt.Sprint(n)}, {"name": fmt.Sprint("Name ", n%batchers, n%rounds, " ", i%10)},
					{"code": fmt.Sprint("B", e%batchers, n%rounds, "-", i)}, {"code": fmt.Sprint("E", e, "-", i)},
				}[dice.IntN(4)]
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
	s.sound(ids, "")
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
