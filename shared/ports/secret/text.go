package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"io"
)

// Size is how many random bytes a secret text stands for: 256 bits, which nobody guesses. So its hash needs no salt and
// no slow function: there is nothing to try.
const Size = 32

// Bits are the bits of a new secret text, for who writes it in a form of its own. random must not fail
// (crypto/rand.Reader does not).
func Bits(random io.Reader) (b [Size]byte) {
	if _, err := io.ReadFull(random, b[:]); err != nil {
		panic("secret: no randomness: " + err.Error())
	}
	return b
}

// New is a new secret text: 256 random bits as 43 characters of base64url. random must not fail.
func New(random io.Reader) string {
	b := Bits(random)
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Hash is what the platform keeps of a secret text that it has handed out: its SHA-256 in lower-case hex.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// MAC is the HMAC-SHA256 of the text under the platform's own secret, 32 bytes. The text must begin with its purpose,
// such as "upload\n", so that what is signed for one purpose is worth nothing for another.
func MAC(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// Matches says whether hash is that of the text. How long it takes tells nothing of either.
func Matches(text, hash string) bool {
	return subtle.ConstantTimeCompare([]byte(Hash(text)), []byte(hash)) == 1
}
