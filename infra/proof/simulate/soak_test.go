//go:build !race

package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/infra/local"
	"eshop/infra/proof/model"
)

// soak is a platform that serves two days of work alike, with a quiet stretch before, between and behind them in which
// all lives of rows pass: what has grown by then stays for ever.
type soak struct {
	*Sim
	of   *process
	ends []looks // at the end of each quiet stretch
	peak int64   // the most bytes of the file that were used at a look
}

// longest is longer than any row lives that has a life: what the operator did is kept for 400 days.
const longest = 401 * 24 * time.Hour

// TestADayOfGrowth is a soak of HOURS, or of two: what grows without bound fails.
func TestADayOfGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("two days take some minutes")
	}
	hours := int(number(t, "HOURS", 2))
	k := &soak{}
	within(t, 1, 0, func(t testing.TB) Host { k.of = newProcess(t); return k.of }, func(w *Sim) {
		k.Sim = w
		w.soaks = true
		for range 2 {
			w.open()
		}
		for _, x := range w.shops {
			x.churner.settle(x)
			x.products.order(x, x.products.ids[0], nil, w.random(3))
		}
		k.quiet()
		for n := range 2 {
			k.works(n, hours)
			k.quiet()
		}
		k.check()
	})
}

// works has everybody work for so many hours, with a line for each, while the flaky receivers are bad in one way after
// the other.
func (k *soak) works(day, hours int) {
	k.mu.Lock()
	k.plan = plan{length: time.Duration(hours) * time.Hour, start: time.Now()}
	for n := range hours {
		k.plan.faults = append(k.plan.faults, fault{Kind: sick, At: time.Duration(n) * time.Hour, Length: time.Hour / 2,
			Mode: modes[(day*hours+n)%len(modes)]})
	}
	k.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	for _, x := range k.shops {
		x.feed.begin(k.clock())
		x.hasty.begin(k.clock())
		x.work(ctx)
		x.begin(ctx, 2*time.Minute, x.stranger)
		x.begin(ctx, 5*time.Minute, x.churner.actor())
	}
	for n := range hours {
		time.Sleep(time.Until(k.plan.start.Add(time.Duration(n+1) * time.Hour)))
		k.T.Log(k.look().line(fmt.Sprintf("day %d, hour %2d", day+1, n+1)))
	}
	cancel()
	k.working.Wait()
}

// clock is the time by the platform's clock.
func (k *soak) clock() time.Time { k.mu.Lock(); defer k.mu.Unlock(); return time.Now().Add(k.skew) }

// quiet lets all end that is under way, the last attempt of a webhook among it, and then all lives pass. The clock goes
// on by the hour: the process looks each few seconds what is due, and for days that is all it would do.
func (k *soak) quiet() {
	for _, x := range k.shops {
		x.recover()
	}
	for range 4 * 24 {
		k.jump(time.Hour)
		time.Sleep(time.Minute)
	}
	k.jump(longest)
	time.Sleep(time.Hour)
	l := k.look()
	k.ends = append(k.ends, l)
	k.T.Log(l.line("quiet"))
}

// looks is how large all is at a moment: rows by their kinds, and what is measured.
type looks struct {
	kinds            map[string]int
	records          map[string]int // that the API lists
	file, used       int64          // bytes of the data file, and of its pages that are not free
	heap, objects    int
	goroutines       int
	files, series    int
	asked            int // requests so far
	rows, index, due int
}

// look looks at the platform while all wait, without what the simulation itself remembers of it.
func (k *soak) look() looks {
	l := looks{kinds: map[string]int{}, records: k.lists()}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer "+Operator)
	k.serving().serve(w, r)
	require.Equal(k.T, http.StatusOK, w.Code)
	l.series, l.asked = strings.Count(w.Body.String(), "\n"), k.asked
	synctest.Wait()
	k.forgets()
	l.reads(k.T, k.of.data)
	k.peak = max(k.peak, l.used)
	for range 3 { // what has a finalizer, and what pools keep, goes with the next ones
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l.heap, l.objects, l.goroutines = int(m.HeapAlloc), int(m.HeapObjects), runtime.NumGoroutine()
	return l
}

// forgets has the simulation forget what it knows of the platform: Days are there to hold that against the model.
func (k *soak) forgets() {
	k.History, k.Told = model.NewHistory(), model.NewTold()
	k.life.conns = nil // those that it had are closed by themselves
	clear(k.dated)
	for _, x := range k.shops {
		x.numbers, x.products.shown, x.list = model.Numbers{}, model.Shown{}, nil
		x.feed.Feed, x.hasty.Feed = model.Feed{}, model.Feed{}
		clear(x.limits.windows)
		x.limits.passed = nil
		last := func(ids []string) []string { return slices.Clone(ids[max(0, len(ids)-6):]) }
		x.customers.ids = last(x.customers.ids)
		clear(x.customers.there)
		maps.DeleteFunc(x.customers.emails, func(id, _ string) bool { return !slices.Contains(x.customers.ids, id) })
		x.products.orders = slices.Clone(x.products.orders[max(0, len(x.products.orders)-20):])
		x.products.coupons = slices.Clone(x.products.coupons[max(0, len(x.products.coupons)-5):])
	}
}

// lists counts the records that the API lists, by the last part of their collection's path.
func (k *soak) lists() map[string]int {
	all := map[string]int{}
	for _, x := range k.shops {
		all["erased customers"] += x.churner.erased
		for _, of := range []string{"customers", "products", "orders", "discount-coupons", "order-states",
			"custom-urls"} {
			query := url.Values{"itemsPerPage": {"250"}}
			if of == "order-states" {
				query.Set("includeDeleted", "true")
			}
			for {
				a := x.partner.must("GET", "/api-engine/"+of+"?"+query.Encode(), nil)
				all[of] += len(a.list("items"))
				if a.text("nextCursor") == "" {
					break
				}
				query.Set("cursor", a.text("nextCursor"))
			}
		}
	}
	return all
}

// reads counts what is on disk: rows by their kinds, of a copy of the data file, since the platform has it open, and
// other files.
func (l *looks) reads(t testing.TB, data string) {
	path := filepath.Join(t.TempDir(), "copy")
	to, err := os.Create(path)
	require.NoError(t, err)
	from, err := os.Open(filepath.Join(data, local.DataFile))
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, from.Close())
	require.NoError(t, to.Close())
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	require.NoError(t, err)
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		l.file = tx.Size()
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			s := b.Stats()
			l.used += int64(s.BranchPageN+s.BranchOverflowN+s.LeafPageN+s.LeafOverflowN) * int64(db.Info().PageSize)
			return b.ForEach(func(k, _ []byte) error { l.kinds[kindOf(string(name), k)]++; return nil })
		})
	}))
	require.NoError(t, db.Close())
	require.NoError(t, os.Remove(path))
	require.NoError(t, filepath.WalkDir(data, func(_ string, f fs.DirEntry, err error) error {
		if err == nil && f.Type().IsRegular() {
			l.files++
		}
		return err
	}))
	for kind, n := range l.kinds {
		switch l.rows += n; {
		case indexed.MatchString(kind):
			l.index += n
		case waiting.MatchString(kind):
			l.due += n
		}
	}
}

var (
	segment = regexp.MustCompile(`^=?[A-Z]+$`)
	indexed = regexp.MustCompile(`^pipeline/items S#\*#(WORDS|ENTRY|IN)#`)
	waiting = regexp.MustCompile(`^(main/feed|counters/|main/items (IK|S#\*#(A?SESSION|B|I|X|Q|=Q)#)|` +
		`pipeline/items (BODY|D|F)#)`)
)

// kindOf is a row's bucket, and what its key consists of without what varies: main/items S#*#C#* A.
func kindOf(bucket string, key []byte) string {
	if !strings.Contains(bucket, "/items") && !strings.Contains(bucket, "/index") {
		return bucket
	}
	form := func(text string) string {
		all := strings.Split(text, "#")
		for i, s := range all {
			if !segment.MatchString(s) {
				all[i] = "*"
			}
		}
		return strings.Join(all, "#")
	}
	n := 2 + int(binary.BigEndian.Uint16(key))
	if strings.Contains(bucket, "/index") { // whose sort keys are moments
		return bucket + " " + form(string(key[2:n]))
	}
	return bucket + " " + form(string(key[2:n])) + " " + form(string(key[n:]))
}

// line is the moment as a line of the table.
func (l looks) line(what string) string {
	return fmt.Sprintf("%-15s %5d customers %4d orders %3d products %6d rows (%6d of the index, %5d with a life) "+
		"%6d KiB of file (%6d used) %3d files %6d KiB of heap %7d objects %3d goroutines %4d series", what,
		l.records["customers"], l.records["orders"], l.records["products"], l.rows, l.index, l.due, l.file>>10,
		l.used>>10, l.files, l.heap>>10, l.objects, l.goroutines, l.series)
}

// owned says of which record a row of a kind is, and how many of them a record has at most.
type owned struct {
	of   string
	most int
}

// kept are the kinds of rows that stay as long as a record does which the API lists: as many as before, or as many as
// the records have at most. All others have a life.
var kept = map[string]owned{
	"main/items S#*#C#* A":             {"customers", 1},
	"main/items S#*#=E#* A":            {"customers", 1}, // their e-mail
	"main/index1 S#*#C":                {"customers", 1},
	"pipeline/items S#*#ENTRY#C#* A":   {"customers", 1},
	"pipeline/items S#*#WORDS#C#* *#*": {"customers", 7},
	"main/items S#*#C#* PASSWORD":      {"customers", 1},
	"main/items S#*#O#* A":             {"orders", 1},
	"main/items S#*#=N#* A":            {"orders", 1}, // their number
	"main/index1 S#*#O":                {"orders", 1},
	"pipeline/items S#*#ENTRY#O#* A":   {"orders", 1},
	"pipeline/index1 S#*#ENTRY#O#*":    {"orders", 1},
	"pipeline/items S#*#WORDS#O#* *#*": {"orders", 7},
	"main/items S#*#D#* A":             {"discount-coupons", 1},
	"main/items S#*#=D#* A":            {"discount-coupons", 1}, // their code
	"main/index1 S#*#D":                {"discount-coupons", 1},
	"main/items ER#* A":                {"erased customers", 1}, // that the platform did what the law wants
	"main/items S#*#STATES *":          {"order-states", 1},
	"main/index1 S#*#OS":               {"order-states", 1},
	"main/index2 S#*#O#C#*":            {"orders", 1},      // of customers
	"main/items S#*#P#* U#*#*":         {"custom-urls", 1}, // addresses of before stay, and lead to those of now
	"main/items S#*#=S#* A":            {"custom-urls", 1},
	"main/index1 S#*#U":                {"custom-urls", 1},
	"main/index2 S#*#UID#*":            {"custom-urls", 1},
	"pipeline/items S#*#WORDS#P#* *#*": {"products", 7},
}

// unswept is how many rows of the feed there may be that were handled: they are deleted 256 at once.
const unswept = 255

// fewFiles is how many more files the second day may leave than the first: which ones are under way at its end varies.
const fewFiles = 10

// check fails the test if a day leaves more rows than the records of the shops account for, or if the second day ends
// with more goroutines, files, series of metrics or heap than the first.
func (k *soak) check() {
	before, first, second := k.ends[0], k.ends[1], k.ends[2]
	for n, l := range k.ends[1:] {
		for _, kind := range slices.Sorted(maps.Keys(l.kinds)) {
			may := before.kinds[kind]
			if kind == "main/feed" {
				may = unswept
			}
			if is, has := kept[kind]; has {
				may = max(may+is.most*(l.records[is.of]-before.records[is.of]), is.most*l.records[is.of])
			}
			if l.kinds[kind] > may {
				k.T.Errorf("day %d leaves %d rows of %s, where there may be %d", n+1, l.kinds[kind], kind, may)
			}
		}
	}
	requests := second.asked - first.asked
	for what, grew := range map[string]struct{ was, is, may int }{
		"goroutines":        {first.goroutines, second.goroutines, 0},
		"files":             {first.files, second.files, fewFiles},
		"series of metrics": {first.series, second.series, first.series / 100},
		// What storefronts keep has a bound that a day does not reach. Something that stays of each request is more.
		"bytes of the heap":   {first.heap, second.heap, first.heap/10 + 32*requests},
		"objects of the heap": {first.objects, second.objects, first.objects/50 + requests/5},
	} {
		if grew.is > grew.was+grew.may {
			k.T.Errorf("the first day ends with %d %s, and the second with %d", grew.was, what, grew.is)
		}
	}
	if most := k.peak + k.peak/4; second.file > most {
		k.T.Errorf("the file has %d bytes, where no more than %d were ever used: free pages are not used again",
			second.file, k.peak)
	}
}
