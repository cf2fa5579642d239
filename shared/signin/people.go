package signin

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"time"

	"eshop/shared/store"
)

// People describes where people of a kind have what they sign in by, and how long that is good. Their shop is part of
// each key, so that nothing of one shop is found in another.
type People struct {
	Password func(shop, person string) store.Key // beside the person's own item
	Session  func(shop, hash string) store.Key
	Link     func(shop, hash string) store.Key
	Life     time.Duration // of a session since its last use
	Step     time.Duration // a session's end is moved once in so long at most, so its last use is right to this
}

// newText is a new secret text.
func newText(random io.Reader) string { return base64.RawURLEncoding.EncodeToString(bits(random, 32)) }

// bits are random bytes. random must not fail.
func bits(random io.Reader, n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(random, b); err != nil {
		panic("signin: no randomness: " + err.Error())
	}
	return b
}

// hash is what is kept of a secret text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
