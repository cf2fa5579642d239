package signin

import "eshop/shared/ports/store"

// triesKey is the item with the last tries of a subject, by its HMAC in hex.
func triesKey(mac string) store.Key { return store.Key{PK: "TRY#" + mac, SK: "A"} }
