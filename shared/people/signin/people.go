package signin

import (
	"time"

	"eshop/shared/ports/store"
)

// People describes where people of a kind have what they sign in by, and how long that is good. Their shop is part of
// each key, so that nothing of one shop is found in another.
type People struct {
	PasswordKey func(shop, person string) store.Key // beside the person's own item
	Session     func(shop, hash string) store.Key
	Link        func(shop, hash string) store.Key
	Life        time.Duration // of a session since its last use
	Step        time.Duration // a session's end is moved once in so long at most, so its last use is right to this
}
