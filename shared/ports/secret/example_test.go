package secret_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"eshop/shared/ports/secret"
	"eshop/shared/ports/secret/file"
)

// Of a secret that is handed out the platform keeps the hash alone.
func Example() {
	token := secret.New(rand.Reader)
	kept := secret.Hash(token)
	fmt.Println(len(token), secret.Matches(token, kept), secret.Matches("a guess", kept))
	// Output: 43 true false
}

// What is sealed for one purpose does not open for another.
func ExampleKeys() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	keys, err := file.Open(filepath.Join(dir, "key"))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	sealed, _ := keys.Seal(ctx, "signing key 1", []byte("secret"))
	plain, err := keys.Open(ctx, "signing key 1", sealed)
	fmt.Println(string(plain), err)
	_, err = keys.Open(ctx, "signing key 2", sealed)
	fmt.Println(errors.Is(err, secret.ErrForged))
	// Output:
	// secret <nil>
	// true
}
