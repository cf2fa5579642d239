package hosttest

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"time"

	"eshop/shared/ports/store/bolt"
	"eshop/shared/record/change"
)

// Example does a unit of work of the shop 01SHOP, on an empty file and at the time of Start, for the examples of
// packages: those have no test to end a world with. What cannot be made panics.
func Example(do func(ctx context.Context, u *change.Unit)) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	now := func() time.Time { return Start }
	db, err := bolt.Open(filepath.Join(dir, "data"), bolt.Options{Now: now})
	if err != nil {
		panic(err)
	}
	defer db.Close()
	do(context.Background(), &change.Unit{Shop: "01SHOP", Request: "01REQUEST", Table: db.Table("main"), Now: now,
		Random: rand.Reader})
}
