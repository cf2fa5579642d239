package page_test

import (
	"crypto/rand"
	"fmt"

	"eshop/shared/page"
)

// A visitor's cookie is sealed for one shop: nobody can make one up, or take it to another shop.
func ExampleSealer() {
	key := make([]byte, 32) // the platform's own secret
	baskets := page.Sealer{Key: key, For: "basket of 01TEA"}
	cookie, _ := baskets.New(rand.Reader)
	basket, ok := baskets.Open(cookie)
	fmt.Println(len(basket), ok)
	_, ok = page.Sealer{Key: key, For: "basket of 01COFFEE"}.Open(cookie)
	fmt.Println(ok)
	// Output:
	// 64 true
	// false
}

func ExampleLocalPath() {
	fmt.Printf("%q %q\n", page.LocalPath("/account"), page.LocalPath("//elsewhere.example"))
	// Output: "/account" ""
}
