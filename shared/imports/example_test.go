package imports_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"eshop/shared/blob/folder"
	"eshop/shared/change"
	"eshop/shared/host/hosttest"
	"eshop/shared/imports"
	"eshop/shared/permission"
)

// An import waits for its file, which is PUT to an address of its own.
func ExampleBegin() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	files, err := folder.Open(dir, folder.Options{Base: "https://eshop.example/uploads", Now: time.Now})
	if err != nil {
		panic(err)
	}
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		by := &change.Caller{Access: "01ACCESS", Shop: u.Shop, Active: true, Permissions: permission.All}
		job, err := imports.Begin(ctx, u, files, by, imports.Fields{Type: "customers", Format: imports.CSV})
		if err != nil {
			panic(err)
		}
		fmt.Println(job.State, job.UploadURL[:29])
	})
	// Output: waiting https://eshop.example/uploads
}
