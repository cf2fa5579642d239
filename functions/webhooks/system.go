package webhooks

import (
	"eshop/events"
	"eshop/shared/access"
)

// SystemEvents are what goes to a package's systemUrl (contract, section 5, "Who").
var SystemEvents = Events{events.PackageActivate, events.PackageDeactivate, events.PackageOpenInstructions}

// System is the receiver of system webhooks at a package's systemUrl; nil without one. It needs no ping. It is of no shop:
// its id, and the owner of its keys, its health and its deliveries, is the package.
func System(p access.Package) *Receiver {
	if p.SystemURL == "" {
		return nil
	}
	return &Receiver{ID: p.ID, Access: p.ID, URL: p.SystemURL, Events: SystemEvents, Active: true, State: Enabled, Verified: true, Proven: true,
		Created: p.Created, Version: p.Version}
}

// System says whether the receiver is a package's systemUrl.
func (r Receiver) System() bool { return r.Shop == "" }
