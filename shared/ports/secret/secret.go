// Package secret is what others must not read. Keys seal what the platform stores and opens again: signing keys, and
// its own secret, which cursors are signed with; secrettest.Run proves their promises on every implementation. In
// text.go are the secrets that it hands out and of which it stores the hash only: tokens, install codes, sessions,
// links.
package secret

import (
	"context"
	"errors"
)

// Keys seal and open. The name binds a sealed text to its purpose: opened under another name it fails.
type Keys interface {
	Seal(ctx context.Context, name string, plain []byte) ([]byte, error)
	// Open returns what was sealed. It is ErrForged if the sealed text was changed, or was sealed under another name.
	Open(ctx context.Context, name string, sealed []byte) ([]byte, error)
}

// ErrForged is a sealed text that this key, under this name, did not seal.
var ErrForged = errors.New("secret: not sealed by this key under this name")
