// Package secret seals what must be stored and never read by others: signing keys, and the secret that cursors are
// signed with. secrettest.Run proves the promises on every implementation.
package secret

import (
	"context"
	"errors"
)

// Keys seal and open. The name binds a sealed text to its purpose: opened under another name it fails.
type Keys interface {
	Seal(ctx context.Context, name string, plain []byte) ([]byte, error)
	// Open returns what was sealed; ErrForged when the text or the name is not what it was.
	Open(ctx context.Context, name string, sealed []byte) ([]byte, error)
}

// ErrForged is a sealed text that this key, under this name, did not seal.
var ErrForged = errors.New("secret: not sealed by this key under this name")
