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
// A product has a row in the list of each of its categories, and in that of all products, too. Each row of a product
// holds its offer, the lowest price at each level, whether many, few or none are in stock, whether it is hidden and has
// a picture, so that storefront and admin sort and filter without reading products.
//
// Rows do not say when the record was changed: then each change of a record would write each of its rows. They are only
// written when words or the offer change: not when a stock falls from 5 to 4. The API puts what it finds in order by
// the records themselves.
//
// Entries of orders also stand in a list under the order's state, by changes, and entries of products in the list by
// name, where only another name moves them.
//
// # Promises
//
//   - A search takes three calls, beside those of every request; four where it finds nothing by its longest word, or
//     too much, and one for each further megabyte of rows. What is typed as one, as RED-0417, is looked up as one word,
//     as codes are, and by its longest part where nothing has that. It reads MaxRows rows of a word at most, and
//     maxPages megabytes: where more words begin with what is asked for, the first of them count, of the last of these
//     the newest records. So a longer word finds what is missing.
//   - What is in categories takes a call for each, of eight side by side, up to MaxRows rows.
//   - A list that somebody filters or sorts in the admin (Choose) takes the calls of what it looks through, the list of
//     all products where nothing is searched for and no category chosen, and a page of it two more.
//   - A record is found by words.Most words, so no change of it writes more rows than that.
//   - Shoppers find words without their endings by the same rows, because a stem is a beginning, too. One call more is
//     made where too much begins with the stem. Over the API endings count.
//   - Up to maxSorted records come newest changed first. Of more than that the newest made come first.
//   - The index is behind the table by what its stream is; in the one process a search waits until nothing is.
//   - A page of the list by name takes three calls: the entries, how large their records are, the records.
//   - Records are shown as they are now, and none that is gone. One whose words have just changed may be found by its
//     old words for as long as the index is behind.
package search
