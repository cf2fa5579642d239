// Package signingkey is the keys that sign webhooks: those of an access, which it makes and exchanges itself, and those
// of a package, which sign what goes to its systemUrl. What is promised is in the contract, "Signing keys" and "System
// webhooks".
//
// # A tour
//
// Begin with key.go: what a key is, its states, and what owners see of it. set.go has the keys of one owner that sign,
// and which of them a change of one key changes, too. commands.go has what comes in: Make, Rotate, Activate and Revoke.
// live.go is for those who sign: Reader reads and opens the keys that do, Cache remembers them. list.go has the list
// that owners page through, items.go the keys and shapes of all that is stored.
//
// # Glossary
//
//   - owner: whose keys they are: an access, or a package for its systemUrl.
//   - key: 32 bytes that sign webhooks; pending, then primary, then retiring, then revoked. The bytes themselves are
//     signature.Key.
//   - sealed: encrypted by the host (package secret), as keys are stored.
//   - set: the keys of one owner that sign; one item, so that two changes cannot pass each other.
//   - live: a key that signs, opened: its bytes are no longer sealed.
package signingkey
