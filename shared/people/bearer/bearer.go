// Package bearer makes the texts of tokens, and keeps the tokens of holders that have one each: developers and the
// operator's people. The tokens of an access, which has several, are kept by shared/addon.
//
// What comes out is a token, once; what is kept is its SHA-256.
package bearer

import (
	"io"
	"math/big"
	"slices"
	"strings"

	"eshop/shared/ports/secret"
)

// Prefix is what a token's text begins with. Behind it stand Length base62 characters, which hold 256 random bits
// (contract, "Authentication").
type Prefix string

// Length is how many characters a token has behind its kind.
const Length = 43

// digits are the base62 characters.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// New is a new token of the kind. random must not fail.
func New(random io.Reader, kind Prefix) string { return string(kind) + Text(random) }

// Text is a new secret text (shared/ports/secret) as 43 base62 characters, the form of tokens and install codes.
func Text(random io.Reader) string {
	b := secret.Bits(random)
	n, base, digit := new(big.Int).SetBytes(b[:]), big.NewInt(int64(len(digits))), new(big.Int)
	out := make([]byte, Length)
	for i := range out {
		n.DivMod(n, base, digit)
		out[len(out)-1-i] = digits[digit.Int64()]
	}
	return string(out)
}

// WellFormed says whether s has the form of a token of one of the kinds: anything else is looked up nowhere.
func WellFormed(s string, kinds ...Prefix) bool {
	of := slices.IndexFunc(kinds, func(k Prefix) bool { return strings.HasPrefix(s, string(k)) })
	if of < 0 || len(s) != len(kinds[of])+Length {
		return false
	}
	for i := len(kinds[of]); i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
