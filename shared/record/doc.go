// Package record is how any record is stored, found, changed, deleted and published: a kit that a noun describes its
// records to.
//
// # A tour
//
// A noun fills in a Kind: the keys of its items (Key, List), what clients write of one (Split), which values only one
// record may have (Claims), what contradicts what (Check), what a change is called (Groups), what else belongs to its
// writes (Extend), and what follows from them (AfterTry). It gets the commands Read, Create, Change and Delete and the
// rows of an import from it, all with the same rules and the same webhooks.
//
// Read on in this order. kind.go has what a noun fills in, and how a record becomes an item and back. write.go is a
// command: it plans a Step from the record as it is, and writes it in one transaction. claim.go is how a value is held
// for one record only, as a part of that transaction. retry.go is how a command begins anew when somebody else was
// faster, and rising.go how a write goes on that was merely overtaken. Then, apart from commands: page.go
// reads a page of any collection, for whoever shows one, and rows.go is the way of a file's rows to the same plans,
// many of which an import writes together.
//
// # Glossary
//
//   - Record: what clients read and write. Its item is how it is stored, its document the JSON in there.
//   - Head: what every record has: id, created, changed, version.
//   - Claim: an item that holds a value for one record only, as an e-mail address. It names its owner.
//   - Tombstone: what a deletion leaves at the record's key.
//   - Step: one change of one record, ready to be written.
//   - Round: one try of a change that others may be faster with.
//   - Extent: what an index entry says of its record beside the keys, its size above all (page.go).
//   - Listing: where a collection's index entries lie.
//   - Missing: of a record that was never there, or left a tombstone.
//   - Upsert: a row of an import, which makes a record or changes the one that has its key.
package record
