// Package page is what every page for people needs, whoever's it is (contract, "Storefront" and "Admin"). The frame of
// operations (package api) reads forms and chooses between JSON and a page; how people sign in is package signin's.
//
// # A tour
//
// A page is made in one language, of texts, by templates, and of forms: in this order the files read.
//
//	language.go   the languages, and how they write numbers, amounts and dates
//	texts.go      the texts of pages, read from files, one a language; texts/ has those that all pages share
//	template.go   templates, read once for each language
//	form.go       what a form shows: what was sent or is stored, and what is wrong with it
//	filler.go     makes the fields of a form of that, each with its fault; templates/form.html shows them
//	note.go       what an action says to the page after it, once
//	cookie.go     cookies and the sealed values that they hold
//	same_site.go  refuses what other sites have a browser send, and addresses that lead to other sites
//	asset.go      static files; shopless.go the page of a host that is no shop's
//	stylesheet/   base.css, the rules that the sheets of shop, admin and documentation have in common
//
// # Glossary
//
//   - Token: 256 random bits in a cookie, by which a row is found. The row is keyed by the token's hash.
//   - Sealed: of a token with the server's MAC behind it, so that a made up one is told from one that was given.
package page
