// Package signin is what people sign in by, customers of a shop as well as its admins: the password that is kept beside
// a person, the tries that anybody has at passwords, the sessions of who is signed in, and the links by which a person
// gives themself a password. It knows no person: a noun describes where its people have these items (People) and how it
// keeps their records (Accounts).
//
// # A tour
//
// Begin with people.go, what a noun describes. password.go is a person's password, whose epoch all that was signed in
// by it depends on; session.go who is signed in, and for how long; link.go a link that sets a password once; tries.go
// how many tries there are. account.go and reset.go are what people do by these: they sign in and out, and set a
// password by a link. Nothing that lets anybody in is kept as it is: of passwords an argon2id hash, of sessions and
// links the SHA-256 of their texts.
//
// # Glossary
//
//   - text: the secret of a session or a link, 256 random bits as 43 characters of base64url: what the person holds.
//   - epoch: the version of a person's password. A session or a link of another epoch is not good any more.
//   - mark: what a page's script may know of a session, by which it tells a new sign-in from the one it knows.
//   - due: a session whose end is to be moved, because it is used a step after it was last moved.
//   - subject: whose tries are counted: a network address, an account, or a basket. Visitors of a shop who make baskets
//     and orders without an account are counted by the same rows.
package signin
