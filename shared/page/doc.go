// Package page is what every page for people needs, whoever's it is (contract, sections 6 and 7). The frame of
// operations (package api) reads forms and chooses between JSON and a page; how people sign in is package signin's.
//
// # A tour
//
// language.go has the languages, their words, and how they write numbers, amounts and dates; words.go the words that
// all pages share. template.go reads templates into each language. form.go makes the fields of a form of what was sent,
// each with its fault; templates/form.html shows them. guard.go refuses what other sites have a browser send, and
// cookie.go makes cookies and the values that they hold. note.go is what an action tells the page after it, once.
// asset.go serves files; shopless.go is the page of a host that is no shop's.
//
// # Glossary
//
//   - Token: 256 random bits in a cookie, by which a row is found. The row is keyed by the token's hash.
//   - Sealed: of a token with the server's MAC behind it, so that a made up one is told from one that was given.
package page
