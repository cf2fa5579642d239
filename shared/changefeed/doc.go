// Package changefeed is the change feed's rows: what happened to a shop's records, kept for those who would rather pull, or
// were away (contract, section 4, "Change feed"). The batcher writes them, functions/changes shows them. It is not called
// feed: that word is the stream's, which store.Feed follows.
//
// # A tour
//
// A change goes into write.go: the Writer gives it a time and puts it down under it, once or, when that took long, again.
// It comes out of read.go: the Reader hands over a shop's rows behind a place, and says up to when they are complete.
// items.go has the rows' keys and what they hold.
//
// # The order never skips
//
//   - Where many processes write side by side, a row is confirmed within two seconds of its time or put again under a new
//     one, and readers stop five seconds before now: what lies behind a reader's place is complete, as long as no two
//     clocks are three seconds apart.
//   - Where the writer is alone it takes a time and commits the row under it before it takes the next. So at any moment
//     the rows that can be read are all up to some time, and a place behind a row that was read has nothing missing
//     before it.
//   - Only when nothing is found a reader's place moves by the clock, to the beginning of a day that began more than a
//     minute ago: a row takes less, or is put again.
//
// A change whose batch is handled again, after a crash, has a second row: a change may come twice, never not.
//
// # Glossary
//
//   - Row: a change of records as it is kept. Its time is that of its writing down, not that of the change.
//   - Confirmed: of a row whose write was answered.
//   - Complete: of a stretch of time into which no row comes any more.
package changefeed
