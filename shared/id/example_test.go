package id_test

import (
	"bytes"
	"fmt"
	"time"

	"eshop/shared/id"
)

func Example() {
	made := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	first := id.New(made, bytes.NewReader(make([]byte, 16))) // crypto/rand.Reader outside examples
	later := id.New(made.Add(time.Millisecond), bytes.NewReader(make([]byte, 16)))
	fmt.Println(id.Valid(first), first < later)
	fmt.Println(id.Time(first))
	// Output:
	// true true
	// 2026-11-21 09:00:00 +0000 UTC
}
