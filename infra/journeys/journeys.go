// Package journeys is tests alone: what the platform promises, over its public HTTP surface and with an add-on's own
// server at the other end, on both hosts. The add-on knows the contract and none of our code.
package journeys
