package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/folder"
)

func ExampleBucket() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	files, err := folder.Open(dir, folder.Options{Now: time.Now})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	fmt.Println(files.Put(ctx, "01SHOP/label.txt", []byte("green tea")))
	info, err := files.Stat(ctx, "01SHOP/label.txt")
	if err != nil {
		panic(err)
	}
	body, err := files.Open(ctx, "01SHOP/label.txt", info.Tag, 6)
	if err != nil {
		panic(err)
	}
	defer body.Close()
	text, _ := io.ReadAll(body)
	fmt.Println(string(text))
	_, err = files.Stat(ctx, "01SHOP/other.txt")
	fmt.Println(errors.Is(err, blob.ErrNotFound))
	// Output:
	// <nil>
	// tea
	// true
}
