package password_test

import (
	"context"
	"crypto/rand"
	"fmt"

	"eshop/shared/password"
)

func Example() {
	ctx := context.Background()
	stored, err := password.Hash(ctx, rand.Reader, "correct horse battery")
	fmt.Println(err, stored[:10])
	fmt.Println(password.Check(ctx, stored, "correct horse battery"))
	fmt.Println(password.Check(ctx, stored, "a guess"))
	fmt.Println(password.Check(ctx, "", "nobody's")) // takes as long
	// Output:
	// <nil> $argon2id$
	// true <nil>
	// false <nil>
	// false <nil>
}
