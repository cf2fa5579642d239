// Package password makes and compares the hashes by which passwords are kept: argon2id, as OWASP recommends it. A hash
// takes 19 MiB and tens of milliseconds of a core, so a process computes two at once at most, whoever asks for them.
package password

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// Shortest and Longest are how many characters a password has (contract, "Accounts").
const (
	Shortest = 10
	Longest  = 200
)

// AtOnce is how many hashes a process computes at once at most: each takes 19 MiB, and the one process has 100.
const AtOnce = 2

// cost is what a hash costs whoever computes it.
type cost struct {
	memory, time uint32 // KiB, passes over them
	threads      uint8
}

// ours is the cost of the hashes that are made (OWASP's Password Storage Cheat Sheet), and their lengths in bytes.
var ours = cost{memory: 19 << 10, time: 2, threads: 1}

const (
	saltLength = 16
	hashLength = 32
)

// slots has a slot for each hash that may be computed at once.
var slots = make(chan struct{}, AtOnce)

// computed counts the hashes.
var computed atomic.Int64

// Computed is how many hashes this process has computed.
func Computed() int64 { return computed.Load() }

// Hash is what is stored of a password: a PHC string with the cost, the hash, and a salt from random, which must not
// fail. Its error is ctx's: hashes wait for each other, and ctx may end first.
func Hash(ctx context.Context, random io.Reader, password string) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := io.ReadFull(random, salt); err != nil {
		panic("password: no randomness: " + err.Error())
	}
	hash, err := compute(ctx, password, salt, hashLength, ours)
	if err != nil {
		return "", err
	}
	return phc(ours, salt, hash), nil
}

// nobodys is a stored hash of a password that nobody has, at the cost of ours.
var nobodys = phc(ours, make([]byte, saltLength), make([]byte, hashLength))

// Check says whether stored is the Hash of the password. stored is "" if there is no account, or none with a password:
// that is never right, and takes as long, so that the time tells nothing. A text longer than any password is wrong at
// once. Its error is ctx's, or that of a stored text that Hash has not made.
func Check(ctx context.Context, stored, password string) (bool, error) {
	if utf8.RuneCountInString(password) > Longest {
		return false, nil
	}
	compared := stored
	if compared == "" {
		compared = nobodys
	}
	c, salt, want, err := parse(compared)
	if err != nil {
		return false, err
	}
	got, err := compute(ctx, password, salt, uint32(len(want)), c)
	return err == nil && stored != "" && subtle.ConstantTimeCompare(got, want) == 1, err
}

// compute waits for a slot and computes a hash. Characters that keyboards compose in different ways are the same.
func compute(ctx context.Context, password string, salt []byte, length uint32, c cost) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	computed.Add(1)
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, c.time, c.memory, c.threads, length), nil
}

// phc is a hash in PHC's string format.
func phc(c cost, salt, hash []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.time, c.threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(hash))
}

// errStored says nothing of the stored text.
var errStored = errors.New("password: what is kept is no hash of ours")

// parse reads what phc writes. It refuses a cost above twice ours, which this process cannot afford.
func parse(stored string) (c cost, salt, hash []byte, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, errStored
	}
	n, scanned := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.threads)
	salt, salted := base64.RawStdEncoding.DecodeString(parts[4])
	hash, hashed := base64.RawStdEncoding.DecodeString(parts[5])
	bad := n != 3 || c.memory > 2*ours.memory || c.time < 1 || c.time > 10 || c.threads < 1 || len(hash) < hashLength
	if errors.Join(scanned, salted, hashed) != nil || bad {
		return c, nil, nil, errStored
	}
	return c, salt, hash, nil
}
