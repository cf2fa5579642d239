package local

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
)

// slow is how long the disk of these tests takes, so that a file of a few thousand rows has several turns.
const slow = 600 * time.Millisecond

// house is a one process without sockets, with a slow disk, which notes which imports were claimed.
type house struct {
	*Server
	t      *testing.T
	free   atomic.Int64
	mu     sync.Mutex
	claims []string
	tries  map[string]int64 // of each import, when its item was last written
	failed []string         // imports whose items cannot be written
}

func newHouse(t *testing.T) *house {
	h := &house{t: t, tries: map[string]int64{}}
	h.free.Store(1 << 40)
	h.start(Settings{Data: t.TempDir(), Environment: "development", OperatorToken: "operator-of-these-tests",
		Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler), Free: func() (int64, error) { return h.free.Load(), nil }})
	return h
}

func (h *house) start(settings Settings) {
	settings.Listener, settings.Disk = hosttest.NewPipes(), func(int) error { time.Sleep(slow); return nil }
	settings.Parts = func(parts *host.Parts) {
		parts.Main = storetest.Faulty{Table: parts.Main, Around: h.around}
	}
	var err error
	h.Server, err = Start(h.t.Context(), settings)
	require.NoError(h.t, err)
}

// around notes claims: the writes of an import's item that count one more try of it.
func (h *house) around(c storetest.Call, do func() error) error {
	if c.Ops == nil {
		return do()
	}
	first := c.Ops[0]
	if _, id, is := strings.Cut(first.Key.PK, "#I#"); is &&
		h.refuses(id, first.Item.Num["tries"]) {
		return store.ErrUnavailable
	}
	return do()
}

// refuses notes a claim, and says whether the import's item cannot be written.
func (h *house) refuses(id string, tries int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if tries > h.tries[id] {
		h.claims = append(h.claims, id)
	}
	h.tries[id] = tries
	return slices.Contains(h.failed, id)
}

// fails lets no item of these imports be written from now on.
func (h *house) fails(ids ...string) { h.mu.Lock(); defer h.mu.Unlock(); h.failed = ids }

// claimed are the imports that were claimed since the last call.
func (h *house) claimed() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	claims := h.claims
	h.claims = nil
	return claims
}

// ask is the answer to a request.
func (h *house) ask(token, method, path string, body any) (status int, header http.Header, answer map[string]any) {
	h.t.Helper()
	text, is := body.(string)
	if !is && body != nil {
		b, err := json.Marshal(body)
		require.NoError(h.t, err)
		text = string(b)
	}
	r := httptest.NewRequest(method, path, strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Body.Len() > 0 {
		require.NoError(h.t, json.Unmarshal(w.Body.Bytes(), &answer))
	}
	return w.Code, w.Header(), answer
}

// good is the answer to a request that must be good.
func (h *house) good(token, method, path string, body any) map[string]any {
	h.t.Helper()
	status, _, answer := h.ask(token, method, path, body)
	require.Less(h.t, status, 300, answer)
	return answer
}

type object = map[string]any

// tenant is an access to a shop of its own.
type tenant struct{ token, pkg, access string }

func (h *house) tenant() tenant {
	h.t.Helper()
	op, name := h.settings.OperatorToken, strings.ToLower(rand.Text())
	shop := h.good(op, "POST", "/operator/shops",
		object{"name": "Obchod", "domain": name + ".example", "locale": "cs_CZ", "currency": "CZK",
			"owner": object{"email": "majitel@shop.example"}})["id"].(string)
	pkg := h.good(op, "POST", "/operator/packages", object{"code": name, "name": "Doplněk", "instructions": "# Návod",
		"permissions": []string{"customers:read", "customers:write", "products:write"}})["id"].(string)
	a := h.good(op, "POST", "/operator/shops/"+shop+"/accesses", object{"packageId": pkg})
	return tenant{a["token"].(string), "/operator/packages/" + pkg,
		"/operator/shops/" + shop + "/accesses/" + a["id"].(string)}
}

// asks asks for an import of customers and returns its id and where its file is to be PUT.
func (h *house) asks(a tenant) (id, to string) {
	h.t.Helper()
	made := h.good(a.token, "POST", "/api-engine/imports",
		object{"type": "customers", "format": "csv", "mode": "upsert"})
	return made["id"].(string), made["uploadUrl"].(string)
}

// begins begins an import of so many customers.
func (h *house) begins(a tenant, rows int) (id string) {
	h.t.Helper()
	id, to := h.asks(a)
	h.puts(to, rows)
	return id
}

// puts uploads a file of so many customers.
func (h *house) puts(to string, rows int) {
	h.t.Helper()
	status, _, answer := h.ask("", "PUT", to, people(rows))
	require.Equal(h.t, 204, status, answer)
}

// done waits until the import is.
func (h *house) done(a tenant, id string) {
	h.t.Helper()
	for h.state(a, id) != "done" {
		time.Sleep(100 * time.Millisecond)
	}
}

// end stops the process and lets all that it has begun end.
func (h *house) end() {
	h.t.Helper()
	require.NoError(h.t, h.Stop())
	time.Sleep(time.Minute)
}

func people(rows int) string {
	var b strings.Builder
	b.WriteString("email,firstName,lastName\n")
	for i := range rows {
		fmt.Fprintf(&b, "c%d@example.com,Jana,Nováková\n", i)
	}
	return b.String()
}

func (h *house) state(a tenant, id string) string {
	h.t.Helper()
	return h.good(a.token, "GET", "/api-engine/imports"+"/"+id, nil)["state"].(string)
}

// TestPlacesGoRoundByShop has two places and three shops, two of which began with files of many turns.
func TestPlacesGoRoundByShop(t *testing.T) {
	const long = 2000
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		a, b, c := h.tenant(), h.tenant(), h.tenant()
		a1, toA1 := h.asks(a)
		a2, toA2 := h.asks(a)
		b1, toB1 := h.asks(b)
		b2, toB2 := h.asks(b)
		c1, toC1 := h.asks(c)
		// All files come within one turn: asking for an import takes the slow disk, putting its file does not.
		for _, to := range []string{toA1, toA2, toB1, toB2} {
			h.puts(to, long)
		}
		h.puts(toC1, 10)
		shop := map[string]string{a1: "a", a2: "a", b1: "b", b2: "b", c1: "c"}

		h.done(c, c1)
		claims := h.claimed()
		require.Equal(t, []string{a1, b1}, claims[:2], "in the order in which they came")
		// Two turns may end in the same moment, and one of them is then followed by somebody's second.
		require.Contains(t, claims[2:min(4, len(claims))], c1, "each shop's first is next")
		for _, id := range []string{a1, a2} {
			require.NotEqual(t, "done", h.state(a, id), "it waited for a turn, not for a file")
		}

		c2 := h.begins(c, long)
		shop[c2] = "c"
		settings := h.settings
		require.NoError(t, h.Stop())
		h.claimed()
		h.start(settings)
		for claims = nil; len(claims) < 3; claims = append(claims, h.claimed()...) {
			time.Sleep(100 * time.Millisecond)
		}
		first := []string{shop[claims[0]], shop[claims[1]], shop[claims[2]]}
		require.ElementsMatch(t, []string{"a", "b", "c"}, first,
			"after a restart, too, each shop's first before any second")
		for _, of := range []struct {
			tenant
			id string
		}{{a, a1}, {a, a2}, {b, b1}, {b, b2}, {c, c2}} {
			h.done(of.tenant, of.id)
			rows := h.good(of.token, "GET", "/api-engine/imports"+"/"+of.id, nil)["rows"].(object)
			require.EqualValues(t, long, rows["read"])
			require.EqualValues(t, 0, rows["failed"])
		}
		h.end()
	})
}

// TestTurnsGoRound holds the inbox to its order, whatever becomes of the files.
func TestTurnsGoRound(t *testing.T) {
	i := newInbox()
	for _, key := range []string{"imports/a/1/file", "imports/a/2/file", "imports/a/1/again", "imports/b/1/file",
		"imports/c/1/file", "imports/c/2/file"} {
		i.put(key)
	}
	var order []string
	take := func() string {
		key, ok := i.take(t.Context())
		require.True(t, ok)
		order = append(order, strings.TrimPrefix(key, "imports/"))
		return key
	}
	first, second := take(), take()
	i.put("imports/a/1/again") // handed on, before its place is given back
	i.done(first)
	third := take()
	i.done(third)
	i.done(second)
	for range 3 {
		i.done(take())
	}
	require.Equal(t, []string{"a/1/file", "b/1/file", "c/1/file", "a/2/file", "c/2/file", "a/1/again"}, order)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, ok := i.take(ended)
	require.False(t, ok)
	for _, shop := range []string{"a", "b", "c"} {
		require.Empty(t, i.waiting["imports/"+shop])
		i.put("imports/" + shop + "/3/file")
		require.Equal(t, "imports/"+shop+"/3/file", take(), "its slot was given back")
	}
}

// TestEachFunctionIsHandedItsOwnFiles has two functions that are handed files, one of which has its slots taken.
func TestEachFunctionIsHandedItsOwnFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, handled := bare(), map[string]chan string{"imports/": make(chan string), "exports/": make(chan string, 100)}
		var list []host.Function
		for prefix, to := range handled {
			list = append(list, host.Function{Upload: &host.Upload{Prefix: prefix,
				Handler: func(*host.Platform) func(context.Context, string) error {
					return func(_ context.Context, key string) error { to <- key; return nil }
				}}})
		}
		s.inboxes = newInboxes(append(list, host.Function{Name: "of no files"}))
		var err error
		s.files, err = folder.Open(t.TempDir(), folder.Options{Now: time.Now, OnPut: s.inboxes.put})
		require.NoError(t, err)
		put := func(keys ...string) {
			for _, key := range keys {
				require.NoError(t, s.files.Put(t.Context(), key, []byte("x")))
			}
		}
		put("imports/a/1/file", "exports/a/1/begin", "images/a/1")
		ctx, stop := context.WithCancel(t.Context())
		for _, f := range list {
			s.pump(ctx, func() { s.pumpUploads(ctx, f) })
		}
		synctest.Wait() // they have looked for what was left: a file that comes just then may be handed over twice
		put("imports/b/1/file", "imports/c/1/file", "exports/b/1/begin", "images/a/2")
		synctest.Wait()
		require.Len(t, handled["exports/"], 2, "though nobody takes the imports")
		var imports []string
		for range 3 {
			imports = append(imports, <-handled["imports/"])
		}
		require.ElementsMatch(t, []string{"imports/a/1/file", "imports/b/1/file", "imports/c/1/file"}, imports)
		stop()
		require.NoError(t, s.pumps.Wait())
		require.ElementsMatch(t, []string{"exports/a/1/begin", "exports/b/1/begin"},
			[]string{<-handled["exports/"], <-handled["exports/"]})
	})
}

// TestAFileThatFailsKeepsNoPlace has the files of two shops that fail again and again for a while.
func TestAFileThatFailsKeepsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		a, b, c := h.tenant(), h.tenant(), h.tenant()
		a1, toA := h.asks(a)
		b1, toB := h.asks(b)
		h.fails(a1, b1)
		h.puts(toA, 10)
		h.puts(toB, 10)
		c1 := h.begins(c, 10)
		h.done(c, c1)
		require.Equal(t, "waiting", h.state(a, a1))
		require.Equal(t, "waiting", h.state(b, b1))
		h.fails()
		h.done(a, a1)
		h.done(b, b1)
		h.end()
	})
}

func TestAnUploadIsRefusedOnceItsAccessMayNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		op := h.settings.OperatorToken
		for name, c := range map[string]struct {
			lose, back func(a tenant)
			code       string
		}{
			"deactivated": {func(a tenant) { h.good(op, "POST", a.access+"/deactivate", nil) },
				func(a tenant) { h.good(op, "POST", a.access+"/activate", nil) },
				"package_inactive"},
			"without the permission": {func(a tenant) {
				h.good(op, "PATCH", a.access, object{"permissions": []string{"customers:read", "products:write"}})
			},
				func(a tenant) {
					h.good(op, "PATCH", a.access, object{"permissions": []string{"customers:read", "customers:write"}})
				}, "insufficient_permission"},
			"of a package without it": {func(a tenant) {
				h.good(op, "PATCH", a.pkg, object{"permissions": []string{"customers:read", "products:write"}})
			},
				func(a tenant) {
					h.good(op, "PATCH", a.pkg, object{"permissions": []string{"customers:read", "customers:write"}})
				}, "insufficient_permission"},
		} {
			a := h.tenant()
			id, to := h.asks(a)
			c.lose(a)
			status, _, answer := h.ask("", "PUT", to, people(10))
			require.Equal(t, 403, status, name)
			require.Equal(t, c.code, answer["code"], name)
			status, _, answer = h.ask("", "PUT", to+"0", people(10))
			require.Equal(t, 403, status, name)
			require.Equal(t, "upload_forbidden", answer["code"], "who has no good address learns nothing")
			time.Sleep(time.Minute)
			c.back(a)
			require.Equal(t, "waiting", h.state(a, id), name)
			require.Empty(t, h.good(a.token, "GET", "/api-engine/customers", nil)["items"])
			h.puts(to, 10) // the address was not used
			h.done(a, id)
		}
		h.end()
	})
}

// TestAnUploadThatItsSenderBreaksOffIsNoFaultOfOurs, and its address is as good as before.
func TestAnUploadThatItsSenderBreaksOffIsNoFaultOfOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		a := h.tenant()
		id, to := h.asks(a)
		broken := io.MultiReader(strings.NewReader("email\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("PUT", to, broken))
		require.Equal(t, 499, w.Code)
		h.puts(to, 10)
		h.done(a, id)
		h.end()
	})
}

// TestAShopHasEightFilesOnTheirWay: those beyond are refused, other shops' are not.
func TestAShopHasEightFilesOnTheirWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		a, b := h.tenant(), h.tenant()
		sends := func(to string, body io.Reader) *httptest.ResponseRecorder {
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, httptest.NewRequest("PUT", to, body))
			return answer
		}
		var ends []*io.PipeWriter
		done := make(chan int, uploadsOfShop)
		for range uploadsOfShop {
			_, to := h.asks(a)
			file, end := io.Pipe()
			ends = append(ends, end)
			go func() { done <- sends(to, file).Code }()
		}
		synctest.Wait()
		_, to := h.asks(a)
		refused := sends(to, strings.NewReader(people(10)))
		require.Equal(t, 503, refused.Code)
		require.Equal(t, "10", refused.Header().Get("Retry-After"))
		_, others := h.asks(b)
		h.puts(others, 10)
		for _, end := range ends {
			require.NoError(t, end.Close())
			require.Equal(t, 204, <-done)
		}
		h.puts(to, 10) // the address was not used
		h.end()
	})
}

func TestADiskWithoutRoomTakesNoUploadsAndAllElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		a := h.tenant()
		_, to := h.asks(a)
		h.free.Store(uploadFloor)
		status, header, answer := h.ask("", "PUT", to, people(10))
		require.Equal(t, 503, status)
		require.Equal(t, "unavailable", answer["code"])
		require.NotEmpty(t, header.Get("Retry-After"))
		h.good(a.token, "POST", "/api-engine/customers",
			object{"email": "jana@example.com", "firstName": "Jana", "lastName": "Nováková"})
		h.free.Store(uploadFloor - 1)
		require.ErrorIs(t, h.Platform.Room(), blob.ErrUnavailable, "imports wait")
		h.free.Store(uploadFloor)
		require.NoError(t, h.Platform.Room())
		h.free.Store(2 * uploadFloor)
		h.puts(to, 10)
		h.end()
	})
}
