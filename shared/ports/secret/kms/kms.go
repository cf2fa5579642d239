// Package kms seals with data keys of AWS KMS (envelope encryption). Each sealed text carries its data key, encrypted
// by KMS: so one call of KMS serves many texts, and no key is stored in the clear.
//
// A data key lives in memory for Life, for sealing as for opening. During that time a text opens without KMS, so
// opening goes on through a short outage, and also after KMS was told to refuse.
package kms

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"

	"eshop/shared/base/remember"
	"eshop/shared/ports/secret"
)

// The limits of a sealed text, and of what is kept in memory.
const (
	version   = 1         // the first byte of a sealed text
	head      = 1 + 2     // the version and the length of the encrypted data key
	maxKey    = 6144      // bytes of an encrypted data key that KMS takes
	maxOpened = 1000      // data keys remembered for opening, a bound on memory
	maxSealed = 1_000_000 // texts under one data key; random nonces are good for thousands of times as many
)

// Life is how long a data key is remembered. For as long it goes on working after KMS would refuse to decrypt it.
const Life = 5 * time.Minute

// Context is the name in the encryption context of our data keys whose value is their use.
const Context = "eshop"

// Keys is a secret.Keys: AES-256-GCM with random nonces under data keys of KMS. It may be used from several goroutines.
type Keys struct {
	client *kms.Client
	keyID  string
	use    map[string]string // the encryption context: what policies let one function do, and what CloudTrail sees
	only   *string           // the one key that may decrypt; nil: any that KMS knows the text by
	now    func() time.Time

	making  chan struct{} // has room for one GenerateDataKey at a time
	mu      sync.Mutex
	current *dataKey
	sealed  int                             // how many texts, under current
	opened  remember.Last[string, *dataKey] // by their encrypted form
}

// dataKey is a data key, in the clear and as KMS has encrypted it, until it is forgotten.
type dataKey struct {
	aead      cipher.AEAD
	encrypted string
	until     time.Time
}

// New makes keys under the KMS key keyID for one use. What was sealed for one use opens for no other.
//
// keyID is an id or an ARN, and then this key alone may decrypt. Or it is an alias, which may move to another key: what
// was sealed under the earlier key still opens.
func New(config aws.Config, keyID, use string) *Keys {
	k := &Keys{client: kms.NewFromConfig(config), keyID: keyID, use: map[string]string{Context: use}, now: time.Now,
		making: make(chan struct{}, 1), opened: remember.NewLast[string, *dataKey](maxOpened)}
	if !strings.Contains(keyID, "alias/") {
		k.only = &keyID
	}
	return k
}

// Seal implements secret.Keys. A sealed text is the version, the length of the encrypted data key, that key, the nonce,
// the encrypted text and its tag. A KMS that cannot be reached is an error.
func (k *Keys) Seal(ctx context.Context, name string, plain []byte) ([]byte, error) {
	d, err := k.forSealing(ctx)
	if err != nil {
		return nil, err
	}
	begin := header(d.encrypted)
	return d.aead.Seal(begin, nil, plain, additional(begin, name)), nil
}

// Open implements secret.Keys. A KMS that cannot be reached, or does not let us, is an error that is not ErrForged.
func (k *Keys) Open(ctx context.Context, name string, sealed []byte) ([]byte, error) {
	if len(sealed) < head || sealed[0] != version {
		return nil, secret.ErrForged
	}
	end := head + int(binary.BigEndian.Uint16(sealed[1:]))
	if end == head || end > head+maxKey || end > len(sealed) {
		return nil, secret.ErrForged
	}
	d, err := k.forOpening(ctx, string(sealed[head:end]))
	if err != nil {
		return nil, err
	}
	plain, err := d.aead.Open(nil, nil, sealed[end:], additional(sealed[:end], name))
	if err != nil {
		return nil, secret.ErrForged
	}
	return plain, nil
}

// header is how a sealed text begins: the version, and the encrypted data key with its length.
func header(encrypted string) []byte {
	b := binary.BigEndian.AppendUint16([]byte{version}, uint16(len(encrypted)))
	return append(b, encrypted...)
}

// additional is what is authenticated beside the text. The header holds its own length, so that no two pairs of a
// header and a name give the same bytes.
func additional(header []byte, name string) []byte {
	return append(append(make([]byte, 0, len(header)+len(name)), header...), name...)
}

// forSealing is the current data key, or a new one when that is too old or has sealed enough texts. One goroutine at a
// time asks KMS, and the others wait for its key: after a start, many at once would each make one.
func (k *Keys) forSealing(ctx context.Context) (*dataKey, error) {
	select {
	case k.making <- struct{}{}:
		defer func() { <-k.making }()
	case <-ctx.Done():
		return nil, fmt.Errorf("secret: no data key: %w", ctx.Err())
	}
	if d := k.inUse(); d != nil {
		return d, nil
	}
	out, err := twice(ctx, func(ctx context.Context) (*kms.GenerateDataKeyOutput, error) {
		return k.client.GenerateDataKey(ctx, &kms.GenerateDataKeyInput{
			KeyId: &k.keyID, KeySpec: types.DataKeySpecAes256, EncryptionContext: k.use,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("secret: no data key: %w", err)
	}
	// Open would take such a text for a forged one.
	if n := len(out.CiphertextBlob); n == 0 || n > maxKey {
		return nil, fmt.Errorf("secret: an encrypted data key of %d bytes", n)
	}
	d, err := k.remember(string(out.CiphertextBlob), out.Plaintext)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current, k.sealed = d, 1
	return d, nil
}

// inUse is the current data key, and counts one more text under it; nil when another is needed.
func (k *Keys) inUse() *dataKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current == nil || k.sealed >= maxSealed || !k.now().Before(k.current.until) {
		return nil
	}
	k.sealed++
	return k.current
}

// forOpening is the data key of this encrypted form, from memory or from KMS.
func (k *Keys) forOpening(ctx context.Context, encrypted string) (*dataKey, error) {
	// Two goroutines may ask KMS for the same key at once. That costs a call and does no harm.
	if d, has := k.opened.Get(encrypted); has && k.now().Before(d.until) {
		return d, nil
	}
	out, err := twice(ctx, func(ctx context.Context) (*kms.DecryptOutput, error) {
		return k.client.Decrypt(ctx, &kms.DecryptInput{
			CiphertextBlob: []byte(encrypted), KeyId: k.only, EncryptionContext: k.use,
		})
	})
	// The data key comes from the sealed text, so a wrong one is a fault of the text and not of KMS.
	if forged(err) {
		return nil, secret.ErrForged
	}
	if err != nil {
		return nil, fmt.Errorf("secret: the data key was not decrypted: %w", err)
	}
	return k.remember(encrypted, out.Plaintext)
}

// timeout is how long one try of a call of KMS may take: a healthy one answers within tens of milliseconds, and two fit
// the ten seconds of an attempt at a delivery many times over.
const timeout = 1500 * time.Millisecond

// twice makes a call once more when it failed: a KMS that is throttled for a moment, or a connection that was lost,
// must not fail a whole batch of deliveries. A text that KMS has not encrypted stays one.
func twice[O any](ctx context.Context, call func(context.Context) (O, error)) (out O, err error) {
	for range 2 {
		try, cancel := context.WithTimeout(ctx, timeout)
		out, err = call(try)
		cancel()
		if err == nil || forged(err) || ctx.Err() != nil {
			return out, err
		}
	}
	return out, err
}

// forged says whether KMS refuses the encrypted data key because it has not encrypted it.
func forged(err error) bool {
	return errors.As(err, new(*types.InvalidCiphertextException)) || errors.As(err, new(*types.IncorrectKeyException))
}

// remember keeps a data key for its life.
func (k *Keys) remember(encrypted string, plain []byte) (*dataKey, error) {
	if len(plain) != 32 {
		return nil, fmt.Errorf("secret: a data key of %d bytes", len(plain))
	}
	block, err := aes.NewCipher(plain)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	// The cipher holds its own copy.
	clear(plain)
	d := &dataKey{aead: aead, encrypted: encrypted, until: k.now().Add(Life)}
	k.opened.Set(encrypted, d)
	return d, nil
}
