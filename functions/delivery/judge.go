package delivery

import (
	"slices"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/permission"
	"eshop/shared/webhook"
)

// standing is what an attempt depends on, as it is now.
type standing struct {
	receiver *webhook.Receiver       // nil: deleted
	access   *addon.Access           // nil: gone with all that is its
	may      []permission.Permission // what counts: the access's within its package's
	health   webhook.Health
}

// forbids is why no further attempt may be made, "" when one may (contract, section 5, "Who"). A ping asks for nothing but
// its receiver and an active access.
func (s standing) forbids(e events.Name) string {
	if s.receiver == nil || s.access == nil {
		return webhook.ReceiverDeleted
	}
	if s.access.State != addon.Active && !s.heardInactive(e) {
		return webhook.PackageInactive
	}
	if e == events.Ping {
		return ""
	}
	needs := webhook.Reads(e)
	switch {
	case !s.receiver.Active:
		return webhook.ReceiverInactive
	case !slices.Contains(s.receiver.Events, e):
		return webhook.Unsubscribed
	case needs != "" && !slices.Contains(s.may, needs):
		return webhook.PermissionGone
	}
	return ""
}

// heardInactive says whether the event goes out although its access is not active: its deactivation does, and a systemUrl
// hears of instructions in every state.
func (s standing) heardInactive(e events.Name) bool {
	return e == events.PackageDeactivate || s.receiver.System() && e == events.PackageOpenInstructions
}

// holds says whether the delivery is parked for its receiver: for the breaker to close, or for the ping that proves a new
// address. A probe goes through an open breaker.
func (s standing) holds(r webhook.Row) bool {
	return r.Event != events.Ping && !s.probes(r) && !s.receiver.Open()
}

// probes says whether the attempt goes through an open breaker.
func (s standing) probes(r webhook.Row) bool {
	return r.Probe && s.receiver.State == webhook.Failing && s.receiver.Verified
}
