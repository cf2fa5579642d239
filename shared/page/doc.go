// Package page is the frame of pages for people, which the storefront and the admin share (contract, sections 6 and 7).
//
// # A tour
//
// The frame of operations (package api) reads forms and chooses between JSON and a page. Here is what every page needs
// beside: guard.go refuses what other sites send, cookie.go makes cookies and the values that they hold, language.go
// has the languages and how people write numbers in them, and form.go shows a form again with what was typed and a
// fault beside each field that has one. What a page looks like is its door's.
//
// # Glossary
//
//   - Token: 256 random bits in a cookie, by which a row is found. The row is keyed by the token's hash.
//   - Sealed: of a token with the server's MAC behind it, so that a made up one is told from one that was given.
package page
