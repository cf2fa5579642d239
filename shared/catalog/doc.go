// Package catalog is what a shop sells: products with their variants, categories, and the URLs of both (contract,
// section 4, "Products", "Categories" and "Custom URLs").
//
// # A tour
//
// The rules are pure functions in product.go, variant.go and category.go; items.go has the keys. What is stored of a
// product is read in head.go and whole.go, and parts.go says how its variants lie in items.
//
// Changes of details and variants take one way. Who changes a product (edit.go: the commands on one product and its
// variants; batch.go: batch edits; rows.go: rows of an import; vacate.go: a category that went) reads it, changes a
// copy, and asks planChange, or planCreate of a new one, for the operations and the records of the change: diff.go
// compares the two, save.go makes the operations, address.go moves the system URL when the name has changed. It writes
// them in one transaction, on condition of the head's version. When that is refused it learns who has the names that it
// asked for (names.go), and record.Retry begins anew.
//
// URLs (custom.go) and stock (stock.go, batch_decide.go) update the head by themselves, and give it a new version, too.
//
// A batch goes from batch.go (decode, read) over batch_decide.go to batch_write.go; batch_items.go has its four kinds
// of items. tree.go is the commands on categories, url.go what a URL is, custom.go the commands on URLs that partners
// make, and stock.go what else orders need.
//
// # Glossary
//
//   - Head: a product's first item: all but its variants' own fields and texts too long for it. So it is all that orders
//     and most batch edits read and write. Its version is the product's.
//   - Whole: a product with all of it read.
//   - Part: up to 50 of a product's variants, in an item of their own. The head has an entry for each.
//   - Reading: as much of a product as was read: its head, or the whole.
//   - Plan: the operations and records of a change that is ready to be written.
//   - Pieces: so many of a variant, or of a product without variants, as orders take them.
//   - Claim: the item that says who has a code, an externalId or a slug (shared/record).
//   - Owner: the product or category that claims and URLs belong to. Claims name it P#id or G#id.
//   - Name: what is claimed.
//   - Address: what a head says of its URLs. A URL is system (the name makes it), posted (a partner does) or former (a
//     rename left it).
//   - Base: the slug that a product's or category's name makes, before what is added to reserved and taken ones.
//   - Work: all items of a batch about one product. A batch writes works, never half of one.
//   - Torn: read while it was written, so that head and rest are not of one write.
//   - Turn: the count that writes to a shop's tree of categories move, so that they go one after the other.
package catalog
