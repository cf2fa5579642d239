// Package dynamo keeps a store.Table in a DynamoDB table and reads its changes from the table's stream.
//
// # A tour
//
// Begin with table.go: a Table is a DynamoDB table with the keys, indexes and stream that Create (create.go) makes in
// tests and the CDK stack in an account. Reads come in through Get (table.go) and Query (query.go). A Write (write.go)
// of one key goes out as one conditional call, one of several keys as one transaction. The change rides on an item that
// is written (change.go), so that neither costs a call or an item more for having something to tell. item.go says which
// attributes an item has, expression.go how conditions and updates are said in DynamoDB's language, units.go what a
// call costs. fault.go judges errors: whether a call may be made again, and how long to wait before.
//
// On AWS, Lambda hands the stream's records to the functions. stream.go reads a stream without Lambda, for tests and
// for infra/engines; Feed (feed.go) follows it as store.Feed promises.
//
// # Glossary
//
//   - ride: a change that is an attribute of an item written with it rides on that item. The next write of the item
//     takes it away.
//   - carrier: the operation on whose item a change rides.
//   - apart: a change that is too long to ride is apart: one or several items of its own in the same transaction.
//   - action: an operation of a write, with the change that rides on it.
//   - fault: what an error says of its call: refused (it is wrong, now and later), undone (certainly not done) or
//     unknown (perhaps done).
//   - units: DynamoDB's capacity units, by which it charges.
//   - shard: a part of the stream, in which the records of one key are in the order of its writes. When it splits, its
//     children begin where it ends.
//   - iterator: the place in a shard at which the next read begins; DynamoDB forgets it after minutes.
package dynamo
