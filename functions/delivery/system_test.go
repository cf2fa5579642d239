package delivery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/operator"
	"eshop/functions/tokens"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/webhook"
	"eshop/shared/webhook/inflight"
	"eshop/shared/webhook/signature"
)

// vendor is a world with the APIs of the operator and of install codes, and a package with a systemUrl.
type vendor struct {
	*world
	frame     *api.API
	log       *bytes.Buffer
	main      *hosttest.Table
	system    *shop
	shop, pkg string
}

func newVendor(t *testing.T, say func(http.ResponseWriter, hit)) *vendor {
	v := &vendor{log: &bytes.Buffer{}, system: serve(t, say)}
	v.world = newWorld(t, func(p *host.Parts) {
		v.main = &hosttest.Table{Table: p.Main}
		p.Main, p.Log = v.main, slog.New(slog.NewTextHandler(v.log, nil))
	})
	v.frame = v.p.API
	operator.Function.HTTP(v.p, v.frame)
	tokens.Function.HTTP(v.p, v.frame)
	v.shop = v.do("POST", "/operator/shops",
		`{"name":"S","domain":"a.cz","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@a.cz"}}`)["id"].(string)
	v.pkg = v.do("POST", "/operator/packages",
		`{"code":"p","name":"P","instructions":"","permissions":["customers:read"],"systemUrl":"`+v.system.URL+`"}`)["id"].(string)
	return v
}

// do makes a call as the operator that succeeds.
func (v *vendor) do(method, path, body string) map[string]any {
	v.t.Helper()
	status, answer := v.call(method, path, body)
	require.Less(v.t, status, 300, "%v", answer)
	return answer
}

func (v *vendor) call(method, path, body string) (int, map[string]any) {
	v.t.Helper()
	return v.as(hosttest.OperatorToken, method, path, body)
}

// as makes a call with the token, and returns the answer's status and body.
func (v *vendor) as(token, method, path, body string) (int, map[string]any) {
	v.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	v.frame.ServeHTTP(rec, r)
	var answer map[string]any
	if rec.Body.Len() > 0 {
		require.NoError(v.t, json.Unmarshal(rec.Body.Bytes(), &answer))
	}
	return rec.Code, answer
}

// install puts the package on the shop and returns the access's path.
func (v *vendor) install(active bool) (path string) {
	v.t.Helper()
	accesses := "/operator/shops/" + v.shop + "/accesses"
	a := v.do("POST", accesses, fmt.Sprintf(`{"packageId":%q,"active":%t}`, v.pkg, active))
	return accesses + "/" + a["id"].(string)
}

// code is a custom code of the package on the shop, with a cleanup order or without one.
func (v *vendor) code(ordered bool) string {
	v.t.Helper()
	u := v.p.Unit()
	u.Shop = v.shop
	code, err := addon.CustomCodes(v.pkg).
		Create(v.t.Context(), u, addon.CodeFields{Name: "widget", Position: addon.InHead})
	require.NoError(v.t, err)
	if ordered {
		_, err = addon.CleanupOrders(v.pkg).
			Create(v.t.Context(), u, addon.CleanupFields{CustomCode: code.ID, Package: v.pkg})
		require.NoError(v.t, err)
	}
	return code.ID
}

// hear tells what was written since the last time, and delivers what is due.
func (v *vendor) hear() {
	v.t.Helper()
	v.queue()
	v.run()
}

// queue tells what was written since the last time.
func (v *vendor) queue() {
	v.t.Helper()
	v.tell(v.main.NewChanges()...)
}

// exchange is what a code is answered.
func (v *vendor) exchange(code any) (int, map[string]any) {
	v.t.Helper()
	v.clock.Pass(time.Second)
	return v.call("POST", "/api-engine/tokens", fmt.Sprintf(`{"installCode":%q}`, code))
}

// deliveries are the rows of the package's systemUrl.
func (v *vendor) deliveries() []store.Item { return v.rows(addon.Access{Head: record.Head{ID: v.pkg}}) }

func TestThePackagesEventsGoToItsSystemURL(t *testing.T) {
	v := newVendor(t, nil)
	path := v.install(true)
	acc := path[strings.LastIndexByte(path, '/')+1:]
	v.hear()
	v.do("POST", path+"/open-instructions", "")
	removed, kept := v.code(true), v.code(false)
	v.do("POST", path+"/deactivate", "")
	v.hear()
	v.do("POST", path+"/open-instructions", "")
	v.hear()
	at := "2026-11-21T02:05:12.583Z"
	want := map[string]string{
		"packageActivate": `{"packageId":"` + v.pkg +
			`","websiteUrl":"https://a.cz","locale":"cs_CZ","occurredAt":"` + at + `","accessId":"` + acc + `"`,
		"packageOpenInstructions": `{"packageId":"` + v.pkg + `","locale":"cs_CZ","openedAt":"` + at + `"}}`,
		"packageDeactivate": `{"packageId":"` + v.pkg +
			`","websiteUrl":"https://a.cz","locale":"cs_CZ","occurredAt":"` + at +
			`","removedCustomCodeIds":["` + removed + `"],"keptCustomCodeIds":["` + kept + `"]}}`,
	}
	seen := map[string]int{}
	for _, h := range v.system.got() {
		seen[h.event()]++
		head := `{"id":"` + h.Get("X-Webhook-Id") + `","event":"` + h.event() + `","shopId":"` + v.shop +
			`","apiVersion":"2026-11-01","createdAt":"` + at + `","by":"operator","requestId":"`
		rest, is := strings.CutPrefix(string(h.body), head)
		require.True(t, is, "%s", h.body)
		_, data, _ := strings.Cut(rest, `","data":`)
		require.True(t, strings.HasPrefix(data, want[h.event()]), "%s", h.body)
		_, has := h.data(t)["installCode"]
		require.Equal(t, h.event() == "packageActivate", has)
		require.Empty(t, h.Get("X-Webhook-Signature"), "of a package without a key")
	}
	require.Equal(t, map[string]int{"packageActivate": 1, "packageOpenInstructions": 2, "packageDeactivate": 1}, seen)
	require.Empty(t, v.rows(addon.Access{Head: record.Head{ID: acc}}), "an access's log has none of them")
	require.Len(t, v.deliveries(), 4)
	require.NotZero(t, v.health(webhook.Receiver{ID: v.pkg}).LastSuccess)
}

func TestAnInstalledPackageHearsOfItsInstructionsOnly(t *testing.T) {
	v := newVendor(t, nil)
	path := v.install(false)
	v.do("POST", path+"/open-instructions", "")
	v.hear()
	require.Len(t, v.system.got(), 1)
	require.Equal(t, "packageOpenInstructions", v.system.got()[0].event())
}

func TestReceiversOfTheAccessGetNoCode(t *testing.T) {
	v, own := newVendor(t, nil), serve(t, nil)
	path := v.install(false)
	a := addon.Access{Head: record.Head{ID: path[strings.LastIndexByte(path, '/')+1:]},
		Terms: addon.Terms{Shop: v.shop, Package: v.pkg}}
	v.receiver(a, own.URL)
	v.do("POST", path+"/activate", "")
	v.hear()
	require.Len(t, own.got(), 1)
	require.NotContains(t, own.got()[0].data(t), "installCode")
	require.NotContains(t, own.got()[0].data(t), "accessId")
	require.Len(t, v.system.got(), 1)
	require.NotEqual(t, own.got()[0].Get("X-Webhook-Id"), v.system.got()[0].Get("X-Webhook-Id"))
	require.Len(t, v.rows(a), 1)
}

func TestNothingElseGoesToTheSystemURL(t *testing.T) {
	v := newVendor(t, nil)
	v.install(true)
	v.hear()
	v.tell(v.change(v.shop, customer("alice")))
	v.do("PATCH", "/operator/shops/"+v.shop, `{"owner":{"email":"new@a.cz"}}`)
	v.hear()
	require.Len(t, v.system.got(), 1)
}

func TestAVendorHearsOnceOfEachStateOfAReceiver(t *testing.T) {
	v, own := newVendor(t, nil), serve(t, status(503))
	path := v.install(false)
	a := addon.Access{Head: record.Head{ID: path[strings.LastIndexByte(path, '/')+1:]},
		Terms: addon.Terms{Shop: v.shop, Package: v.pkg}}
	r := v.receiver(a, own.URL)
	v.do("POST", path+"/activate", "")
	v.hear()
	heard := func() (names []string) {
		v.hear()
		for _, h := range v.system.got() {
			if strings.HasPrefix(h.event(), "package") {
				continue
			}
			names = append(names, h.event())
			require.Equal(t, map[string]any{"accessId": a.ID, "receiverId": r.ID, "url": own.URL,
				"since": h.data(t)["since"], "lastFailure": "status 503"}, h.data(t))
		}
		return names
	}
	for i := range 2 {
		v.tell(v.change(v.shop, customer(fmt.Sprint(i))))
	}
	v.pass(2 * time.Minute)
	require.Equal(t, webhook.Failing, v.read(r).State)
	require.Equal(t, []string{"receiverFailing"}, heard())

	v.passing(6*24*time.Hour, time.Hour)
	require.Equal(t, webhook.Disabled, v.read(r).State)
	require.Equal(t, []string{"receiverFailing", "receiverDisabled"}, heard(), "probes that failed tell nobody")

	own.answer(nil)
	v.do("POST", path+"/deactivate", "")
	owner := webhook.Owner{Shop: v.shop, Access: a.ID, Package: v.pkg}
	for range 2 {
		_, err := webhook.Enable(t.Context(), v.p.Unit(), v.p.Webhooks(), owner, r.ID)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"receiverFailing", "receiverDisabled", "receiverRecovered"}, heard(),
		"once, whatever the access's state")
	for _, h := range own.got() {
		require.False(t, strings.HasPrefix(h.event(), "receiver"), "itself is told nothing")
	}
}

// TestAVendorHearsOfARecoveryAtAnotherAddress moves a receiver twice after it began to fail: the recovery is told once,
// when an address answers its ping.
func TestAVendorHearsOfARecoveryAtAnotherAddress(t *testing.T) {
	v := newVendor(t, nil)
	path := v.install(true)
	a := addon.Access{Head: record.Head{ID: path[strings.LastIndexByte(path, '/')+1:]},
		Terms: addon.Terms{Shop: v.shop, Package: v.pkg}}
	r := v.receiver(a, serve(t, status(503)).URL)
	heard := func() (names []string) {
		v.hear()
		for _, h := range v.system.got() {
			if strings.HasPrefix(h.event(), "receiver") {
				names = append(names, h.event())
			}
		}
		return names
	}
	_, err := webhook.EnterState(t.Context(), v.p.Unit(), v.p.Webhooks(), r, webhook.Failing, 0)
	require.NoError(t, err)
	repeats := func(w http.ResponseWriter, h hit) { fmt.Fprint(w, string(h.body)) }
	owner := webhook.Owner{Shop: v.shop, Access: a.ID, Package: v.pkg}
	for _, say := range []func(http.ResponseWriter, hit){status(503), repeats} {
		require.Equal(t, []string{"receiverFailing"}, heard())
		v.clock.Pass(time.Second)
		address := serve(t, say).URL
		_, err := webhook.Change(t.Context(), v.p.Unit(), v.p.Callable(), owner, r.ID,
			func(f webhook.Fields) (webhook.Fields, error) { f.URL = field.URL(address); return f, nil })
		require.NoError(t, err)
		v.hear() // the ping
	}
	require.Equal(t, []string{"receiverFailing", "receiverRecovered"}, heard())
}

func TestOfASystemURLsOwnStatesNobodyIsTold(t *testing.T) {
	v := newVendor(t, nil)
	system := v.read(webhook.Receiver{ID: v.pkg, Access: v.pkg})
	for _, to := range []webhook.ReceiverState{webhook.Failing, webhook.Enabled} {
		now, err := webhook.EnterState(t.Context(), v.p.Unit(), v.p.Webhooks(), system, to, 0)
		require.NoError(t, err)
		system = now
	}
	v.hear()
	require.Empty(t, v.deliveries())
}

func TestAPackageWithoutASystemURLHearsNothing(t *testing.T) {
	v := newVendor(t, nil)
	v.do("PATCH", "/operator/packages/"+v.pkg, `{"systemUrl":null}`)
	v.install(true)
	v.hear()
	require.Empty(t, v.deliveries())
}

func TestEachAttemptHasANewCodeAndElseTheSameBytes(t *testing.T) {
	v := newVendor(t, status(500))
	v.install(true)
	v.hear()
	for range 3 {
		v.clock.Pass(10 * time.Minute)
		v.hear()
	}
	hits := v.system.got()
	require.GreaterOrEqual(t, len(hits), 3)
	seen, bodies := map[any]bool{}, map[string]bool{}
	for i, h := range hits {
		code := h.data(t)["installCode"].(string)
		require.Len(t, code, 43)
		require.False(t, seen[code])
		seen[code] = true
		bodies[strings.Replace(string(h.body), code, "", 1)] = true
		require.Equal(t, fmt.Sprint(i+1), h.Get("X-Webhook-Attempt"))
	}
	require.Len(t, bodies, 1)
}

func TestUsingACodeEndsTheOthersOfItsActivation(t *testing.T) {
	v := newVendor(t, status(500))
	path := v.install(true)
	v.hear()
	v.clock.Pass(13 * time.Second)
	v.hear()
	hits := v.system.got()
	require.Len(t, hits, 2)
	status, answer := v.exchange(hits[0].data(t)["installCode"])
	require.Equal(t, 201, status, "of any attempt, while it is good")
	require.Equal(t, hits[0].data(t)["accessId"], answer["accessId"])
	require.Equal(t, v.shop, answer["shopId"])
	status, _ = v.exchange(hits[1].data(t)["installCode"])
	require.Equal(t, 401, status)
	v.clock.Pass(10 * time.Minute)
	v.hear()
	status, _ = v.exchange(v.system.got()[2].data(t)["installCode"])
	require.Equal(t, 401, status, "one that came later, too")

	v.do("POST", path+"/deactivate", "")
	v.do("POST", path+"/activate", "")
	v.system.answer(nil)
	for range 3 { // a suspect receiver's bells come one behind the other
		v.clock.Pass(time.Minute)
		v.hear()
	}
	for _, h := range v.system.got() {
		if code, has := h.data(t)["installCode"]; has && h.Get("X-Webhook-Id") != hits[0].Get("X-Webhook-Id") {
			status, _ = v.exchange(code)
			require.Equal(t, 201, status, "the next activation has codes of its own")
			return
		}
	}
	t.Fatal("the second activation was not told")
}

func TestSystemWebhooksAreSignedWithThePackagesKeys(t *testing.T) {
	v := newVendor(t, nil)
	key := func() signature.Key {
		k, err := signature.Parse(v.do("POST", "/operator/packages/"+v.pkg+"/system-keys", "")["key"].(string))
		require.NoError(t, err)
		v.clock.Pass(11 * time.Second)
		return k
	}
	first := key()
	path := v.install(true)
	v.hear()
	second := key()
	v.do("POST", path+"/open-instructions", "")
	v.hear()
	v.clock.Pass(24 * time.Hour)
	v.do("POST", path+"/open-instructions", "")
	v.hear()
	hits := v.system.got()
	require.Len(t, hits, 3)
	signed := func(h hit, header string, k signature.Key) {
		t.Helper()
		var stamp int64
		_, err := fmt.Sscan(h.Get("X-Webhook-Timestamp"), &stamp)
		require.NoError(t, err)
		require.Equal(t, []string{signature.Hex(k, stamp, h.body)}, h.Values(header))
	}
	signed(hits[0], "X-Webhook-Signature", first)
	require.Empty(t, hits[0].Values("X-Webhook-Signature-Previous"))
	signed(hits[1], "X-Webhook-Signature", second)
	signed(hits[1], "X-Webhook-Signature-Previous", first)
	require.Len(t, strings.Fields(hits[1].Get("Webhook-Signature")), 2)
	signed(hits[2], "X-Webhook-Signature", second)
	require.Empty(t, hits[2].Values("X-Webhook-Signature-Previous"), "after 24 hours")
}

func TestWhatASystemURLNoLongerMayHear(t *testing.T) {
	for name, c := range map[string]struct {
		between func(v *vendor, path string)
		reason  string
		heard   []string
	}{
		"deactivated": {func(v *vendor, path string) { v.do("POST", path+"/deactivate", "") }, "package_inactive",
			[]string{"packageOpenInstructions", "packageDeactivate"}},
		"no systemUrl any more": {func(v *vendor,
			_ string) {
			v.do("PATCH", "/operator/packages/"+v.pkg, `{"systemUrl":null}`)
		}, "receiver_deleted", nil},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVendor(t, nil)
			path := v.install(true)
			v.do("POST", path+"/open-instructions", "")
			v.queue()
			c.between(v, path)
			v.hear()
			var heard []string
			for _, h := range v.system.got() {
				heard = append(heard, h.event())
			}
			require.ElementsMatch(t, c.heard, heard)
			for _, i := range v.deliveries() {
				if r := webhook.RowOf(&i); r.Event == events.PackageActivate {
					require.Equal(t, webhook.Cancelled, r.State)
					require.Equal(t, c.reason, r.Reason)
				}
			}
		})
	}
}

func TestDeliveriesGoToTheSystemURLThatThePackageHasNow(t *testing.T) {
	v, other := newVendor(t, status(500)), serve(t, nil)
	v.install(true)
	v.hear()
	v.do("PATCH", "/operator/packages/"+v.pkg, `{"systemUrl":"`+other.URL+`"}`)
	require.Zero(t, v.health(webhook.Receiver{ID: v.pkg}), "another address has no history")
	v.clock.Pass(13 * time.Second)
	v.hear()
	require.Len(t, other.got(), 1)
	require.Equal(t, "2", other.got()[0].Get("X-Webhook-Attempt"))
}

// TestNoCodeIsKeptOrLogged looks through everything that is written down, at a receiver that repeats all it is sent.
func TestNoCodeIsKeptOrLogged(t *testing.T) {
	for _, code := range []int{200, 400} {
		v := newVendor(t, func(w http.ResponseWriter, h hit) {
			w.WriteHeader(code)
			w.Write(h.body)
		})
		v.install(true)
		v.hear()
		hits := v.system.got()
		require.NotEmpty(t, hits)
		text := hits[0].data(t)["installCode"].(string)
		rows := v.deliveries()
		require.Len(t, rows, 1)
		attempts, err := webhook.AttemptsOf(&rows[0])
		require.NoError(t, err)
		require.Contains(t, attempts[0].Answer, `"installCode":"[installCode]"`)
		require.NotContains(t, fmt.Sprintf("%+v %s", rows[0], rows[0].Doc), text)
		items, err := v.p.Main.Get(t.Context(), addon.InstallCodeKey(secret.Hash(text)))
		require.NoError(t, err)
		require.NotContains(t, fmt.Sprintf("%+v %s", *items[0], items[0].Doc), text)
		require.NotContains(t, v.log.String(), text)
	}
}

func TestALongDomainsActivationIsInTheRow(t *testing.T) {
	v := newVendor(t, nil)
	domain := strings.Repeat(strings.Repeat("a", 60)+".", 4) + "cz"
	v.do("PATCH", "/operator/shops/"+v.shop, `{"domain":"`+domain+`"}`)
	v.install(true)
	v.hear()
	require.Len(t, v.system.got(), 1)
	rows := v.deliveries()
	require.Zero(t, webhook.RowOf(&rows[0]).List)
	require.Contains(t, v.system.got()[0].data(t), "installCode")
}

func TestOnAWSWhatIsRememberedOfAnInactivePackageCancelsNothing(t *testing.T) {
	v := newVendor(t, nil)
	v.p.Traits, v.p.Process = host.Traits{}, inflight.OneOfMany(v.id())
	v.restart()
	path := v.install(true)
	v.hear()
	v.do("POST", path+"/deactivate", "")
	v.hear()
	v.do("POST", path+"/activate", "")
	v.hear()
	var heard []string
	for _, h := range v.system.got() {
		heard = append(heard, h.event())
	}
	require.Equal(t, []string{"packageActivate", "packageDeactivate", "packageActivate"}, heard)
}

func TestTheOperatorReadsTheLogOfASystemURL(t *testing.T) {
	v := newVendor(t, func(w http.ResponseWriter, h hit) {
		if h.event() == "packageActivate" {
			w.WriteHeader(500)
		}
	})
	path := v.install(true)
	v.do("POST", path+"/open-instructions", "")
	v.hear()
	log := "/operator/packages/" + v.pkg + "/webhook-deliveries"
	items := v.do("GET", log, "")["items"].([]any)
	require.Len(t, items, 2)
	for _, i := range items {
		require.Equal(t, v.pkg, i.(map[string]any)["receiverId"])
		require.NotContains(t, i, "attempts", "lists leave them out")
	}
	failed := v.do("GET", log+"?state=waiting&event=packageActivate", "")["items"].([]any)
	require.Len(t, failed, 1)
	one := v.do("GET", log+"/"+failed[0].(map[string]any)["id"].(string), "")
	require.Equal(t, "waiting", one["state"])
	require.NotEmpty(t, one["nextAttemptAt"])
	require.Equal(t, 500., one["attempts"].([]any)[0].(map[string]any)["status"])
	sent := one["body"].(map[string]any)["data"].(map[string]any)
	require.NotEmpty(t, sent["accessId"])
	require.NotContains(t, sent, "installCode", "each attempt's own, and a secret")
	require.Len(t, v.do("GET", log+"?state=delivered&order[created]=desc", "")["items"], 1)
	page := v.do("GET", log+"?itemsPerPage=1", "")
	require.Len(t, page["items"], 1)
	require.Len(t, v.do("GET", log+"?itemsPerPage=1&cursor="+page["nextCursor"].(string), "")["items"], 1)

	other := v.do("POST", "/operator/packages", `{"code":"other","name":"P","instructions":""}`)["id"].(string)
	require.Empty(t, v.do("GET", "/operator/packages/"+other+"/webhook-deliveries", "")["items"])
	for address, want := range map[string]int{
		"/operator/packages/" + other + "/webhook-deliveries/" +
			one["id"].(string): 404, "/operator/packages/" + other +
			"/webhook-deliveries?itemsPerPage=1&cursor=" + page["nextCursor"].(string): 422, "/operator/packages/" +
			v.id() + "/webhook-deliveries": 404,
		"/operator/packages/" + path[strings.LastIndexByte(path, '/')+1:] + "/webhook-deliveries/" +
			one["id"].(string): 404, log + "?state=lost": 422,
	} {
		status, _ := v.call("GET", address, "")
		require.Equal(t, want, status, address)
	}
}

// sweeps passes so many minutes, each with a run of the sweeper.
func (v *vendor) sweeps(minutes int) {
	v.t.Helper()
	for range minutes {
		for range 6 {
			v.clock.Pass(10 * time.Second)
			v.hear()
		}
		require.NoError(v.t, v.sweep(v.t.Context()))
		v.hear()
	}
}

// states are how many deliveries of the systemUrl are in each state.
func (v *vendor) states() map[webhook.DeliveryState]int {
	all := map[webhook.DeliveryState]int{}
	for _, i := range v.deliveries() {
		all[webhook.RowOf(&i).State]++
	}
	return all
}

func TestASystemURLHasTheBreakerToo(t *testing.T) {
	for name, mend := range map[string]func(t *testing.T, v *vendor){
		"it comes back": func(_ *testing.T, v *vendor) { v.system.answer(nil) },
		"it moves": func(t *testing.T, v *vendor) {
			v.do("PATCH", "/operator/packages/"+v.pkg, `{"systemUrl":"`+serve(t, nil).URL+`"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVendor(t, status(500))
			path := v.install(true)
			for range 5 {
				v.do("POST", path+"/open-instructions", "")
				v.hear()
			}
			v.sweeps(2)
			require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 6}, v.states())
			before := len(v.system.got())
			v.do("POST", path+"/open-instructions", "")
			v.hear()
			require.Len(t, v.system.got(), before, "parked without a socket")
			require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 7}, v.states())
			mend(t, v)
			v.sweeps(20)
			require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 7}, v.states())
		})
	}
}

func TestWhatIsParkedForASystemURLThatGoesAwayIsCancelled(t *testing.T) {
	v := newVendor(t, status(500))
	path := v.install(true)
	for range 5 {
		v.do("POST", path+"/open-instructions", "")
		v.hear()
	}
	v.sweeps(2)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 6}, v.states())
	v.do("PATCH", "/operator/packages/"+v.pkg, `{"systemUrl":null}`)
	v.run()
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Cancelled: 6}, v.states(), "without the sweeper")
}

func TestTheOperatorSeesThatASystemURLIsDisabledAndEnablesIt(t *testing.T) {
	v := newVendor(t, status(500))
	path, system := v.install(true), "/operator/packages/"+v.pkg+"/system-webhook"
	v.hear()
	shown := v.do("GET", system, "")
	require.Equal(t, []any{v.pkg, v.system.URL, "enabled", "status 500"},
		[]any{shown["id"], shown["url"], shown["state"], shown["lastFailure"]})

	items, err := v.p.Main.Get(t.Context(), webhook.SystemKey(v.pkg))
	require.NoError(t, err)
	r, err := webhook.ReceiverOf(items[0])
	require.NoError(t, err)
	_, err = webhook.EnterState(t.Context(), v.p.Unit(), v.p.Webhooks(), r, webhook.Disabled, 0)
	require.NoError(t, err)
	v.do("POST", path+"/open-instructions", "")
	v.hear()
	v.sweeps(1)
	require.Equal(t, "disabled", v.do("GET", system, "")["state"])
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Parked: 2}, v.states())

	v.system.answer(nil)
	enabled := v.do("POST", system+"/enable", "")
	require.Equal(t, "enabled", enabled["state"])
	require.Equal(t, enabled, v.do("POST", system+"/enable", ""), "the second time changes nothing")
	v.run()
	v.run() // what was sick is called by the other queue
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 1, webhook.Parked: 1}, v.states(),
		"the drain begins without the sweeper")
	v.sweeps(2)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 2}, v.states())
	require.NotEmpty(t, v.do("GET", system, "")["lastSuccessAt"])
}

func TestAPackageWithoutASystemURLHasNoSystemWebhook(t *testing.T) {
	v := newVendor(t, nil)
	other := v.do("POST", "/operator/packages", `{"code":"other","name":"P","instructions":""}`)["id"].(string)
	for _, pkg := range []string{other, v.id()} {
		for method, at := range map[string]string{"GET": "", "POST": "/enable"} {
			status, answer := v.call(method, "/operator/packages/"+pkg+"/system-webhook"+at, "")
			require.Equal(t, []any{404, "not_found"}, []any{status, answer["code"]})
		}
	}
}

// TestAnAnswerToPackageActivateSaysHowFarTheSetUpIs has what add-ons answer, and what the access shows after that.
func TestAnAnswerToPackageActivateSaysHowFarTheSetUpIs(t *testing.T) {
	const page = "https://addon.example/setup"
	required := `{"setup":"required","setupUrl":"` + page + `"}`
	padded := func(n int) string { return `{"more":"` + strings.Repeat("a", n) + `",` + required[1:] }
	for name, c := range map[string]struct {
		status      int
		answer      string
		setup, url  any
		logged, end string
	}{
		"it wants somebody":    {200, required, "required", page, "", "delivered"},
		"it is at it":          {202, `{"ok":true,"setup":"in_progress"}`, "in_progress", nil, "", "delivered"},
		"it is done":           {200, `{"setup":"done"}`, "done", nil, "", "delivered"},
		"nothing":              {200, ``, "done", nil, "", "delivered"},
		"garbage":              {200, "\x00{setup", "done", nil, "", "delivered"},
		"no such state":        {200, `{"setup":"soon"}`, "done", nil, "`setup` must be one of", "delivered"},
		"another type":         {200, `{"setup":[1]}`, "done", nil, "`setup` must be a text", "delivered"},
		"done with an address": {200, `{"setup":"done","setupUrl":"` + page + `"}`, "done", nil, "`setupUrl` is for", "delivered"},
		"a script": {200, `{"setup":"required","setupUrl":"javascript:alert(1)"}`, "done", nil,
			"`setupUrl` must be an http", "delivered"},
		"a long address": {200, `{"setup":"required","setupUrl":"` + page + strings.Repeat("/a", 1000) + `"}`, "done", nil,
			"`setupUrl` cannot be shown", "delivered"},
		"at the end of what counts": {200, padded(16<<10 - len(padded(0))), "required", page, "", "delivered"},
		"behind what counts":        {200, padded(16<<10 - len(padded(0)) + 1), "done", nil, "", "delivered"},
		"a failure":                 {500, required, "in_progress", nil, "", "waiting"},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVendor(t, func(w http.ResponseWriter, _ hit) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.answer))
			})
			path := v.install(true)
			v.hear()
			shown := v.do("GET", path, "")
			require.Equal(t, []any{c.setup, c.url}, []any{shown["setup"], shown["setupUrl"]})
			rows := v.deliveries()
			require.Len(t, rows, 1)
			require.Equal(t, c.end, string(webhook.RowOf(&rows[0]).State))
			const line = "what an add-on says of its set-up is not taken over"
			if c.logged == "" {
				require.NotContains(t, v.log.String(), line)
				return
			}
			require.Equal(t, 1, strings.Count(v.log.String(), line))
			require.Contains(t, v.log.String(), c.logged)
			require.NotContains(t, v.log.String(), "alert(1)")
		})
	}
}

func TestASetUpIsOfOneActivation(t *testing.T) {
	v := newVendor(t, status(500))
	path := v.install(true)
	setup := func() any { return v.do("GET", path, "")["setup"] }
	v.hear()
	v.clock.Pass(time.Second)

	// The next attempt is answered only once the package was deactivated and activated anew.
	v.system.answer(func(w http.ResponseWriter, h hit) {
		v.system.answer(nil)
		v.do("POST", path+"/deactivate", "")
		v.clock.Pass(time.Second)
		v.do("POST", path+"/activate", "")
		_, _ = w.Write([]byte(`{"setup":"required"}`))
	})
	v.clock.Pass(20 * time.Second)
	v.run()
	require.Len(t, v.system.got(), 2)
	require.Equal(t, "in_progress", setup(), "that activation is over, and the next one was not answered yet")

	v.system.answer(func(w http.ResponseWriter, h hit) {
		if h.event() == "packageActivate" {
			_, _ = w.Write([]byte(`{"setup":"required"}`))
		}
	})
	v.hear()
	require.Equal(t, "required", setup(), "this one is not")
	was := v.do("POST", path+"/activate", "")
	require.Equal(t, "required", was["setup"], "it was active already")
	require.Equal(t, "done", v.do("POST", path+"/deactivate", "")["setup"])
	v.clock.Pass(time.Second)
	require.Equal(t, "in_progress", v.do("POST", path+"/activate", "")["setup"])
	v.system.answer(func(w http.ResponseWriter, _ hit) {
		v.do("POST", path+"/deactivate", "")
		_, _ = w.Write([]byte(`{"setup":"required"}`))
	})
	v.hear()
	require.Equal(t, "done", setup(), "of a package that is not active")
}

// TestWhatWasSaidMeanwhileIsNewerThanTheAnswer: an add-on whose set-up takes a moment says done by PATCH before its
// answer, that it is at it, is taken over.
func TestWhatWasSaidMeanwhileIsNewerThanTheAnswer(t *testing.T) {
	v := newVendor(t, nil)
	path := v.install(false)
	u := v.p.Unit()
	u.Shop = v.shop
	v.system.answer(func(w http.ResponseWriter, _ hit) {
		_, err := addon.SetUp(t.Context(), u, v.p.Callable(), path[strings.LastIndexByte(path, '/')+1:],
			func(addon.Terms) (addon.SetupFields, error) { return addon.SetupFields{Setup: addon.SetupDone}, nil })
		require.NoError(t, err)
		_, _ = w.Write([]byte(`{"setup":"in_progress"}`))
	})
	v.do("POST", path+"/activate", "")
	v.hear()
	require.Equal(t, "done", v.do("GET", path, "")["setup"])
}

func TestOnlyTheSystemURLSpeaksOfTheSetUp(t *testing.T) {
	says := func(w http.ResponseWriter, h hit) { _, _ = w.Write([]byte(`{"setup":"required"}`)) }
	v, own := newVendor(t, nil), serve(t, says)
	path := v.install(false)
	a := addon.Access{Head: record.Head{ID: path[strings.LastIndexByte(path, '/')+1:]},
		Terms: addon.Terms{Shop: v.shop, Package: v.pkg}}
	v.receiver(a, own.URL)
	v.do("POST", path+"/activate", "")
	v.hear()
	require.Len(t, own.got(), 1)
	v.system.answer(says)
	v.do("POST", path+"/open-instructions", "")
	v.hear()
	require.Len(t, v.system.got(), 2)
	require.Equal(t, "done", v.do("GET", path, "")["setup"], "and only in its answer to packageActivate")
}

// TestASetUpIsInProgressUntilTheActivationWasAnswered: an add-on that refuses its activation is not done with it.
func TestASetUpIsInProgressUntilTheActivationWasAnswered(t *testing.T) {
	v := newVendor(t, status(503))
	path := v.install(false)
	setup := func() any { return v.do("GET", path, "")["setup"] }
	require.Equal(t, "in_progress", setup(), "nobody was asked yet")
	require.Equal(t, "in_progress", v.do("POST", path+"/activate", "")["setup"])
	v.hear()
	v.passing(4*24*time.Hour, time.Minute)
	row := webhook.RowOf(&v.deliveries()[0])
	require.Equal(t, webhook.Exhausted, row.State)
	require.Equal(t, "in_progress", setup(), "ten attempts were refused")
	before := v.do("GET", path, "")["changed"]

	v.system.answer(nil)
	again := "/operator/packages/" + v.pkg + "/webhook-deliveries/" + row.ID + "/redeliver"
	got, answer := v.call("POST", again, "")
	require.Equal(t, 202, got, answer)
	require.Equal(t, row.ID, answer["id"])
	v.run()
	last := v.system.got()[len(v.system.got())-1]
	require.Equal(t, row.ID, last.Get("X-Webhook-Id"))
	code, _ := v.exchange(last.data(t)["installCode"])
	require.Equal(t, 201, code, "its code is new")
	require.Equal(t, "done", setup())
	require.NotEqual(t, before, v.do("GET", path, "")["changed"])

	v.system.answer(status(503))
	v.do("POST", path+"/deactivate", "")
	require.Equal(t, "done", setup())
	got, answer = v.call("POST", again, "")
	require.Equal(t, []any{409, "package_inactive"}, []any{got, answer["code"]}, "nothing would be sent")
	v.queue()
	for _, i := range v.deliveries() {
		if r := webhook.RowOf(&i); r.Event == events.PackageDeactivate {
			v.do("POST", "/operator/packages/"+v.pkg+"/webhook-deliveries/"+r.ID+"/redeliver", "")
		}
	}
	v.clock.Pass(time.Second)
	v.do("POST", path+"/activate", "")
	require.Equal(t, "in_progress", setup(), "it is another activation")
	v.hear()
	v.do("PATCH", "/operator/packages/"+v.pkg, `{"systemUrl":null}`)
	v.passing(time.Minute, time.Second)
	require.Equal(t, "done", setup(), "nobody can answer any more")
	got, answer = v.call("POST", again, "")
	require.Equal(t, 409, got)
	require.Equal(t, "receiver_inactive", answer["code"])
	got, _ = v.call("POST", "/operator/packages/"+v.pkg+"/webhook-deliveries/none/redeliver", "")
	require.Equal(t, 404, got)
	require.Equal(t, "done", v.do("POST", path+"/deactivate", "")["setup"])
	require.Equal(t, "done", v.do("POST", path+"/activate", "")["setup"], "of a package without a systemUrl")
}
