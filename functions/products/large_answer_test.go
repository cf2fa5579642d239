package products

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/store"
)

// TestAnAnswerTooLargeToBeKeptIsReadAgain sends texts that nothing compresses: packed, each answer is above what is
// kept of one, some are more than an item of the store has room for (contract, section 10). Nothing of them is kept,
// whether they changed anything or not.
func TestAnAnswerTooLargeToBeKeptIsReadAgain(t *testing.T) {
	s := open(t)
	dice := rand.NewChaCha8([32]byte{46})
	random := func() string {
		b := make([]byte, 180)
		_, _ = dice.Read(b)
		return base64.RawStdEncoding.EncodeToString(b)
	}
	large := func(code string, n int) []obj {
		all := variants(code, n)
		for _, v := range all {
			parameters := make([]obj, 40)
			for i := range parameters {
				parameters[i] = obj{"name": fmt.Sprint("p", i), "value": random()}
			}
			v["parameters"] = parameters
		}
		return all
	}
	kept := func(key string) int {
		sum := sha256.Sum256([]byte(key))
		items, err := s.Main.Get(t.Context(), store.Key{PK: "IK#acc#" + hex.EncodeToString(sum[:]), SK: "A"})
		require.NoError(t, err)
		return len(items[0].Doc)
	}
	twice := func(status int, method, path string, body any) (id string) {
		s.Main.NewChanges()
		first := s.ask(method, path, body, "Idempotency-Key", method+path).Is(status)
		require.Less(t, 30_000, len(first.Text))
		require.Len(t, s.Main.NewChanges(), 1)
		again := s.ask(method, path, body, "Idempotency-Key", method+path).Is(status)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
		require.Equal(t, first.Text, again.Text)
		require.Less(t, kept(method+path), 2<<10)
		require.Equal(t, first.ETag(), again.ETag())
		require.Equal(t, first.Header["Location"], again.Header["Location"])
		require.Empty(t, s.Main.NewChanges())
		id, _ = first.Body["id"].(string)
		return id
	}
	id := twice(201, "POST", "/api-engine/products", product("L", obj{"variants": large("L", 4)}))
	twice(201, "POST", path(id, "variants"), obj{"items": large("M", 60)})
	twice(200, "PATCH", path(id), obj{"name": "Another"})

	s.ask("PATCH", path(id), obj{"name": "Another"}, "Idempotency-Key", "unchanged").Is(200)
	require.Less(t, kept("unchanged"), 1<<9)
	s.ask("PATCH", path(id), obj{"name": "Later"}).Is(200)
	now := s.ask("PATCH", path(id), obj{"name": "Another"}, "Idempotency-Key", "PATCH"+path(id)).Is(200)
	require.Equal(t, s.get(id).Text, now.Text, "the record as it is, with its own ETag")
	require.Equal(t, s.get(id).ETag(), now.ETag())
	brief := s.As("writer", "PATCH", path(id), obj{"name": "Brief"}, "Idempotency-Key", "brief").Is(200)
	again := s.As("writer", "PATCH", path(id), obj{"name": "Brief"}, "Idempotency-Key", "brief").Is(200)
	require.Equal(t, []string{brief.Text, brief.ETag()}, []string{again.Text, again.ETag()}, "of who may not read it")
	s.As("all", "DELETE", path(id), nil).Is(204)
	s.ask("PATCH", path(id), obj{"name": "Another"}, "Idempotency-Key", "PATCH"+path(id)).Is(404)
}
