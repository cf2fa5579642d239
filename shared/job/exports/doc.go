// Package exports is the exports of a shop: everything of a type as one file, made in the background (contract,
// "Exports"). What is in the file are other nouns' records.
//
// # A tour
//
// functions/exports begins one (commands.go) and shows how far it has come. Beginning puts an object into the bucket,
// whose coming wakes functions/exporter: it takes the export (package job), writes the file, and moves the export on.
// There is no way back into the middle of a file: after a crash the file is made anew. functions/sweeper wakes an
// exporter for an export that nobody works on any more, and deletes files that are over. export.go is what clients are
// shown, items.go how it is kept, columns.go what a CSV has in its columns.
package exports
