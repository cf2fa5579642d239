package tokens_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/tokens"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/shop"
)

// world is a platform with one active access.
type world struct {
	*hosttest.World
	log    bytes.Buffer
	access addon.Access
}

func open(t *testing.T, also ...func(*host.Parts)) *world {
	w := &world{}
	w.World = hosttest.Open(t, hosttest.Setup{Functions: []host.Function{tokens.Function},
		Platform: func(p *host.Parts) {
			p.Log, p.Traits = slog.New(slog.NewTextHandler(&w.log, nil)), host.OneProcess
			for _, f := range also {
				f(p)
			}
		}})
	api.Add(w.API, api.Op{Route: "GET /api-engine/me", ID: "me"},
		func(c *api.Call, _ *struct{}) (*api.Answer[change.Caller], error) {
			return api.Of(*c.Caller, ""), nil
		})
	w.access = addon.Access{Head: record.Head{ID: w.P.NewID(), Version: w.P.NewID()},
		Terms: addon.Terms{Shop: w.P.NewID(), Package: w.P.NewID(), State: addon.Active}}
	w.put(w.access.Item(), shop.Shop{Head: record.Head{ID: w.access.Shop, Version: w.P.NewID()},
		Fields: shop.Fields{Domain: "a.cz"}}.Item(),
		addon.Package{Head: record.Head{ID: w.access.Package, Version: w.P.NewID()}}.Item())
	return w
}

func (w *world) put(items ...store.Item) { w.T.Helper(); w.Put(w.Main, items...) }

// code is a new code of an activation.
func (w *world) code(activation string) string {
	w.T.Helper()
	text, err := addon.IssueInstallCode(context.Background(), w.P.Unit(), addon.InstallCode{Access: w.access.ID,
		Shop: w.access.Shop, Package: w.access.Package, Activation: activation})
	require.NoError(w.T, err)
	require.Len(w.T, text, 43, "256 bits in base 62")
	return text
}

// from sends a body to the exchange from an address; header holds names and values in turn.
func (w *world) from(address, body string, header ...string) hosttest.Answer {
	r := w.Request("", "POST", "/api-engine/tokens", body, header...)
	r.Header.Del("Authorization")
	r.RemoteAddr = address + ":4711"
	return w.Serve(r)
}

func (w *world) exchange(code string, header ...string) hosttest.Answer {
	return w.from("192.0.2.1", `{"installCode":"`+code+`"}`, header...)
}

func (w *world) me(token string) int { return w.As(token, "GET", "/api-engine/me", nil).Status }

func TestACodeBecomesATokenOfItsAccess(t *testing.T) {
	w := open(t)
	r := w.exchange(w.code("first"))
	require.Equal(t, 201, r.Status, r.Text)
	var got map[string]string
	require.NoError(t, json.Unmarshal([]byte(r.Text), &got))
	require.True(t, strings.HasPrefix(got["token"], "esk_test_"))
	require.Equal(t, map[string]string{"token": got["token"], "accessId": w.access.ID, "shopId": w.access.Shop}, got)
	require.Equal(t, 200, w.me(got["token"]))
	for _, name := range []string{"X-RateLimit-Request-Cost", "X-RateLimit-Hourly-Remaining",
		"X-RateLimit-Daily-Remaining", "X-RateLimit-Hourly-Limit",
		"X-RateLimit-Daily-Limit", "X-RateLimit-Hourly-Reset", "X-RateLimit-Daily-Reset"} {
		require.Len(t, r.Header[name], 1, name)
	}
	require.Equal(t, "0", r.Raw("X-RateLimit-Request-Cost"))
	require.NotEmpty(t, r.Header.Get("X-Request-Id"))
	require.NotContains(t, w.log.String(), got["token"])
}

func TestWhatIsNoGoodCode(t *testing.T) {
	w := open(t)
	late := w.code("late")
	w.Clock.Pass(addon.InstallCodeLife)
	used := w.code("used")
	require.Equal(t, 201, w.exchange(used).Status)
	w.Clock.Pass(time.Second)
	sibling := w.code("used")
	gone := w.code("gone")
	for name, c := range map[string]struct {
		body, code string
		status     int
	}{
		"wrong":                             {`{"installCode":"nobody made this"}`, "unauthenticated", 401},
		"used":                              {`{"installCode":"` + used + `"}`, "unauthenticated", 401},
		"another one of a used activation":  {`{"installCode":"` + sibling + `"}`, "unauthenticated", 401},
		"expired to the millisecond":        {`{"installCode":"` + late + `"}`, "unauthenticated", 401},
		"none":                              {`{}`, "invalid", 422},
		"null":                              {`{"installCode":null}`, "invalid", 422},
		"empty":                             {`{"installCode":""}`, "invalid", 422},
		"a number":                          {`{"installCode":1}`, "invalid", 422},
		"no JSON":                           {`installCode=x`, "malformed_json", 400},
		"a field that there is not":         {`{"installCode":"x","shopId":"y"}`, "invalid", 422},
		"of an access that is not any more": {`{"installCode":"` + gone + `"}`, "unauthenticated", 401},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "of an access that is not any more" {
				_, err := w.P.Main.Write(t.Context(), events.Nothing,
					store.Delete(addon.Key(w.access.Shop, w.access.ID)))
				require.NoError(t, err)
				defer w.put(w.access.Item())
			}
			w.Clock.Pass(time.Second)
			r := w.from("192.0.2.1", c.body)
			require.Equal(t, c.status, r.Status, r.Text)
			require.Equal(t, c.code, r.Body["code"])
			if c.status == 401 {
				require.Equal(t, "Bearer", r.Header.Get("WWW-Authenticate"))
			}
			require.Regexp(t, `^\d+$`, r.Raw("X-RateLimit-Hourly-Remaining"))
		})
	}
}

func TestACodeIsGoodUntilItsLastMillisecond(t *testing.T) {
	w := open(t)
	code := w.code("a")
	w.Clock.Pass(addon.InstallCodeLife - time.Millisecond)
	require.Equal(t, 201, w.exchange(code).Status)
}

// TestAnAccessThatHasAThousandTokensGetsNoneByACode, which is good still once one was revoked.
func TestAnAccessThatHasAThousandTokensGetsNoneByACode(t *testing.T) {
	w := open(t)
	var last store.Item
	for range addon.MaxTokens {
		last = addon.Token{ID: w.P.NewID(), Access: w.access.ID}.Pointer()
		w.put(last)
	}
	code := w.code("a")
	r := w.exchange(code)
	require.Equal(t, []any{409, "too_many_tokens"}, []any{r.Status, r.Body["code"]})
	_, err := w.P.Main.Write(t.Context(), events.Nothing, store.Delete(last.Key))
	require.NoError(t, err)
	require.Equal(t, 201, w.exchange(code).Status)
}

// TestADeactivationEndsTheCodesOfTheActivationsBeforeIt: also once the package is active again, whose codes are others.
func TestADeactivationEndsTheCodesOfTheActivationsBeforeIt(t *testing.T) {
	w := open(t)
	move := func(to func(addon.Commands, context.Context, *change.Unit, string) (addon.Access, error)) {
		w.Clock.Pass(time.Second)
		u := w.P.Unit()
		u.Shop = w.access.Shop
		_, err := to(w.P.Addons(), t.Context(), u, w.access.ID)
		require.NoError(t, err)
		w.Clock.Pass(time.Second)
	}
	first := w.P.NewID()
	before := w.code(first)
	move(addon.Commands.Deactivate)
	r := w.exchange(before)
	require.Equal(t, 403, r.Status)
	require.Equal(t, "package_inactive", r.Body["code"])

	move(addon.Commands.Activate)
	again := w.code(w.P.NewID())
	for name, code := range map[string]string{"sent before": before, "of an attempt since then": w.code(first)} {
		require.Equal(t, 401, w.exchange(code).Status, name)
	}
	require.Equal(t, 201, w.exchange(again).Status)
}

func TestOfParallelUsesExactlyOneSucceeds(t *testing.T) {
	w := open(t)
	codes := []string{w.code("a"), w.code("a"), w.code("a")}
	var made atomic.Int32
	var work sync.WaitGroup
	for i := range 60 {
		work.Go(func() {
			switch r := w.from(fmt.Sprintf("192.0.2.%d", i), `{"installCode":"`+codes[i%3]+`"}`); r.Status {
			case 201:
				made.Add(1)
			default:
				require.Equal(t, 401, r.Status, r.Text)
			}
		})
	}
	work.Wait()
	require.EqualValues(t, 1, made.Load())
	page, err := w.P.Main.Query(t.Context(), store.Query{Index: store.Index1, PK: addon.TokensOf(w.access.ID)})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
}

func TestAReplayLeavesTheTokenOut(t *testing.T) {
	w := open(t)
	code := w.code("a")
	first := w.exchange(code, "Idempotency-Key", "k")
	require.Equal(t, 201, first.Status)
	again := w.exchange(code, "Idempotency-Key", "k")
	require.Equal(t, 201, again.Status)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.NotContains(t, again.Text, "token")
	require.Contains(t, again.Text, w.access.ID)
	other := w.from("192.0.2.2", `{"installCode":"`+w.code("b")+`"}`, "Idempotency-Key", "k")
	require.Equal(t, 201, other.Status, "keys belong to the address")
}

// onAWS charges beside the request, in counters that all processes share.
func onAWS(p *host.Parts) { p.Traits = host.Traits{} }

func TestTenASecondForEachAddress(t *testing.T) {
	for name, also := range map[string]func(*host.Parts){"in the one process": func(*host.Parts) {},
		"on AWS": onAWS} {
		t.Run(name, func(t *testing.T) {
			w := open(t, also)
			var refused atomic.Int32
			var work sync.WaitGroup
			for range 30 {
				work.Go(func() {
					r := w.from("192.0.2.1", `{}`)
					if r.Status == http.StatusTooManyRequests {
						refused.Add(1)
						require.Equal(t, "rate_limited", r.Body["code"])
						require.Equal(t, "1", r.Header.Get("Retry-After"))
						require.Equal(t, "0", r.Raw("X-RateLimit-Request-Cost"))
					} else {
						require.Equal(t, 422, r.Status)
					}
				})
			}
			work.Wait()
			require.EqualValues(t, 20, refused.Load())
			require.Equal(t, 422, w.from("192.0.2.2", `{}`).Status, "another address")
			require.Equal(t, 422, w.from("2001:db8::1", `{}`).Status)
			w.Clock.Pass(time.Second)
			require.Equal(t, 422, w.from("192.0.2.1", `{}`).Status, "the next second")
		})
	}
}

type broken struct {
	limit.Counters
	err error
}

func (b broken) Charge(context.Context, string, limit.Limits, int64, time.Time) (limit.Standing, error) {
	return limit.Standing{}, b.err
}

func TestCountersThatCannotBeReachedLetPassAndThrottledOnesDoNot(t *testing.T) {
	for status, err := range map[int]error{422: errors.New("no network"), 429: limit.ErrThrottled} {
		w := open(t, onAWS, func(p *host.Parts) { p.Counters = broken{err: err} })
		require.Equal(t, status, w.from("192.0.2.1", `{}`).Status)
	}
}

func TestNeitherCodesNorTokensAreKeptOrLogged(t *testing.T) {
	w := open(t)
	code := w.code("a")
	r := w.exchange(code, "Idempotency-Key", "k")
	var got struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(r.Text), &got))
	for _, k := range []store.Key{addon.InstallCodeKey(secret.Hash(code)), {PK: "IC#a", SK: "USED"},
		addon.TokenKey(secret.Hash(got.Token))} {
		items, err := w.P.Main.Get(t.Context(), k)
		require.NoError(t, err)
		require.NotNil(t, items[0])
		text := fmt.Sprintf("%+v %s", *items[0], items[0].Doc)
		require.NotContains(t, text, code)
		require.NotContains(t, text, got.Token)
	}
	require.NotContains(t, w.log.String(), code)
	require.NotContains(t, w.log.String(), got.Token)
	require.NotEmpty(t, w.log.String())
}
