// Package imports is the imports of a shop: what was asked for, how far each has come, and what was wrong row by row
// (contract, "Imports"). The records that rows become are other nouns'.
//
// # A tour
//
// functions/imports begins one (commands.go), which then waits for its file. The file's coming wakes
// functions/importer, which takes the import (package job), brings the rows in, and moves it on in the transactions
// that write them. functions/sweeper wakes an importer for one that nobody works on any more. import.go is what clients
// are shown, items.go how all of it is kept.
//
// # Glossary
//
//   - Job: an import as it is stored: what is shown of it, and how far the work on it has come.
//   - Journal: what is written and not told yet. Its lists are cut at whole calls.
package imports
