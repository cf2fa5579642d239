package signature_test

import (
	"bytes"
	"fmt"
	"time"

	"eshop/shared/webhook/signature"
)

// A receiver checks that a webhook is the platform's, and not an old one that is sent again.
func Example() {
	key := signature.New(bytes.NewReader(make([]byte, 32))) // crypto/rand.Reader outside examples
	sent := time.Unix(1_795_000_000, 0)
	body := []byte(`{"event":"orderCreate"}`)
	value := signature.Hex(key, sent.Unix(), body)

	now := sent.Add(10 * time.Second)
	fmt.Println(signature.Verify(value, sent.Unix(), body, key) && signature.Fresh(sent.Unix(), now))
	fmt.Println(signature.Verify(value, sent.Unix(), []byte("forged"), key))
	fmt.Println(key) // its fingerprint, never the key itself
	// Output:
	// true
	// false
	// key 66687aadf862bd77
}
