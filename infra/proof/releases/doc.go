// Package releases proves that rows outlive versions. What one release has stored the next one reads, and answers what
// was answered; what the next one stores the release before reads, since both serve while a new version is a canary.
// The package has tests only.
//
// # A tour
//
// Begin with releases_test.go, which has the promises. A golden (golden_test.go) is what a release has stored, of the
// one process a whole data folder, of AWS the items of DynamoDB, with what the API answered from it. It is made once,
// of a world (world_test.go) whose machines run when the test says so, by a journey. The journey leaves a row of every
// kind: those that stay (journey_test.go), and those that are there for moments (moving_test.go), as of an import whose
// importer died, or of a batch that the store left between two transactions. asks_test.go asks what a golden holds,
// kinds_test.go finds the kinds of rows in the code, rows_test.go their shapes. testdata/README.md says how a golden is
// added.
//
// # Glossary
//
//   - ask: a request with the answer that it got.
//   - resting: the shop in which nothing is under way. Each answer about it is the same whenever it is asked.
//   - moving: the shop in which everything is under way. What is owed there arrives after any restart.
//   - form: a key without what varies from row to row, like S#*#C#*.
//   - shape: the names and types of all that rows of one form hold.
package releases
