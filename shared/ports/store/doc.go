// Package store stores the platform's records. Table is deliberately poor: what DynamoDB and a bbolt file both do well
// is in it, and nothing else. storetest.Run proves every promise made here on every implementation.
//
// # A tour
//
// Begin with store.go: an Item, a Query, and Table, which gets, queries and writes. What comes in at Write is a change,
// for the table's feed, and operations, which op.go has with their conditions; both implementations apply them by the
// rules there (Merge, Condition.Holds, Op.Apply). What goes out is the item afterwards, or a ConditionError, which
// names the conditions that did not hold. Feed hands the changes on. all.go gets any number of items, and passes over
// those that cannot be read, for work that must not stop at one. into.go reads an item's record. units.go has what
// DynamoDB takes and charges, meter.go counts what a request costs.
//
// # Glossary
//
//   - item: one record in a table, under a key of two texts. Items of one PK are a partition, in the order of their SK.
//   - index: a second order of the same items. An item that is in it has an entry there, under an index key; the entry
//     shows no more than the keys and Parts.
//   - operation: a put, update, delete or check of one key, with the conditions on which it is done.
//   - change: what a write did: the records, the notices, the request. A write publishes it.
//   - feed: the changes that a table's writes publish, handed to a follower at least once; those of one key in the
//     order of their writes.
//   - gone: of an item that is absent or expired. Expired items may stay in the table for a while; code compares
//     Expires.
//   - unreadable: an item whose stored form no program of ours writes. It is an error of its own, so that one bad item
//     does not hold up others.
//   - units: DynamoDB's capacity units, in which both stores count.
package store
