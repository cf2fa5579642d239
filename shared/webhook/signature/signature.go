// Package signature signs webhooks (contract, "Signing keys"): in the platform's own header and as Standard Webhooks
// does. Receivers can verify with it, too.
package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

const (
	prefix  = "whsec_"
	size    = 32
	ofHex   = "sha256="
	version = "v1,"
)

// Tolerance is how far a timestamp may be from the receiver's clock, in either direction, to be fresh.
const Tolerance = 5 * time.Minute

// Key is a signing key. Printed, logged or encoded it shows its fingerprint or nothing; Text is the one way to see it.
type Key struct{ b [size]byte }

// ErrKey is a text or bytes that are no signing key. It never says what they were.
var ErrKey = errors.New("signature: not a signing key")

// New makes a key of 32 bytes from random, which must not fail (crypto/rand.Reader does not).
func New(random io.Reader) Key {
	var k Key
	if _, err := io.ReadFull(random, k.b[:]); err != nil {
		panic("signature: no randomness: " + err.Error())
	}
	return k
}

// Parse reads what Text wrote: "whsec_" and the 32 bytes in base64.
func Parse(text string) (Key, error) {
	encoded, ok := strings.CutPrefix(text, prefix)
	b, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || strings.ContainsAny(encoded, "\r\n") {
		return Key{}, ErrKey
	}
	return FromBytes(b)
}

// FromBytes is the key of these 32 bytes, as Bytes gave them.
func FromBytes(b []byte) (Key, error) {
	if len(b) != size {
		return Key{}, ErrKey
	}
	return Key{b: [size]byte(b)}, nil
}

// Bytes are the 32 bytes, to be sealed.
func (k Key) Bytes() []byte { return k.b[:] }

// Text is the key as its owner sees it, once.
func (k Key) Text() string { return prefix + base64.StdEncoding.EncodeToString(k.b[:]) }

// Fingerprint names the key without telling it: the first 16 hex digits of the SHA-256 of its bytes.
func (k Key) Fingerprint() string {
	sum := sha256.Sum256(k.b[:])
	return hex.EncodeToString(sum[:8])
}

// String is the fingerprint, so that no key is printed by mistake.
func (k Key) String() string { return "key " + k.Fingerprint() }

// GoString is String, for the same reason.
func (k Key) GoString() string { return k.String() }

// LogValue is the fingerprint, for the same reason.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// Hex is the value of X-Webhook-Signature: "sha256=" and the HMAC-SHA256 of timestamp (unix seconds), a dot and the
// body, in hexadecimal.
func Hex(k Key, timestamp int64, body []byte) string {
	return ofHex + hex.EncodeToString(k.sum(strconv.FormatInt(timestamp, 10), body))
}

// Standard is the value of webhook-signature (Standard Webhooks): for each key "v1," and the HMAC-SHA256 of the
// webhook's id, a dot, timestamp, a dot and the body, in base64; separated by spaces.
func Standard(id string, timestamp int64, body []byte, keys ...Key) string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = version + base64.StdEncoding.EncodeToString(k.sum(id+"."+strconv.FormatInt(timestamp, 10), body))
	}
	return strings.Join(all, " ")
}

// sum is the HMAC-SHA256 of head, a dot and the body.
func (k Key) sum(head string, body []byte) []byte {
	mac := hmac.New(sha256.New, k.b[:])
	_, _ = io.WriteString(mac, head+".")
	_, _ = mac.Write(body)
	return mac.Sum(nil)
}

// Verify says, in constant time for each key, whether the value of X-Webhook-Signature is one of these keys' for this
// timestamp and body. See Fresh.
func Verify(value string, timestamp int64, body []byte, keys ...Key) bool {
	ok := 0
	for _, k := range keys {
		ok |= subtle.ConstantTimeCompare([]byte(value), []byte(Hex(k, timestamp, body)))
	}
	return ok == 1
}

// Fresh says whether the timestamp is within Tolerance of now, so that an old webhook cannot be sent again by a
// stranger.
func Fresh(timestamp int64, now time.Time) bool {
	d := now.Unix() - timestamp
	return -int64(Tolerance/time.Second) <= d && d <= int64(Tolerance/time.Second)
}
