package products

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnAnswerTooLargeToBeKeptIsReadAgain sends texts that nothing compresses: packed, each answer is more than an item
// of the store has room for (contract, "Idempotency").
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
	twice := func(status int, method, path string, body any) (id string) {
		s.Main.NewChanges()
		first := s.ask(method, path, body, "Idempotency-Key", method+path).Is(status)
		require.Less(t, 600_000, len(first.Text))
		require.Len(t, s.Main.NewChanges(), 1)
		again := s.ask(method, path, body, "Idempotency-Key", method+path).Is(status)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
		require.Equal(t, first.Text, again.Text)
		require.Equal(t, first.ETag(), again.ETag())
		require.Equal(t, first.Header["Location"], again.Header["Location"])
		require.Empty(t, s.Main.NewChanges())
		id, _ = first.Body["id"].(string)
		return id
	}
	id := twice(201, "POST", "/api-engine/products", product("L", obj{"variants": large("L", 60)}))
	twice(201, "POST", path(id, "variants"), obj{"items": large("M", 60)})
	twice(200, "PATCH", path(id), obj{"name": "Another"})

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
