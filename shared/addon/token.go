package addon

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/big"
	"strings"
)

// A token is one of these two and tokenLength base62 characters, which hold 256 random bits (contract, section 2).
const (
	liveToken   = "esk_live_"
	testToken   = "esk_test_"
	tokenLength = 43
)

// digits are the base62 characters.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewToken is a new token. random must not fail.
func NewToken(random io.Reader, production bool) string {
	if production {
		return liveToken + Secret(random)
	}
	return testToken + Secret(random)
}

// Secret is 256 random bits as 43 base62 characters.
func Secret(random io.Reader) string {
	var b [32]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		panic("addon: no randomness: " + err.Error())
	}
	n, base, digit := new(big.Int).SetBytes(b[:]), big.NewInt(int64(len(digits))), new(big.Int)
	out := make([]byte, tokenLength)
	for i := range out {
		n.DivMod(n, base, digit)
		out[len(out)-1-i] = digits[digit.Int64()]
	}
	return string(out)
}

// Hash is what is kept of a token: its SHA-256 in hex.
func Hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// wellFormed says whether s has the form of a token: anything else is looked up nowhere.
func wellFormed(s string) bool {
	if len(s) != len(liveToken)+tokenLength || !strings.HasPrefix(s, liveToken) && !strings.HasPrefix(s, testToken) {
		return false
	}
	for i := len(liveToken); i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
