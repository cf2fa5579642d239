package webhooks_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/webhook/signature"
	"eshop/shared/webhook/signingkey"
)

const keys = "/api-engine/webhook-signing-keys"

// live is the states and texts of the keys that sign.
func (w *world) live() (states []signingkey.State, texts []string) {
	all, err := w.P.SigningKeys().Live(context.Background(), w.access)
	require.NoError(w.T, err)
	for _, k := range all {
		states, texts = append(states, k.State), append(texts, k.Key.Text())
	}
	return states, texts
}

// states are the keys' as they are listed.
func (w *world) states() (all []string) {
	for _, k := range w.do("GET", keys, nil).Items() {
		all = append(all, k["state"].(string))
	}
	return all
}

// key makes a key, later than the one before.
func (w *world) key() hosttest.Answer {
	defer w.Clock.Pass(time.Millisecond)
	return w.do("POST", keys, nil).Is(201)
}

// retire activates the pending key.
func (w *world) retire() {
	for _, k := range w.do("GET", keys, nil).Items() {
		if k["state"] == "pending" {
			w.do("POST", keys+"/"+k["id"].(string)+"/activate", nil).Is(200)
		}
	}
}

func TestTheFirstKeyIsPrimaryALaterOnePending(t *testing.T) {
	w := open(t)
	states, _ := w.live()
	require.Empty(t, states, "without a key webhooks go unsigned")
	first := w.do("POST", keys, nil).Is(201)
	key, err := signature.Parse(first.Get("key"))
	require.NoError(t, err)
	sum := sha256.Sum256(key.Bytes())
	require.Equal(t, object{"id": first.ID(), "state": "primary", "fingerprint": hex.EncodeToString(sum[:8]),
		"key":     first.Get("key"),
		"created": "2026-11-21T02:05:12.583Z", "activatedAt": "2026-11-21T02:05:12.583Z"}, first.Body)
	w.Clock.Pass(time.Second)
	second := w.do("POST", keys, nil).Is(201)
	require.Equal(t, "pending", second.Get("state"))
	require.NotContains(t, second.Body, "activatedAt")
	w.do("POST", keys, nil).Is(409, "key_pending")
	states, texts := w.live()
	require.Equal(t, []signingkey.State{signingkey.Primary, signingkey.Pending}, states)
	require.Equal(t, []string{first.Get("key"), second.Get("key")}, texts)
	list := w.do("GET", keys, nil).Items()
	require.Len(t, list, 2)
	require.NotContains(t, list[0], "key", "shown once")
	require.Equal(t, first.ID(), list[0]["id"])
	require.Len(t, w.do("GET", keys+"?order[created]=desc&created[after]=2026-11-21T02:05:13Z", nil).Items(), 1)
}

func TestOfParallelKeysOneIsPrimaryAndOnePending(t *testing.T) {
	w := open(t)
	var made atomic.Int64
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			if w.do("POST", keys, nil).Status == 201 {
				made.Add(1)
			}
		})
	}
	group.Wait()
	require.LessOrEqual(t, made.Load(), int64(2))
	states, _ := w.live()
	require.Equal(t, []signingkey.State{signingkey.Primary, signingkey.Pending}[:made.Load()], states)
}

func TestADeletedPrimaryIsSucceeded(t *testing.T) {
	t.Run("by the pending key", func(t *testing.T) {
		w := open(t)
		first, second := w.key().ID(), w.key()
		w.do("DELETE", keys+"/"+first, nil).Is(204)
		states, texts := w.live()
		require.Equal(t, []signingkey.State{signingkey.Primary}, states)
		require.Equal(t, []string{second.Get("key")}, texts)
		require.Equal(t, []string{"revoked", "primary"}, w.states())
	})
	t.Run("else by the retiring one again", func(t *testing.T) {
		w := open(t)
		first, second := w.key(), w.key()
		w.retire()
		require.Equal(t, []string{"retiring", "primary"}, w.states())
		w.do("DELETE", keys+"/"+second.ID(), nil).Is(204)
		states, texts := w.live()
		require.Equal(t, []signingkey.State{signingkey.Primary}, states)
		require.Equal(t, []string{first.Get("key")}, texts)
		require.NotContains(t, w.do("GET", keys, nil).Items()[0], "expiresAt")
		w.Clock.Pass(25 * time.Hour)
		states, _ = w.live()
		require.Equal(t, []signingkey.State{signingkey.Primary}, states, "and it stays")
	})
	t.Run("else by none", func(t *testing.T) {
		w := open(t)
		w.key()
		w.key()
		w.retire()
		w.Clock.Pass(24 * time.Hour)
		require.Equal(t, []string{"revoked", "primary"}, w.states(), "a day is over")
		w.do("DELETE", keys+"/"+w.do("GET", keys, nil).Items()[1]["id"].(string), nil).Is(204)
		states, _ := w.live()
		require.Empty(t, states)
		require.Equal(t, "primary", w.do("POST", keys, nil).Is(201).Get("state"))
	})
}

func TestAnActivatedKeyTakesThePlaceOfThePrimaryForADayBesideIt(t *testing.T) {
	w := open(t)
	first := w.do("POST", keys, nil).ID()
	was := w.do("POST", keys+"/"+first+"/activate", nil).Is(200)
	require.Equal(t, w.do("GET", keys, nil).Items()[0], was.Body, "the primary: nothing changes")
	w.Clock.Pass(time.Millisecond)
	second := w.do("POST", keys, nil).ID()
	w.Clock.Pass(time.Minute)
	got := w.do("POST", keys+"/"+second+"/activate", nil, "Idempotency-Key", "k").Is(200)
	require.Equal(t, "primary", got.Get("state"))
	require.Equal(t, "2026-11-21T02:06:12.584Z", got.Get("activatedAt"))
	require.NotContains(t, got.Body, "key", "shown once")
	require.Equal(t, "true", w.do("POST", keys+"/"+second+"/activate", nil, "Idempotency-Key", "k").
		Is(200).Header.Get("Idempotent-Replayed"))
	require.Equal(t, "2026-11-22T02:06:12.584Z", w.do("GET", keys, nil).Items()[0]["expiresAt"])
	w.do("POST", keys+"/"+first+"/activate", nil).Is(409, "key_not_pending")
	w.do("POST", keys+"/"+nobody+"/activate", nil).Is(404, "not_found")
	w.Clock.Pass(24 * time.Hour)
	w.do("POST", keys+"/"+first+"/activate", nil).Is(409, "key_not_pending")
	list := w.do("GET", keys, nil).Items()
	require.Equal(t, "revoked", list[0]["state"])
	require.Equal(t, "2026-11-22T02:06:12.584Z", list[0]["revokedAt"])
	_, other := w.install("other.cz")
	w.As(other, "POST", keys+"/"+second+"/activate", nil).Is(404, "not_found")
}

func TestOfParallelActivationsNoneLosesAKey(t *testing.T) {
	w := open(t)
	w.key()
	second := w.key().ID()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { w.do("POST", keys+"/"+second+"/activate", nil) })
	}
	group.Wait()
	require.Equal(t, []string{"retiring", "primary"}, w.states())
}

func TestAPendingOrRetiringKeyIsRevokedAlone(t *testing.T) {
	w := open(t)
	first := w.key()
	w.do("DELETE", keys+"/"+w.key().ID(), nil).Is(204)
	require.Equal(t, []string{"primary", "revoked"}, w.states())
	third := w.do("POST", keys, nil).Is(201)
	require.Equal(t, "pending", third.Get("state"))
	w.retire()
	w.do("DELETE", keys+"/"+first.ID(), nil).Is(204)
	_, texts := w.live()
	require.Equal(t, []string{third.Get("key")}, texts)
}

func TestARevokedKeyIsListedForThirtyDays(t *testing.T) {
	w := open(t)
	path := keys + "/" + w.do("POST", keys, nil).ID()
	w.do("DELETE", path, nil).Is(204)
	w.do("DELETE", path, nil).Is(204)
	require.Equal(t, "2026-11-21T02:05:12.583Z", w.do("GET", keys, nil).Items()[0]["revokedAt"])
	w.Clock.Pass(30*24*time.Hour - time.Second)
	require.Equal(t, []string{"revoked"}, w.states())
	w.Clock.Pass(time.Second)
	require.Empty(t, w.states())
	w.do("DELETE", path, nil).Is(404, "not_found")
	w.do("DELETE", keys+"/"+nobody, nil).Is(404, "not_found")
}

func TestAKeyIsKeptSealedAndAnsweredOnce(t *testing.T) {
	w := open(t)
	first := w.do("POST", keys, nil, "Idempotency-Key", "k").Is(201)
	again := w.do("POST", keys, nil, "Idempotency-Key", "k").Is(201)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.NotContains(t, again.Body, "key")
	require.Equal(t, first.ID(), again.ID())
	require.Len(t, w.states(), 1)
	key, err := signature.Parse(first.Get("key"))
	require.NoError(t, err)
	set, err := signingkey.ReadSet(context.Background(), w.P.Main, w.access)
	require.NoError(t, err)
	sealed := set.Keys[0].Sealed
	require.NotContains(t, string(sealed), string(key.Bytes()))
	_, err = w.P.Signing.Open(context.Background(), signingkey.SealName(w.access, nobody), sealed)
	require.ErrorIs(t, err, secret.ErrForged, "it is bound to its place")
	w.do("DELETE", keys+"/"+first.ID(), nil).Is(204)
	set, err = signingkey.ReadSet(context.Background(), w.P.Main, w.access)
	require.NoError(t, err)
	require.Empty(t, set.Keys, "a revoked key's secret is gone")
}

// opens counts how often keys are opened, and reads.
type opens struct {
	secret.Keys
	n atomic.Int64
}

func (o *opens) Open(ctx context.Context, name string, sealed []byte) ([]byte, error) {
	o.n.Add(1)
	return o.Keys.Open(ctx, name, sealed)
}

func TestACacheOfKeysRemembersForFiveSeconds(t *testing.T) {
	w := open(t)
	counted := &opens{Keys: w.P.Signing}
	w.P.Signing = counted
	cache := signingkey.NewCache(w.P.SigningKeys())
	of := func() int {
		live, err := cache.Live(context.Background(), w.access)
		require.NoError(t, err)
		return len(live)
	}
	require.Zero(t, of())
	w.do("POST", keys, nil).Is(201)
	w.Clock.Pass(5*time.Second - time.Millisecond)
	require.Zero(t, of())
	w.Clock.Pass(time.Millisecond)
	require.Equal(t, 1, of())
	w.do("POST", keys, nil).Is(201)
	w.Clock.Pass(5 * time.Second)
	require.Equal(t, 2, of())
	require.EqualValues(t, 2, counted.n.Load(), "none is opened twice")
	w.Main.Down()
	require.Equal(t, 2, of())
	w.Clock.Pass(5 * time.Second)
	_, err := cache.Live(context.Background(), w.access)
	require.True(t, errors.Is(err, store.ErrUnavailable), "unsigned is no way out")
}

func TestACacheOfKeysComparesExpiriesWhenSigning(t *testing.T) {
	w := open(t)
	w.do("POST", keys, nil).Is(201)
	w.do("POST", keys, nil).Is(201)
	w.retire()
	cache := signingkey.NewCache(w.P.SigningKeys())
	w.Clock.Pass(signingkey.RetireFor - time.Second)
	live, err := cache.Live(context.Background(), w.access)
	require.NoError(t, err)
	require.Len(t, live, 2)
	w.Clock.Pass(time.Second)
	live, err = cache.Live(context.Background(), w.access)
	require.NoError(t, err)
	require.Len(t, live, 1)
	require.Equal(t, signingkey.Primary, live[0].State)
}

func TestACacheOfKeysIsUsedByMany(t *testing.T) {
	w := open(t)
	w.do("POST", keys, nil).Is(201)
	cache := signingkey.NewCache(w.P.SigningKeys())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				live, err := cache.Live(context.Background(), w.access)
				require.NoError(t, err)
				require.Len(t, live, 1)
				w.Clock.Pass(time.Second)
			}
		})
	}
	group.Wait()
}

func TestAKeyIsActivatedOrDeletedWhenBothAreAskedForAtOnce(t *testing.T) {
	w := open(t)
	w.key()
	for range 10 {
		pending := w.key().ID()
		var activated, deleted int
		var group sync.WaitGroup
		group.Go(func() { activated = w.do("POST", keys+"/"+pending+"/activate", nil).Status })
		group.Go(func() { deleted = w.do("DELETE", keys+"/"+pending, nil).Status })
		group.Wait()
		require.Contains(t, []int{200, 409}, activated)
		require.Equal(t, 204, deleted)
		states, _ := w.live()
		require.Equal(t, signingkey.Primary, states[0])
		require.NotContains(t, states, signingkey.Pending)
	}
}
