package signingkey_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"eshop/shared/change"
	"eshop/shared/host/hosttest"
	"eshop/shared/secret/file"
	"eshop/shared/signingkey"
)

// The first key of an access signs at once. A second one waits until its owner's receivers know it.
func Example() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	secrets, err := file.Open(filepath.Join(dir, "key"))
	if err != nil {
		panic(err)
	}
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		first, err := signingkey.Make(ctx, u, secrets, "01ACCESS")
		fmt.Println(first.State, first.Key[:6], err)
		second, err := signingkey.Make(ctx, u, secrets, "01ACCESS")
		fmt.Println(second.State, err)
		second, err = signingkey.Activate(ctx, u, "01ACCESS", second.ID)
		fmt.Println(second.State, err)
	})
	// Output:
	// primary whsec_ <nil>
	// pending <nil>
	// primary <nil>
}
