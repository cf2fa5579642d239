// Package egress is the only HTTP client by which the platform calls the outside. The addresses that it calls were
// given by strangers, who may want it to reach what only the platform can reach. So each address is judged when it is
// written down, and again at every dial. No redirect is followed, no length that an answer claims is believed, and
// every call ends in time (contract, "Receivers' addresses" and "Success and retries").
//
// # A tour
//
// Begin with rules.go: Rules say which addresses may be called, by how they are written (Check) and by what their names
// resolve to (CheckResolves). special.go has the blocks of IP addresses that are nobody's receiver. egress.go is the
// Client: Post takes a URL, headers and a body, and returns an Answer, or a Failure with its Kind, which is the word
// that a receiver's owner sees. slots.go bounds how many calls are under way at a host (WaitForSlot). quiet.go keeps
// what strangers send out of the log. Package egresstest has a network for tests.
//
// # Glossary
//
//   - judge: to decide whether an IP address may be dialled.
//   - target: the host and port of a URL, as judged.
//   - plain: http without TLS, which is for loopback outside production only.
//   - own: a host at which the platform itself serves. It is never called, but for the one path of the demo's receiver.
//   - public: an address that may be anybody's receiver. Private, local, reserved and multicast ones are not.
//   - slot: the right to one call at a host. A caller gets it before the call's time begins.
//   - tenant: the one for whom a call is made. Slots are shared out among tenants.
//   - failure: a call that failed by itself, whatever the receiver would have answered.
package egress
