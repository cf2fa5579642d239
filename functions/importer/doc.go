// Package importer brings the rows of uploaded files into the shop (contract, "Imports").
//
// # A tour
//
//   - importer.go has the function: the file's coming wakes it, and it takes the import.
//   - run.go is the work on one import: it reads, looks up and writes, three blocks of rows at the same time, tells
//     what was done, and hands over what is left when its time ends.
//   - batch.go makes the transactions.
//   - file.go reads rows from a file, columns.go makes a record's fields of the cells of a CSV.
//   - journal.go keeps what is written and not told yet.
//
// # How a file becomes records
//
// A file is PUT to an address, which is itself the right to do so: a folder in the one process, presigned S3 on AWS.
// The address is good for one PUT. In the one process a second PUT is 403. S3 cannot refuse one at a presigned address
// without demanding a header of everybody, so it answers 200; but the bucket keeps versions, and the import is of the
// first one, so the second PUT changes nothing. With If-None-Match: * it is 412.
//
// A batch of rows, how far the file is done, the rows' errors, and what is to be told of them are one transaction, on
// condition of the import's version. Whoever finds an import whose lease has ended (the sweeper, the next start) goes
// on behind the last batch. So no row is done twice.
//
// A change is told as soon as 500 ids of one event are written, the rest at the end.
//
// The errors of the first 10,000 rows that failed are kept. Those behind them are counted only.
//
// # Whose it is
//
// An import belongs to the access that asked for it. That access must be active and have the permission. This is looked
// at three times, by what requests go by (at once in the one process, one call each 30 s on AWS): when the file comes
// (the PUT is 403; S3's cannot be refused), when the import is taken, and before each batch of rows. Once the access
// may not bring rows in, the import ends as failed before its next rows.
//
// A row of more than 1 MiB ends the import as well. A file is read no further than a row may go, so no line is held in
// memory whole. A quote that is never closed, or only lines later within another cell, ends it too: the lines between
// may be rows.
//
// # Whose turn it is
//
// In the one process two files are worked on at a time, for 5 s each, and places go round by shop. So no shop's second
// file comes before another shop's first, not even after a restart, and a shop waits for one turn of each shop before
// it at most. On AWS each file has a Lambda of its own: there is nothing to wait for as long as the account has
// executions.
//
// An upload lasts as long as its bytes come; one that stands still for a minute ends. Uploads leave 1 GiB of the disk
// free for the data. If there is less they are 503, in their middle, too. An import that finds less waits before its
// next batch: what it has written stays, the log says why once a second, and it goes on once there is room.
//
// # What it costs
//
// A row costs no more write units than the request that it stands for: a new customer 6, a new product 13, a change 5,
// an unchanged record none. 1,000 rows take 30 to 65 calls. Tests count it.
//
// While others make requests, an import in the one process takes its time, a few rows and a pause: some 750 rows a
// second beside a hundred requests, instead of 10,000. On AWS it is a function of its own. A test in simulated time
// holds both hosts to it: beside an import of 100,000 products another shop's p99 is at most a third longer than
// without, on AWS a fifth (infra/proof/simulate).
//
// In the one process an import of 1,000,000 customers takes 87 MiB of memory of its own. The data file is 1.6 GiB
// afterwards. What the process has looked at of it counts as its memory, too, until the system wants it back.
package importer
