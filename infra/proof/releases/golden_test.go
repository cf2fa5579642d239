package releases

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/infra/local"
	"eshop/shared/ports/store"
)

// golden is what a release has stored on a host, unpacked: a folder with the platform's data, of AWS the rows, and what
// was asked.
type golden struct {
	folder string
	shapes []string // of the rows
	asked
}

// asked is asks.json.
type asked struct {
	Host    string    `json:"host"`
	At      time.Time `json:"at"` // when they are asked
	Resting []ask     `json:"resting"`
	Begin   []ask     `json:"begin"`
	End     []ask     `json:"end"`
	Hears   []told    `json:"hears"`
}

// lasts is how long the journey takes, with time for leases to end before anything is asked.
const lasts = 25 * time.Minute

// made makes a golden with the code as it is: a journey that begins at a time. Nothing is asked yet.
func made(t testing.TB, on string, start time.Time) *golden {
	t.Helper()
	if on == ofDemo {
		return madeDemo(t, start)
	}
	g := &golden{folder: t.TempDir(), asked: asked{Host: on}}
	lived := t.TempDir()
	w := open(t, on, lived, start, byte(len(on)))
	j := write(w)
	g.Resting, g.Begin, g.End, g.Hears, g.At = j.Resting, j.Begin, j.End, j.Hears, start.Add(lasts)
	rows := w.rows() // those too that live for seconds
	g.shapes = shapes(rows)
	require.True(t, w.now().Before(g.At), "the journey takes %s", w.now().Sub(start))
	w.close()
	j.to.Close() // what goes on goes on elsewhere
	file := filepath.Join(lived, local.DataFile)
	shorten(t, file)
	if on == onAWS {
		require.NoError(t, os.Remove(file))
		g.write(t, "rows.jsonl", encode(t, rows))
	} else {
		require.NoError(t, os.WriteFile(filepath.Join(lived, "operator.token"), []byte(operatorToken+"\n"), 0o600))
	}
	copyFolder(t, lived, g.path("data"))
	return g
}

// madeDemo makes the golden of a folder in which the demo was seeded. Of its rows only those that no other host writes
// have their shapes kept: all others are of kinds that the other goldens have.
func madeDemo(t testing.TB, start time.Time) *golden {
	t.Helper()
	g := &golden{folder: t.TempDir(), asked: asked{Host: ofDemo, At: start.Add(lasts)}}
	lived := t.TempDir()
	s, err := local.Start(t.Context(), settings(lived, start))
	require.NoError(t, err)
	demo := s.Run.Demo
	for _, path := range []string{"shop", "categories", "products", "orders", "customers", "discount-coupons"} {
		g.Resting = append(g.Resting, ask{Route: "GET /api-engine/" + path, Path: "/api-engine/" + path,
			Header: header("Bearer " + demo.Token)})
	}
	in, err := json.Marshal(object{"email": demo.Admin.Email, "password": demo.Admin.Password})
	require.NoError(t, err)
	g.Resting = append(g.Resting, ask{Route: "POST /admin/sign-in", Path: "/admin/sign-in",
		Host: "admin.cajovna.example", Body: string(in), Header: header("", "Sec-Fetch-Site", "same-origin")})
	items, err := s.Platform.Main.Get(t.Context(), store.Key{PK: "DEMO", SK: "A"})
	require.NoError(t, err)
	g.shapes = shapes([]row{{Table: "main", item: *items[0]}})
	require.NoError(t, errors.Join(s.Stop(), os.Remove(filepath.Join(lived, "run.json"))))
	shorten(t, filepath.Join(lived, local.DataFile))
	copyFolder(t, lived, g.path("data"))
	return g
}

// shorten leaves out the pages of a data file that are free.
func shorten(t testing.TB, file string) {
	t.Helper()
	require.NoError(t, os.Rename(file, file+".long"))
	long, err := bbolt.Open(file+".long", 0o600, nil)
	require.NoError(t, err)
	short, err := bbolt.Open(file, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, errors.Join(bbolt.Compact(short, long, 0), short.Close(), long.Close(), os.Remove(file+".long")))
}

func (g *golden) path(name string) string { return filepath.Join(g.folder, filepath.FromSlash(name)) }

func (g *golden) write(t testing.TB, name string, b []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(g.path(name), b, 0o600))
}

func (g *golden) rows(t testing.TB) []row {
	t.Helper()
	b, err := os.ReadFile(g.path("rows.jsonl"))
	require.NoError(t, err)
	return decode(t, b)
}

// data is a copy of the golden's data folder.
func (g *golden) data(t testing.TB) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "data")
	copyFolder(t, g.path("data"), to)
	return to
}

// copyFolder copies files with the moments of their last changes, readable by their owner only.
func copyFolder(t testing.TB, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, f fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil || f.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(to, name), 0o700))
		}
		is, err := f.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		copied := filepath.Join(to, name)
		return errors.Join(os.WriteFile(copied, b, 0o600), os.Chtimes(copied, time.Time{}, is.ModTime()))
	}))
}

// pack writes the golden into files: an archive, and the shapes of its rows for people to compare.
func (g *golden) pack(t testing.TB, path string) {
	t.Helper()
	b, err := json.Marshal(g.asked)
	require.NoError(t, err)
	g.write(t, "asks.json", b)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoFileExists(t, path, "what a release has stored is written once, and never again")
	// The moments of last changes to the nanosecond are in this kind of tar alone.
	out, err := exec.Command("tar", "--format=pax", "-czf", path, "-C", g.folder, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.WriteFile(shapesAt(path), []byte(strings.Join(g.shapes, "\n")+"\n"), 0o644))
}

func shapesAt(path string) string { return strings.TrimSuffix(path, ".tar.gz") + ".shapes" }

// unpack is the golden in a file.
func unpack(t testing.TB, path string) *golden {
	t.Helper()
	g := &golden{folder: filepath.Join(t.TempDir(), "golden")}
	require.NoError(t, os.Mkdir(g.folder, 0o700))
	out, err := exec.Command("tar", "-xzf", path, "-C", g.folder).CombinedOutput()
	require.NoError(t, err, string(out))
	b, err := os.ReadFile(g.path("asks.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &g.asked))
	b, err = os.ReadFile(shapesAt(path))
	require.NoError(t, err)
	g.shapes = strings.Split(strings.TrimSpace(string(b)), "\n")
	return g
}
