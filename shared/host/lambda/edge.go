package lambda

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
)

// What the edge adds to requests: a secret that nobody else has; and, to requests whose answers it does not keep, the
// address and port that they came from.
const (
	EdgeHeader   = "X-Origin-Secret"
	ViewerHeader = "CloudFront-Viewer-Address"
)

// throughEdge lets in only what came through the edge, which sends a secret with one of these hashes
// (EdgeSecretHashes). Anybody else would have gone round the edge's firewall. The visitor's address is then the one
// that the edge has seen. Without hashes there is no edge, and the handler stays as it is.
func throughEdge(hashes string, h http.Handler) http.Handler {
	if hashes == "" {
		return h
	}
	allowed := strings.Split(hashes, ",")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !among(allowed, r.Header.Get(EdgeHeader)) {
			writeProblem(w, http.StatusForbidden, "forbidden",
				"This is not the platform's own address: ask at its domain.")
			return
		}
		// No handler sees the secret, and so none can log it.
		r.Header.Del(EdgeHeader)
		viewer := r.Header.Get(ViewerHeader) // an IPv6 address has no brackets here
		if colon := strings.LastIndexByte(viewer, ':'); colon > 0 {
			r.RemoteAddr = net.JoinHostPort(viewer[:colon], viewer[colon+1:])
		}
		h.ServeHTTP(w, r)
	})
}

// among says whether the secret has one of these hashes.
func among(hashes []string, secret string) bool {
	sum := sha256.Sum256([]byte(secret))
	digest, equal := []byte(hex.EncodeToString(sum[:])), 0
	for _, one := range hashes {
		equal |= subtle.ConstantTimeCompare(digest, []byte(one))
	}
	return equal == 1
}
