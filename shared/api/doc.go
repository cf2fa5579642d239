// Package api is the frame that every operation of the platform's HTTP API runs in (contract, sections 2 and 3).
//
// What comes in is an HTTP request; what goes out is an answer of an operation or a problem (RFC 9457). A door
// registers its operations by Add, or by AddRecords where a kind of records has nothing special: a route, the
// permission that it needs, and a function from a typed input to an Answer or an error. Everything else is the frame's,
// in one place and one order: chain, in chain.go. Begin there.
//
//	call.go         the request as a handler sees it; unit.go makes a change.Unit of it
//	body.go         the bytes of the body; decode.go decodes them once and check.go checks them, both by the schema
//	multipart.go    the body of an operation that takes a file
//	input.go        what an operation takes, accepted.go lists it; fill.go makes the handler's input of the decoded body
//	answer.go       what handlers return; out.go how it is sent, problem.go how an error is
//	charge.go       limits; idempotency.go Idempotency-Key; cursor.go and list.go collections; patch.go merge patches
//	document.go     the OpenAPI document, which is filled in as operations are added
//	form.go         the same decoder and the same check for rows of a file, which come without a request
//
// huma (danielgtaylor/huma) makes the schemas of Go types and holds the document; requests never reach it.
//
// The words. A *call* is one request under way; its *caller* is the access of its token. An *operation* is what a route
// does; its *input* is what its handler takes. The *charge* of a call is what it has cost its caller; the *standing* is
// what is left of the caller's limits. A *fault* is one thing that is wrong with one place of the input. An answer is
// *kept* under the call's Idempotency-Key and *replayed* to a repetition. A *brief* answer is id and changed only, for
// a caller who may write but not read. A *page* is a part of a collection, and a *cursor* where the next one begins.
package api
