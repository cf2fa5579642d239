// Package bolt keeps tables in one bbolt file: the store of the one process (contract, "The one process").
//
// # A tour
//
// Read in the order in which a write goes. bolt.go opens the file: a DB has tables and their feeds. table.go is what
// callers see: Get, Query and Write. Write encodes what it puts, enqueues the write and waits for its answer.
// committer.go is the one goroutine that writes to the file. It takes all writes that wait as a group, commits the
// group with one sync of the disk, and answers them: so all who wait share a sync, and acknowledged means on disk.
// group.go is what a group does: stage holds the conditions of each write, in order, against what the writes before it
// leave; apply brings what is left at last into the transaction, as rows of the buckets, sorted by their keys. What
// goes out is the item afterwards, or the conditions that failed, and in the same commit the change as a row of the
// feed (feed.go), which is handed to each of its followers (follower.go).
//
// Reads are bbolt's own read transactions and wait for nobody. watch.go tells readers whether what they have read is
// still as they read it.
//
// The rest are details to look up: keys.go has the keys of rows in the file's buckets, row.go the bytes of an item,
// pages.go what pages of a file are held against before bbolt trusts them. units.go counts what DynamoDB would charge
// for the same call, and table.go and group.go refuse what DynamoDB would not take, so that a program that works here
// works there.
//
// # Glossary
//
//   - bucket: bbolt's word for one sorted map of the file: a table's items, each of its two indexes, a feed, the
//     expiries, the positions of feeds.
//   - row: a key and a value in a bucket; that of an item is the item as bytes.
//   - index key, entry: the key under which an item is found in an index, and the row in the index's bucket that holds
//     it.
//   - group: the writes of one commit; edit: one operation of a write on its way through the group.
//   - staged: of an item in a group, as the writes so far have left it, and not yet on disk.
//   - read-only: what a file becomes when a commit failed so that nobody knows what is on disk. It takes no write until
//     the next start.
//   - handled, saved, trimmed: how far a follower of a feed has come; how far of that is written down in the file; how
//     far the rows are deleted that all followers have handled.
//   - expiry: a row by which an item is found when its time is over; purge: to delete such items, a few with each
//     commit.
package bolt
