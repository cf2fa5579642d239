// Package shelf is what visitors of a storefront see of a shop's catalog: the menu of its categories, lists of its
// active products, and its sitemap (contract, "Storefront"). A Shelf reads and remembers; it changes nothing, and the
// catalog below does not know it.
//
// # A tour
//
// shelf.go has the Shelf and the lists, offer.go at what prices a listed product is sold, menu.go the menu, sitemap.go
// the sitemaps. The page of one product is no list: storefronts read it by catalog.ReadProduct.
//
// # What bounds it
//
// Anybody may ask for any of these pages, so none reads more than its bounds say, whatever a shop keeps: a list shows
// ListSize products, a menu maxMenu categories, a sitemap sitemapSize addresses. A product with hundreds of variants
// takes megabytes, so products are read a few megabytes at a time (catalog.Complete), and lists and products are
// remembered up to so many bytes as well as up to a number.
//
// # What it remembers
//
// Menus and lists are remembered by the rule of the host: for a moment, or until the rows that they were read by are
// written. A list that is read anew reads only those of its products that have changed since: a listed product is right
// as long as its version is the same.
package shelf
