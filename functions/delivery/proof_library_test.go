package delivery_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	library "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/webhook/signingkey"
)

// taken is what the Standard Webhooks library says to a call at now. It knows the time of day only, so its tolerance of
// five minutes is held against the test's clock here.
func taken(key string, h hit, now time.Time) error {
	wh, err := library.NewWebhook(key)
	if err != nil {
		return err
	}
	at, err := strconv.ParseInt(h.Get(library.HeaderWebhookTimestamp), 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return errors.Join(err, library.ErrMessageTooOld)
	}
	return wh.VerifyIgnoringTimestamp(h.body, h.Header)
}

func TestTheStandardWebhooksLibraryVerifiesWhatTheSenderSends(t *testing.T) {
	w, s := newWorld(t), serve(t, nil)
	w.clock.Pass(time.Since(start)) // the library looks at the time of day
	a := w.install("shop", permission.ReadCustomers)
	w.receiver(a, s.URL)
	d := w.door(a)
	var keys []string // of a retiring, the primary and a pending one
	for range 2 {
		k := d.do("POST", "")
		d.do("POST", "/"+k.ID+"/activate")
		keys = append(keys, k.Key)
	}
	keys = append(keys, d.do("POST", "").Key)
	w.tell(w.change("shop", customer("žluťoučký kůň")))
	w.run()
	require.Len(t, s.got(), 1)
	h := s.got()[0]
	for _, key := range keys {
		wh, err := library.NewWebhook(key)
		require.NoError(t, err)
		require.NoError(t, wh.Verify(h.body, h.Header))
		require.ErrorIs(t, wh.Verify(append(slices.Clone(h.body), ' '), h.Header), library.ErrNoMatchingSignature)
		other := h.Header.Clone()
		other.Set(library.HeaderWebhookID, "another")
		require.ErrorIs(t, wh.Verify(h.body, other), library.ErrNoMatchingSignature)
	}
	stranger, err := library.NewWebhook(vector)
	require.NoError(t, err)
	require.ErrorIs(t, stranger.Verify(h.body, h.Header), library.ErrNoMatchingSignature)
}

// at300 is 300 deliveries a second to so many receivers, for so many seconds.
func (w *world) at300(receivers, seconds int) {
	const steps = 15 // a second
	for range seconds * steps {
		changes := make([]events.Change, 300/steps/receivers)
		for i := range changes {
			changes[i] = w.change("shop", customer("c"))
		}
		w.tell(changes...)
		w.run()
		w.clock.Pass(time.Second / steps)
	}
}

func TestAt300ASecondNoReceiverRejectsARotationAndARevokedKeySignsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.install("shop", permission.ReadCustomers)
	d := w.door(a)
	old := d.do("POST", "")
	const onLibrary = "a Standard Webhooks library with one key, the old one and then the new one"
	guards := map[string]*guard{
		"the old key, then the new one": {old: old.Key, checks: func(g *guard, h hit) bool {
			return signed(h, "X-Webhook-Signature", g.old) || signed(h, "X-Webhook-Signature-Previous", g.old)
		}},
		"accepts both": {old: old.Key, checks: func(g *guard, h hit) bool {
			return signed(h, "X-Webhook-Signature", g.old) || signed(h, "X-Webhook-Signature", g.new)
		}},
		"tests the next one, switches, and then activates": {old: old.Key, checks: func(g *guard, h hit) bool {
			next := g.new != "" && signed(h, "X-Webhook-Signature-Next", g.new)
			if next {
				g.tested++
			}
			return next || signed(h, "X-Webhook-Signature", g.new) || g.tested == 0 &&
				signed(h, "X-Webhook-Signature", g.old)
		}},
		onLibrary: {old: old.Key, checks: func(g *guard, h hit) bool { return taken(g.old, h, w.clock.Now()) == nil }},
	}
	var late []hit // begun later than 10 s after the old key was revoked
	revoked := start.Add(1000 * time.Hour)
	for _, g := range guards {
		w.receiver(a, serve(t, func(rw http.ResponseWriter, h hit) {
			g.hear(rw, h)
			if w.clock.Now().Sub(revoked) > 10*time.Second {
				guards[onLibrary].set(func(*guard) { late = append(late, h) })
			}
		}).URL)
	}
	to := func(name string, f func(*guard)) { guards[name].set(f) }
	const settled = 11 // seconds: longer than a change of keys may take to count
	total := 0
	traffic := func(seconds int) { total += 300 * seconds; w.at300(len(guards), seconds) }
	traffic(1)

	next := d.do("POST", "")
	require.Equal(t, "pending", next.State)
	to("accepts both", func(g *guard) { g.new = next.Key })
	to("tests the next one, switches, and then activates", func(g *guard) { g.new = next.Key })
	traffic(settled)
	to("tests the next one, switches, and then activates", func(g *guard) { require.NotZero(t, g.tested); g.old = "" })

	require.Equal(t, string(signingkey.Primary), d.do("POST", "/"+next.ID+"/activate").State)
	traffic(settled)
	for _, name := range []string{"the old key, then the new one", onLibrary} {
		to(name, func(g *guard) { g.old = next.Key })
	}
	traffic(1)

	d.do("DELETE", "/"+old.ID)
	revoked = w.clock.Now()
	traffic(settled)
	for name, g := range guards {
		require.Empty(t, g.rejected, name)
		require.Equal(t, total/len(guards), g.got, name)
	}
	require.NotEmpty(t, late)
	for _, h := range late {
		require.ErrorIs(t, taken(old.Key, h, revoked.Add(10*time.Second)), library.ErrNoMatchingSignature)
		for name := range h.Header {
			require.False(t, signed(h, name, old.Key), name)
		}
	}
}
