// Package api is the frame that every operation of the platform's HTTP API runs in (contract, "Requests" and "Rate
// limits").
//
// What comes in is an HTTP request; what goes out is an answer of an operation or a problem (RFC 9457). A door
// registers its operations by Add, or by AddRecords where a kind of records has nothing special: a route, the
// permission that it needs, and a function from the Call and a typed input to an Answer or an error. Everything else is
// the frame's, in one place and one order.
//
// # The path of a request
//
// Read it in this order. api.go and operation.go say what is registered; chain.go is the path; its steps are in:
//
//	call.go         the request as a handler sees it, which all steps fill in; unit.go makes a change.Unit of it, and
//	                does what that writes
//	route.go        which operation answers at the address, or why none does; origin.go keeps the hosts of
//	                shops' admins apart from all others
//	admit.go        who asks, and whether they may; charge.go what it costs them
//	body.go         the bytes of the body; decode.go decodes them once. multipart.go is for a file, form_value.go for
//	                a browser's form
//	idempotency.go  the answer that there is already under the request's Idempotency-Key
//	check.go        body and query against what the operation takes; bounds.go has the bounds of what sets none,
//	                moment.go times, suggest.go the name that was meant
//	input.go        what an operation takes; fill.go makes the handler's input of what was decoded
//	answer.go       what handlers return; list.go and cursor.go pages of collections, patch.go merge patches
//	response.go     the answer as it is sent; problem.go makes one of an error, people.go a page
//
// # Beside the path
//
//	records.go  AddRecords: the five operations of a kind of records
//	form.go     the same decoder and the same check for rows of a file, which come without a request
//	openapi.go  the OpenAPI document, which is filled in as operations are added; openapi_names.go names its schemas,
//	            and openapi_paths.go lists for tests what operations take
//
// huma (danielgtaylor/huma) makes the schemas of Go types and holds the document; requests never reach it.
//
// # Glossary
//
//   - Call, caller: one request under way, and the access of its token.
//   - Operation, input: what a route does, and what its handler takes. Its kind is what it answers with, its audience
//     who may ask for it.
//   - Charge, standing: what a call has cost its caller, and what is left of the caller's limits.
//   - Fault: one thing that is wrong with one value of the input.
//   - Kept, replayed: of an answer that is stored under the call's Idempotency-Key, and given to a repetition.
//   - Held: of an Idempotency-Key whose request of several transactions is under way.
//   - Brief: of an answer with id and changed only, for a caller who may write but not read.
//   - Page: of a collection, a part of it, and a cursor is where the next one begins; of people, what a browser shows.
package api
