package webhook

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/base/egress"
	"eshop/shared/base/problem"
	"eshop/shared/record/field"
)

// maxReceivers is how many receivers an access can have.
const maxReceivers = 10

// Fields are what a client writes of a receiver.
type Fields struct {
	URL    field.URL          `json:"url" doc:"The address that webhooks are sent to: https, on port 443 or 1024 and above, at a public address; of a platform on your own machine http://127.0.0.1, too"`
	Events field.Events       `json:"events" required:"false" doc:"The events that it takes; all of them when not given. One that needs a permission which the access lacks is silent."`
	Groups field.WantedGroups `json:"groups,omitempty"`
	Own    bool               `json:"own" required:"false" doc:"Whether it hears of what its own access did, by imports, too; customerErase comes in any case. true when not given"`
	Active bool               `json:"active" required:"false" doc:"Whether webhooks are sent; true when not given"`
}

// UnmarshalJSON fills in what is not given: all events, its own, too, active.
func (f *Fields) UnmarshalJSON(b []byte) error {
	type plain Fields
	given := plain{Events: slices.Clone(events.Names), Own: true, Active: true}
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	if given.Events == nil { // null
		given.Events = slices.Clone(events.Names)
	}
	*f = Fields(given)
	return nil
}

// ReceiverRecord is a receiver as answers show it.
type ReceiverRecord struct {
	ID                 string            `json:"id"`
	URL                string            `json:"url" example:"https://example.com/hooks"`
	Events             field.Events      `json:"events"`
	Groups             field.Groups      `json:"groups,omitempty"`
	MissingPermissions field.Permissions `json:"missingPermissions" doc:"The read permissions that its events need and the access lacks, sorted, as of now; they move neither changed nor the ETag"`
	Own                bool              `json:"own"`
	Active             bool              `json:"active"`
	State              ReceiverState     `json:"state" enum:"unverified,enabled,failing,disabled"`
	Created            field.Time        `json:"created"`
	Changed            field.Time        `json:"changed"`
	LastSuccess        field.Time        `json:"lastSuccessAt,omitempty"`
	LastFailure        string            `json:"lastFailure,omitempty" doc:"Why the last ping or attempt that failed did so: nonce_missing, timeout, status {n}, connect, tls, reset, address, answer"`
	LastFailureAt      field.Time        `json:"lastFailureAt,omitempty"`
	NextProbe          field.Time        `json:"nextProbeAt,omitempty" doc:"When the breaker lets the next probe through, if anything is parked by then; only while the receiver is failing"`

	// For people only.
	Level      HealthLevel `json:"-"`
	AwaitsPing bool        `json:"-"`
}

// fields are what a client can write of the receiver.
func (r Receiver) fields() Fields {
	return Fields{URL: field.URL(r.URL), Events: r.Events, Groups: r.Groups, Own: !r.NotOwn, Active: r.Active}
}

// with returns the receiver with these fields.
func (r Receiver) with(f Fields) Receiver {
	r.URL, r.Events, r.Groups, r.NotOwn, r.Active = string(f.URL), f.Events, f.Groups, !f.Own, f.Active
	if len(r.Groups) == 0 {
		r.Groups = nil
	}
	return r
}

// sameFields says whether what a client can write is the same.
func sameFields(a, b Receiver) bool {
	return a.URL == b.URL && a.NotOwn == b.NotOwn && a.Active == b.Active &&
		slices.Equal(a.Events, b.Events) && slices.Equal(a.Groups, b.Groups)
}

// check holds the fields against the rules: nothing is named twice, and the address may be called. It does not judge
// the address again that the receiver has already.
func (f Fields) check(ctx context.Context, callable egress.Rules, has string) error {
	var faults problem.Faults
	refuseTwice(&faults, "events", f.Events)
	refuseTwice(&faults, "groups", f.Groups)
	if string(f.URL) != has {
		CheckURL(ctx, callable, &faults, "url", f.URL)
	}
	return faults.Err()
}

// resolveIn bounds how long the name in an address is looked up.
const resolveIn = 3 * time.Second

// CheckURL adds a fault when an address may not be called, or its name does not resolve.
func CheckURL(ctx context.Context, callable egress.Rules, faults *problem.Faults, at string, address field.URL) {
	ctx, cancel := context.WithTimeout(ctx, resolveIn)
	defer cancel()
	if !field.WebAddress(string(address)) {
		faults.Add(at, problem.BadFormat, field.WebAddressRule)
		return
	}
	if err := callable.CheckResolves(ctx, string(address)); err != nil {
		faults.Add(at, problem.BadFormat, "cannot be called: %s", err.Error())
	}
}

// refuseTwice adds a fault for each value that a list names a second time.
func refuseTwice[T ~string](faults *problem.Faults, at string, list []T) {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			faults.Add(at+"["+strconv.Itoa(i)+"]", problem.Duplicate, "is in the list twice")
		}
	}
}
