// Package search finds customers, products and orders by the beginnings of their words, and orders by their state
// (contract, "Search").
//
// # A tour
//
// kinds.go says which records there are to be found, and by what. index.go writes the index: the indexer calls Update
// behind the stream, so that a write costs nothing more, and Rebuild makes it anew from the records. find.go reads it.
// items.go has the rows. What a word is, and what a search asks for, is package words.
//
// # The index
//
// A record has an entry, which keeps the words that the index has of it, and a row for each of these words, in the
// order of words. So the beginning of a word is a range of rows. Each row also holds the record's other words: a search
// for several reads the rows of the longest one, and leaves out those whose record lacks the others.
//
// Rows do not say when the record was changed: then each change of a record would write each of its rows. They are only
// written when words change, which they seldom do. A search puts what it finds in order by the records themselves.
//
// Entries of orders also stand in a list under the order's state, by changes, and entries of products in the list by
// name, where only another name moves them.
//
// # Promises
//
//   - A search takes three calls whatever the size of the shop, beside those of every request; four where it finds
//     nothing by its longest word, or too much. What is typed as one, as RED-0417, is looked up as one word, as codes
//     are, and by its longest part where nothing has that. It reads maxRows rows of a word at most, and no more than
//     fits one query: where more words begin with what is asked for, the first of them count, of the last of these the
//     newest records. So a longer word finds what is missing.
//   - A record is found by words.Most words, so no change of it writes more rows than that.
//   - The storefront's page asks once more where a person's search finds nothing, for words without their endings: two
//     calls more at most. Over the API nothing is asked twice.
//   - Up to maxSorted records come newest changed first. Of more than that the newest made come first.
//   - The index is behind the table by what its stream is; in the one process a search waits until nothing is.
//   - A page of the list by name takes three calls: the entries, how large their records are, the records.
//   - Records are shown as they are now, and none that is gone. One whose words have just changed may be found by its
//     old words for as long as the index is behind.
package search
