// Package host is what a function is, and what it is given to run with. Two hosts run the same functions: Lambda
// (shared/host/lambda) and the one process (infra/local).
//
// # A tour
//
// Begin with function.go: a Function is a row of THE list (functions.List): its name, the one thing that triggers it,
// and what it needs. The hosts and the CDK stack walk that list, and nothing about a function is written anywhere else.
// host.go is the Platform: a host brings its Parts (stores, queues, clock, addresses, and what is like this host), and
// Assemble makes of them what it hands to every function, and the API. Package hosttest brings the parts of tests.
//
// # Glossary
//
//   - trigger: what calls a function: HTTP, the main table's feed, messages of queues, uploads, or the clock.
//   - need: what a function does to a resource. It is granted that, and nothing else.
//   - trait: what a host or its stores promise beyond the others, so that functions can spare work.
//   - near: of stores that are in this process, and answer within microseconds.
//   - canary: the function that tries the platform from outside, in a shop that the settings name.
//   - alone: no other process works on the same stores.
package host
