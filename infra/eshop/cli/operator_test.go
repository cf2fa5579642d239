package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"eshop/infra/local"
	"eshop/infra/local/backup"
)

// serving is a platform on a data folder, until it is stopped.
func serving(t *testing.T, data string, set ...func(*local.Settings)) *local.Server {
	t.Helper()
	settings := local.Settings{Addr: "127.0.0.1:0", Data: data, Environment: "development", Demo: true,
		Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	for _, f := range set {
		f(&settings)
	}
	p, err := local.Start(context.Background(), settings)
	require.NoError(t, err)
	return p
}

// shell is one in which DATA is set.
func shell(data string) (sh Shell, out, errs *said) {
	out, errs = &said{}, &said{}
	return Shell{Getenv: func(name string) string { return map[string]string{"DATA": data}[name] }, Out: out,
		Errs: errs}, out, errs
}

func TestABackupThatIsMadeUnderWritesIsAPlatformAgain(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	p := serving(t, data)
	demo := &client{url: p.BaseURL, token: p.Run.Demo.Token, http: http.Client{Timeout: time.Minute}}
	type customer struct{ ID, Email string }
	var made atomic.Int64 // customers that were acknowledged
	customers := make(chan []string)
	ctx, enough := context.WithCancel(t.Context())
	go func() {
		var ids []string
		for n := 0; ctx.Err() == nil; n++ {
			c, err := ask[customer](t.Context(), demo, "POST", "/api-engine/customers",
				object{"email": fmt.Sprintf("jana-%d@example.com", n), "firstName": "Jana", "lastName": "Nová"})
			if err != nil {
				t.Error(err)
				break
			}
			ids = append(ids, c.ID)
			made.Add(1)
		}
		customers <- ids
	}()
	require.Eventually(t, func() bool { return made.Load() > 20 }, time.Minute, time.Millisecond)
	before := int(made.Load())
	sh, out, errs := shell(data)
	require.Equal(t, 0, Main([]string{"backup", file}, sh), errs.String())
	require.Contains(t, out.String(), "keys and tokens")
	type entry struct{ Path, Address string }
	operator := &client{url: p.BaseURL, token: p.Run.OperatorToken, http: http.Client{Timeout: time.Minute}}
	trail, err := ask[struct{ Items []entry }](t.Context(), operator, "GET", "/operator/audit", nil)
	require.NoError(t, err)
	require.Contains(t, trail.Items, entry{local.BackupPath, "127.0.0.1"})
	enough()
	ids := <-customers
	require.NoError(t, p.Stop())
	is, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), is.Mode().Perm())
	beside, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, beside, 1, "nothing is left beside it")

	anew := filepath.Join(t.TempDir(), "data")
	sh, out, errs = shell(anew)
	require.Equal(t, 0, Main([]string{"restore", file}, sh), errs.String())
	require.Regexp(t, `^restored the backup of 20\S+Z into `+regexp.QuoteMeta(anew)+`: start the platform with DATA=`,
		out.String())
	require.NoFileExists(t, filepath.Join(anew, "run.json"))
	p = serving(t, anew)
	defer func() { require.NoError(t, p.Stop()) }()
	require.Equal(t, demo.token, p.Run.Demo.Token)
	demo.url = p.BaseURL
	kept := 0
	for n, id := range ids {
		if _, err := ask[customer](t.Context(), demo, "GET", "/api-engine/customers/"+id, nil); err == nil {
			require.Equal(t, n, kept, "it is the data of one moment: of all before, and of none after it")
			kept++
		}
	}
	require.GreaterOrEqual(t, kept, before, "what was acknowledged before it began is in it")

	_, err = ask[object](t.Context(), demo, "POST", "/api-engine/customers",
		object{"email": "after@example.com", "firstName": "Jana", "lastName": "Nová"})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		heard, err := ask[object](t.Context(), demo, "GET", "/demo/receiver", nil)
		return err == nil && strings.Contains(fmt.Sprint(heard), "customerCreate")
	}, time.Minute, 5*time.Millisecond, "its webhooks go on")
}

// with is a backup in which one file is another one.
func with(t *testing.T, file, name, text string) []byte {
	t.Helper()
	from, err := zip.OpenReader(file)
	require.NoError(t, err)
	defer from.Close()
	var b bytes.Buffer
	to := zip.NewWriter(&b)
	add := func(name, text string) {
		f, err := to.CreateHeader(&zip.FileHeader{Name: name, Comment: from.File[0].Comment})
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	for _, f := range from.File {
		if f.Name != name {
			require.NoError(t, to.Copy(f))
		}
	}
	add(name, text)
	require.NoError(t, errors.Join(to.SetComment(from.Comment), to.Close()))
	return b.Bytes()
}

// changed is a backup with one bit of its data file changed.
func changed(t *testing.T, file string) []byte {
	t.Helper()
	z, err := zip.OpenReader(file)
	require.NoError(t, err)
	defer z.Close()
	of := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == local.DataFile })
	at, err := z.File[of].DataOffset()
	require.NoError(t, err)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	whole[at+int64(z.File[of].CompressedSize64)/2] ^= 1
	return whole
}

func TestARestoreRefusesWhatItCannotDoWhole(t *testing.T) {
	data, folder := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, "backup")
	p := serving(t, data)
	sh, _, errs := shell(data)
	require.Equal(t, 0, Main([]string{"backup", file}, sh), errs.String())
	require.Equal(t, 1, Main([]string{"restore", file}, sh))
	require.Contains(t, errs.String(), "not empty")
	require.Equal(t, 1, Main([]string{"restore", file, "--force"}, sh))
	require.Contains(t, errs.String(), "stop the platform first: the data folder")
	require.NoError(t, p.Stop())

	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for name, text := range map[string][]byte{"cut": whole[:len(whole)*2/3], "cut at its end": whole[:len(whole)-20],
		"foreign": []byte("PK"), "empty": nil,
		"changed":                changed(t, file),
		"no data":                with(t, file, "eshop.db", ""),
		"no key":                 with(t, file, "secret.key", ""),
		"another platform's key": with(t, file, "secret.key", strings.Repeat("0", 64)),
		"a newer format":         with(t, file, "format", "2 2027-01-15\n"),
		"no format":              with(t, file, "format", "\x00"),
		"a clock that goes back": with(t, file, "clock", "-5h"),
		"a production's clock":   with(t, file, "clock", "5h"),
		"a long clock":           with(t, file, "clock", strings.Repeat("0", 5<<10)+"h")} {
		bad := filepath.Join(folder, "bad")
		require.NoError(t, os.WriteFile(bad, text, 0o600))
		sh, _, errs := shell(data)
		sh.Getenv = func(name string) string {
			return map[string]string{"DATA": data, "ENVIRONMENT": "production"}[name]
		}
		require.Equal(t, 1, Main([]string{"restore", bad, "--force"}, sh), name)
		require.Contains(t, errs.String(), bad, name)
		require.Equal(t, 1, strings.Count(errs.String(), "\n"), name)
		require.FileExists(t, filepath.Join(data, "eshop.db"), "%s: nothing was touched", name)
		require.NoDirExists(t, filepath.Join(data, local.Restoring), name)
	}
	sh, out, errs := shell(data)
	require.Equal(t, 0, Main([]string{"restore", file, "--force"}, sh), errs.String())
	aside := regexp.MustCompile(`before is in (\S+)`).FindStringSubmatch(out.String())[1]
	require.FileExists(t, filepath.Join(aside, "eshop.db"))
	require.NoDirExists(t, filepath.Join(data, local.Restoring))
	require.NoError(t, serving(t, data).Stop())
}

// TestWhatServeAndCheckSayIsOneLineOnWhichNoTerminalActs, whatever the data folder holds.
func TestWhatServeAndCheckSayIsOneLineOnWhichNoTerminalActs(t *testing.T) {
	data := filepath.Join(t.TempDir(), "da\x1b[2Jta")
	require.NoError(t, os.Mkdir(data, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, "eshop.db"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(data, "format"), 0o700))
	for command, says := range map[string]string{"serve": "format is no regular file", "check": "eshop.db is empty"} {
		sh, _, errs := shell(data)
		require.Equal(t, 1, Main([]string{command}, sh))
		require.Contains(t, errs.String(), says)
		require.NotContains(t, errs.String(), "\x1b")
		require.Equal(t, 1, strings.Count(errs.String(), "\n"))
	}
}

// TestABackupTakesNoFilesPlace unless it is one that --force gives away, nor follows what waits at a name beside it.
func TestABackupTakesNoFilesPlace(t *testing.T) {
	data, folder := t.TempDir(), t.TempDir()
	p := serving(t, data)
	defer func() { require.NoError(t, p.Stop()) }()
	sh, _, errs := shell(data)
	at := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(at("precious"), []byte("precious"), 0o666))
	require.NoError(t, os.Symlink(at("precious"), at("backup.partial")))
	require.NoError(t, os.Symlink(at("precious"), at("link")))
	require.Equal(t, 0, Main([]string{"backup", at("backup")}, sh), errs.String())
	require.Equal(t, 1, Main([]string{"backup", at("backup")}, sh))
	require.Contains(t, errs.String(), "or write over it by --force")
	require.Equal(t, 0, Main([]string{"backup", at("backup"), "--force"}, sh), errs.String())
	made, err := os.ReadFile(at("backup"))
	require.NoError(t, err)
	inData := filepath.Join(data, "files", "backup")
	require.NoError(t, os.WriteFile(inData, made, 0o600))
	require.NoError(t, os.Symlink(data, at("data")))
	for file, why := range map[string]string{at("precious"): "is no backup", at("link"): "is no backup",
		folder: "is no backup", inData: "lies in the data folder",
		filepath.Join(data, "eshop.db"): "lies in the data folder", at("data/secret.key"): "lies in the data folder"} {
		sh, _, errs := shell(data)
		require.Equal(t, 1, Main([]string{"backup", file, "--force"}, sh), file)
		require.Contains(t, errs.String(), why)
		require.Equal(t, 1, strings.Count(errs.String(), "\n"))
	}
	kept, err := os.ReadFile(at("precious"))
	require.NoError(t, err)
	require.Equal(t, "precious", string(kept))
	is, err := os.Stat(at("backup"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), is.Mode().Perm())
}

// TestARestoreFillsTheFolderThatIsThere: it may be where a disk is mounted, or a link to where one is.
func TestARestoreFillsTheFolderThatIsThere(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	p := serving(t, data)
	sh, _, errs := shell(data)
	require.Equal(t, 0, Main([]string{"backup", file}, sh), errs.String())
	require.NoError(t, p.Stop())
	mounted := t.TempDir()
	before, err := os.Stat(mounted)
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Symlink(mounted, link))
	require.NoError(t, os.MkdirAll(filepath.Join(mounted, "lost+found"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(mounted, local.Restoring, "files"), 0o700), "of one that was killed")
	for _, args := range [][]string{{"restore", file}, {"restore", file, "--force"}} {
		sh, _, errs = shell(link)
		require.Equal(t, 0, Main(args, sh), errs.String())
		is, err := os.Lstat(link)
		require.NoError(t, err)
		require.Equal(t, os.ModeSymlink, is.Mode().Type())
		after, err := os.Stat(link)
		require.NoError(t, err)
		require.True(t, os.SameFile(before, after))
		require.DirExists(t, filepath.Join(mounted, "lost+found"))
		require.NoDirExists(t, filepath.Join(mounted, local.Restoring))
	}
	aside, err := filepath.Glob(filepath.Join(mounted, ".before-*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, aside)
	p = serving(t, link)
	again := filepath.Join(t.TempDir(), "again")
	sh, _, errs = shell(link)
	require.Equal(t, 0, Main([]string{"backup", again}, sh), errs.String())
	require.NoError(t, p.Stop())
	one, err := backup.Open(file)
	require.NoError(t, err)
	other, err := backup.Open(again)
	require.NoError(t, err)
	require.Len(t, other.File, len(one.File), "nothing that was moved aside is in it")
	require.NoError(t, errors.Join(one.Close(), other.Close()))
}

func TestEntriesAreMovedAllOrNone(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(from, "a"), nil, 0o600))
	require.ErrorIs(t, move([]string{"a", "none"}, from, to), os.ErrNotExist)
	require.FileExists(t, filepath.Join(from, "a"))
}

func TestOnlyTheOperatorMakesBackups(t *testing.T) {
	data := t.TempDir()
	p := serving(t, data)
	defer func() { require.NoError(t, p.Stop()) }()
	for _, token := range []string{p.Run.Demo.Token, "eop_" + strings.Repeat("x", 43)} {
		sh, _, errs := shell(data)
		require.Equal(t, 1, Main([]string{"backup", filepath.Join(t.TempDir(), "backup"), "--token", token}, sh))
		require.Contains(t, errs.String(), "401 unauthenticated")
	}
}

// TestATokenGoesNowhereElse: whoever answers at the platform's address may lead on, and is not followed, not even to
// another path or port of the same host, where the standard client would send the token.
func TestATokenGoesNowhereElse(t *testing.T) {
	followed := make(chan string, 100)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		followed <- r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization")
	}))
	defer other.Close()
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer platform.Close()
	every(func(command *cobra.Command) {
		word := command.Name()
		if command.Flags().Lookup("token") == nil {
			return
		}
		t.Run(word, func(t *testing.T) {
			sh, out, errs := shell(t.TempDir())
			args := append(strings.Fields(command.CommandPath())[1:], "--url", platform.URL, "--token", "esk_secret")
			switch {
			case word == "backup":
				args = append(args, filepath.Join(t.TempDir(), "backup"))
			case slices.Contains([]string{"get", "post", "patch", "put", "delete"}, word):
				args = append(args, "/api-engine/status")
			case word == "new":
				args = append(args, "tea.example", "--email", "jana@tea.example")
			case word == "copy":
				args = append(args, "--from", platform.URL)
			case word == "domain":
				args = append(args, "01KAJ1V4S7TGXSAKB4YV5Q2D3E", "tea.example")
			case word == "developer":
				args = append(args, "ada@addon.example")
			case word == "listen":
				args = append(args, "--to", other.URL)
			case word == "trigger":
				args = append(args, "customerChange")
			case word == "resend" || word == "wait" || word == "reindex":
				args = append(args, "01KAJ1V4S7TGXSAKB4YV5Q2D3E")
			}
			require.Equal(t, 1, Main(args, sh), out.String())
			require.Empty(t, followed)
			require.Contains(t, errs.String(), platform.URL+" leads to "+other.URL)
			require.Contains(t, errs.String(), "(307), where the token is not sent: name the platform's own address")
			require.NotContains(t, errs.String(), "esk_secret")
		})
	})
}

func TestAnIndexOfSearchesIsMadeAnew(t *testing.T) {
	data := t.TempDir()
	p := serving(t, data)
	defer func() { require.NoError(t, p.Stop()) }()
	sh, out, errs := shell(data)
	require.Equal(t, 0, Main([]string{"shop", "new", "tea.example", "--email", "jana@tea.example"}, sh), errs.String())
	shop := regexp.MustCompile(`shop +(\S+)`).FindStringSubmatch(out.String())[1]
	sh, out, errs = shell(data)
	require.Equal(t, 0, Main([]string{"reindex"}, sh), errs.String())
	require.Regexp(t, p.Run.Demo.ShopID+`: [1-9]\d* records indexed`, out.String())
	require.Contains(t, out.String(), shop+": 0 records indexed")
	sh, out, errs = shell(data)
	require.Equal(t, 0, Main([]string{"reindex", shop}, sh), errs.String())
	require.Equal(t, "shop "+shop+": 0 records indexed\n", out.String())
	sh, _, errs = shell(data)
	require.Equal(t, 1, Main([]string{"reindex", "01KAJ1V4S7TGXSAKB4YV5Q2D3E"}, sh))
	require.Contains(t, errs.String(), "404")
}

// TestAShopIsGivenANameOfItsOwn: it is told there once that is said to be ready.
func TestAShopIsGivenANameOfItsOwn(t *testing.T) {
	data := t.TempDir()
	public, err := url.Parse("https://eshop.example:8443")
	require.NoError(t, err)
	p := serving(t, data, func(s *local.Settings) { s.PublicURL = public })
	defer func() { require.NoError(t, p.Stop()) }()
	sh, out, errs := shell(data)
	id, below := p.Run.Demo.ShopID, "https://"+strings.ToLower(p.Run.Demo.ShopID)+".eshop.example:8443"
	require.Equal(t, below, p.Run.Demo.StorefrontURL)
	require.Equal(t, 0, Main([]string{"shop", "domain", "cajovna.example", "caj.example"}, sh), errs.String())
	for _, line := range []string{id + " has the name caj.example, and its addresses begin with " + below + "\n",
		"https://" + strings.ToLower(id) + ".admin.eshop.example:8443/admin from now on",
		"caj.example. CNAME eshop.example.", "server_name caj.example;",
		"eshop shop domain " + id + " caj.example --ready"} {
		require.Contains(t, out.String(), line)
	}
	sh, out, errs = shell(data)
	require.Equal(t, 0, Main([]string{"shop", "domain", id, "caj.example", "--ready"}, sh), errs.String())
	require.Equal(t,
		"shop      "+id+" has the name caj.example, and its addresses begin with https://caj.example:8443\n",
		out.String())
	sh, out, errs = shell(data)
	require.Equal(t, 0, Main([]string{"shop", "domain", id, "caj.eshop.example"}, sh), errs.String())
	require.Contains(t, out.String(), "begin with https://caj.eshop.example:8443\n",
		"below the platform's host at once")
	for _, wrong := range [][]string{{id}, {id, "Caj.example"}, {id, "caj"}, {id, "a.cz", "b.cz"}} {
		sh, _, errs = shell(data)
		require.Equal(t, 1, Main(append([]string{"shop", "domain"}, wrong...), sh))
		require.Contains(t, errs.String(), "domain takes the id")
	}
	sh, _, errs = shell(data)
	require.Equal(t, 1, Main([]string{"shop", "domain", "nobody.example", "caj.example"}, sh))
	require.Contains(t, errs.String(), "no shop has the id or the domain nobody.example")
}

func TestAnInstallationBeginsWithAShop(t *testing.T) {
	data := t.TempDir()
	p := serving(t, data)
	defer func() { require.NoError(t, p.Stop()) }()
	sh, out, errs := shell(data)
	require.Equal(t, 0, Main([]string{"shop", "new", "tea.example", "--email", "jana@tea.example", "--locale", "sk_SK",
		"--currency", "EUR"}, sh), errs.String())
	token := regexp.MustCompile(`esk_test_\w+`).FindString(out.String())
	shop, err := ask[object](t.Context(), &client{url: p.BaseURL, token: token}, "GET", "/api-engine/shop", nil)
	require.NoError(t, err)
	require.Equal(t, []any{"tea.example", "sk_SK", "EUR"}, []any{shop["domain"], shop["locale"], shop["currency"]})
	link := regexp.MustCompile(`http\S+/admin/\S+`).FindString(out.String())
	r, err := http.NewRequest("GET", link, nil)
	require.NoError(t, err)
	// the host of the shop is this machine, whatever finds names here
	r.URL.Host = strings.TrimPrefix(p.BaseURL, "http://")
	page, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer page.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(page.Body)
	require.NoError(t, err)
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, text.String(), `type="password"`)

	require.Equal(t, 1, Main([]string{"shop", "new", "tea.example", "--email", "jana@tea.example"}, sh))
	require.Contains(t, errs.String(), "409 domain_taken")
	require.Equal(t, 1, Main([]string{"shop", "new", "a.example", "--email", "@", "--locale", "de_DE"}, sh))
	for _, location := range []string{"body.locale", "body.owner.email"} {
		require.Regexp(t, `(?m)^  `+location+` \S.+$`, errs.String())
	}
	require.NotContains(t, errs.String(), "see errors")
	require.Equal(t, 1, Main([]string{"shop", "new", "tea.example"}, sh))
	require.Contains(t, errs.String(), "--email")
}
