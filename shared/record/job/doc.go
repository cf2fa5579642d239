// Package job is how work is kept that outlives the request or the call that began it, so that it is done though
// processes die: imports, exports, erasures of customers, deletions of shops, what a receiver's deliveries are let go
// by, and requests of several transactions. A package of each kind has its state and does its work.
//
// # A tour
//
// A job is one item. It has an entry in an index by when something is due about it (kind.go): functions/sweeper finds
// it there and has the kind's package go on with it. Each move of a job (job.go) is on condition that nobody else has
// moved it since it was read. What cannot be gone on with by two at once is taken for a while first, by Work. asker.go
// says for whom a job is done that an access has asked for.
//
// # Glossary
//
//   - Due: from then on the sweeper does something about the job. A job that is over is never due.
//   - Take: to become the one who works on a job.
//   - Lease: how long a job is taken for. Each move prolongs it. When it has ended the job is due, and anybody may take
//     it.
//   - Move: to write how far a job has come.
//   - Lost: of a move: somebody else has moved the job, so it is theirs.
//   - GiveUp: to give a job back that was taken, before its lease ends.
package job
