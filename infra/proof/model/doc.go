// Package model is what the contract says of rate limits, resources and webhooks, as plain values of Go: no store, no
// clock, no HTTP. It is written from the contract and not from the code, and whatever runs the platform hard is held
// against it: the simulated days, and the run that kills the real program (both in infra/proof/simulate).
//
// # A tour
//
// A History has the operations of all clients, each with what was asked, what was answered and when (history.go). What
// the contract promises of one object is a machine that says which answers are possible in which state: of a record
// with versions (record.go), a unique value (claim.go), a stock, a coupon's limit and a quote's token (counts.go).
// History.Check looks for an order of the operations in which every answer is possible and none is before it was asked
// for: they are linearizable. Order numbers and rate limits are held to their rules directly (numbers.go).
//
// What add-ons must hear, and must not, is Told's, and what the change feed must have: told.go. How much of all that a
// run let pass only because something was going wrong is Excused's.
//
// # Answers that never came
//
// A client whose answer is lost, by a crash or an error of the server (5xx), does not know whether the operation was
// done. Its outcome is Unknown: the machine goes on with both states, and with it all that may be told.
package model
