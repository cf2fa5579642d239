package quotes

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

const day = 24 * time.Hour

func TestAQuoteIsRegisteredAndRead(t *testing.T) {
	w := newWorld(t)
	made := w.quote("note", "With an engraving", "externalId", "mine", "expiresIn", 600)
	require.Len(t, made.Body, 4)
	require.Len(t, made.Get("quoteToken"), 43)
	require.Equal(t, path+"/"+made.ID(), made.Raw("Location"))
	read := w.read(made).Is(200)
	require.Equal(t, object{"id": made.ID(), "productId": w.product, "unitPrice": "1234.50",
		"note": "With an engraving", "imageIds": []any{},
		"externalId": "mine", "status": "issued", "expiresAt": made.Get("expiresAt"), "created": read.Get("created"),
		"changed": read.Get("created")}, read.Body)
	require.Equal(t, made.ETag(), read.ETag())
	expires, _ := time.Parse(time.RFC3339, made.Get("expiresAt"))
	created, _ := time.Parse(time.RFC3339, read.Get("created"))
	require.Equal(t, 600*time.Second, expires.Sub(created))
	require.Equal(t, w.white, w.read(w.quote("productId", w.cup, "variantId", w.white)).Get("variantId"))
	plain := w.quote()
	expires, _ = time.Parse(time.RFC3339, plain.Get("expiresAt"))
	created, _ = time.Parse(time.RFC3339, w.read(plain).Get("created"))
	require.Equal(t, day, expires.Sub(created))
}

func TestWhatAQuoteMayNotBe(t *testing.T) {
	w := newWorld(t)
	prices := []object{{"level": "default", "price": "10.00"}}
	off := w.do("POST", "/api-engine/products",
		object{"code": "OFF", "name": "Off", "active": false, "priceLevels": prices}).Is(201).ID()
	cup := w.do("GET", "/api-engine/products/"+w.cup, nil)
	elsewhere := w.Next(stranger, "POST", "/api-engine/products",
		object{"code": "A", "name": "A", "priceLevels": prices}).Is(201).ID()
	taken := w.add(dot(t), "quoteId", w.quote().ID()).Is(201).ID()
	free := w.add(dot(t)).Is(201).ID()
	other := w.Serve(w.Form(second, imagesPath, dot(t))).Is(201).ID()
	many := make([]string, 21)
	for i := range many {
		many[i] = nothing
	}
	for name, c := range map[string]struct {
		more     []any
		at, code string
	}{
		"unknown product":        {[]any{"productId", nothing}, "productId", "not_found"},
		"no id":                  {[]any{"productId", "x/../y"}, "productId", "not_found"},
		"another shop's product": {[]any{"productId", elsewhere}, "productId", "not_found"},
		"inactive product":       {[]any{"productId", off}, "productId", "inactive"},
		"no variant":             {[]any{"productId", w.cup}, "variantId", "required"},
		"another's variant":      {[]any{"variantId", w.white}, "variantId", "not_found"},
		"inactive variant": {[]any{"productId", w.cup, "variantId", cup.Get("variants.1.id")},
			"variantId", "inactive"},
		"no price":               {[]any{"unitPrice", nil}, "unitPrice", "required"},
		"a negative price":       {[]any{"unitPrice", "-1.00"}, "unitPrice", "bad_format"},
		"a number for a price":   {[]any{"unitPrice", 5}, "unitPrice", "wrong_type"},
		"a long note":            {[]any{"note", strings.Repeat("ž", 501)}, "note", "too_long"},
		"too short a life":       {[]any{"expiresIn", 59}, "expiresIn", "too_small"},
		"too long a life":        {[]any{"expiresIn", 2592001}, "expiresIn", "too_big"},
		"21 images":              {[]any{"imageIds", many}, "imageIds", "too_many"},
		"an unknown image":       {[]any{"imageIds", []string{free, nothing}}, "imageIds[1]", "not_found"},
		"no image's id":          {[]any{"imageIds", []string{"../x"}}, "imageIds[0]", "not_found"},
		"another access's image": {[]any{"imageIds", []string{other}}, "imageIds[0]", "not_found"},
		"another quote's image":  {[]any{"imageIds", []string{taken}}, "imageIds[0]", "conflict"},
		"an image twice":         {[]any{"imageIds", []string{free, free}}, "imageIds[1]", "duplicate"},
		"a token of its own":     {[]any{"quoteToken", "a"}, "quoteToken", "read_only"},
		"a status of its own":    {[]any{"status", "used"}, "status", "read_only"},
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			w.do("POST", path, w.body(c.more...)).Fault("body."+c.at, c.code)
		})
	}
	w.quote("note", strings.Repeat("ž", 500), "expiresIn", 60, "unitPrice", "0.00", "imageIds", []string{free})
}

func TestAQuoteIsItsAccessOnly(t *testing.T) {
	w := newWorld(t)
	mine := w.quote("externalId", "x")
	for _, token := range []string{second, stranger} {
		w.Next(token, "GET", at(mine), nil).Is(404, "not_found")
		w.Next(token, "DELETE", at(mine), nil).Is(404, "not_found")
		require.Empty(t, w.Next(token, "GET", path, nil).Is(200).Items())
		require.Empty(t, w.Next(token, "GET", path+"?externalId=x", nil).Is(200).Items())
		w.Serve(w.Form(token, imagesPath, dot(t), "quoteId", mine.ID())).Is(409, "quote_not_issued")
	}
	w.Next(second, "POST", path, w.body("externalId", "x")).Is(201)
	w.Next(nobody, "GET", at(mine), nil).Is(403, "insufficient_permission")
	for _, p := range []string{path, path + "/" + nothing, path + "/x"} {
		w.Next("", "GET", p, nil).Is(401)
	}
	w.do("GET", path+"/x", nil).Is(404)
}

func TestTheTokenIsKeptAsAHashOnly(t *testing.T) {
	w := newWorld(t)
	var written []store.Op
	w.Main.Around(func(ops []store.Op, write func() error) error { written = append(written, ops...); return write() })
	first := w.do("POST", path, w.body(), "Idempotency-Key", "k").Is(201)
	w.Main.Around(nil)
	token := first.Get("quoteToken")
	require.NotEmpty(t, written)
	for _, op := range written {
		for _, text := range append([]string{op.Key.PK, op.Key.SK, string(op.Item.Doc)}, values(op.Item.Text)...) {
			require.NotContains(t, text, token)
		}
	}
	again := w.do("POST", path, w.body(), "Idempotency-Key", "k").Is(201)
	require.Equal(t, "true", again.Raw("Idempotent-Replayed"))
	require.Equal(t, first.Text, again.Text, "the token, too")
	require.Equal(t, first.ETag(), again.ETag())
	require.NotContains(t, w.read(first).Text+w.do("GET", path, nil).Text, token)
	items, err := w.Main.Get(t.Context(), sale.QuoteClaimKey(shop, token), sale.QuoteClaimKey(otherShop, token),
		sale.QuoteClaimKey(shop, token[1:]))
	require.NoError(t, err)
	require.Equal(t, first.ID(), record.Owner(items[0]))
	require.Equal(t, []*store.Item{nil, nil}, items[1:])
}

func values(m map[string]string) (all []string) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}

func TestAnExternalIDIsUniqueAmongTheIssued(t *testing.T) {
	for name, end := range map[string]func(w *world, a hosttest.Answer){
		"used":    func(w *world, a hosttest.Answer) { w.use(a) },
		"revoked": func(w *world, a hosttest.Answer) { w.do("DELETE", at(a), nil).Is(204) },
		"expired": func(w *world, _ hosttest.Answer) { w.Clock.Pass(time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first := w.quote("externalId", "x", "expiresIn", 60)
			w.do("POST", path, w.body("externalId", "x")).Is(409, "external_id_taken")
			end(w, first)
			w.quote("externalId", "x")
			w.do("POST", path, w.body("externalId", "x")).Is(409, "external_id_taken")
			require.ElementsMatch(t, []string{name, "issued"},
				w.do("GET", path+"?externalId=x", nil).Is(200).Each("status"))
			require.Equal(t, []string{first.ID()}, w.do("GET", path+"?externalId=x&status="+name, nil).Each("id"))
		})
	}
	t.Run("of many at once one gets it", func(t *testing.T) {
		w := newWorld(t)
		answers := hosttest.Together(20,
			func(int) hosttest.Answer { return w.As(all, "POST", path, w.body("externalId", "x")) })
		require.Equal(t, map[int]int{201: 1, 409: 19}, hosttest.Statuses(answers))
	})
}

func TestAnEndByTimeNeedsNoWrite(t *testing.T) {
	w := newWorld(t)
	made := w.quote("expiresIn", 60)
	w.Clock.Pass(58 * time.Second)
	before := w.read(made).Is(200) // a second later
	require.Equal(t, "issued", before.Get("status"))
	w.Clock.Pass(-time.Second)
	now := w.read(made).Is(200)
	require.Equal(t, "issued", now.Get("status"))
	after := w.do("GET", at(made), nil, "If-None-Match", made.ETag()).Is(200)
	require.Equal(t, "expired", after.Get("status"))
	require.Equal(t, after.Get("expiresAt"), after.Get("changed"))
	require.NotEqual(t, made.ETag(), after.ETag())
	w.do("GET", at(made), nil, "If-None-Match", after.ETag()).Is(304)
	w.do("DELETE", at(made), nil, "If-Match", made.ETag()).Is(412, "version_conflict")
	w.do("DELETE", at(made), nil, "If-Match", after.ETag()).Is(204)
	require.Equal(t, "expired", w.read(made).Get("status"), "it was over")
}

func TestARevokedQuoteSellsNothing(t *testing.T) {
	w := newWorld(t)
	made := w.quote()
	w.do("DELETE", at(made), nil, "If-Match", `"x"`).Is(412)
	w.do("DELETE", at(made), nil).Is(204)
	gone := w.read(made).Is(200)
	require.Equal(t, "revoked", gone.Get("status"))
	require.NotEqual(t, made.ETag(), gone.ETag())
	w.do("DELETE", at(made), nil).Is(204)
	require.Equal(t, gone.ETag(), w.read(made).ETag(), "twice changes nothing")
	used := w.quote()
	w.use(used)
	w.do("DELETE", at(used), nil).Is(409, "quote_used")
	w.do("DELETE", path+"/"+nothing, nil).Is(404)
}

// TestAListShowsEachQuoteWhereItIsNow wants the list in the order of what each shows, ends by time among the changes.
func TestAListShowsEachQuoteWhereItIsNow(t *testing.T) {
	w := newWorld(t)
	start := w.Clock.Now()
	expired := w.quote("expiresIn", 60)
	issued := w.quote()
	w.Clock.Pass(time.Minute)
	revoked, used := w.quote(), w.quote()
	w.do("DELETE", at(revoked), nil).Is(204)
	w.use(used)
	ids := func(query string) []string { return w.do("GET", path+query, nil).Is(200).Each("id") }
	want := []string{issued.ID(), expired.ID(), revoked.ID(), used.ID()}
	require.Equal(t, want, ids(""))
	slices.Reverse(want)
	require.Equal(t, want, ids("?order[changed]=desc"))
	require.Equal(t, []string{expired.ID()}, ids("?status=expired"))
	require.Equal(t, []string{issued.ID()}, ids("?status=issued"))
	require.Equal(t, []string{used.ID()}, ids("?status=used"))
	require.Equal(t, []string{revoked.ID()}, ids("?status=revoked"))
	since := start.Add(50 * time.Second).Format(time.RFC3339)
	require.Equal(t, []string{expired.ID(), revoked.ID(), used.ID()}, ids("?changed[after]="+since), "it changed then")
	require.Equal(t, []string{issued.ID()}, ids("?changed[before]="+since))
	w.do("GET", path+"?status=gone", nil).Fault("query.status", "bad_format")
	var walked []string
	for next := "?itemsPerPage=1"; next != ""; {
		page := w.do("GET", path+next, nil).Is(200)
		walked = append(walked, page.Each("id")...)
		if next = ""; page.Body["nextCursor"] != nil {
			next = "?itemsPerPage=1&cursor=" + page.Get("nextCursor")
		}
	}
	slices.Reverse(want)
	require.Equal(t, want, walked)
}

// TestAQuoteThatEndedUnsoldGoesAwayAndOneThatWasSoldStays looks at when items may go. Most baskets are left behind: so
// one that was used goes, too, a year later.
func TestAQuoteThatEndedUnsoldGoesAwayAndOneThatWasSoldStays(t *testing.T) {
	w := newWorld(t)
	goes := func(a hosttest.Answer) (quote, token time.Duration) {
		items, err := w.Main.Get(t.Context(), sale.QuoteKey(shop, a.ID()),
			sale.QuoteClaimKey(shop, a.Get("quoteToken")))
		require.NoError(t, err)
		now := w.Clock.Now().Unix()
		return time.Duration(items[0].Expires-now) * time.Second, time.Duration(items[1].Expires-now) * time.Second
	}
	made := w.quote("expiresIn", 3600)
	q, token := goes(made)
	require.Equal(t, q, token)
	require.InDelta(t, time.Hour+30*day, q, float64(2*time.Second))
	w.do("DELETE", at(made), nil).Is(204)
	q, token = goes(made)
	require.Equal(t, q, token)
	require.InDelta(t, 30*day, q, float64(2*time.Second))
	require.GreaterOrEqual(t, q, 30*day)
	used := w.quote()
	w.use(used)
	q, token = goes(used)
	require.Equal(t, q, token)
	require.Equal(t, 365*day, q)
	w.sell(used)
	q, token = goes(used)
	require.Negative(t, q)
	require.Equal(t, 365*day-time.Second, token)
}

// TestOfAThousandWhoUseOneQuoteOneDoes is the noun's promise to the basket.
func TestOfAThousandWhoUseOneQuoteOneDoes(t *testing.T) {
	w := newWorld(t)
	made := w.quote()
	w.Clock.Pass(time.Second)
	q := w.stored(made.ID())
	var won, lost atomic.Int64
	var group sync.WaitGroup
	for range 1000 {
		group.Go(func() {
			u := w.unit()
			_, err := u.Write(t.Context(), nil, u.ChangeOf(nil), q.Use(shop, u.NextVersion(q.Version), u.Now())...)
			switch {
			case err == nil:
				won.Add(1)
			case store.IsCondition(err):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 1, won.Load())
	require.EqualValues(t, 999, lost.Load())
	require.Equal(t, "used", w.read(made).Get("status"))
}

func TestAQuoteIsUsedInItsTimeAndSoldOnce(t *testing.T) {
	w := newWorld(t)
	late := w.quote("expiresIn", 60)
	q := w.stored(late.ID())
	w.Clock.Pass(time.Minute)
	_, err := w.Main.Write(t.Context(), w.unit().ChangeOf(nil),
		q.Use(shop, w.unit().NextVersion(q.Version), w.Clock.Now())...)
	require.True(t, store.IsCondition(err), "its time is over")
	made := w.quote("externalId", "x")
	q = w.stored(made.ID())
	_, err = w.Main.Write(t.Context(), w.unit().ChangeOf(nil),
		q.Ref().NoteOrder(shop, "o1", w.unit().NextVersion(q.Version)))
	require.True(t, store.IsCondition(err), "it was not used")
	w.use(made)
	before := w.read(made)
	w.Clock.Pass(time.Second)
	w.write(q.Ref().NoteOrder(shop, "o1", w.unit().NextVersion("")))
	sold := w.read(made).Is(200)
	require.Equal(t, []string{"used", "o1"}, []string{sold.Get("status"), sold.Get("orderId")})
	require.NotEqual(t, before.ETag(), sold.ETag())
	require.Greater(t, sold.Get("changed"), before.Get("changed"))
	require.Equal(t, []string{made.ID()},
		w.do("GET", path+"?externalId=x&changed[after]="+sold.Get("changed"), nil).Each("id"))
	_, err = w.Main.Write(t.Context(), w.unit().ChangeOf(nil), q.Ref().NoteOrder(shop, "o2", w.unit().NextVersion("")))
	require.True(t, store.IsCondition(err), "it was sold")
}

// TestWhatTheStorefrontRefuses is the contract's order of refusals.
func TestWhatTheStorefrontRefuses(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	with := func(status sale.QuoteStatus, left time.Duration) sale.Quote {
		q := sale.Quote{Status: status, ExpiresAt: field.At(now.Add(left))}
		q.ProductID, q.VariantID = "p", "v"
		return q
	}
	for name, c := range map[string]struct {
		q                sale.Quote
		product, variant string
		active           bool
		code             string
	}{
		"issued":                          {with("issued", 1), "p", "v", true, "quote_expired"},
		"issued for a while":              {with("issued", time.Second), "p", "v", true, ""},
		"another product":                 {with("issued", time.Second), "q", "v", true, "quote_invalid"},
		"another variant":                 {with("issued", time.Second), "p", "w", true, "quote_invalid"},
		"no variant":                      {with("issued", time.Second), "p", "", true, "quote_invalid"},
		"its package inactive":            {with("issued", time.Second), "p", "v", false, "quote_invalid"},
		"revoked":                         {with("revoked", time.Second), "p", "v", true, "quote_invalid"},
		"revoked, and its time over":      {with("revoked", -time.Second), "p", "v", true, "quote_invalid"},
		"used":                            {with("used", time.Second), "p", "v", true, "quote_used"},
		"used, and its time over":         {with("used", -time.Second), "p", "v", true, "quote_used"},
		"used, of another product":        {with("used", time.Second), "q", "v", true, "quote_invalid"},
		"expired":                         {with("issued", 0), "p", "v", true, "quote_expired"},
		"expired, of an inactive package": {with("issued", -time.Second), "p", "v", false, "quote_invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.q.Sells(c.product, c.variant, now, c.active)
			if c.code == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, problem.Is(err, c.code), err)
		})
	}
}

// TestTheBudgetsAreKept counts calls in waves, the counter with them, and write units.
func TestTheBudgetsAreKept(t *testing.T) {
	for _, b := range []struct {
		name, method string
		path         func(w *world) string
		body         func(w *world) any
		waves        []int
		write        float64
	}{
		{"read", "GET", func(w *world) string { return at(w.quote()) }, nil, []int{2}, 1},
		{"a page", "GET", func(w *world) string { w.quote(); return path }, nil, []int{2, 1}, 1},
		{"by externalId", "GET", func(w *world) string {
			w.quote("externalId", "x")
			return path + "?externalId=x"
		}, nil, []int{2, 1}, 1},
		{"register", "POST", nil, func(w *world) any { return w.body() }, []int{2, 1}, 7},
		{"register a variant", "POST", nil,
			func(w *world) any { return w.body("productId", w.cup, "variantId", w.white) }, []int{2, 1, 1}, 7},
		{"register with an externalId and an image", "POST", nil, func(w *world) any {
			return w.body("externalId", "x", "imageIds", []string{w.add(dot(w.T)).Is(201).ID()})
		}, []int{2, 1}, 15},
		{"revoke", "DELETE", func(w *world) string { return at(w.quote()) }, nil, []int{2, 1}, 8},
	} {
		t.Run(b.name, func(t *testing.T) {
			w := newWorld(t)
			to, body := path, any(nil)
			if b.path != nil {
				to = b.path(w)
			}
			if b.body != nil {
				body = b.body(w)
			}
			w.Clock.Pass(time.Second)
			w.InWaves(b.waves, func() { w.As(all, b.method, to, body) })
			_, write := w.Meter().Units()
			require.InDelta(t, b.write, write, 0)
		})
	}
}

func TestBothHostsKeepThePromises(t *testing.T) {
	for name, traits := range map[string]host.Traits{"far": {}, "the one process": host.OneProcess} {
		for bucket, files := range map[string]struct{ make bucketOf }{"folder": {inFolder}, "S3": {inS3}} {
			t.Run(name+" "+bucket, func(t *testing.T) { lifeOfAnImage(t, worldOn(t, nil, traits, files.make)) })
		}
	}
}
