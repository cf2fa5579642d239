// Package addon is who may call, and what is told of that: packages, the accesses by which they are installed on shops,
// the tokens of accesses, and the custom codes that packages leave in a shop's storefront (contract, "Who is who" and
// "Custom codes and cleanup orders").
//
// # A tour
//
// Begin with package.go and access.go: what a package and an access are. What comes in are commands: PackageFields to
// Packages, and to Commands (commands.go, token.go) what is done to accesses and tokens. The operator's API, a shop's
// admin and the exchange of install codes (installcode.go) call the same ones. What goes out are the records, the
// system webhooks (packageActivate, packageDeactivate, packageOpenInstructions), and, for each request, its caller,
// whom resolve.go finds. setup.go has what an add-on says of its own set-up on a shop. code.go and cleanup.go have what
// a package puts into a storefront, and what of it goes when the package is deactivated; orphan.go, what stays behind.
// items.go says where all of it is kept.
//
// # Glossary
//
//   - package: an add-on as its vendor offers it to all shops.
//   - access: a package installed on one shop. Tokens, limits, receivers and signing keys belong to it.
//   - effective permissions: those that count: an access's own, as far as its package has them.
//   - set-up: what an add-on has to do on a shop, or wants of its admin, before it works there. The add-on says how far
//     it is.
//   - custom code: HTML that a package puts into a shop's pages. It belongs to the package and outlives its
//     deactivation, unless a cleanup order asks for its removal.
//   - tally: what a package has on a shop for its codes: how many there are, and a number that moves with them, against
//     which a deactivation is held.
//   - token: opens the API as its access.
//   - install code: what a package's vendor is sent at an activation, and exchanges for a token.
//   - systemUrl: where a package's vendor is told of all shops.
//   - caller: what a request knows of its access, package and shop.
//   - holder: what the resolver remembers of a token or an access: its caller, and until when.
//   - look-up: one read of a holder, for all who ask for it meanwhile.
//   - drop: to forget the callers that a write may have changed.
package addon
