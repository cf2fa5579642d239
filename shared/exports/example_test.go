package exports_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"eshop/shared/blob/folder"
	"eshop/shared/change"
	"eshop/shared/exports"
	"eshop/shared/host/hosttest"
	"eshop/shared/imports"
	"eshop/shared/permission"
)

// An export is asked for, taken, and done when its file is there. Whoever may see it is shown where that is.
func ExampleExports() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	files, err := folder.Open(dir, folder.Options{Base: "https://eshop.example/uploads", Now: time.Now})
	if err != nil {
		panic(err)
	}
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		x := exports.Exports{Main: u.Table, Files: files, Key: []byte("a key")}
		by := &change.Caller{Access: "01ACCESS", Shop: u.Shop, Active: true, Permissions: permission.All}
		job, err := x.Begin(ctx, u, by, exports.Wish{Fields: exports.Fields{Type: exports.Orders, Format: imports.CSV}})
		if err != nil {
			panic(err)
		}
		fmt.Println(job.State)
		err = x.Work(ctx, u, job, false, func(context.Context) error {
			fmt.Println(job.State)
			return nil
		})
		if err != nil {
			panic(err)
		}
		shown, _ := x.Show(job, "https://eshop.example", u.Now())
		fmt.Println(shown.State, shown.DownloadURL[:30])
	})
	// Output:
	// waiting
	// running
	// done https://eshop.example/exports/
}
