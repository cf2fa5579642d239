package gifts

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ParseKeys makes the 32 bytes that sign of each whsec_… text.
func ParseKeys(texts string) (keys [][]byte, err error) {
	for _, text := range strings.Fields(texts) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
		if err != nil || len(key) != 32 {
			return nil, errors.New("WEBHOOK_KEYS holds a text that is no signing key")
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// genuine says whether one of the keys signed this body within five minutes of now. The body is the raw bytes, never
// parsed and written anew.
func genuine(keys [][]byte, h http.Header, body []byte, now time.Time) bool {
	stamp := h.Get("X-Webhook-Timestamp")
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	for _, key := range keys {
		if hmac.Equal([]byte(sign(key, stamp, body)), []byte(h.Get("X-Webhook-Signature"))) {
			return true
		}
	}
	return false
}

// sign is the signature of a body at a time.
func sign(key []byte, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
