// Package changefeed is the change feed's rows: what happened to a shop's records, stored for those who would rather
// pull, or were away (contract, "Change feed"). The batcher writes them, functions/changes shows them. It is not called
// feed: that word is the stream's, which store.Feed follows.
//
// # A tour
//
// A change goes into write.go: the Writer gives it a time and puts its row under that time or, when that took too long,
// under a new one. It comes out of read.go: the Reader hands over a shop's rows behind a position, and says up to when
// they are complete. items.go has the rows' keys and what they hold.
//
// # The order never skips
//
//   - Where many processes write side by side, a row is confirmed within two seconds of its time or put once more under
//     a new one, and readers stop five seconds before now: what is before a reader's position is complete, as long as
//     no two clocks are three seconds apart.
//   - Where the writer is alone it gives a row its time and commits it before it gives the next one. So at any moment
//     the rows that can be read are all up to some time, and a position behind a row that was read has nothing missing
//     before it.
//   - Only when nothing is found a reader's position moves by the clock, to the beginning of a day that began more than
//     a minute ago: a row takes less, or is put once more.
//
// A change whose batch is handled once more, after a crash, has a second row: a change may come twice, never not.
//
// # Glossary
//
//   - Row: a change of records as it is stored. Its time is when it was written, not when the change was made.
//   - Position: where a reader goes on: the sort key of a row, or SortKey of a moment.
//   - Confirmed: of a row whose write was answered.
//   - Complete: of a stretch of time into which no row comes any more.
package changefeed
