package field

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"eshop/events"
)

// Events is a list of events to subscribe to.
type Events []events.Name

// Event is an event that receivers of an access hear of: one to try.
type Event events.Name

// SentEvent is an event, or a ping.
type SentEvent events.Name

// Groups is a list of parts of a record that changed.
type Groups []events.Group

// WantedGroups is the groups that a receiver filters by.
type WantedGroups []events.Group

// RecordKind is a kind of record in the change feed.
type RecordKind events.RecordKind

// RecordKinds are kinds with commas between: a parameter of a query.
type RecordKinds string

// Schema describes the type.
func (Events) Schema(huma.Registry) *huma.Schema { return listOf(events.Names) }

// Schema describes the type.
func (Event) Schema(huma.Registry) *huma.Schema { return oneOf(events.Heard) }

// Schema describes the type.
func (SentEvent) Schema(huma.Registry) *huma.Schema { return oneOf(events.Sent) }

// Schema describes the type.
func (Groups) Schema(huma.Registry) *huma.Schema { return listOf(events.Groups) }

// Schema describes the type, and which events it filters.
func (WantedGroups) Schema(huma.Registry) *huma.Schema {
	var grouped []string
	for _, g := range events.Groups { // in their order, the events that have them
		for _, n := range events.Names {
			if n.Grouped() && slices.Contains(n.Row().About.Groups, g) && !slices.Contains(grouped, string(n)) {
				grouped = append(grouped, string(n))
			}
		}
	}
	last := len(grouped) - 1
	list := listOf(events.Groups)
	list.Description = "The groups (X-Webhook-Changed) that it hears of in " + strings.Join(grouped[:last], ", ") +
		" and " + grouped[last] + ": only records whose change touches one of these; none: all"
	return list
}

// Schema describes the type.
func (RecordKind) Schema(huma.Registry) *huma.Schema { return oneOf(kinds()) }

// Schema describes the type.
func (RecordKinds) Schema(huma.Registry) *huma.Schema { return listOf(kinds()) }

// kinds are the kinds of records, by events' own table.
func kinds() (all []events.RecordKind) {
	for _, s := range events.Subjects {
		all = append(all, s.Kind)
	}
	return all
}

// oneOf describes a text that is one of these.
func oneOf[T ~string](these []T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, t := range these {
		s.Enum = append(s.Enum, string(t))
	}
	return s
}

// listOf describes a list of these.
func listOf[T ~string](these []T) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: oneOf(these)}
}
