package signin

import (
	"encoding/hex"

	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
)

// key is the item with the last tries of a subject, by its HMAC.
func (t Tries) key(s Subject) store.Key {
	return store.Key{PK: "TRY#" + hex.EncodeToString(secret.MAC(t.Key, s.name)), SK: "A"}
}
