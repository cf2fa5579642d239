package lambda

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
)

// What the edge adds to requests: a secret that nobody else has; the host that they were sent to, since the gateway is
// asked at its own; and, to requests whose answers it does not keep, the address that they came from. What a visitor
// sends by these names the edge writes over.
const (
	EdgeHeader    = "X-Origin-Secret"
	HostHeader    = "X-Viewer-Host"
	AddressHeader = "X-Viewer-Address"
)

// throughEdge lets in only what came through the edge, which sends a secret with one of these hashes
// (EdgeSecretHashes). Anybody else would have gone round the edge's firewall. The request's host and the visitor's
// address are then those that the edge has seen. Without hashes there is no edge, and the handler stays as it is.
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
		r.Host = cmp.Or(r.Header.Get(HostHeader), r.Host)
		if address := r.Header.Get(AddressHeader); address != "" {
			r.RemoteAddr = net.JoinHostPort(address, "0")
		}
		// No handler sees the secret, and so none can log it.
		for _, name := range []string{EdgeHeader, HostHeader, AddressHeader} {
			r.Header.Del(name)
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
