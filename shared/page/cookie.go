package page

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"

	"eshop/shared/ports/secret"
)

// tokenBytes are random, macBytes are the server's MAC over them.
const (
	tokenBytes = secret.Size
	macBytes   = 16
)

// Cookie is a cookie of the host alone. No script reads it, and it does not come with what another site posts. A life
// of 0 takes it away. secure: it comes over https only.
func Cookie(name, value string, life time.Duration, secure bool) *http.Cookie {
	c := &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: secure,
		MaxAge: int(life / time.Second)}
	if life <= 0 {
		c.MaxAge = -1
	}
	return c
}

// Value is the request's cookie of that name; "" without one.
func Value(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// Sealer seals tokens for one purpose: a shop's baskets. Key is the platform's own secret.
type Sealer struct {
	Key []byte
	For string
}

// New is a new sealed token.
func (s Sealer) New(random io.Reader) (string, error) {
	b := make([]byte, tokenBytes, tokenBytes+macBytes)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("page: no randomness: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(b, s.mac(b)...)), nil
}

// Open is the id of a sealed token: the SHA-256 of its random part in lower-case hex. It is false if the token was not
// sealed for this purpose.
func (s Sealer) Open(token string) (id string, ok bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenBytes+macBytes) {
		return "", false
	}
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || subtle.ConstantTimeCompare(b[tokenBytes:], s.mac(b[:tokenBytes])) != 1 {
		return "", false
	}
	return secret.Hash(string(b[:tokenBytes])), true
}

// mac is the seal of a token. For is in it, so that a cookie of one shop is none of another's.
func (s Sealer) mac(token []byte) []byte {
	return secret.MAC(s.Key, s.For+"\n"+string(token))[:macBytes]
}
