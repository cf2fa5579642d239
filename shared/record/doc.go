// Package record is how any record is kept, found, changed, deleted and told: a kit that a noun describes its
// records to.
//
// # A tour
//
// A noun fills in a Kind: where its items lie (Key, List), what clients write of one (Split), which values only one
// record may have (Claims), what contradicts what (Check), what a change is called (Groups), what else belongs to its
// writes (Along), and what follows from them (After). It gets the commands Read, Create, Change and Delete and the rows
// of an import from it, all with the same rules and the same webhooks.
//
// Begin in kind.go, which has how a record becomes an item and back. write.go is how a change is written, claim.go how
// a value is held for one record only, again.go how a write that others were faster than begins anew, rows.go a file's
// way to the same commands, and page.go a page of any collection, for whoever shows one.
//
// # Glossary
//
//   - Record: what clients read and write. Its item is how the store keeps it, its document the JSON in there.
//   - Head: what every record has: id, created, changed, version.
//   - Claim: an item that holds a value for one record only, as an e-mail address. It names its owner.
//   - Tombstone: what a deletion leaves at the record's key.
//   - Step: one change of one record, ready to be written.
//   - Round: one try of a change that others may be faster with.
//   - Upsert: a row of an import, which makes a record or changes the one that has its key.
package record
