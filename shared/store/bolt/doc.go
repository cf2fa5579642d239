// Package bolt keeps tables in one bbolt file: the store of the one process (architecture, "The one process").
//
// # A tour
//
// Begin with bolt.go: a DB is an open file, which has tables and their feeds. Gets, queries and writes come in through
// table.go. Reads are bbolt's own read transactions and wait for nobody. A write waits for the one committer
// (committer.go), which takes all writes that wait as a group, holds the conditions of each in order against what the
// writes before it leave, and commits the group with one sync of the disk (group.go). So sixteen writers share a sync,
// and acknowledged means on disk. What goes out is the item afterwards, or the conditions that failed, and in the same
// commit the change as a row of the feed (feed.go), which hands it to its follower.
//
// keys.go has the keys of rows in the file's buckets, row.go the bytes of an item. units.go counts what DynamoDB would
// charge for the same call, and table.go refuses what DynamoDB would not take, so that a program that works here works
// there. resident_linux.go bounds how much of the file stays in the process's memory.
//
// # Glossary
//
//   - bucket: bbolt's word for one sorted map of the file: a table's items, each of its two indexes, a feed, the
//     expiries, the positions of feeds.
//   - row: an item as bytes, in its bucket; pending: an item in a group, as the writes before have left it.
//   - place: the key of an item in an index.
//   - group: the writes of one commit; edit: one operation of a write on its way through the group.
//   - read-only: what a file becomes when a commit failed so that nobody knows what is on disk. It takes no write until
//     the next start.
//   - handled, kept, trimmed: how far a feed's follower has come; how far of that is written down in the file; how far
//     the rows of handled changes are deleted.
//   - purge: to take expired items away, a few with each commit.
package bolt
