// Package address is how a shop's products and categories are found in its storefront: the slugs of their URLs, and
// whatever else only one of them may be named by (contract, "Custom URLs"). It knows its owners by their kind, their id
// and the key of their item, and nothing of what they are; catalog stands above it.
//
// # A tour
//
// owner.go says what an owner is, url.go what a URL is, and items.go has the keys of both. An owner's item holds its
// Address (address.go), so that a page shows the active URL, and a rename moves the system URL, without reading any.
//
// Two commands change URLs. Whoever makes or renames an owner asks Names for a Plan (address.go) and writes it with the
// owner in one transaction. Partners add and delete URLs by Addresses (edit.go), which write the URLs, and the owner's
// item with a new version (change.go). list.go is the list of the API.
//
// # The rules of names
//
// A slug belongs to one owner of a shop, and so do a product's code and externalId: Names (names.go) claims all three.
// It looks up first who has a name, and then claims it on condition that this is still so; when somebody else was
// faster the write is refused, and the next try looks up anew (record.Retry). A name whose slug is reserved or taken is
// tried with numbers, in the end with the owner's id, so that a name never makes an owner impossible. A slug that is
// sent gets numbers up to -100.
//
// # Glossary
//
//   - Owner: the product or category that URLs and claims belong to. Claims name it P#id or G#id.
//   - Claim: the item that says who has a name (shared/record).
//   - System, posted, former: a URL is the system one (the name makes it), or a custom one that a POST has made, or one
//     that a rename has left. One of an owner's URLs is active; the others lead to it.
//   - Base: the slug that a name makes, before what is added to reserved and taken ones.
package address
