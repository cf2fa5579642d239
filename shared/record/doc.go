// Package record is how any record is kept, found, changed, deleted and told: a kit that a noun describes its records to.
//
// A noun fills in a Kind: where its items lie (Key, List), what clients write of one (Parts), which values only one record
// may have (Claims), what contradicts what (Check), what a change is called (Groups), what else belongs to its writes
// (Along), and what follows from them (After). It gets the commands Read, Create, Change and Delete and the rows of an import from it, all with the same
// rules and the same webhooks. Begin in kind.go; write.go is how a change is written; rows.go is a file's way to the same
// commands; page.go is a page of any collection, for whoever shows one.
//
// The words: a *record* is what clients read and write; its *item* is how the store keeps it; its *head* is what every
// record has (id, created, changed, version). A *claim* is an item that holds a value for one record only, as an e-mail
// address; a *tombstone* is what a deletion leaves at the record's key. A *step* is one change of one record, ready to be
// written; a *round* is one try of a change that others may be faster with.
package record
