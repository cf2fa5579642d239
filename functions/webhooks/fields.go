package webhooks

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/egress"
	"eshop/shared/host"
)

// maxReceivers is how many receivers an access can have.
const maxReceivers = 10

// Fields are what a client writes of a receiver.
type Fields struct {
	URL    Address        `json:"url" doc:"https, on port 443 or 1024 and above, at a public address"`
	Events Events         `json:"events" required:"false" doc:"What it takes; all events when not given. One that needs a permission which the access lacks is silent."`
	Groups []events.Group `json:"groups,omitempty" enum:"basic,stock,prices,units,variants,urls,categories,contact,billing,delivery,created,state,note" doc:"Of productChange, customerChange and orderChange: only records whose change touches one of these groups (X-Webhook-Changed); none: all"`
	Active bool           `json:"active" required:"false" doc:"Whether webhooks are sent; true when not given"`
}

// UnmarshalJSON fills in what is not given: all events, active.
func (f *Fields) UnmarshalJSON(b []byte) error {
	type plain Fields
	given := plain{Events: slices.Clone(events.Names), Active: true}
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	if given.Events == nil { // null
		given.Events = slices.Clone(events.Names)
	}
	*f = Fields(given)
	return nil
}

// Address is a URL of 1 to 2000 characters.
type Address string

// Schema describes the type.
func (Address) Schema(huma.Registry) *huma.Schema {
	least, most := 1, egress.MaxURL
	s := &huma.Schema{Type: huma.TypeString, Format: "uri", MinLength: &least, MaxLength: &most,
		Examples: []any{"https://example.com/hooks"}}
	s.PrecomputeMessages()
	return s
}

// Events are names of events, each once.
type Events []events.Name

// Schema describes the type.
func (Events) Schema(huma.Registry) *huma.Schema {
	one := &huma.Schema{Type: huma.TypeString}
	for _, n := range events.Names {
		one.Enum = append(one.Enum, string(n))
	}
	one.PrecomputeMessages()
	s := &huma.Schema{Type: huma.TypeArray, Items: one}
	s.PrecomputeMessages()
	return s
}

// ReceiverRecord is a receiver as answers show it.
type ReceiverRecord struct {
	ID                 string           `json:"id"`
	URL                string           `json:"url"`
	Events             Events           `json:"events"`
	Groups             []events.Group   `json:"groups,omitempty"`
	MissingPermissions []api.Permission `json:"missingPermissions" doc:"The read permissions that its events need and the access lacks, sorted, as of now; they move neither changed nor the ETag"`
	Active             bool             `json:"active"`
	State              State            `json:"state" enum:"unverified,enabled,failing,disabled"`
	Created            api.Time         `json:"created"`
	Changed            api.Time         `json:"changed"`
	LastSuccess        api.Time         `json:"lastSuccessAt,omitempty"`
	LastFailure        string           `json:"lastFailure,omitempty" doc:"Of the last ping or attempt that failed: nonce_missing, timeout, status <n>, connect, tls, reset, address, answer"`
}

// fields are what a client can write of the receiver.
func (r Receiver) fields() Fields {
	return Fields{URL: Address(r.URL), Events: r.Events, Groups: r.Groups, Active: r.Active}
}

// with is the receiver with these fields.
func (r Receiver) with(f Fields) Receiver {
	r.URL, r.Events, r.Groups, r.Active = string(f.URL), f.Events, f.Groups, f.Active
	if len(r.Groups) == 0 {
		r.Groups = nil
	}
	return r
}

// sameFields says whether what a client can write is the same.
func sameFields(a, b Receiver) bool {
	return a.URL == b.URL && a.Active == b.Active &&
		slices.Equal(a.Events, b.Events) && slices.Equal(a.Groups, b.Groups)
}

// check holds the fields against the rules: nothing is named twice, and the address may be called. The one that the
// receiver has is not judged again.
func (d door) check(ctx context.Context, f Fields, has string) error {
	var faults api.Faults
	refuseTwice(&faults, "events", f.Events)
	refuseTwice(&faults, "groups", f.Groups)
	if string(f.URL) != has {
		CheckAddress(ctx, d.Platform, &faults, "url", f.URL)
	}
	return faults.Err()
}

// resolveIn bounds the look-up of an address's name.
const resolveIn = 3 * time.Second

// CheckAddress finds a fault in an address that may not be called, or whose name does not resolve.
func CheckAddress(ctx context.Context, p *host.Platform, faults *api.Faults, at string, a Address) {
	ctx, cancel := context.WithTimeout(ctx, resolveIn)
	defer cancel()
	if strings.ContainsFunc(string(a), func(r rune) bool { return r == ' ' || unicode.IsControl(r) }) {
		faults.Add(at, api.BadFormat, "a URL holds no space and no control character")
		return
	}
	if err := p.Callable().CheckResolves(ctx, string(a)); err != nil {
		faults.Add(at, api.BadFormat, "%s", err.Error())
	}
}

// refuseTwice finds what a list names again.
func refuseTwice[T ~string](faults *api.Faults, at string, list []T) {
	for i, x := range list {
		if slices.Contains(list[:i], x) {
			faults.Add(at+"["+strconv.Itoa(i)+"]", api.Duplicate, "%s is given more than once", x)
		}
	}
}
