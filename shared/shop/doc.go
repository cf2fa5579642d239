// Package shop is the hosted e-shops of the platform (contract, "Who is who"): what one is and who hears of its new
// owner (shop.go), where it is kept (items.go), how it looks and what it says of itself (face.go), and by which hosts
// its storefront and its admin are found (hosts.go, places.go).
//
// What comes in are Fields, by the commands of Kind; what goes out is a Shop, its owner's change as a webhook, and,
// with a new shop, the order states that it sells by (package sale).
//
// The words: the *domain* is the host of the storefront, which only one shop has; the *website* is the storefront's
// address, which the host of the platform knows; the *owner* is the merchant who is written to.
package shop
