// Package dynamo is a store.Table in a DynamoDB table, whose stream has its changes.
//
// # A tour
//
// Begin with table.go: a Table is a DynamoDB table with the keys, indexes and stream that Create (create.go) makes in
// tests and the CDK stack in an account. Reads come in through Get (table.go) and Query (query.go). A Write (write.go)
// of one key goes out as one conditional call, one of several keys as one transaction. The change rides on an item that
// is written (change.go), so that a change costs neither a call nor an item more. item.go says which
// attributes an item has, expression.go how conditions and updates are said in DynamoDB's language, units.go what a
// call costs. fault.go judges errors: whether a call may be repeated, and how long to wait before.
//
// Lambda hands the stream's records to the functions (shared/host/lambda). infra/aws/engines reads a stream without
// Lambda, and the suite of store.Feed runs on that (feed_aws_test.go).
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
package dynamo
