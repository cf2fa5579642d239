package delivery_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/webhooks"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/limit/memory"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record/change"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signingkey"
)

// door is the webhooks API as an access calls it.
type door struct {
	w     *world
	frame *api.API
}

func (w *world) door(a addon.Access) door {
	db, err := bolt.Open(filepath.Join(w.t.TempDir(), "counters"), bolt.Options{})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = db.Close() })
	frame := api.New(api.Config{Table: w.p.Main, Counters: memory.Open(db.Table("counters")), Key: make([]byte, 32),
		Now:    w.clock.Now,
		Random: w.p.Random, Log: w.p.Log, Near: true, Alone: true,
		Authenticate: func(context.Context, string) (*change.Caller, error) {
			return &change.Caller{Access: a.ID, Package: a.Package, Shop: a.Shop, Active: true, Limits: limit.Max,
				Version: events.APIVersion}, nil
		}})
	webhooks.Function.HTTP(w.p, frame)
	return door{w, frame}
}

// do is a request that must succeed.
func (d door) do(method, path string) (body struct{ ID, Key, State string }) {
	d.w.t.Helper()
	r := httptest.NewRequest(method, "/api-engine/webhook-signing-keys"+path, nil)
	r.Header.Set("Authorization", "Bearer token")
	rec := httptest.NewRecorder()
	d.frame.ServeHTTP(rec, r)
	require.Less(d.w.t, rec.Code, 300, rec.Body.String())
	if rec.Body.Len() > 0 {
		require.NoError(d.w.t, json.Unmarshal(rec.Body.Bytes(), &body))
	}
	return body
}

func mac(key string, parts ...string) []byte {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
	if err != nil {
		return nil
	}
	m := hmac.New(sha256.New, secret)
	m.Write([]byte(strings.Join(parts, ".")))
	return m.Sum(nil)
}

// signed says whether the header holds the key's signature (contract, "Signing keys").
func signed(h hit, header, key string) bool {
	want := "sha256=" + hex.EncodeToString(mac(key, h.Get("X-Webhook-Timestamp"), string(h.body)))
	values := h.Values(header)
	return len(values) == 1 && hmac.Equal([]byte(values[0]), []byte(want))
}

// standard verifies as Standard Webhooks says: the id, timestamp and body are signed; the header is a list, parted by
// spaces, of which one signature of version 1 must match; the timestamp is within five minutes of now.
func standard(h hit, key string, now time.Time) error {
	id, stamp, list := h.Get("webhook-id"), h.Get("webhook-timestamp"), h.Get("webhook-signature")
	if id == "" || stamp == "" || list == "" {
		return errors.New("a header is missing")
	}
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return errors.New("the timestamp is not fresh")
	}
	want := mac(key, id, stamp, string(h.body))
	for one := range strings.SplitSeq(list, " ") {
		version, text, _ := strings.Cut(one, ",")
		got, err := base64.StdEncoding.DecodeString(text)
		if version == "v1" && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("no signature matches")
}

// guard is a receiver that verifies each webhook, and its operator's keys.
type guard struct {
	mu       sync.Mutex
	old, new string
	checks   func(g *guard, h hit) bool
	got      int
	tested   int // webhooks whose -Next was the new key's
	rejected []string
}

func (g *guard) hear(rw http.ResponseWriter, h hit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.got++; !g.checks(g, h) {
		g.rejected = append(g.rejected, fmt.Sprint(h.Header))
		rw.WriteHeader(401)
	}
}

func (g *guard) set(f func(*guard)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g)
}

// traffic is 300 deliveries a second for a second, and 20 a second for the ten seconds behind it: 4 for each change.
func (w *world) traffic(each func()) {
	step := func(n int, d time.Duration) {
		for range n {
			w.tell(w.change("shop", customer("c")))
			w.run()
			each()
			w.clock.Pass(d)
		}
	}
	step(75, time.Second/75)
	step(50, time.Second/5)
}

func TestARotationOfKeysIsNotRejectedOnceByAnyKindOfReceiver(t *testing.T) {
	w := newWorld(t)
	a := w.install("shop", permission.ReadCustomers)
	d := w.door(a)
	first := d.do("POST", "")
	guards := map[string]*guard{
		"has the old key, then the new one": {old: first.Key, checks: func(g *guard, h hit) bool {
			if g.new != "" {
				return signed(h, "X-Webhook-Signature", g.new)
			}
			return signed(h, "X-Webhook-Signature", g.old) || signed(h, "X-Webhook-Signature-Previous", g.old)
		}},
		"accepts both": {old: first.Key, checks: func(g *guard, h hit) bool {
			return signed(h, "X-Webhook-Signature", g.old) || signed(h, "X-Webhook-Signature", g.new)
		}},
		"tests the next one, switches, and then activates": {old: first.Key, checks: func(g *guard, h hit) bool {
			if g.new == "" {
				return signed(h, "X-Webhook-Signature", g.old)
			}
			next := signed(h, "X-Webhook-Signature-Next", g.new)
			if next {
				g.tested++
			}
			return next || signed(h, "X-Webhook-Signature", g.new) || g.tested == 0 &&
				signed(h, "X-Webhook-Signature", g.old)
		}},
		"a Standard Webhooks library": {old: first.Key, checks: func(g *guard, h hit) bool {
			return standard(h, g.old, w.clock.Now()) == nil
		}},
	}
	var switches []func(key string)
	for name, g := range guards {
		s := serve(t, g.hear)
		w.receiver(a, s.URL)
		if name != "has the old key, then the new one" && name != "a Standard Webhooks library" {
			switches = append(switches, func(key string) { g.set(func(g *guard) { g.new = key }) })
		}
	}
	none := func() {}
	w.traffic(none)

	second := d.do("POST", "")
	require.Equal(t, "pending", second.State)
	for _, tell := range switches {
		tell(second.Key)
	}
	w.traffic(none)
	require.NotZero(t, guards["tests the next one, switches, and then activates"].tested)

	require.Equal(t, "primary", d.do("POST", "/"+second.ID+"/activate").State)
	w.traffic(none)
	guards["has the old key, then the new one"].set(func(g *guard) { g.new = second.Key })
	guards["a Standard Webhooks library"].set(func(g *guard) { g.old = second.Key })
	w.clock.Pass(signingkey.RetireFor - 17*time.Second)
	w.traffic(none) // over the end of the old one

	for name, g := range guards {
		require.Empty(t, g.rejected, name)
		require.Equal(t, 4*125, g.got, name)
	}
}

func TestARevokedKeySignsNothingTenSecondsLater(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	d := w.door(a)
	one := func() hit {
		n := len(s.got())
		w.tell(w.change("shop", customer("c")))
		w.run()
		require.Len(t, s.got(), n+1)
		return s.got()[n]
	}
	by := func(h hit, key string) (where []string) {
		for _, name := range []string{"X-Webhook-Signature", "X-Webhook-Signature-Next",
			"X-Webhook-Signature-Previous"} {
			if signed(h, name, key) {
				where = append(where, name)
			}
		}
		if standard(h, key, w.clock.Now()) == nil {
			where = append(where, "webhook-signature")
		}
		return where
	}
	const soon = 10*time.Second + time.Millisecond
	old, next := d.do("POST", ""), d.do("POST", "")
	h := one()
	require.Equal(t, []string{"X-Webhook-Signature", "webhook-signature"}, by(h, old.Key))
	require.Equal(t, []string{"X-Webhook-Signature-Next", "webhook-signature"}, by(h, next.Key))

	d.do("POST", "/"+next.ID+"/activate")
	w.clock.Pass(soon)
	h = one()
	require.Equal(t, []string{"X-Webhook-Signature-Previous", "webhook-signature"}, by(h, old.Key))
	require.Equal(t, []string{"X-Webhook-Signature", "webhook-signature"}, by(h, next.Key))

	third := d.do("POST", "")
	w.clock.Pass(soon)
	h = one()
	require.Len(t, strings.Split(h.Get("webhook-signature"), " "), 3, "every live key")
	require.NotEmpty(t, by(h, third.Key))

	d.do("DELETE", "/"+next.ID)
	w.clock.Pass(soon)
	h = one()
	require.Empty(t, by(h, next.Key))
	require.Equal(t, []string{"X-Webhook-Signature", "webhook-signature"}, by(h, third.Key),
		"the pending key in its place")
	require.Equal(t, []string{"X-Webhook-Signature-Previous", "webhook-signature"}, by(h, old.Key))

	d.do("DELETE", "/"+third.ID)
	w.clock.Pass(soon)
	h = one()
	require.Empty(t, by(h, third.Key))
	require.Equal(t, []string{"X-Webhook-Signature", "webhook-signature"}, by(h, old.Key), "else a retiring one again")

	d.do("DELETE", "/"+old.ID)
	w.clock.Pass(soon)
	h = one()
	for name := range h.Header {
		require.False(t, strings.Contains(name, "Signature") || strings.Contains(name, "Timestamp") ||
			name == "Webhook-Id", "%s is left", name)
	}
}

func TestARetiringKeyEndsWhenItsDayDoesThoughItIsRemembered(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	d := w.door(a)
	d.do("POST", "")
	d.do("POST", "/"+d.do("POST", "").ID+"/activate")
	w.clock.Pass(signingkey.RetireFor - time.Millisecond)
	for range 2 {
		w.tell(w.change("shop", customer("c")))
		w.run()
		w.clock.Pass(time.Millisecond)
	}
	require.NotEmpty(t, s.got()[0].Get("X-Webhook-Signature-Previous"))
	require.Empty(t, s.got()[1].Values("X-Webhook-Signature-Previous"))
	require.NotContains(t, s.got()[1].Get("webhook-signature"), " ")
}

// program is the means of some other tool to verify: it reads a caught webhook and exits with 0 when it is authentic.
type program struct {
	name string
	args []string
	in   func(caught) []byte
	says func(out string, c caught) bool // nil: its exit code does
}

// caught is a webhook as a receiver has it, with one of its keys and the signature of it.
type caught struct {
	Key, Timestamp, Signature, ID, Standard, Body string // the body in base64
}

const inPython = `
import sys, json, hmac, hashlib, base64
c = json.load(sys.stdin)
body = base64.b64decode(c["Body"])
key = base64.b64decode(c["Key"][len("whsec_"):])
mac = lambda head: hmac.new(key, head.encode() + b"." + body, hashlib.sha256)
plain = "sha256=" + mac(c["Timestamp"]).hexdigest()
listed = "v1," + base64.b64encode(mac(c["ID"] + "." + c["Timestamp"]).digest()).decode()
ok = hmac.compare_digest(plain, c["Signature"]) and any(hmac.compare_digest(listed, s) for s in c["Standard"].split(" "))
sys.exit(0 if ok else 1)
`

const inNode = `
const crypto = require("crypto")
const c = JSON.parse(require("fs").readFileSync(0))
const body = Buffer.from(c.Body, "base64"), key = Buffer.from(c.Key.slice("whsec_".length), "base64")
const mac = (head, as) => crypto.createHmac("sha256", key).update(head + ".").update(body).digest(as)
const same = (a, b) => a.length === b.length && crypto.timingSafeEqual(Buffer.from(a), Buffer.from(b))
const listed = "v1," + mac(c.ID + "." + c.Timestamp, "base64")
const ok = same("sha256=" + mac(c.Timestamp, "hex"), c.Signature) && c.Standard.split(" ").some(s => same(listed, s))
process.exit(ok ? 0 : 1)
`

func asJSON(c caught) []byte {
	b, _ := json.Marshal(c)
	return b
}

// toSign is what is signed (contract, "Signing keys").
func toSign(c caught) []byte {
	body, _ := base64.StdEncoding.DecodeString(c.Body)
	return append([]byte(c.Timestamp+"."), body...)
}

func programs(key string) []program {
	secret, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
	return []program{
		{"openssl", []string{"dgst", "-sha256", "-mac", "HMAC", "-macopt",
			"hexkey:" + hex.EncodeToString(secret)}, toSign,
			func(out string, c caught) bool {
				return strings.HasSuffix(strings.TrimSpace(out), strings.TrimPrefix(c.Signature, "sha256="))
			}},
		{"python3", []string{"-c", inPython}, asJSON, nil},
		{"node", []string{"-e", inNode}, asJSON, nil},
	}
}

// verifies runs the program on a caught webhook.
func (p program) verifies(t *testing.T, c caught) bool {
	path, err := exec.LookPath(p.name)
	require.NoError(t, err, "%s is not on this machine: without it nothing proves that it verifies what we send",
		p.name)
	cmd := exec.CommandContext(t.Context(), path, p.args...)
	cmd.Stdin = bytes.NewReader(p.in(c))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && len(out) == 0) {
		t.Fatalf("%s: %v: %s", p.name, err, out)
	}
	if p.says != nil {
		return p.says(string(out), c)
	}
	return err == nil
}

func TestOpenSSLPythonAndNodeVerifyWhatTheSenderSends(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	d := w.door(a)
	var made []string
	for range 2 {
		k := d.do("POST", "")
		d.do("POST", "/"+k.ID+"/activate")
		made = append(made, k.Key)
	}
	made = append(made, d.do("POST", "").Key)
	w.tell(w.change("shop", customer("žluťoučký kůň")))
	w.run()
	require.Len(t, s.got(), 1)
	h := s.got()[0]
	for i, header := range []string{"X-Webhook-Signature-Previous", "X-Webhook-Signature", "X-Webhook-Signature-Next"} {
		c := caught{Key: made[i], Timestamp: h.Get("X-Webhook-Timestamp"), Signature: h.Get(header),
			ID:       h.Get("webhook-id"),
			Standard: h.Get("webhook-signature"), Body: base64.StdEncoding.EncodeToString(h.body)}
		for _, p := range programs(c.Key) {
			t.Run(p.name+" "+header, func(t *testing.T) {
				require.True(t, p.verifies(t, c))
				other := c
				other.Body = base64.StdEncoding.EncodeToString(append(slices.Clone(h.body), ' '))
				require.False(t, p.verifies(t, other), "another body is refused")
			})
		}
	}
}

func TestAKeyMadeOrRemovedBetweenAttemptsCountsForTheNext(t *testing.T) {
	w, s, a, _ := one(t, status(500))
	d := w.door(a)
	next := func() hit {
		n := len(s.got())
		w.redeliver(a)
		w.run()
		require.Len(t, s.got(), n+1)
		return s.got()[n]
	}
	require.Empty(t, s.got()[0].Values("X-Webhook-Signature"))
	key := d.do("POST", "")
	w.clock.Pass(10*time.Second + time.Millisecond)
	h := next()
	require.True(t, signed(h, "X-Webhook-Signature", key.Key))
	require.Equal(t, strconv.FormatInt(w.clock.Now().Unix(), 10), h.Get("X-Webhook-Timestamp"), "of this attempt")
	d.do("DELETE", "/"+key.ID)
	w.clock.Pass(10*time.Second + time.Millisecond)
	require.Empty(t, next().Values("X-Webhook-Signature"))
	require.Equal(t, []string{"1", "2", "3"}, s.attempts(t))
}

// TestARefusalShowsWhatWasSigned: an author sees in the delivery whether the receiver verified other bytes.
func TestARefusalShowsWhatWasSigned(t *testing.T) {

	for name, x := range map[string]struct {
		signs  bool
		status int
		want   bool
	}{
		"401":                      {true, 401, true},
		"another refusal":          {true, 500, false},
		"nothing is signed at all": {false, 401, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := newWorld(t), serve(t, status(x.status))
			a := w.install("shop", permission.ReadCustomers)
			w.receiver(a, s.URL)
			if x.signs {
				w.key(a, vector, signingkey.Primary)
			}
			w.tell(w.change("shop", customer("c")))
			w.run()
			_, attempts := w.row(a)
			got := s.got()[0]
			if !x.want {
				require.Nil(t, attempts[0].Signed)
				return
			}
			sum := sha256.Sum256(got.body)
			require.Equal(t, &webhook.Signed{Timestamp: w.p.Wall().Unix(), Bytes: len(got.body),
				SHA256: hex.EncodeToString(sum[:])}, attempts[0].Signed)
			require.Equal(t, fmt.Sprint(attempts[0].Signed.Timestamp), got.Get("X-Webhook-Timestamp"))
		})
	}
}
