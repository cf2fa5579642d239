package webhook

import (
	"slices"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/record/field"
)

// ReceiverState is the state of a receiver.
type ReceiverState string

// The states of a receiver (contract, "Receivers"). Failing and Disabled are its breaker's.
const (
	// its address has not answered a ping with the nonce yet: it gets pings only
	Unverified ReceiverState = "unverified"
	Enabled    ReceiverState = "enabled"
	Failing    ReceiverState = "failing"  // the breaker is open
	Disabled   ReceiverState = "disabled" // it was failing for five days, or said 410 for good
)

// CanEnable says whether Enable has something to do: the breaker is open, or the receiver is disabled.
func (s ReceiverState) CanEnable() bool { return s == Failing || s == Disabled }

// Receiver is an address of an access that takes webhooks, as it is stored.
type Receiver struct {
	ID       string         `json:"id"`
	Shop     string         `json:"shopId"` // "" of a package's systemUrl
	Access   string         `json:"accessId"`
	URL      string         `json:"url"`
	Events   []events.Name  `json:"events"`
	Groups   []events.Group `json:"groups,omitempty"` // none: every change
	NotOwn   bool           `json:"notOwn,omitempty"` // what its own access did is left out
	Active   bool           `json:"active"`
	State    ReceiverState  `json:"state"`
	Verified bool           `json:"verified"`        // its present address answered a ping with the nonce
	Proven   bool           `json:"proven"`          // some address of it ever did, so webhooks are queued for it
	Since    field.Time     `json:"since,omitempty"` // when it came into its state; 0: when its version was written
	Created  field.Time     `json:"created"`
	Version  string         `json:"-"`

	// It failed, got another address, and has not answered there yet: receiverRecovered is still to be told.
	Unrecovered bool `json:"unrecovered,omitempty"`
}

// The texts of lastFailure; beside them "status <n>".
const (
	NonceMissing = "nonce_missing"
	TimedOut     = "timeout"
	NotConnected = "connect"
	TLS          = "tls"
	Reset        = "reset"
	BadAddress   = "address"
	BadAnswer    = "answer"
)

// Missing are the permissions that the events need and that are not among those held, sorted.
func Missing(needed []events.Name, held []permission.Permission) []permission.Permission {
	missing := []permission.Permission{}
	for _, e := range needed {
		if p := e.Needs(); p != "" && !slices.Contains(held, p) && !slices.Contains(missing, p) {
			missing = append(missing, p)
		}
	}
	slices.Sort(missing)
	return missing
}

// Reachable says whether queued deliveries may go to the receiver's present address.
func (r Receiver) Reachable() bool { return r.Active && r.Verified && r.State == Enabled }

// CheckSendable returns the problem why nothing may be sent to the receiver on demand; nil when something may. An open
// breaker is no reason. Pings are sent in every state, and do not ask.
func (r Receiver) CheckSendable() error {
	switch {
	case !r.Active:
		return problem.Conflict("receiver_inactive", "The receiver is switched off: set active to true.")
	case !r.Verified:
		return unverified()
	}
	return nil
}

// unverified is the refusal to send anything but a ping to an address that has not proved itself.
func unverified() error {
	return problem.Conflict("receiver_unverified",
		"The receiver's address has not answered a ping with its nonce yet: ping it.")
}
