package events

import (
	"fmt"
	"slices"

	"eshop/shared/base/permission"
)

// RecordKind is a type of record, in the words of the change feed (contract, "Change feed").
type RecordKind string

// The kinds of records whose changes are published.
const (
	Customers  RecordKind = "customers"
	Products   RecordKind = "products"
	Categories RecordKind = "categories"
	Orders     RecordKind = "orders"
	Coupons    RecordKind = "coupons"
	URLs       RecordKind = "urls"
	States     RecordKind = "states"
)

// Subject is a kind of record whose changes are published: in the change feed, and to add-ons by its events.
type Subject struct {
	Kind     RecordKind
	Needs    permission.Permission // to read such records: who lacks it hears of none
	Groups   []Group               // the parts of such a record that a change can touch; none: changes do not say
	IDs      string                // the field of the events' data: a list with the id of each record
	Variants bool                  // the list has, beside each id, those of the variants that it is told of
	Events   []Event               // none: the kind is in the change feed only
}

// Event is a row of the table of events: all that the platform says of one.
type Event struct {
	Name    Name
	On      []Did   // what happened to a record that the event tells; none of one that no change of records makes
	Doc     string  // what it tells and when it is sent, for partners
	Example []Group // of one that says what changed: what the documentation shows; the sample has the last of them
	Sample  string  // of one that no change of records makes: the data of its sample
	About   Subject // the kind it stands with, as Name.Row returns it; none of one that stands with none
}

// Shown is the X-Webhook-Changed that the documentation shows.
func (e Event) Shown() string { return groupsOf([]Record{{Did: Changed, Groups: e.Example}}) }

// Subjects are the kinds in the contract's order. A new kind is a row here, and so is a new event that tells of all
// records that were created, changed or deleted, by their ids: the names to subscribe to, bodies, samples, permissions,
// the change feed and the documents follow from it. An event that tells of some changes only, or of more than ids, also
// needs Record to say so (shared/CONTRIBUTING.md, "A new event of a kind that exists").
var Subjects = []Subject{
	{Kind: Customers, Needs: permission.ReadCustomers, IDs: "customerIds", Groups: []Group{Contact, Billing, Delivery},
		Events: []Event{
			{Name: CustomerCreate, On: []Did{Created}, Doc: "Customers were made."},
			{Name: CustomerChange, On: []Did{Changed}, Example: []Group{Billing, Contact},
				Doc: "Registration data of customers really changed; `X-Webhook-Changed` says which."},
			{Name: CustomerDelete, On: []Did{Deleted}, Doc: "Customers were deleted."},
		}},
	{Kind: Products, Needs: permission.ReadProducts, IDs: "products", Variants: true,
		Groups: []Group{Basic, Stock, Prices, Units, Variants, InURLs, InCategories},
		Events: []Event{
			{Name: ProductCreate, On: []Did{Created}, Doc: "Products were made, with all their variants."},
			{Name: ProductChange, On: []Did{Changed}, Example: []Group{Prices, Stock},
				Doc: "Products, or data that belong to them (variants, stock, prices, URLs), changed; " +
					"`X-Webhook-Changed` says which. `variantIds` are the variants that were touched."},
			{Name: ProductDelete, On: []Did{Deleted}, Doc: "Products were deleted, with all their variants."},
		}},
	{Kind: Categories, Needs: permission.ReadProducts, Groups: []Group{Basic, InURLs}},
	{Kind: Orders, Needs: permission.ReadOrders, IDs: "orderIds", Groups: []Group{New, State, Delivery, Note},
		Events: []Event{
			{Name: OrderChange, On: []Did{Created, Changed}, Example: []Group{State},
				Doc: "Orders were made or changed; `X-Webhook-Changed` says which."},
		}},
	{Kind: Coupons, Needs: permission.ReadCoupons},
	{Kind: URLs, Needs: permission.ReadURLs},
	{Kind: States, Needs: permission.ReadOrders},
}

// notices are the events that are about no record, which all active accesses hear of.
var notices = []Event{
	{Name: ShopOwnerChange, Doc: "The shop's owner changed.",
		Sample: `{"ownerEmail":"owner@example.cz","websiteUrl":"https://shop.example.cz","originatedAt":"2026-11-21T02:05:12.583Z"}`},
	{Name: PackageActivate, Doc: "The package was activated on the shop. To its `systemUrl` alone `data` " +
		"also has `accessId` and `installCode`, which `POST /api-engine/tokens` takes.",
		Sample: samplePackage + `"occurredAt":"2026-11-21T02:05:12.583Z"}`},
	{Name: PackageDeactivate, Doc: "The package was deactivated on the shop, and what became of its custom codes.",
		Sample: samplePackage + `"occurredAt":"2026-11-21T02:05:12.583Z","removedCustomCodeIds":["` + nowhere2 +
			`"],"keptCustomCodeIds":["` + nowhere3 + `"]}`},
	{Name: PackageOpenInstructions, Doc: "Somebody opened the package's installation instructions.",
		Sample: `{"packageId":"` + nowhere + `","locale":"cs_CZ","openedAt":"2026-11-21T02:05:12.583Z"}`},
}

// mandatory are the events that go to each receiver of an active access with the permission, whatever it takes: nobody
// can do without them.
var mandatory = []Event{
	{Name: CustomerErase, About: Subject{Kind: Customers, Needs: permission.ReadCustomers, IDs: "customerIds"},
		Doc: "The customer is erased: delete what you have of it. It goes to every active and verified receiver " +
			"of an access that may read customers, whatever else it takes. 2xx confirms it.",
		Sample: `{"customerIds":["` + nowhere + `"]}`},
}

// operational are the events about the receivers of a package's accesses. They go to its systemUrl alone: a receiver
// that fails cannot be told so itself, and so nobody subscribes to them.
var operational = []Event{
	{Name: ReceiverFailing, Doc: "A receiver of an access of the package began to fail: what is for it is parked.",
		Sample: sampleReceiver},
	{Name: ReceiverDisabled, Doc: "A receiver of an access of the package failed for five days, or was never " +
		"verified: it is disabled until somebody enables it.", Sample: sampleReceiver},
	{Name: ReceiverRecovered, Doc: "A receiver of an access of the package is enabled again: what was parked " +
		"for it goes out.", Sample: sampleReceiver},
}

// sampleReceiver is the data of the samples of operational events.
const sampleReceiver = `{"accessId":"` + nowhere + `","receiverId":"` + nowhere2 +
	`","url":"https://hooks.example.com/eshop","since":"2026-11-21T02:05:12.583Z","lastFailure":"status 503"}`

var ping = Event{Name: Ping, Doc: "Proves an address: answer 2xx with the nonce anywhere in the body. A " +
	"receiver that is not verified yet gets nothing else.", Sample: `{"nonce":"3q2-7wAAAAAAAAAAAAAAAA"}`}

// Names are the events that a receiver can subscribe to, in the contract's order. Heard are those that an access's
// receivers are told, whatever they subscribe to: the mandatory ones, too. Operational go to a package's systemUrl
// alone. Sent are all: Ping, too, which goes to every receiver that asks for it.
var (
	Names       = names(all(mustBeSound(Subjects)))
	Heard       = slices.Concat(Names, names(mandatory))
	Operational = names(operational)
	Sent        = append(slices.Concat(Heard, Operational), Ping)
)

// rows has all events by their names.
var rows = byName(slices.Concat(all(Subjects), mandatory, operational))

// all are the events of these kinds and the notices.
func all(subjects []Subject) (events []Event) {
	for _, s := range subjects {
		for _, e := range s.Events {
			e.About = s
			events = append(events, e)
		}
	}
	return append(events, notices...)
}

func names(events []Event) (names []Name) {
	for _, e := range events {
		names = append(names, e.Name)
	}
	return names
}

func byName(events []Event) map[Name]Event {
	by := map[Name]Event{Ping: ping}
	for _, e := range events {
		by[e.Name] = e
	}
	return by
}

// mustBeSound returns the kinds; it panics at the start of the program when one is not sound.
func mustBeSound(subjects []Subject) []Subject {
	if err := sound(subjects); err != nil {
		panic("events: " + err.Error())
	}
	return subjects
}

// sound returns an error if two kinds share a name, a field or an event, or if one lacks what partners must be told. A
// row with such a fault would send webhooks under a wrong name, so the program does not even start.
func sound(subjects []Subject) error {
	owners := map[string]RecordKind{} // of the kinds, the fields of data, the events and what they tell
	for _, e := range append(slices.Concat(notices, mandatory, operational), ping) {
		owners["event "+string(e.Name)] = "no kind"
	}
	for _, subject := range subjects {
		claims := []string{"kind " + string(subject.Kind)}
		if len(subject.Events) > 0 {
			claims = append(claims, "field "+subject.IDs)
		}
		for _, e := range subject.Events {
			claims = append(claims, "event "+string(e.Name))
			for _, did := range e.On {
				claims = append(claims, "event of "+string(subject.Kind)+" "+string(did))
			}
			if len(e.On) == 0 || e.Doc == "" || subject.IDs == "" {
				return fmt.Errorf("%s: %s lacks its moments, its doc or its field", subject.Kind, e.Name)
			}
		}
		for _, what := range claims {
			if other, taken := owners[what]; taken {
				return fmt.Errorf("%s: the %s is already that of %s", subject.Kind, what, other)
			}
			owners[what] = subject.Kind
		}
		if subject.Needs == "" {
			return fmt.Errorf("%s: nobody needs a permission to read them", subject.Kind)
		}
		for _, e := range subject.Events {
			// An event that says what changed needs an example of it, in groups of its own kind; any other must have
			// none.
			foreign := slices.ContainsFunc(e.Example, func(g Group) bool { return !slices.Contains(subject.Groups, g) })
			grouped := len(subject.Groups) > 0 && slices.Contains(e.On, Changed)
			if foreign || grouped != (len(e.Example) > 0) {
				return fmt.Errorf("%s: the example of %s is not of their groups", subject.Kind, e.Name)
			}
		}
		for _, g := range subject.Groups {
			if !slices.Contains(Groups, g) {
				return fmt.Errorf("%s: nobody can ask for their group %q", subject.Kind, g)
			}
		}
	}
	return nil
}

// Event is the event that tells of the record; "" if its kind has none for what was done: then the change feed alone
// tells of it.
func (r Record) Event() Name {
	of := slices.IndexFunc(Subjects, func(s Subject) bool { return s.Kind == r.Kind })
	if of < 0 {
		return ""
	}
	for _, e := range Subjects[of].Events {
		if slices.Contains(e.On, r.Did) {
			return e.Name
		}
	}
	return ""
}

// Row is the event's row in the table.
func (n Name) Row() Event { return rows[n] }

// Mandatory says whether the event goes to receivers that did not ask for it.
func (n Name) Mandatory() bool {
	return slices.ContainsFunc(mandatory, func(e Event) bool { return e.Name == n })
}

// Needs is the permission without which an event is not told; "" where all active accesses hear of it.
func (n Name) Needs() permission.Permission { return rows[n].About.Needs }

// Grouped says whether calls of the event say what changed, and receivers can filter them by it.
func (n Name) Grouped() bool {
	return len(rows[n].About.Groups) > 0 && slices.Contains(rows[n].On, Changed)
}

// data is the "data" of an event about records, which are all of the subject.
func (s Subject) data(records []Record) []byte {
	type product struct {
		ID         string   `json:"id"`
		VariantIDs []string `json:"variantIds"`
	}
	all := make([]any, len(records))
	for i, r := range records {
		all[i] = r.ID
		if s.Variants {
			all[i] = product{r.ID, append([]string{}, r.Variants...)} // [] and not null where none was touched
		}
	}
	return mustMarshal(map[string]any{s.IDs: all})
}
