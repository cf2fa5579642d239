package docs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// syncs are the programs of the guide that keep a copy of a shop.
var syncs = []language{
	{"syncs/sync.mjs", []string{"node"}, by("node")},
	{"syncs/sync.php", []string{"php"}, by("php")},
}

// bothWays are its programs that keep a shop and a file the same.
var bothWays = []language{
	{"syncs/both.mjs", []string{"node"}, by("node")},
	{"syncs/both.php", []string{"php"}, by("php")},
}

// copied is what a program keeps in its file.
type copied struct {
	Cursor   string                    `json:"cursor"`
	Products map[string]map[string]any `json:"products"`
}

// sync runs a program until it ends. It keeps its copy in that folder.
func (l language) sync(t *testing.T, folder, base, token string) (said string, err error) {
	t.Helper()
	l.tried(t)
	cmd := l.command(t, l.file, folder)
	cmd.Args = append(cmd.Args, filepath.Join(folder, "products.json"))
	cmd.Env = append(os.Environ(), "BASE="+base, "TOKEN="+token)
	out, err := cmd.CombinedOutput()
	require.NotContains(t, string(out), token)
	return string(out), err
}

// copyIn reads the copy of a folder.
func copyIn(t *testing.T, folder string) (c copied) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "products.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &c))
	files, err := filepath.Glob(filepath.Join(folder, "products.json*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is left beside the copy")
	return c
}

// product makes one of that code, and returns its id.
func (s *sender) product(code string) string {
	s.t.Helper()
	return s.do("POST", "/api-engine/products", `{"code":"`+code+`","name":"Tričko `+code+`","vatRate":"21.00",`+
		`"priceLevels":[{"level":"default","price":"10.00"}]}`)["id"].(string)
}

// remove deletes a product.
func (s *sender) remove(id string) {
	s.t.Helper()
	r, err := http.NewRequest("DELETE", s.base+"/api-engine/products/"+id, nil)
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Body.Close())
	require.Equal(s.t, 204, answer.StatusCode)
}

// walk calls with each record of a collection.
func (s *sender) walk(path string, do func(id string)) {
	s.t.Helper()
	for query := "?itemsPerPage=250"; ; {
		page := s.do("GET", path+query, "")
		for _, item := range page["items"].([]any) {
			do(item.(map[string]any)["id"].(string))
		}
		next, more := page["nextCursor"].(string)
		if !more {
			return
		}
		query = "?itemsPerPage=250&cursor=" + next
	}
}

// products are all of the shop, each as its GET answers it.
func (s *sender) products() map[string]map[string]any {
	s.t.Helper()
	all := map[string]map[string]any{}
	s.walk("/api-engine/products", func(id string) { all[id] = s.do("GET", "/api-engine/products/"+id, "") })
	return all
}

// TestSyncsOfTheGuide lets each of them keep a copy of a shop of the running platform, whatever is done in the shop.
func TestSyncsOfTheGuide(t *testing.T) {
	s := newSender(t, serve(t), "syncs", "products")
	of := func(id string) string { return "/api-engine/products/" + id }
	var ids []string
	exports := map[string]bool{} // that were seen
	folders := map[string]string{}
	for _, l := range syncs {
		folders[l.file] = t.TempDir()
	}
	for _, step := range []struct {
		name    string
		exports int // that it takes
		before  func()
	}{
		{"the first run takes an export", 1, func() {
			for n := range 12 {
				ids = append(ids, s.product(fmt.Sprint("P", n)))
			}
			s.do("POST", of(ids[0])+"/variants", `{"code":"V1","parameters":[{"name":"Barva","value":"žlutá"}],`+
				`"priceLevels":[{"level":"default","price":"12.50"}]}`)
			s.remove(ids[11])
		}},
		{"the next one has what was done since", 0, func() {
			s.do("PATCH", of(ids[1]), `{"name":"A \u2028 B <&>"}`)
			s.do("PATCH", of(ids[1]), `{"stock":{"quantity":7}}`)
			s.remove(ids[2])
			s.do("PATCH", of(ids[3]), `{"active":false}`)
			s.remove(ids[3])
			s.remove(s.product("short"))
			s.product("new")
		}},
		{"one in between changes nothing", 0, func() {}},
		{"one after more than 30 days takes an export", 1, func() {
			s.remove(ids[4])
			(&sender{s.t, s.base, operator}).do("POST", "/operator/clock", `{"advance":"721h"}`)
			s.do("PATCH", of(ids[5]), `{"name":"Later"}`)
			s.product("later")
		}},
		{"one after that follows the feed again", 0, func() { s.remove(ids[6]) }},
	} {
		step.before()
		for _, l := range syncs {
			t.Run(step.name+"/"+l.file, func(t *testing.T) {
				said, err := l.sync(t, folders[l.file], s.base, s.token)
				require.NoError(t, err, said)
				all := s.products()
				require.Equal(t, all, copyIn(t, folders[l.file]).Products)
				require.Equal(t, fmt.Sprintln(len(all), "products"), said)
				before := len(exports)
				s.walk("/api-engine/exports", func(id string) { exports[id] = true })
				require.Equal(t, step.exports, len(exports)-before)
			})
		}
	}
}

// stage is a platform of which the test says what it answers. A path that it was given no answers for is 404.
type stage struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	answers map[string][]func(http.ResponseWriter) // by method and address, in their order; the last one stays
	asked   []string
	keys    map[string]bool // that came as Idempotency-Key
}

const stageToken = "token-of-the-stage"

// newStage opens a stage for the test.
func newStage(t *testing.T) *stage {
	s := &stage{t: t, answers: map[string][]func(http.ResponseWriter){}, keys: map[string]bool{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// on adds an answer to what is asked at an address.
func (s *stage) on(asked string, status int, body string, header ...string) {
	s.answers[asked] = append(s.answers[asked], func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a program may go away
	})
}

func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := r.Method + " " + r.URL.Path
	if q := r.URL.Query(); len(q) > 0 {
		q.Del("itemsPerPage")
		if from, err := time.Parse(time.RFC3339, q.Get("from")); err == nil { // milliseconds are a matter of taste
			q.Set("from", from.Truncate(time.Second).Format(time.RFC3339))
		}
		asked += "?" + q.Encode()
	}
	s.asked = append(s.asked, asked+r.Header.Get("Authorization"))
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		s.keys[key] = true
	}
	answers := s.answers[asked]
	if len(answers) == 0 {
		http.Error(w, `{"code":"not_found"}`, http.StatusNotFound)
		return
	}
	answers[0](w)
	s.answers[asked] = answers[min(1, len(answers)-1):]
}

// heard is what programs have asked for since this was called last, each with the Authorization that came with it.
func (s *stage) heard() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.asked
	s.asked = nil
	return all
}

// onTheFeed adds a page of the feed at a query. Each entry is the product, the change and the second.
func (s *stage) onTheFeed(query, next string, entries ...[3]string) {
	items := []map[string]string{}
	for _, e := range entries {
		items = append(items, map[string]string{"type": "products", "id": e[0], "change": e[1], "at": at(e[2])})
	}
	page, err := json.Marshal(map[string]any{"items": items, "nextCursor": next})
	require.NoError(s.t, err)
	s.on("GET /api-engine/changes?"+query, 200, string(page))
}

// at is a second of a minute in the platform's spelling.
func at(second string) string { return "2026-11-21T02:05:" + second + ".000Z" }

// shown is a product as it was at a second, in a line.
func shown(id, second string) string {
	return fmt.Sprintf(`{"id":%q,"changed":%q,"name":"%[1]s`+"\u2028"+`%[3]s","units":[],"of":{},"n":1.5}`+"\n",
		id, at(second), second)
}

// TestSyncsAreRightWhateverComes plays a platform on which everything happens that is allowed to.
func TestSyncsAreRightWhateverComes(t *testing.T) {
	for _, l := range syncs {
		t.Run(l.file, func(t *testing.T) {
			t.Parallel()
			s, host, folder := newStage(t), newStage(t), t.TempDir()
			const export = `{"id":"E","state":%q,"rows":%d,"created":"2026-11-21T02:05:12.583Z"%s}`
			s.on("POST /api-engine/exports", 503, `{"code":"unavailable"}`, "Retry-After", "1")
			s.on("POST /api-engine/exports", 201, fmt.Sprintf(export, "waiting", 0, ""))
			s.on("GET /api-engine/exports/E", 200, fmt.Sprintf(export, "running", 2, ""))
			s.on("GET /api-engine/exports/E", 200,
				fmt.Sprintf(export, "done", 4, `,"downloadUrl":"`+s.URL+`/file?key=k"`))
			s.on("GET /file?key=k", 302, "", "Location", host.URL+"/bucket?signed=yes")
			host.on("GET /bucket?signed=yes", 200, shown("A", "10")+shown("B", "11")+shown("A", "13")+shown("C", "09"))
			s.onTheFeed("from=2026-11-21T02%3A04%3A12Z&types=products", "c1",
				[3]string{"A", "changed", "10"}, [3]string{"A", "changed", "13"}, // which the file has
				[3]string{"B", "changed", "15"}, [3]string{"B", "changed", "14"}, // which comes late, once more
				[3]string{"C", "changed", "15"}, [3]string{"C", "deleted", "16"},
				[3]string{"D", "created", "15"}) // and is gone when it is asked for
			s.on("GET /api-engine/products/B", 200, shown("B", "17"))
			s.onTheFeed("cursor=c1", "c2") // no entries, and more behind it
			s.onTheFeed("cursor=c2", "c3", [3]string{"B", "changed", "17"}, [3]string{"E", "created", "18"})
			s.on("GET /api-engine/products/E", 429, `{"code":"rate_limited"}`, "Retry-After", "1")
			s.on("GET /api-engine/products/E", 200, shown("E", "18"))
			s.on("GET /api-engine/changes?cursor=c3", 403, `{"code":"package_inactive"}`)
			s.onTheFeed("cursor=c3", "c3")

			said, err := l.sync(t, folder, s.URL, stageToken)
			require.Error(t, err, "it cannot go on")
			require.Contains(t, said, "package_inactive")
			feed, with := "GET /api-engine/changes?", "Bearer "+stageToken
			require.Equal(t, []string{
				"POST /api-engine/exports" + with, "POST /api-engine/exports" + with,
				"GET /api-engine/exports/E" + with, "GET /api-engine/exports/E" + with,
				"GET /file?key=k",
				feed + "from=2026-11-21T02%3A04%3A12Z&types=products" + with,
				"GET /api-engine/products/B" + with, "GET /api-engine/products/D" + with,
				feed + "cursor=c1" + with, feed + "cursor=c2" + with,
				"GET /api-engine/products/E" + with, "GET /api-engine/products/E" + with,
				feed + "cursor=c3" + with,
			}, inOrder(s.heard()))
			require.Equal(t, []string{"GET /bucket?signed=yes"}, host.heard(), "the token goes nowhere else")
			require.Len(t, s.keys, 1, "the repeated POST is known as that")

			want := copied{"c3", map[string]map[string]any{}}
			for _, line := range []string{shown("A", "13"), shown("B", "17"), shown("E", "18")} {
				var product map[string]any
				require.NoError(t, json.Unmarshal([]byte(line), &product))
				want.Products[product["id"].(string)] = product
			}
			require.Equal(t, want, copyIn(t, folder), "up to the page at which it could not go on")

			said, err = l.sync(t, folder, s.URL, stageToken)
			require.NoError(t, err, said)
			require.Equal(t, []string{feed + "cursor=c3" + with}, s.heard())
			require.Equal(t, want, copyIn(t, folder))
		})
	}
}

// inOrder sorts neighbours that are fetches of products: a page's may be in any order.
func inOrder(asked []string) []string {
	product := func(s string) bool { return len(s) > 25 && s[:25] == "GET /api-engine/products/" }
	for i := 0; i < len(asked); i++ {
		end := i
		for end < len(asked) && product(asked[end]) {
			end++
		}
		slices.Sort(asked[i:end])
		i = max(i, end)
	}
	return asked
}

// TestSyncsKeepWhatTheyHave begins anew after 410 on platforms where that comes to nothing: the copy stays as it was,
// and the program says so with its exit code.
func TestSyncsKeepWhatTheyHave(t *testing.T) {
	const made = `{"id":"E","state":"waiting","rows":0,"created":"2026-11-21T02:05:12.583Z"}`
	done := func(s *stage) {
		s.on("POST /api-engine/exports", 201, made)
		s.on("GET /api-engine/exports/E", 200, `{"id":"E","state":"done","rows":3,`+
			`"created":"2026-11-21T02:05:12.583Z","downloadUrl":"`+s.URL+`/file"}`)
	}
	cases := map[string]func(s *stage){
		"no export can be begun": func(s *stage) {}, // 404
		"the export fails": func(s *stage) {
			s.on("POST /api-engine/exports", 201, made)
			s.on("GET /api-engine/exports/E", 200, `{"id":"E","state":"failed","rows":1,`+
				`"created":"2026-11-21T02:05:12.583Z","error":{"code":"insufficient_permission","message":"No."}}`)
		},
		"the file is over": done, // 404
		"the file is cut": func(s *stage) {
			done(s)
			s.on("GET /file", 200, shown("A", "10")+shown("B", "10"))
		},
		"the connection is cut": func(s *stage) {
			done(s)
			text := shown("A", "10") + shown("B", "10")
			s.on("GET /file", 200, text, "Content-Length", fmt.Sprint(2*len(text)))
		},
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		for _, l := range syncs {
			t.Run(name+"/"+l.file, func(t *testing.T) {
				t.Parallel()
				s, folder := newStage(t), t.TempDir()
				const before = `{"cursor":"old","products":{"A":{"id":"A","changed":"2026-10-21T02:05:12.583Z"}}}`
				require.NoError(t, os.WriteFile(filepath.Join(folder, "products.json"), []byte(before), 0o600))
				s.on("GET /api-engine/changes?cursor=old", 410, `{"code":"feed_expired"}`)
				cases[name](s)
				said, err := l.sync(t, folder, s.URL, stageToken)
				require.Error(t, err, said)
				after, err := os.ReadFile(filepath.Join(folder, "products.json"))
				require.NoError(t, err)
				require.Equal(t, before, string(after))
			})
		}
	}
}

// TestSyncsOfBothWaysCannotLoop lets each keep names the same in a file and in a shop that other people change, too: at
// once, and while it works. Afterwards both sides are the same, and further runs write nothing: nobody hears an echo.
func TestSyncsOfBothWaysCannotLoop(t *testing.T) {
	base := serve(t)
	for _, l := range bothWays {
		t.Run(l.file, func(t *testing.T) {
			name := "both-" + l.needs[0]
			s, folder := newSender(t, base, name, "products"), t.TempDir()
			theirs := &sender{t, base, operator}
			pkg := theirs.do("POST", "/operator/packages", `{"code":"other-`+name+`","name":"O","instructions":"",`+
				`"permissions":["products:read","products:write"]}`)["id"].(string)
			shop := s.do("GET", "/api-engine/shop", "")["id"].(string)
			access := theirs.do("POST", "/operator/shops/"+shop+"/accesses", `{"packageId":"`+pkg+`"}`)
			theirs.token = access["token"].(string)
			file := filepath.Join(folder, "products.json")
			type pair struct {
				Cursor  string            `json:"cursor"`
				Names   map[string]string `json:"names"`
				Changed []string          `json:"changed"`
			}
			run := func() (now pair) {
				t.Helper()
				said, err := l.sync(t, folder, base, s.token)
				require.NoError(t, err, said)
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(text, &now))
				return now
			}
			written := func() (all []any) { // by whom
				feed := s.do("GET", "/api-engine/changes?types=products&itemsPerPage=250", "")
				for _, e := range feed["items"].([]any) {
					all = append(all, e.(map[string]any)["by"])
				}
				return all
			}
			rename := func(id, name string) { theirs.do("PATCH", "/api-engine/products/"+id, `{"name":"`+name+`"}`) }
			p, q := theirs.product("P"), theirs.product("Q")
			now := run()
			require.Equal(t, map[string]string{p: "Tričko P", q: "Tričko Q"}, now.Names)

			// Both change p, they change q, too.
			now.Names[p], now.Changed = "Ours", []string{p}
			text, err := json.Marshal(now)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, text, 0o600))
			rename(p, "Theirs")
			rename(q, "Theirs, too")
			now = run()
			require.Equal(t, map[string]string{p: "Ours", q: "Theirs, too"}, now.Names)
			require.Empty(t, now.Changed)
			const other = "package"
			want := []any{other, other, other, other, "self"}
			require.Equal(t, want, written())

			// They go on while it works.
			now.Names[q], now.Changed = "Ours again", []string{q}
			text, err = json.Marshal(now)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, text, 0o600))
			var going sync.WaitGroup
			going.Go(func() {
				for n := range 20 {
					rename(q, fmt.Sprint("Theirs ", n))
				}
			})
			run()
			going.Wait()
			now = run()
			for id, product := range s.products() {
				require.Equal(t, product["name"], now.Names[id])
			}
			after := written()
			require.Len(t, after, len(want)+21)
			for range 3 {
				require.Equal(t, now, run())
			}
			require.Equal(t, after, written(), "further runs write nothing")
		})
	}
}
