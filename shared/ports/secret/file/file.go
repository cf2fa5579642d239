// Package file keeps secrets in files, for the one process, which has no key service. Keys seals with a key that lies
// in a file, and Write writes any file that holds a secret. Whoever has the file has the secrets, so only its owner can
// read it.
package file

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"eshop/shared/ports/secret"
)

const (
	keySize = 32
	version = 1 // the first byte of a sealed text
)

// Keys is a secret.Keys: AES-256-GCM with random nonces, the name as additional data.
type Keys struct{ aead cipher.AEAD }

// Open reads the key file, or makes it when there is none: 64 hex digits and a line end, mode 0600, whole or not at
// all, by one process only. A file that others can read is refused.
func Open(path string) (*Keys, error) {
	key, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(path); err != nil {
			return nil, fmt.Errorf("secret: the key file cannot be made: %w", err)
		}
		key, err = read(path)
	}
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Keys{aead}, err
}

// read reads the key file. It refuses a file that others may read, and one that holds anything but a key: better no
// start than a key that is not secret, or not the one that sealed the data.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("secret: the key file cannot be read: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("secret: the key file %s is not a file", path)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("secret: the key file %s is open to others (mode %04o): it must be 0600", path,
			info.Mode().Perm())
	}
	text, err := Read(path)
	if err != nil {
		return nil, fmt.Errorf("secret: the key file cannot be read: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSuffix(string(text), "\n"))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("secret: the key file %s does not hold a key", path)
	}
	return key, nil
}

// create makes a key and its file, unless another process has made the file meanwhile.
func create(path string) error {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	return write(path, []byte(hex.EncodeToString(key)+"\n"), func(from, to string) error {
		if err := os.Link(from, to); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

// Seal implements secret.Keys: the version, the nonce, the text and its tag.
func (k *Keys) Seal(_ context.Context, name string, plain []byte) ([]byte, error) {
	return k.aead.Seal([]byte{version}, nil, plain, []byte(name)), nil
}

// Open implements secret.Keys.
func (k *Keys) Open(_ context.Context, name string, sealed []byte) ([]byte, error) {
	if len(sealed) < 1 || sealed[0] != version {
		return nil, secret.ErrForged
	}
	plain, err := k.aead.Open(nil, nil, sealed[1:], []byte(name))
	if err != nil {
		return nil, secret.ErrForged
	}
	return plain, nil
}
