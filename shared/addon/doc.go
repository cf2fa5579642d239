// Package addon is who may call, and what is told of that: packages, the accesses by which they are installed on shops,
// the tokens of accesses (contract, sections 1, 2 and 9).
//
// What comes in are PackageFields, by the commands of Packages, and what is asked of accesses and tokens, by Commands:
// the operator's API, a shop's admin and the exchange of install codes call the same ones. What goes out are the
// records, the system webhooks (packageActivate, packageDeactivate, packageOpenInstructions), and, for each request,
// its caller. Begin in package.go and access.go; commands.go is what is done to accesses and tokens; resolve.go finds
// the caller of a token; items.go is where all of it is kept.
//
// The words: a *package* is an add-on as its vendor offers it to all shops; an *access* is a package installed on one
// shop, which is what tokens, limits, receivers and signing keys belong to; what an access *may* are its own
// permissions within its package's; a *token* opens the API as its access; an *install code* is what a vendor exchanges
// for a token; a *systemUrl* is where a package's vendor hears of all shops; a *caller* is what a request knows of its
// access, package and shop.
package addon
