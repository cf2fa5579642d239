package delivery_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/delivery"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signingkey"
)

func TestAChangeArrivesOnceHoweverOftenItAndItsBellCome(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	c := w.change("shop", customer("alice"), customer("bob"))
	c.By, c.ClientRequest = events.Shopper, "mine"
	w.tell(c, c)
	w.tell(c)
	w.run()
	w.tell(c)
	w.run()
	hits := s.got()
	require.Len(t, hits, 1)
	h := hits[0]
	id := c.WebhookID(events.CustomerChange, r.ID, 0)
	require.Equal(t, `{"id":"`+id+`","event":"customerChange","shopId":"shop","apiVersion":"2026-11-01",`+
		`"createdAt":"2026-11-21T02:05:12.583Z","by":"shopper","requestId":"mine",`+
		`"data":{"customerIds":["alice","bob"]}}`, string(h.body))
	require.Equal(t, "shopper", h.Get("X-Webhook-By"))
	require.Equal(t, "customerChange", h.event())
	require.Equal(t, id, h.Get("X-Webhook-Id"))
	require.Equal(t, "1", h.Get("X-Webhook-Attempt"))
	require.Equal(t, "contact", h.Get("X-Webhook-Changed"))
	require.Equal(t, "application/json", h.Get("Content-Type"))
	require.Equal(t, "eshop-webhooks/1", h.Get("User-Agent"))
	for _, name := range []string{"X-Webhook-Timestamp", "X-Webhook-Signature", "Webhook-Id", "Webhook-Timestamp",
		"Webhook-Signature", "Accept-Encoding"} {
		require.Empty(t, h.Values(name), "%s of an access without a key", name)
	}
	row, attempts := w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
	require.Len(t, attempts, 1)
	require.Equal(t, 200, attempts[0].Status)
	require.Equal(t, field.At(start), attempts[0].At)
	require.Equal(t, field.At(start), w.health(r).LastSuccess)
}

// Four change the same record at once. Each receiver is told who, as it stands to them, and one with own=false is told
// of three: nobody else's change hides behind its own.
func TestAReceiverLeavesOutWhatItsOwnAccessDidAndNothingElse(t *testing.T) {
	w, all, others := newWorld(t), serve(t, nil), serve(t, nil)
	mine, other := w.install("shop", permission.ReadCustomers), w.install("shop", permission.ReadCustomers)
	w.receiver(mine, all.URL+"/mine")
	w.receiver(mine, others.URL, func(r *webhook.Receiver) { r.NotOwn = true })
	w.receiver(other, all.URL+"/other")
	var changes []events.Change
	for _, by := range []events.Actor{events.Package(mine.Package), events.Person("ada"),
		events.Package(other.Package), ""} {
		c := w.change("shop", customer("alice"))
		c.By = by
		changes = append(changes, c)
	}
	w.tell(changes...)
	w.run()
	told := func(s *shop) (all []string) {
		for _, h := range s.got() {
			by := h.Get("X-Webhook-By")
			require.Contains(t, string(h.body), `,"by":"`+by+`",`)
			all = append(all, by)
		}
		slices.Sort(all)
		return all
	}
	require.Equal(t, []string{"admin", "package", "platform"}, told(others))
	require.Equal(t, []string{"admin", "admin", "package", "package", "platform", "platform", "self", "self"},
		told(all))

	erased := w.change("shop")
	erased.By = events.Package(mine.Package)
	erased.Notices = []events.Notice{{Event: events.CustomerErase, Data: []byte(`{"customerIds":["alice"]}`)}}
	w.tell(erased)
	w.run()
	require.Len(t, others.got(), 4, "what is to be confirmed comes all the same")
	require.Equal(t, "self", others.got()[3].Get("X-Webhook-By"))
}

func TestBatchesCutOrShuffledOtherwiseMakeTheSameCalls(t *testing.T) {
	var first []string
	for i, order := range [][][]int{{{0, 1, 2, 3}}, {{3, 1}, {0}, {2}}, {{2, 2}, {3, 0, 1}, {1, 0}}} {
		w, s := newWorld(t), serve(t, nil)
		a := addon.Access{Head: record.Head{ID: "access", Version: w.id()},
			Terms: addon.Terms{Shop: "shop", Package: "package", State: addon.Active,
				AccessFields: addon.AccessFields{Permissions: permission.All}, APIVersion: "v"}}
		w.put(a.Item(), addon.Package{Head: record.Head{ID: "package", Version: w.id()},
			PackageFields: addon.PackageFields{Permissions: permission.All}}.Item())
		w.receiver(a, s.URL, func(r *webhook.Receiver) { r.ID = "receiver" })
		changes := make([]events.Change, 4)
		for n := range changes {
			changes[n] = w.change("shop", customer(fmt.Sprint("c", n)))
			changes[n].Request = fmt.Sprint("request", n)
		}
		for _, batch := range order {
			var some []events.Change
			for _, n := range batch {
				some = append(some, changes[n])
			}
			w.tell(some...)
			w.run()
		}
		var ids []string
		for _, row := range w.rows(a) {
			ids = append(ids, row.SK)
		}
		require.Len(t, ids, 4)
		require.Len(t, s.got(), 4)
		if i == 0 {
			first = ids
		}
		require.Equal(t, first, ids)
	}
}

func TestFiveHundredAndOneIDsAreTwoCalls(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	w.receiver(w.install("shop", permission.ReadProducts), s.URL)
	w.receiver(w.install("shop", permission.ReadProducts), s.URL)
	c := w.change("shop")
	for i := range 167 { // of three ids each
		c.Records = append(c.Records, events.Record{Kind: events.Products, ID: fmt.Sprint("p", i), Did: events.Created,
			Variants: []string{fmt.Sprint("v", i), fmt.Sprint("w", i)}})
	}
	w.tell(c, c)
	w.run()
	seen := map[string]int{}
	hits := s.got()
	require.Len(t, hits, 4)
	for _, h := range hits {
		require.Empty(t, h.Values("X-Webhook-Changed"))
		for _, p := range h.data(t)["products"].([]any) {
			seen[p.(map[string]any)["id"].(string)]++
		}
	}
	require.Len(t, seen, 167)
	for _, n := range seen {
		require.Equal(t, 2, n, "once for each receiver")
	}
}

func TestWhoHearsOfAChange(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	named := func(n string, also ...func(*webhook.Receiver)) func(a addon.Access) {
		return func(a addon.Access) { w.receiver(a, s.URL+"/"+n, also...) }
	}
	full := w.install("shop", permission.ReadCustomers, permission.ReadProducts)
	named("all")(full)
	named("products only", func(r *webhook.Receiver) { r.Events = []events.Name{events.ProductChange} })(full)
	named("inactive", func(r *webhook.Receiver) { r.Active = false })(full)
	named("never verified", func(r *webhook.Receiver) {
		r.State, r.Verified, r.Proven = webhook.Unverified, false, false
	})(full)
	named("stock", func(r *webhook.Receiver) { r.Groups = []events.Group{events.Stock} })(full)
	named("no permission")(w.install("shop", permission.ReadProducts, permission.WriteCustomers))
	named("another shop")(w.install("other", permission.All...))
	off := w.install("shop", permission.All...)
	off.State = addon.Deactivated
	w.put(off.Item())
	named("inactive package")(off)
	smaller := w.install("shop", permission.All...)
	w.put(addon.Package{Head: record.Head{ID: smaller.Package, Version: w.id()},
		PackageFields: addon.PackageFields{Permissions: []permission.Permission{permission.ReadProducts}}}.Item())
	named("a package that may not")(smaller)

	w.tell(w.change("shop", customer("c")))
	require.Equal(t, 1, w.fresh.sent, "the row of 'all'")
	w.run()
	require.Len(t, s.got(), 1)

	w.tell(w.change("shop", events.Record{Kind: events.Products, ID: "p", Did: events.Changed, Variants: []string{"v"},
		Groups: []events.Group{events.Basic}},
		events.Record{Kind: events.Categories, ID: "g", Did: events.Changed}))
	require.Equal(t, 1+4, w.fresh.sent, "all, products only, no permission (for customers), a package that may")
	w.run()
	require.Len(t, s.got(), 5)
}

func TestNoticesOfAPackageGoToItsOwnAccess(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	own, other := w.install("shop"), w.install("shop")
	w.receiver(own, s.URL)
	w.receiver(other, s.URL)
	notice := func(e events.Name) events.Change {
		c := w.change("shop")
		c.Notices = []events.Notice{{Event: e, Access: own.ID, Package: own.Package,
			Data: json.RawMessage(`{"packageId":"p"}`)}}
		return c
	}
	w.tell(notice(events.PackageActivate))
	w.run()
	require.Len(t, s.got(), 1)

	own.State = addon.Deactivated
	w.put(own.Item())
	w.tell(notice(events.PackageDeactivate), notice(events.PackageActivate), w.change("shop", customer("c")))
	w.run()
	require.Len(t, s.got(), 2)
	require.Equal(t, "packageDeactivate", s.got()[1].event())

	w.tell(notice(events.ShopOwnerChange))
	w.run()
	require.Len(t, s.got(), 3, "to the one that is active")
}

const vector = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

func TestEveryWebhookIsSignedForThisAttemptWhenThereIsAKey(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	w.key(a, vector, signingkey.Primary)
	w.tell(w.change("shop", customer("c")))
	w.run()
	w.clock.Pass(13 * time.Second)
	w.run()
	hits := s.got()
	require.Len(t, hits, 2)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(vector, "whsec_"))
	require.NoError(t, err)
	for i, h := range hits {
		stamp := fmt.Sprint(start.Add(time.Duration(i) * 13 * time.Second).Unix())
		require.Equal(t, []string{stamp}, h.Values("X-Webhook-Timestamp"))
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s", stamp, h.body)
		require.Equal(t, []string{"sha256=" + hex.EncodeToString(mac.Sum(nil))}, h.Values("X-Webhook-Signature"))
		mac = hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", h.Get("X-Webhook-Id"), stamp, h.body)
		require.Equal(t, []string{"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
			h.Values("Webhook-Signature"))
		require.Equal(t, h.Get("X-Webhook-Id"), h.Get("Webhook-Id"))
		require.Equal(t, stamp, h.Get("Webhook-Timestamp"))
		require.Equal(t, fmt.Sprint(i+1), h.Get("X-Webhook-Attempt"))
	}
	require.Equal(t, hits[0].body, hits[1].body, "the same bytes in every attempt")
}

func TestAPingWithItsNonceInTheAnswerEnablesTheReceiver(t *testing.T) {
	w := newWorld(t)
	s := serve(t, func(rw http.ResponseWriter, h hit) { rw.Write(h.body) })
	a := w.install("shop")
	unverified := func(r *webhook.Receiver) {
		r.State, r.Verified, r.Proven, r.Events = webhook.Unverified, false, false, nil
	}
	r, other := w.receiver(a, s.URL, unverified), w.receiver(a, s.URL, unverified)
	ping := func(r webhook.Receiver) events.Change {
		c := w.change("shop")
		c.Notices = []events.Notice{{Event: events.Ping, Access: a.ID, Receiver: r.ID,
			Data: json.RawMessage(`{"nonce":"n0nce"}`)}}
		return c
	}
	c := ping(r)
	w.tell(c, c)
	w.run()
	require.Len(t, s.got(), 1)
	require.True(t, w.read(r).Reachable())
	require.Equal(t, field.At(start), w.health(r).LastSuccess)
	require.False(t, w.read(other).Proven)

	s.answer(nil)
	w.tell(ping(other))
	w.run()
	require.Len(t, s.got(), 2)
	require.False(t, w.read(other).Verified)
	require.Equal(t, webhook.Health{LastFailure: "nonce_missing", FailedAt: field.At(start)}, w.health(other),
		"a ping counts in no run of failures")
	states := map[webhook.DeliveryState]int{}
	for _, i := range w.rows(a) {
		states[webhook.RowOf(&i).State]++
	}
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1, webhook.Exhausted: 1}, states)
	w.clock.Pass(time.Hour)
	w.run()
	require.Len(t, s.got(), 2, "one attempt")
}

// proving is a world whose main table fails as told, and a receiver that repeats the nonce of the ping that it gets.
func proving(t *testing.T) (*world, *broken, *shop, addon.Access, webhook.Receiver) {
	b := &broken{}
	w := newWorld(t, func(p *host.Parts) { b.Table = p.Main; p.Main = b })
	s := serve(t, func(rw http.ResponseWriter, h hit) { rw.Write(h.body) })
	a := w.install("shop")
	r := w.receiver(a, s.URL, func(r *webhook.Receiver) {
		r.State, r.Verified, r.Proven = webhook.Unverified, false, false
	})
	ping := w.change("shop")
	ping.Notices = []events.Notice{{Event: events.Ping, Access: a.ID, Receiver: r.ID,
		Data: json.RawMessage(`{"nonce":"n0nce"}`)}}
	w.tell(ping)
	return w, b, s, a, r
}

func TestAPingWhoseProofCannotBeWrittenIsSentAgainUntilItCan(t *testing.T) {
	w, b, s, a, r := proving(t)
	b.fails = func([]store.Op) bool { return w.clock.Now().Before(start.Add(10 * time.Second)) }
	w.run()
	row, attempts := w.row(a)
	require.Equal(t, webhook.Waiting, row.State)
	require.Empty(t, attempts, "it counts as not made")
	w.passing(time.Minute, time.Second)
	row, attempts = w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
	require.Len(t, attempts, 1)
	require.True(t, w.read(r).Reachable())
	require.Equal(t, []string{"1", "1", "1"}, s.attempts(t), "each five seconds")
}

func TestAProofThatCouldNotBeWrittenProvesNoOtherAddress(t *testing.T) {
	w, b, s, a, r := proving(t)
	b.fails = func([]store.Op) bool { return true }
	w.run()
	b.fails = nil
	other := serve(t, nil)
	r.URL, r.Version = other.URL, w.id()
	w.put(r.Item())
	w.passing(time.Minute, time.Second)
	row, attempts := w.row(a)
	require.Equal(t, webhook.Exhausted, row.State)
	require.Equal(t, webhook.NonceMissing, attempts[0].Error)
	require.False(t, w.read(r).Verified)
	require.Equal(t, []int{1, 1}, []int{len(s.got()), len(other.got())})
}

func (w *world) read(r webhook.Receiver) webhook.Receiver {
	items, err := w.p.Main.Get(w.t.Context(), webhook.ReceiverKey(r.Shop, r.Access, r.ID))
	require.NoError(w.t, err)
	now, err := webhook.ReceiverOf(items[0])
	require.NoError(w.t, err)
	return now
}

func TestAReceiverThatWasDownGetsItLaterUnderTheSameID(t *testing.T) {
	w, s := newWorld(t), serve(t, status(503))
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	w.run()
	require.Equal(t, []any{"status 503", int64(1)}, []any{w.health(r).LastFailure, w.health(r).Failures})
	w.tell(w.change("shop", customer("d")))
	require.Equal(t, 1, w.fresh.sent, "a suspect receiver's bells go to the retry queue")
	w.clock.Pass(8*time.Second - time.Millisecond)
	w.run()
	w.clock.Pass(5 * time.Second)
	s.answer(nil)
	w.run()
	w.clock.Pass(13 * time.Second)
	w.run()
	hits := s.got()
	require.Len(t, hits, 4)
	ids := map[string]int{}
	for _, h := range hits {
		ids[h.Get("X-Webhook-Id")]++
	}
	require.Len(t, ids, 2)
	require.Zero(t, w.health(r).Failures)
	for _, i := range w.rows(a) {
		require.Equal(t, webhook.Delivered, webhook.RowOf(&i).State)
		require.Equal(t, store.Key{}, i.Index1, "it waits no more")
	}
}

func TestTheScheduleIsTenAttemptsAndThenTheDeliveryIsExhausted(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	var at []time.Time
	for seen, end := 0, start.Add(90*time.Hour); w.clock.Now().Before(end); {
		w.run()
		if n := len(s.got()); n > seen {
			seen, at = n, append(at, w.clock.Now())
		}
		w.clock.Pass(time.Second)
		if w.clock.Now().Second() == 0 {
			require.NoError(t, w.sweep(t.Context()))
		}
		// nothing to be seen before the next full minute
		if next, there := w.retry.next(); !there || next > time.Minute {
			w.clock.Pass(time.Duration(59-w.clock.Now().Second()) * time.Second)
		}
	}
	require.Len(t, at, 10)
	for i, planned := range webhook.Waits {
		if i == 0 {
			continue
		}
		waited := at[i].Sub(at[i-1])
		require.GreaterOrEqual(t, waited, planned*8/10, "attempt %d", i+1)
		require.LessOrEqual(t, waited, planned*12/10+time.Minute+time.Second, "attempt %d", i+1)
	}
	row, attempts := w.row(a)
	require.Equal(t, webhook.Exhausted, row.State)
	require.Len(t, attempts, 10)
	require.Equal(t, "status 500", attempts[9].Error)
	require.Equal(t, "10", s.got()[9].Get("X-Webhook-Attempt"))
	page, err := w.p.Pipeline.Query(t.Context(),
		store.Query{Index: store.Index2, PK: webhook.StatePartition(row.Receiver, webhook.Exhausted)})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
}

func TestRetryAfterCountsWhenItIsLonger(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		header string
		least  time.Duration
		most   time.Duration
	}{
		"longer":           {503, "120", 120 * time.Second, 121 * time.Second},
		"shorter":          {429, "1", 8 * time.Second, 12 * time.Second},
		"of another state": {500, "120", 8 * time.Second, 12 * time.Second},
		"endless":          {429, "999999999", 24 * time.Hour, 24*time.Hour + time.Second},
		"a date":           {429, start.Add(time.Hour).Format(http.TimeFormat), 59 * time.Minute, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := serve(t, func(rw http.ResponseWriter, _ hit) {
				rw.Header().Set("Retry-After", c.header)
				rw.WriteHeader(c.status)
			})
			a := w.install("shop", permission.ReadCustomers)
			w.receiver(a, s.URL)
			w.tell(w.change("shop", customer("c")))
			w.run()
			row, _ := w.row(a)
			wait := time.UnixMilli(row.Due).Sub(start)
			require.GreaterOrEqual(t, wait, c.least)
			require.LessOrEqual(t, wait, c.most)
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	w, elsewhere := newWorld(t), serve(t, nil)
	s := serve(t, func(rw http.ResponseWriter, _ hit) {
		rw.Header().Set("Location", elsewhere.URL)
		rw.WriteHeader(307)
	})
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	w.run()
	require.Empty(t, elsewhere.got())
	require.Equal(t, "status 307", w.health(r).LastFailure)
}

func TestWhatIsForbiddenMeanwhileIsCancelledWithItsReason(t *testing.T) {
	for reason, change := range map[string]func(w *world, a addon.Access, r webhook.Receiver){
		webhook.ReceiverDeleted: func(w *world, _ addon.Access, r webhook.Receiver) {
			_, err := w.p.Main.Write(w.t.Context(), events.Nothing,
				store.Delete(webhook.ReceiverKey(r.Shop, r.Access, r.ID)))
			require.NoError(w.t, err)
		},
		webhook.ReceiverInactive: func(w *world, _ addon.Access, r webhook.Receiver) {
			r.Active = false
			w.put(r.Item())
		},
		webhook.Unsubscribed: func(w *world, _ addon.Access, r webhook.Receiver) {
			r.Events = []events.Name{events.ProductChange}
			w.put(r.Item())
		},
		webhook.PermissionGone: func(w *world, a addon.Access, _ webhook.Receiver) {
			a.Permissions = nil
			w.put(a.Item())
		},
		webhook.PackageInactive: func(w *world, a addon.Access, _ webhook.Receiver) {
			a.State = addon.Deactivated
			w.put(a.Item())
		},
	} {
		t.Run(reason, func(t *testing.T) {
			w, s := newWorld(t), serve(t, nil)
			a := w.install("shop", permission.ReadCustomers)
			r := w.receiver(a, s.URL)
			w.tell(w.change("shop", customer("c")))
			change(w, a, r)
			w.run()
			require.Empty(t, s.got())
			row, attempts := w.row(a)
			require.Equal(t, webhook.Cancelled, row.State)
			require.Equal(t, reason, row.Reason)
			require.Empty(t, attempts)
		})
	}
}

func TestOnAWSWhatIsForbiddenCountsWithinTenSeconds(t *testing.T) {
	w, s := newWorld(t, func(p *host.Parts) { p.Traits = host.Traits{} }), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	for range 2 { // the second is remembered
		w.tell(w.change("shop", customer("c")))
		w.run()
	}
	w.tell(w.change("shop", customer("c")))
	r.Active, r.Version = false, w.id()
	w.put(r.Item())
	w.clock.Pass(10 * time.Second)
	w.run()
	require.Len(t, s.got(), 2)
}

func TestWhatWaitsForANewAddressGoesThere(t *testing.T) {
	w, s, moved := newWorld(t), serve(t, nil), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	r.URL, r.Verified, r.State = moved.URL, false, webhook.Unverified
	w.put(r.Item())
	w.run()
	w.clock.Pass(time.Minute)
	w.run()
	require.Empty(t, moved.got())
	row, _ := w.row(a)
	require.Equal(t, webhook.Parked, row.State)
	require.NoError(t, webhook.MarkVerified(t.Context(), w.p.Unit(), w.p.Webhooks(), r))
	w.pass(time.Minute)
	require.Empty(t, s.got())
	require.Len(t, moved.got(), 1)
	require.Equal(t, "1", moved.got()[0].Get("X-Webhook-Attempt"))
}

func TestACrashBetweenTakingAndResultRepeatsTheAttemptUnderTheSameIDAndNumber(t *testing.T) {
	for name, oneProcess := range map[string]bool{"on AWS after the lease": false, "in the one process at once": true} {
		t.Run(name, func(t *testing.T) {
			w, s := newWorld(t, func(p *host.Parts) { p.Traits = hosttest.Traits(oneProcess) }), serve(t, nil)
			a := w.install("shop", permission.ReadCustomers)
			r := w.receiver(a, s.URL)
			c := w.change("shop", customer("c"))
			w.tell(c)
			id := c.WebhookID(events.CustomerChange, r.ID, 0)
			taken, err := delivery.TakeAndDie(t.Context(), w.p, webhook.Bell{Access: a.ID, ID: id, Receiver: r.ID})
			require.NoError(t, err)
			require.True(t, taken)
			w.restart()
			if !oneProcess {
				w.run()
				require.Empty(t, s.got(), "somebody may be at it")
				w.clock.Pass(25 * time.Second)
			}
			w.run()
			require.Len(t, s.got(), 1)
			require.Equal(t, id, s.got()[0].Get("X-Webhook-Id"))
			require.Equal(t, "1", s.got()[0].Get("X-Webhook-Attempt"))
		})
	}
}

func TestAnAttemptInFlightIsNotBegunBesideItselfHoweverTheClockJumps(t *testing.T) {
	for name, oneProcess := range map[string]bool{"in one Lambda": false, "in the one process": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(p *host.Parts) { p.Traits = hosttest.Traits(oneProcess) })
			var doubled []queue.Received
			var jump sync.Once
			overdue := 0 // on AWS the queue alone knows of a first attempt
			if oneProcess {
				overdue = 1
			}
			s := serve(t, func(http.ResponseWriter, hit) {
				jump.Do(func() {
					w.clock.Pass(time.Hour) // the machine slept: its lease is over, and it is long overdue
					if err := w.sweep(t.Context()); err != nil {
						t.Error(err)
					}
					rung, _ := w.fresh.Receive(t.Context(), 10, 0)
					if len(rung) != overdue || len(w.deliver(t.Context(), append(rung, doubled...))) > 0 {
						t.Error("both bells are done with")
					}
				})
			})
			a := w.install("shop", permission.ReadCustomers)
			w.receiver(a, s.URL)
			w.tell(w.change("shop", customer("c")))
			doubled, _ = w.fresh.Receive(t.Context(), 10, 0)
			require.Empty(t, w.deliver(t.Context(), doubled))
			w.pass(time.Hour)
			require.Len(t, s.got(), 1)
			row, attempts := w.row(a)
			require.Equal(t, webhook.Delivered, row.State)
			require.Len(t, attempts, 1)
		})
	}
}

func TestBothQueuesOfAProcessRespectWhatEachHasTaken(t *testing.T) {
	w := newWorld(t)
	other := delivery.Function.Messages.Handler(w.p)
	var bells []queue.Received
	s := serve(t, func(http.ResponseWriter, hit) {
		if len(other(t.Context(), bells)) > 0 {
			t.Error("a doubled bell is done with")
		}
	})
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	w.tell(w.change("shop", customer("c")))
	bells, _ = w.fresh.Receive(t.Context(), 10, 0)
	require.Empty(t, w.deliver(t.Context(), bells))
	w.clock.Pass(time.Minute)
	w.run()
	require.Len(t, s.got(), 1)
}

func TestLostBellsAreRungAgain(t *testing.T) {
	prepare := func(t *testing.T) (*world, *shop) {
		w, s := newWorld(t), serve(t, nil)
		w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
		for i := range 40 {
			w.tell(w.change("shop", customer(fmt.Sprint(i))))
		}
		w.fresh.lose()
		return w, s
	}
	t.Run("at the start, all that wait", func(t *testing.T) {
		w, s := prepare(t)
		w.restart()
		require.NoError(t, delivery.Refill(t.Context(), w.p, 1000))
		w.run()
		require.Len(t, s.got(), 40)
		require.NoError(t, delivery.Refill(t.Context(), w.p, 1000))
		w.run()
		require.Len(t, s.got(), 40)
	})
	t.Run("at the start, also what the sweeper has rung for again and again", func(t *testing.T) {
		w, s := prepare(t)
		for range 2 * 60 {
			w.clock.Pass(time.Minute)
			require.NoError(t, w.sweep(t.Context()))
			w.fresh.lose()
		}
		w.restart()
		require.NoError(t, delivery.Refill(t.Context(), w.p, 1000))
		w.run()
		require.Len(t, s.got(), 40)
	})
	t.Run("by the sweeper, when overdue", func(t *testing.T) {
		w, s := prepare(t)
		w.clock.Pass(webhook.Grace - time.Second)
		require.NoError(t, w.sweep(t.Context()))
		w.run()
		require.Empty(t, s.got())
		w.clock.Pass(2 * time.Second)
		require.NoError(t, w.sweep(t.Context()))
		require.NoError(t, w.sweep(t.Context()))
		require.Equal(t, 80, w.fresh.sent, "it moves the due time as it rings")
		w.run()
		require.Len(t, s.got(), 40)
	})
}

func TestARetrysBellThatWasLostIsRungWithItsDelay(t *testing.T) {
	w, s := newWorld(t), serve(t, status(500))
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	w.tell(w.change("shop", customer("c")))
	w.run()
	w.retry.lose()
	w.restart()
	require.NoError(t, delivery.Refill(t.Context(), w.p, 1000))
	wait, there := w.retry.next()
	require.True(t, there)
	require.GreaterOrEqual(t, wait, 8*time.Second)
}

// broken is a table that can fail.
type broken struct {
	store.Table
	fails func(ops []store.Op) bool // one call at a time
	loses func(ops []store.Op) bool // the answer to what is done
	mu    sync.Mutex
}

func (b *broken) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	if b.asked(b.fails, ops) {
		return store.Item{}, store.ErrUnavailable
	}
	i, err := b.Table.Write(ctx, c, ops...)
	if err == nil && b.asked(b.loses, ops) {
		return store.Item{}, store.ErrUnavailable
	}
	return i, err
}

func (b *broken) asked(about func([]store.Op) bool, ops []store.Op) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return about != nil && about(ops)
}

func TestAStoreThatIsAwayMakesTheBellComeAgain(t *testing.T) {
	for name, oneProcess := range map[string]bool{"on AWS": false, "in the one process": true} {
		t.Run(name, func(t *testing.T) {
			b := &broken{}
			w, s := newWorld(t, func(p *host.Parts) {
				b.Table = p.Pipeline
				p.Pipeline = b
				p.Traits = hosttest.Traits(oneProcess)
			}), serve(t, nil)
			w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
			c := w.change("shop", customer("c"))

			b.fails = func([]store.Op) bool { return true }
			done, err := w.batch(t.Context(), []events.Change{c})
			require.ErrorIs(t, err, store.ErrUnavailable)
			require.Zero(t, done)

			b.fails = nil
			w.tell(c)
			bells, err := w.fresh.Receive(t.Context(), 10, 0)
			require.NoError(t, err)
			b.fails = func([]store.Op) bool { return true }
			for range 3 {
				require.Empty(t, w.deliver(t.Context(), bells), "a new bell rings soon")
				require.Empty(t, s.got(), "an attempt begins with a write")
				w.clock.Pass(5 * time.Second)
				bells, err = w.fresh.Receive(t.Context(), 10, 0)
				require.NoError(t, err)
				require.Len(t, bells, 1)
			}

			b.fails = nil
			w.clock.Pass(time.Minute)
			lost := 0
			b.fails = func(ops []store.Op) bool { // the first two writes of the result
				result := writesResult(ops) && lost < 2
				if result {
					lost++
				}
				return result
			}
			require.Empty(t, w.deliver(t.Context(), bells))
			require.Equal(t, 2, lost)
			require.Len(t, s.got(), 1)
			require.Empty(t, w.deliver(t.Context(), bells))
			require.Len(t, s.got(), 1)
		})
	}
}

// writesResult says whether the operations write the result of an attempt.
func writesResult(ops []store.Op) bool {
	return ops[0].Kind == store.Putting && slices.ContainsFunc(ops[0].Conds, func(c store.Condition) bool {
		return c.Name == "claim" && c.Text != ""
	})
}

// losing is a world whose pipeline table loses the answer to the next result that is written, once then has happened.
func losing(t *testing.T, then func(*world), also ...func(*host.Parts)) *world {
	var w *world
	b, lost := &broken{}, false
	w = newWorld(t, append(also, func(p *host.Parts) { b.Table = p.Pipeline; p.Pipeline = b })...)
	b.loses = func(ops []store.Op) bool {
		if lost || !writesResult(ops) {
			return false
		}
		lost = true
		then(w)
		return true
	}
	return w
}

func TestAResultWhoseAnswerWasLostIsOneAllTheSame(t *testing.T) {
	figures := map[string]int{}
	s := serve(t, status(500))
	w := losing(t, func(*world) {}, func(p *host.Parts) {
		p.Figure = func(name, _ string, _ float64) { figures[name]++ }
	})
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	w.run()
	_, attempts := w.row(a)
	require.Len(t, attempts, 1)
	require.Equal(t, map[string]int{webhook.AttemptsFailed: 1}, figures)
	w.clock.Pass(12 * time.Second)
	w.run()
	require.Len(t, s.got(), 2, "its next attempt has its bell")
}

func TestWhatIsParkedWhileItsBreakerClosesIsLetGoThoughAnswersAreLostAndDrainsRefused(t *testing.T) {
	var r webhook.Receiver
	s := serve(t, nil)
	main, refused := &broken{}, 0
	w := losing(t, func(w *world) { w.put(r.Item()) }, func(p *host.Parts) { main.Table = p.Main; p.Main = main })
	main.fails = func(ops []store.Op) bool {
		if ops[0].Key != webhook.DrainKey(r.ID) || refused == 2 {
			return false
		}
		refused++
		return true
	}
	a := w.install("shop", permission.ReadCustomers)
	r = w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	failing := r
	failing.State, failing.Version = webhook.Failing, w.id()
	w.put(failing.Item())
	r.Version = w.id()
	w.run()
	require.Equal(t, 2, refused)
	w.pass(time.Minute)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1}, w.states(a))
}

func TestAChangeThatFailsIsNamedAndThoseBeforeItAreDone(t *testing.T) {
	b := &broken{}
	w, s := newWorld(t, func(p *host.Parts) { b.Table = p.Pipeline; p.Pipeline = b }), serve(t, nil)
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	good, bad := w.change("shop", customer("good")), w.change("shop", customer("bad"))
	b.fails = func(ops []store.Op) bool { return strings.Contains(string(ops[0].Item.Doc), `{"customerIds":["bad"]}`) }
	done, err := w.batch(t.Context(), []events.Change{good, good, bad, good})
	require.Error(t, err)
	require.Equal(t, 2, done)
	w.run()
	require.Len(t, s.got(), 1)
}

func TestAQueueThatIsAwayMakesTheChangesComeAgain(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	c := w.change("shop", customer("c"))
	w.fresh.err = queue.ErrUnavailable
	_, err := w.batch(t.Context(), []events.Change{c})
	require.ErrorIs(t, err, queue.ErrUnavailable)
	w.fresh.err = nil
	w.tell(c)
	w.run()
	require.Len(t, s.got(), 1)
}

func TestAtTheStopNoAttemptBeginsAndOneThatIsCutWasNotMade(t *testing.T) {
	w := newWorld(t)
	w.deliver = delivery.InAHurry(w.p, time.Millisecond)
	reached, hang := make(chan struct{}, 1), make(chan struct{})
	s := serve(t, func(http.ResponseWriter, hit) { reached <- struct{}{}; <-hang })
	a := w.install("shop", permission.ReadCustomers)
	r := w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	bells, err := w.fresh.Receive(t.Context(), 10, 0)
	require.NoError(t, err)

	ctx, stop := context.WithCancel(t.Context())
	go func() { <-reached; stop() }()
	require.Equal(t, bells, w.deliver(ctx, bells))
	close(hang)
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	row, attempts := w.row(a)
	require.Equal(t, webhook.Waiting, row.State)
	require.Empty(t, attempts)
	require.Equal(t, webhook.Health{}, w.health(r))

	require.Equal(t, bells, w.deliver(ctx, bells), "no attempt begins any more")
	require.Len(t, s.got(), 1)

	s.answer(nil)
	w.restart()
	require.Empty(t, w.deliver(t.Context(), bells))
	require.Len(t, s.got(), 2)
	require.Equal(t, "1", s.got()[1].Get("X-Webhook-Attempt"))
}

func TestWhatBeganBeforeTheStopMayEnd(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	s := serve(t, func(rw http.ResponseWriter, _ hit) { stop() })
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	bells, err := w.fresh.Receive(t.Context(), 10, 0)
	require.NoError(t, err)
	require.Empty(t, w.deliver(ctx, bells))
	require.True(t, errors.Is(ctx.Err(), context.Canceled))
	row, _ := w.row(a)
	require.Equal(t, webhook.Delivered, row.State)
}

func TestTheAnswersFirstTwoKibibytesAreKept(t *testing.T) {
	w := newWorld(t)
	s := serve(t, func(rw http.ResponseWriter, _ hit) {
		rw.WriteHeader(400)
		rw.Write([]byte(strings.Repeat("x", 5000)))
	})
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	w.tell(w.change("shop", customer("c")))
	w.run()
	_, attempts := w.row(a)
	require.Equal(t, strings.Repeat("x", 2048), attempts[0].Answer)
	require.Equal(t, 400, attempts[0].Status)
}

func TestADeliveryStaysWithinItsBudgetOfCalls(t *testing.T) {
	w, s := newWorld(t, func(p *host.Parts) { p.Traits = host.Traits{} }), serve(t, nil)
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	for range 2 {
		w.tell(w.change("shop", customer("warm")))
		w.run()
	}
	ctx, meter := store.WithMeter(t.Context())
	_, err := w.batch(ctx, []events.Change{{Request: "r", Shop: "shop", At: start.UnixMilli(),
		Notices: []events.Notice{{Event: events.ShopOwnerChange, Data: json.RawMessage(`{}`)}}}})
	require.NoError(t, err)
	require.Equal(t, 3, meter.Calls(), "the listeners, their packages and health, the row")
	bells, err := w.fresh.Receive(ctx, 10, 0)
	require.NoError(t, err)
	require.Empty(t, w.deliver(ctx, bells))
	require.Equal(t, 3+2, meter.Calls(), "taking and result")
	_, writes := meter.Units()
	require.Equal(t, 3.0, writes)
	require.Len(t, s.got(), 3)
}

func TestAPanicAtOneMessageIsNobodyElses(t *testing.T) {
	b := &broken{}
	w, s := newWorld(t, func(p *host.Parts) { b.Table = p.Pipeline; p.Pipeline = b }), serve(t, nil)
	w.receiver(w.install("shop", permission.ReadCustomers), s.URL)
	bad := ""
	b.fails = func(ops []store.Op) bool {
		if bad != "" && ops[0].Key.SK == bad {
			panic("what nobody foresaw")
		}
		return false
	}
	w.tell(w.change("shop", customer("1")), w.change("shop", customer("2")), w.change("shop", customer("3")))
	bells, err := w.fresh.Receive(t.Context(), 10, 0)
	require.NoError(t, err)
	require.Len(t, bells, 3)
	bad = strings.Fields(bells[1].Body)[1]
	require.Equal(t, bells[1:2], w.deliver(t.Context(), bells))
	bad = ""
	w.clock.Pass(time.Minute)
	require.Empty(t, w.deliver(t.Context(), bells[1:2]))
	require.Subset(t, s.since(0), []string{strings.Fields(bells[0].Body)[1], strings.Fields(bells[1].Body)[1],
		strings.Fields(bells[2].Body)[1]})
}
